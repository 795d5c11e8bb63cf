#include "backends/cpu/refusal.h"

#include <cerrno>
#include <new>
#include <system_error>

#include "aclimb/core/codes.h"

namespace aclimb::cpu {
namespace {

// A library that programs load late has little room for variables of this kind, so the texts are
// made by who takes it.
[[gnu::tls_model("initial-exec")]] thread_local AclimbRefusal last_refusal = {};

}  // namespace

void NoteRefusedMemory(const char* whose, const char* call, uint64_t bytes, int error) noexcept {
  last_refusal = {whose, call, bytes, error, ACLIMB_REFUSED_MEMORY};
}

int NoHostMemory() noexcept {
  NoteRefusedMemory("host memory for bookkeeping", "operator new", 0, ENOMEM);
  return kRtMemoryAllocation;
}

void ForgetRefusal() noexcept { last_refusal = {}; }

int TakeRefusal(AclimbRefusal* refusal) noexcept {
  if (last_refusal.whose == nullptr) return 0;
  *refusal = last_refusal;
  last_refusal = {};
  return 1;
}

int CodeOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return NoHostMemory();
  } catch (const std::system_error& error) {
    last_refusal = {"the thread that runs the device's work", "pthread_create", 0,
                    error.code().value(), ACLIMB_REFUSED_THREAD};
    return kRtResourceAllocFail;
  } catch (...) {
    ForgetRefusal();
    return kInternalError;
  }
}

}  // namespace aclimb::cpu
