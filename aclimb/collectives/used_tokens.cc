#include "aclimb/collectives/used_tokens.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "aclimb/core/fork.h"

namespace aclimb::collectives {
namespace {

constexpr size_t kMostKept = 1024;

struct Used {
  std::mutex mutex;
  std::deque<std::pair<Secret, TooLate>> tokens;
};
Used& All() {
  static auto* const all = new Used;
  return *all;
}
ForkLock used_lock(All().mutex);

}  // namespace

void NoteUsed(const Secret& secret, const TooLate& why) {
  Used& all = All();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.tokens.emplace_back(secret, why);
  if (all.tokens.size() > kMostKept) all.tokens.pop_front();
}

std::optional<TooLate> FindUsed(const Secret& secret) {
  Used& all = All();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = std::find_if(all.tokens.begin(), all.tokens.end(),
                                  [&](const auto& each) { return Equal(each.first, secret); });
  if (found == all.tokens.end()) return std::nullopt;
  return found->second;
}

}  // namespace aclimb::collectives
