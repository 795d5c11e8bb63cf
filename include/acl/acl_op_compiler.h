// Compile options of the older single-operator interface. Library: acl_op_compiler.
//
// Frameworks set them at start-up. Aclimb stores them and gives them back; of all options only
// ACL_OP_DETERMINISTIC has an effect. A few operators are executed by their type names; of all
// others aclopCompileAndExecute says what to call instead. The other functions that compile are not
// declared, so that the compiler names them.
#ifndef ACL_ACL_OP_COMPILER_H_
#define ACL_ACL_OP_COMPILER_H_

#include <stddef.h>

#include "acl_base.h"
#include "acl_op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclopCompileType {
  ACL_COMPILE_SYS = 0,
  ACL_COMPILE_UNREGISTERED = 1
} aclopCompileType;

typedef enum aclOpCompileFlag {
  ACL_OP_COMPILE_DEFAULT = 0,
  ACL_OP_COMPILE_FUZZ = 1
} aclOpCompileFlag;

typedef enum aclCompileOpt {
  ACL_PRECISION_MODE = 0,
  ACL_AICORE_NUM = 1,
  ACL_AUTO_TUNE_MODE = 2,  // withdrawn, the number stays taken
  ACL_OP_SELECT_IMPL_MODE = 3,
  ACL_OPTYPELIST_FOR_IMPLMODE = 4,
  ACL_OP_DEBUG_LEVEL = 5,
  ACL_DEBUG_DIR = 6,
  ACL_OP_COMPILER_CACHE_MODE = 7,
  ACL_OP_COMPILER_CACHE_DIR = 8,
  ACL_OP_PERFORMANCE_MODE = 9,
  ACL_OP_JIT_COMPILE = 10,
  ACL_OP_DETERMINISTIC = 11,
  ACL_CUSTOMIZE_DTYPES = 12,
  ACL_OP_PRECISION_MODE = 13,
  ACL_ALLOW_HF32 = 14,
  ACL_PRECISION_MODE_V2 = 15,
  ACL_OP_DEBUG_OPTION = 16
} aclCompileOpt;

// Sets an option for the process.
//   errors  100000 null value, 107000 not an option
ACL_FUNC_VISIBILITY aclError aclSetCompileopt(aclCompileOpt opt, const char* value);

// Bytes that aclGetCompileopt needs for the option's value, the terminating zero included. 0 for an
// option outside aclCompileOpt.
ACL_FUNC_VISIBILITY size_t aclGetCompileoptSize(aclCompileOpt opt);

// Copies the option's value, zero-terminated, into the `length` bytes at `value`.
//   errors  100000 null value, 107000 not an option, or length < aclGetCompileoptSize(opt)
ACL_FUNC_VISIBILITY aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length);

// Chooses between the two compile modes. Nothing is compiled here, so the flag is only stored.
//   errors  107000 not a flag
ACL_FUNC_VISIBILITY aclError aclopSetCompileFlag(aclOpCompileFlag flag);

// Frameworks fall back on it where an operator of aclnnop/ is missing, or is left aside for the
// sake of the chip's own formats. A few types, as those of convolutions that PyTorch calls, are
// executed by the operators of aclnnop/, on dense tensors in the formats ND, NCL, NCHW and NCDHW;
// the call returns when the stream has done the work, if that takes workspace. The message of a
// refusal tells the operator's type, what it was given, the function of aclnnop/ that stands in its
// place and whether Aclimb has it.
//   errors  100000 null type or array, 107000 a negative number of tensors, 107017 a descriptor or
//           buffer that is not live; 200001 another type, format or attribute; those of the
//           functions of aclnnop/
ACL_FUNC_VISIBILITY aclError aclopCompileAndExecute(
    const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
    const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
    aclDataBuffer* const outputs[], const aclopAttr* attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char* opPath, aclrtStream stream);
// The same, for operators whose outputs' shapes are known after the run only.
ACL_FUNC_VISIBILITY aclError
aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[],
                         aclDataBuffer* inputs[], int numOutputs, aclTensorDesc* outputDesc[],
                         aclDataBuffer* outputs[], aclopAttr* attr, aclopEngineType engineType,
                         aclopCompileType compileFlag, const char* opPath, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_OP_COMPILER_H_
