#include "aclimb/collectives/errors.h"

#include <cerrno>
#include <exception>
#include <new>
#include <system_error>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/system_refusal.h"
#include "aclimb/core/text.h"

namespace aclimb::collectives {
namespace {

struct Row {
  HcclResult code;
  const char* name;
  const char* meaning;
};

#define ACLIMB_RESULT(code) code, #code
constexpr Row kRows[] = {
    {ACLIMB_RESULT(HCCL_SUCCESS), "success"},
    {ACLIMB_RESULT(HCCL_E_PARA), "an argument is out of range"},
    {ACLIMB_RESULT(HCCL_E_PTR), "a required pointer is null"},
    {ACLIMB_RESULT(HCCL_E_MEMORY), "there is not enough memory"},
    {ACLIMB_RESULT(HCCL_E_INTERNAL), "an internal failure"},
    {ACLIMB_RESULT(HCCL_E_NOT_SUPPORT), "the function or the combination is not supported"},
    {ACLIMB_RESULT(HCCL_E_NOT_FOUND), "what was asked for is not there"},
    {ACLIMB_RESULT(HCCL_E_UNAVAIL), "a resource is not available"},
    {ACLIMB_RESULT(HCCL_E_SYSCALL), "a call of the operating system failed"},
    {ACLIMB_RESULT(HCCL_E_TIMEOUT), "time is up"},
    {ACLIMB_RESULT(HCCL_E_OPEN_FILE_FAILURE), "a file cannot be opened"},
    {ACLIMB_RESULT(HCCL_E_TCP_CONNECT), "a TCP connection cannot be made"},
    {ACLIMB_RESULT(HCCL_E_ROCE_CONNECT), "an RDMA connection cannot be made"},
    {ACLIMB_RESULT(HCCL_E_TCP_TRANSFER), "a transfer over TCP failed"},
    {ACLIMB_RESULT(HCCL_E_ROCE_TRANSFER), "a transfer by RDMA failed"},
    {ACLIMB_RESULT(HCCL_E_RUNTIME), "a call of the runtime failed"},
    {ACLIMB_RESULT(HCCL_E_DRV), "a call of the driver failed"},
    {ACLIMB_RESULT(HCCL_E_PROFILING), "profiling failed"},
    {ACLIMB_RESULT(HCCL_E_CCE), "a kernel cannot be launched"},
    {ACLIMB_RESULT(HCCL_E_NETWORK), "the network failed"},
    {ACLIMB_RESULT(HCCL_E_AGAIN), "try again"},
    {ACLIMB_RESULT(HCCL_E_REMOTE), "another rank failed"},
    {ACLIMB_RESULT(HCCL_E_SUSPENDING), "the communicator is suspended"},
    {ACLIMB_RESULT(HCCL_E_OPRETRY_FAIL), "the repetition of an operation failed"},
    {ACLIMB_RESULT(HCCL_E_OOM), "the device has not enough memory"},
};
#undef ACLIMB_RESULT

// Of the runtime, for aclrtGetLastError.
int RuntimeCode(int code) {
  switch (code) {
    case HCCL_E_PARA:
      return kRtParamInvalid;
    case HCCL_E_PTR:
      return kInvalidParam;
    case HCCL_E_MEMORY:
      return kRtMemoryAllocation;
    case HCCL_E_NOT_SUPPORT:
      return kRtFeatureNotSupport;
    case HCCL_E_UNAVAIL:
      return kRtResourceAllocFail;
    default:
      return kInternalError;
  }
}

}  // namespace

const char* NameOf(HcclResult code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row.name;
  }
  return "";
}

const char* MeaningOf(HcclResult code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row.meaning;
  }
  return "not a code of HCCL";
}

std::string TextOf(std::string_view function, const Refusal& refusal) {
  std::string text = Cat(function, ": ", refusal.what);
  if (!refusal.fix.empty()) text += Cat("\n  fix: ", refusal.fix);
  return text + Cat("\n  rule: ", refusal.rule, "   code: ", refusal.code, " ",
                    NameOf(static_cast<HcclResult>(refusal.code)));
}

HcclResult Report(const char* function, const Refusal& refusal) noexcept {
  const int code = RuntimeCode(refusal.code);
  try {
    aclimb_report(code, TextOf(function, refusal).c_str());
  } catch (...) {
    aclimb_report(code, function);
  }
  return static_cast<HcclResult>(refusal.code);
}

Status StatusOfException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return NoHostMemory("the call");
  } catch (const std::system_error& error) {
    // pthread_create says EAGAIN; whatever else the system refuses names itself.
    if (error.code().value() == EAGAIN) {
      const SystemRefusal refused = RefusedThread("a thread of a communicator", EAGAIN);
      return Refuse(HCCL_E_UNAVAIL, refused.what, refused.fix, "collective/thread");
    }
    return Refuse(HCCL_E_SYSCALL,
                  Cat("the system refused what a communicator needs (", error.what(),
                      "); expected threads and descriptors for it."),
                  "raise the limits of the process (ulimit -n, ulimit -u)", "collective/system");
  } catch (const std::exception& error) {
    return Refuse(HCCL_E_INTERNAL, Cat("an internal failure of Aclimb: ", error.what(), "."),
                  "report it as a bug, with the call and its arguments", "collective/internal");
  } catch (...) {
    return Refuse(HCCL_E_INTERNAL, "an unknown failure inside Aclimb.",
                  "report it as a bug, with the call and its arguments", "collective/internal");
  }
}

HcclResult ReportException(const char* function) noexcept {
  try {
    const Status status = StatusOfException();
    return Report(function, status.refusal());
  } catch (...) {
    aclimb_report(kInternalError, function);
    return HCCL_E_INTERNAL;
  }
}

Status CopyOf(const Status& status) {
  if (status.ok()) return Ok();
  const Refusal& refusal = status.refusal();
  return Refuse(refusal.code, refusal.what, refusal.fix, refusal.rule);
}

Status NoHostMemory(std::string_view whose) {
  return Refuse(HCCL_E_MEMORY, Cat("host memory is exhausted; expected some for ", whose, "."),
                "free host memory", "collective/host-memory");
}

Status NullPointer(std::string_view name) {
  return Refuse(HCCL_E_PTR, Cat(name, " is null; expected an address."),
                "pass an address; check the codes of the calls before this one",
                Cat("collective/null/", name));
}

Status BadParameter(std::string_view name, int64_t value, std::string_view expected,
                    std::string_view rule, std::string fix) {
  return Refuse(HCCL_E_PARA, Cat(name, " is ", value, "; expected ", expected, "."), std::move(fix),
                Cat("collective/", rule));
}

Status RankHasFailed(uint32_t rank, uint32_t code, std::string_view what) {
  return Refuse(static_cast<int>(code), Cat("rank ", rank, " failed: ", what), kFixOfFailure,
                "collective/rank-failed");
}

Status RankHasLeft(std::string_view where, uint32_t rank) {
  return Refuse(HCCL_E_REMOTE,
                Cat(where, ": rank ", rank,
                    " has destroyed its communicator and takes no part; expected every rank to "
                    "make the same calls."),
                "destroy communicators when all ranks have done their work",
                "collective/rank-left");
}

}  // namespace aclimb::collectives
