#include "aclimb/runtime/parameters.h"

#include <atomic>

#include "acl/acl_rt.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/context.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

std::atomic<int64_t> process_parameters[Context::kParameters] = {};
// Whether any context ever got a value of its own: until then phase 1 need not look for one.
std::atomic<bool> contexts_differ{false};
std::atomic<uint64_t> wait_timeout_ms{0};
std::atomic<uint64_t> execute_timeout_ms{0};

Status CheckOption(aclSysParamOpt opt) {
  const auto number = static_cast<int32_t>(opt);
  if (number >= 0 && number < Context::kParameters) return Ok();
  return BadValue("opt", number, "an aclSysParamOpt", "parameter/option");
}

Status CheckValue(aclSysParamOpt opt, int64_t value) {
  ACLIMB_CHECK_OK(CheckOption(opt));
  const int64_t most = opt == ACL_OPT_DETERMINISTIC ? 3 : 1;
  if (value >= 0 && value <= most) return Ok();
  return BadValue("value", value, Cat("0 to ", most), "parameter/value");
}

}  // namespace

uint64_t EventWaitTimeoutMs() { return wait_timeout_ms.load(std::memory_order_relaxed); }

void SetProcessDeterministic(int64_t value) {
  process_parameters[ACL_OPT_DETERMINISTIC].store(value, std::memory_order_relaxed);
}

}  // namespace aclimb

extern "C" {

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return aclimb::Enter("aclrtSetSysParamOpt", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckValue(opt, value));
    aclimb::process_parameters[opt].store(value, std::memory_order_relaxed);
    return aclimb::Ok();
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return aclimb::Enter("aclrtGetSysParamOpt", [&]() -> aclimb::Status {
    if (value == nullptr) return aclimb::NullArgument("value");
    ACLIMB_CHECK_OK(aclimb::CheckOption(opt));
    *value = aclimb::process_parameters[opt].load(std::memory_order_relaxed);
    return aclimb::Ok();
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  return aclimb::Enter("aclrtCtxSetSysParamOpt", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckValue(opt, value));
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    aclimb::contexts_differ.store(true, std::memory_order_relaxed);
    context.value()->parameters[opt].store(value, std::memory_order_relaxed);
    return aclimb::Ok();
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  return aclimb::Enter("aclrtCtxGetSysParamOpt", [&]() -> aclimb::Status {
    if (value == nullptr) return aclimb::NullArgument("value");
    ACLIMB_CHECK_OK(aclimb::CheckOption(opt));
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    const int64_t set = context.value()->parameters[opt].load(std::memory_order_relaxed);
    if (set == aclimb::Context::kUnset) {
      return aclimb::Refuse(aclimb::kRtSysParamNotSet,
                            aclimb::Cat("opt is ", static_cast<int>(opt),
                                        ", which this context has no value for; expected one that "
                                        "aclrtCtxSetSysParamOpt set."),
                            "set it first, or ask aclrtGetSysParamOpt for the process's value",
                            "runtime/parameter/not-set");
    }
    *value = set;
    return aclimb::Ok();
  });
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
  aclimb::execute_timeout_ms.store(uint64_t{timeout} * 1000, std::memory_order_relaxed);
  return 0;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout) {
  aclimb::execute_timeout_ms.store(timeout, std::memory_order_relaxed);
  return 0;
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  aclimb::wait_timeout_ms.store(uint64_t{timeout} * 1000, std::memory_order_relaxed);
  return 0;
}

int64_t aclimb_deterministic() {
  try {
    const bool look = aclimb::contexts_differ.load(std::memory_order_relaxed);
    const aclimb::ContextRef context = look ? aclimb::CurrentContextOrNull() : nullptr;
    if (context != nullptr) {
      const int64_t set =
          context->parameters[ACL_OPT_DETERMINISTIC].load(std::memory_order_relaxed);
      if (set != aclimb::Context::kUnset) return set;
    }
  } catch (...) {
  }
  return aclimb::process_parameters[ACL_OPT_DETERMINISTIC].load(std::memory_order_relaxed);
}

}  // extern "C"
