#include "aclimb/runtime/error.h"

#include <atomic>
#include <cerrno>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/answers.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/thread_state.h"

namespace aclimb {
namespace {

constexpr size_t kKeptMessages = 16;
constexpr size_t kKeptBytes = 32 * 1024;

std::atomic<bool> share_messages{false};

struct SharedMessages {
  std::mutex mutex;
  std::deque<std::string> unread;
  size_t unread_bytes = 0;
};
SharedMessages& Shared() {
  static auto* const shared = new SharedMessages;
  return *shared;
}
ForkLock shared_lock(Shared().mutex);

void Push(std::deque<std::string>& unread, size_t& bytes, const char* text) {
  unread.emplace_front(text, 0, kKeptBytes);
  bytes += unread.front().size();
  while (unread.size() > kKeptMessages || (bytes > kKeptBytes && unread.size() > 1)) {
    bytes -= unread.back().size();
    unread.pop_back();
  }
}

void Join(std::deque<std::string>& unread, size_t& bytes, std::string& text) {
  for (const std::string& message : unread) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  unread.clear();
  bytes = 0;
}

void Report(int code, const char* text, bool is_answer) noexcept {
  try {
    ThreadState& thread = ThisThread();
    thread.last_error = code;
    if (text == nullptr || text[0] == '\0') return;
    if (observe::On()) {
      observe::Each([&](observe::Observer& tool) { tool.Refused(code, text); });
    }
    if (std::exchange(thread.newest_is_answer, false)) {
      thread.unread_bytes -= thread.unread.front().size();
      thread.unread.pop_front();
    }
    if (share_messages.load(std::memory_order_relaxed) && !is_answer) {
      SharedMessages& shared = Shared();
      std::lock_guard<std::mutex> lock(shared.mutex);
      Push(shared.unread, shared.unread_bytes, text);
    } else {
      Push(thread.unread, thread.unread_bytes, text);
      thread.newest_is_answer = is_answer;
    }
    aclimb_log(ACL_ERROR, text);
  } catch (...) {  // No memory for the text: the code alone has to do.
  }
}

Status CheckLevel(aclrtLastErrLevel level) {
  if (level == ACL_RT_THREAD_LEVEL) return Ok();
  return BadValue("level", level, "ACL_RT_THREAD_LEVEL", "error/level");
}

}  // namespace

void ShareMessages(bool shared) { share_messages.store(shared, std::memory_order_relaxed); }

void ReportRefusal(const char* function, const Refusal& refusal) noexcept {
  try {
    Report(refusal.code, MessageOf(function, refusal).c_str(), IsAnswer(function, refusal.code));
  } catch (...) {
    aclimb_report(refusal.code, function);
  }
}

int ReportUnusable(const char* function) noexcept {
  try {
    const Status status = UnusableAfterFork(kUninitialized);
    ReportRefusal(function, status.refusal());
    return status.code();
  } catch (...) {
    return ReportException(function);
  }
}

int ReportException(const char* function) noexcept {
  // The strings of a refusal take memory themselves.
  const auto report = [function](int code, const char* what, const char* fix, const char* rule) {
    try {
      ReportRefusal(function, Refusal{code, what, fix, rule});
    } catch (...) {
      aclimb_report(code, function);
    }
    return code;
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    const SystemRefusal refusal =
        RefusedMemory("host memory for bookkeeping", "operator new", 0, ENOMEM);
    return report(kRtMemoryAllocation, refusal.what, refusal.fix, "runtime/host-memory");
  } catch (const std::system_error& error) {
    const SystemRefusal refusal = RefusedThread("a thread of the runtime", error.code().value());
    return report(kRtResourceAllocFail, refusal.what, refusal.fix, "runtime/thread");
  } catch (...) {
    return report(kInternalError, "an internal failure of Aclimb.",
                  "report it as a bug, with the call and its arguments", "runtime/internal");
  }
}

}  // namespace aclimb

extern "C" {

void aclimb_report(int code, const char* text) {
  aclimb::Report(code, text, aclimb::IsAnswer("", code));
}

const char* aclGetRecentErrMsg() {
  try {
    if (aclimb::observe::On()) {
      aclimb::observe::Each([](aclimb::observe::Observer& tool) { tool.TextsRead(); });
    }
    aclimb::ThreadState& thread = aclimb::ThisThread();
    thread.returned.clear();
    thread.newest_is_answer = false;
    aclimb::Join(thread.unread, thread.unread_bytes, thread.returned);
    {
      // Those from before aclFinalize too.
      aclimb::SharedMessages& shared = aclimb::Shared();
      std::lock_guard<std::mutex> lock(shared.mutex);
      aclimb::Join(shared.unread, shared.unread_bytes, thread.returned);
    }
    return thread.returned.c_str();
  } catch (...) {
    return "";
  }
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  const int refused = aclimb::Enter("aclrtGetLastError", [&] { return aclimb::CheckLevel(level); });
  if (refused != 0) return refused;
  try {
    return std::exchange(aclimb::ThisThread().last_error, 0);
  } catch (...) {
    return aclimb::ReportException("aclrtGetLastError");
  }
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  const int refused =
      aclimb::Enter("aclrtPeekAtLastError", [&] { return aclimb::CheckLevel(level); });
  if (refused != 0) return refused;
  try {
    return aclimb::ThisThread().last_error;
  } catch (...) {
    return aclimb::ReportException("aclrtPeekAtLastError");
  }
}

}  // extern "C"
