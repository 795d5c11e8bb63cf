// The options of the single-operator compiler. There is nothing to compile here, so all but
// ACL_OP_DETERMINISTIC are kept and given back, no more. The state lives in libascendcl.

#include "acl/acl_op_compiler.h"
#include "aclimb/bridge/bridge.h"

extern "C" {

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  return aclimb_compile_option_set(opt, value);
}

size_t aclGetCompileoptSize(aclCompileOpt opt) { return aclimb_compile_option_size(opt); }

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
  return aclimb_compile_option_get(opt, value, length);
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag) { return aclimb_compile_flag_set(flag); }

}  // extern "C"
