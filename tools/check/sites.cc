#include "tools/check/sites.h"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "aclimb/core/fork.h"
#include "tools/check/modules.h"

namespace aclimb::check {
namespace {

struct Frames {
  std::array<uintptr_t, kMostFrames> counters;
  int count = 0;
  bool outside = false;  // the walk has left our libraries
};

_Unwind_Reason_Code Step(_Unwind_Context* context, void* into) {
  auto& frames = *static_cast<Frames*>(into);
  int before = 0;
  const uintptr_t counter = _Unwind_GetIPInfo(context, &before);
  if (counter == 0) return _URC_END_OF_STACK;
  // A return address lies behind the call.
  const uintptr_t call = before != 0 ? counter : counter - 1;
  if (IsOurs(call)) return frames.outside ? _URC_END_OF_STACK : _URC_NO_REASON;
  frames.outside = true;
  frames.counters[static_cast<size_t>(frames.count++)] = call;
  return frames.count == kMostFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

uint64_t HashOf(const Frames& frames) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (int i = 0; i < frames.count; ++i) {
    hash = (hash ^ frames.counters[static_cast<size_t>(i)]) * 0x100000001B3u;
  }
  return hash;
}

struct SiteTable {
  std::mutex mutex;
  std::deque<Frames> sites{Frames()};  // [0] is unknown
  std::unordered_multimap<uint64_t, SiteId> by_hash;
};
SiteTable& Sites() {
  static auto* const table = new SiteTable;
  return *table;
}
ForkLock sites_lock(Sites().mutex);

SiteId Intern(const Frames& frames) {
  if (frames.count == 0) return 0;
  SiteTable& table = Sites();
  const uint64_t hash = HashOf(frames);
  const std::lock_guard<std::mutex> lock(table.mutex);
  const auto [first, last] = table.by_hash.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const Frames& known = table.sites[at->second];
    if (std::equal(known.counters.begin(), known.counters.begin() + known.count,
                   frames.counters.begin(), frames.counters.begin() + frames.count)) {
      return at->second;
    }
  }
  const auto site = static_cast<SiteId>(table.sites.size());
  table.sites.push_back(frames);
  table.by_hash.emplace(hash, site);
  return site;
}

// Of the innermost call that the thread is in.
struct ThisCall {
  int depth = 0;
  bool known = false;
  SiteId site = 0;
};
thread_local ThisCall this_call;

}  // namespace

void EnterCall() {
  ++this_call.depth;
  this_call.known = false;
}

void LeaveCall() {
  --this_call.depth;
  this_call.known = false;
}

SiteId CurrentSite() {
  if (this_call.known) return this_call.site;
  Frames frames;
  _Unwind_Backtrace(&Step, &frames);
  const SiteId site = Intern(frames);
  if (this_call.depth > 0) {
    this_call.known = true;
    this_call.site = site;
  }
  return site;
}

std::span<const uintptr_t> FramesOf(SiteId site) {
  SiteTable& table = Sites();
  const std::lock_guard<std::mutex> lock(table.mutex);
  const Frames& frames = table.sites[site];
  return {frames.counters.data(), static_cast<size_t>(frames.count)};
}

}  // namespace aclimb::check
