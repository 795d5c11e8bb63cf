#include <cstring>
#include <mutex>
#include <string>

#include "acl/acl_op_compiler.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/fork.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/parameters.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

constexpr int kOptions = ACL_OP_DEBUG_OPTION + 1;

struct CompileOptions {
  std::mutex mutex;
  std::string values[kOptions];
};
CompileOptions& Options() {
  static auto* const options = [] {
    auto* made = new CompileOptions;
    made->values[ACL_OP_DETERMINISTIC] = "0";
    made->values[ACL_OP_JIT_COMPILE] = "disable";
    return made;
  }();
  return *options;
}
ForkLock options_lock(Options().mutex);

Status CheckOption(int option) {
  if (option >= 0 && option < kOptions) return Ok();
  return BadValue("opt", option, "an aclCompileOpt", "compile-option/option");
}

}  // namespace
}  // namespace aclimb

extern "C" {

int aclimb_compile_option_set(int option, const char* value) {
  return aclimb::Enter("aclSetCompileopt", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckOption(option));
    if (value == nullptr) return aclimb::NullArgument("value");
    const bool flag = std::strcmp(value, "0") == 0 || std::strcmp(value, "1") == 0;
    if (option == ACL_OP_DETERMINISTIC && !flag) {
      return aclimb::Refuse(aclimb::kInvalidParam,
                            aclimb::Cat("value is \"", value, "\"; expected \"0\" or \"1\"."),
                            "pass \"0\" or \"1\"", "runtime/compile-option/deterministic");
    }
    aclimb::CompileOptions& options = aclimb::Options();
    std::lock_guard<std::mutex> lock(options.mutex);
    options.values[option] = value;
    if (option == ACL_OP_DETERMINISTIC) aclimb::SetProcessDeterministic(value[0] - '0');
    return aclimb::Ok();
  });
}

size_t aclimb_compile_option_size(int option) {
  size_t size = 0;
  aclimb::Enter("aclGetCompileoptSize", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckOption(option));
    aclimb::CompileOptions& options = aclimb::Options();
    std::lock_guard<std::mutex> lock(options.mutex);
    size = options.values[option].size() + 1;
    return aclimb::Ok();
  });
  return size;
}

int aclimb_compile_option_get(int option, char* value, size_t length) {
  return aclimb::Enter("aclGetCompileopt", [&]() -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::CheckOption(option));
    if (value == nullptr) return aclimb::NullArgument("value");
    aclimb::CompileOptions& options = aclimb::Options();
    std::lock_guard<std::mutex> lock(options.mutex);
    const std::string& kept = options.values[option];
    if (length <= kept.size()) {
      return aclimb::Refuse(aclimb::kInvalidParam,
                            aclimb::Cat("length is ", length, " but the value takes ",
                                        kept.size() + 1, " bytes; expected at least that."),
                            "ask aclGetCompileoptSize first", "runtime/compile-option/length");
    }
    std::memcpy(value, kept.c_str(), kept.size() + 1);
    return aclimb::Ok();
  });
}

int aclimb_compile_flag_set(int flag) {
  return aclimb::Enter("aclopSetCompileFlag", [&]() -> aclimb::Status {
    if (flag == ACL_OP_COMPILE_DEFAULT || flag == ACL_OP_COMPILE_FUZZ) return aclimb::Ok();
    return aclimb::BadValue("flag", flag, "ACL_OP_COMPILE_DEFAULT or ACL_OP_COMPILE_FUZZ",
                            "compile-option/flag");
  });
}

}  // extern "C"
