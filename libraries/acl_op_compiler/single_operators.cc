// The single-operator compiler. There is nothing to compile here, so all options but
// ACL_OP_DETERMINISTIC are kept and given back, no more. The state lives in libascendcl.

#include "acl/acl_op_compiler.h"
#include "aclimb/bridge/bridge.h"

namespace {

// Arrays of handles, whatever their kind.
template <typename Array>
const void* const* Handles(Array array) {
  return reinterpret_cast<const void* const*>(array);
}

}  // namespace

extern "C" {

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
  return aclimb_compile_option_set(opt, value);
}

size_t aclGetCompileoptSize(aclCompileOpt opt) { return aclimb_compile_option_size(opt); }

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
  return aclimb_compile_option_get(opt, value, length);
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag) { return aclimb_compile_flag_set(flag); }

aclError aclopCompileAndExecute(const char* opType, int numInputs,
                                const aclTensorDesc* const inputDesc[],
                                const aclDataBuffer* const inputs[], int numOutputs,
                                const aclTensorDesc* const outputDesc[],
                                aclDataBuffer* const outputs[], const aclopAttr* attr,
                                aclopEngineType, aclopCompileType, const char*,
                                aclrtStream stream) {
  const AclimbOpRequest request = {"aclopCompileAndExecute",
                                   opType,
                                   numInputs,
                                   Handles(inputDesc),
                                   Handles(inputs),
                                   numOutputs,
                                   Handles(outputDesc),
                                   Handles(outputs),
                                   attr,
                                   stream};
  return aclimb_op_compile_and_execute(&request);
}

aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                                  aclDataBuffer* inputs[], int numOutputs,
                                  aclTensorDesc* outputDesc[], aclDataBuffer* outputs[],
                                  aclopAttr* attr, aclopEngineType, aclopCompileType, const char*,
                                  aclrtStream stream) {
  const AclimbOpRequest request = {"aclopCompileAndExecuteV2",
                                   opType,
                                   numInputs,
                                   Handles(inputDesc),
                                   Handles(inputs),
                                   numOutputs,
                                   Handles(outputDesc),
                                   Handles(outputs),
                                   attr,
                                   stream};
  return aclimb_op_compile_and_execute(&request);
}

}  // extern "C"
