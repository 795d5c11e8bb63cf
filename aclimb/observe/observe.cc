#include "aclimb/observe/observe.h"

#include <cstdio>
#include <mutex>
#include <string>

#include "aclimb/bridge/collectives.h"
#include "aclimb/core/fork.h"

namespace aclimb::observe {
namespace {

Observers tools;

// Calls of the thread, innermost last. Deeper nesting (callbacks in callbacks) is not named.
struct CallStack {
  static constexpr int kDeepest = 8;
  const char* names[kDeepest] = {};
  int depth = 0;
};
thread_local CallStack calls;

constinit std::mutex start_mutex;

class ToolsPart final : public ForkPart {
 public:
  bool TryLock(bool) override { return start_mutex.try_lock(); }
  void Unlock() override { start_mutex.unlock(); }
  void Renew(bool locked) override {
    int kept = 0;
    for (int i = 0; i < tools.count; ++i) {
      if (!tools.list[i]->EndsInChild()) tools.list[kept++] = tools.list[i];
    }
    tools.count = kept;
    if (locked) start_mutex.unlock();
    new (&start_mutex) std::mutex;
  }
};
ToolsPart tools_part;

}  // namespace

namespace internal {

bool Start() noexcept {
  ForkParts::NoteUse();
  const std::lock_guard<std::mutex> lock(start_mutex);
  if (state.load(std::memory_order_relaxed) == State::kUnknown) {
    tools = MakeTools();
    state.store(tools.count > 0 ? State::kOn : State::kOff, std::memory_order_release);
  }
  return state.load(std::memory_order_relaxed) == State::kOn;
}

}  // namespace internal

const Observers& Tools() noexcept { return tools; }

int CallBegin(const char* function) noexcept {
  if (calls.depth < CallStack::kDeepest) calls.names[calls.depth] = function;
  ++calls.depth;
  int code = 0;
  Each([&](Observer& tool) {
    const int wanted = tool.CallBegin(function);
    if (code == 0) code = wanted;
  });
  return code;
}

void CallEnd(const char* function, int code) noexcept {
  Each([&](Observer& tool) { tool.CallEnd(function, code); });
  --calls.depth;
}

const char* CurrentCall() noexcept {
  const int depth = calls.depth < CallStack::kDeepest ? calls.depth : CallStack::kDeepest;
  return depth == 0 ? "" : calls.names[depth - 1];
}

const char* OuterCall() noexcept {
  return calls.depth < 2 || calls.depth > CallStack::kDeepest ? "" : calls.names[calls.depth - 2];
}

}  // namespace aclimb::observe

extern "C" {

int aclimb_observing() { return aclimb::observe::On() ? 1 : 0; }

int aclimb_call_begin(const char* function) { return aclimb::observe::CallBegin(function); }

void aclimb_call_details(const AclimbOperatorCall* call) {
  aclimb::observe::Each([&](aclimb::observe::Observer& tool) { tool.OperatorCalled(*call); });
}

uint32_t aclimb_call_site() {
  uint32_t site = 0;
  if (!aclimb::observe::On()) return site;
  aclimb::observe::Each([&](aclimb::observe::Observer& tool) {
    if (site == 0) site = tool.CallSite();
  });
  return site;
}

void aclimb_call_site_text(uint32_t site, char* text, size_t bytes) {
  std::snprintf(text, bytes, "%s", "");
  if (site == 0) return;
  aclimb::observe::Each([&](aclimb::observe::Observer& tool) {
    const std::string known = tool.CallSiteText(site);
    if (!known.empty()) std::snprintf(text, bytes, "%s", known.c_str());
  });
}

void aclimb_call_end(const char* function, int code) { aclimb::observe::CallEnd(function, code); }

}  // extern "C"
