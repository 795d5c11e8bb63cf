#include "aclnn/opdev/op_errno.h"
#include "tools/catalogue/code_entry.h"

namespace aclimb::catalogue {
namespace {

// Causes and remedies that the codes of the kernel packages share. Aclimb has no such packages.
constexpr const char* kPackageCause =
    "an operator package that is damaged, incomplete or of another release than the toolkit";
constexpr const char* kPackageFix =
    "install toolkit and operator packages of one release and source set_env.sh again";

constexpr CodeEntry kOperatorCodes[] = {
    {ACLIMB_CODE(ACLNN_SUCCESS), "the call did what it says", "nothing is wrong", "nothing"},
    {ACLIMB_CODE(ACLNN_ERR_PARAM_NULLPTR), "a mandatory argument of an operator is null",
     "aclCreateTensor or aclCreateScalar failed and its result was not checked; arguments in the "
     "wrong order; a tensor without an address, or a workspace of null with a size, in phase 2",
     "read the message: it names the argument"},
    {ACLIMB_CODE(ACLNN_ERR_PARAM_INVALID), "an argument of an operator breaks its contract",
     "a dtype that this chip does not accept; shapes that do not belong together; a value out of "
     "range; a blocked format; in phase 2, memory that was freed, is too small or is the host's",
     "read the message: it gives the value, what was expected and the rule; `aclimb explain RULE` "
     "tells more, `aclimb ops NAME` lists what the operator accepts"},
    {ACLIMB_CODE(ACLNN_ERR_RUNTIME_ERROR),
     "the runtime refused the launch; its own code is in the message",
     "no device set on this thread (107002); a stream of another context (107003) or a destroyed "
     "one (107017); with ASCEND_LAUNCH_BLOCKING=1 also the task's own failure",
     "explain the inner code"},
    {ACLIMB_CODE(ACLNN_ERR_INNER), "an operator failed inside, or the host has no memory left",
     "shapes so large that even their bookkeeping does not fit; else a mistake in the library",
     "report it with the message, unless memory is short"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_INFERSHAPE_ERROR), "the shape of an output cannot be derived",
     "input shapes that do not fit together and passed the earlier checks",
     "compare the shapes with the operator's page"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_TILING_ERROR), "the work cannot be divided for these shapes",
     "shapes that do not fit together: the cross-entropy gradient reports them with this code, as "
     "on an NPU; there also sizes beyond what its kernels can cut up",
     "read the message: it names the tensors and their shapes"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_FIND_KERNEL_ERROR), "no kernel exists for these arguments",
     "the operator package for this chip is not installed, or has no kernel of this dtype",
     "install the package of the chip in use, or convert the tensors"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_CREATE_EXECUTOR), "an executor cannot be made",
     "host memory ran out", "free memory"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR),
     "phase 1 ended without handing its executor over", "a faulty operator of the user's own",
     "hand the executor over at the end of the operator's phase 1"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_NULLPTR),
     "an executor has run already, was destroyed or, outside phase 2, is null",
     "phase 2 called twice with one executor; a null executor or tensor given to a call of "
     "aclnn/acl_meta.h (phase 2 answers 161001 to a null executor)",
     "call phase 1 again, or aclSetAclOpExecutorRepeatable right after it"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_WRONG_ATTR_INFO_SIZE),
     "an operator has another number of attributes than its description", kPackageCause,
     kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_KEY_CONFLICT), "two kernels claim the same arguments",
     kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_KEY_CONFILICT), "two kernels claim the same arguments",
     kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_INVALID_IMPL_MODE), "the precision mode of a kernel is not known",
     "a wrong value among the compile options, or a package of another release",
     "leave the precision mode at its default"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND), "the folder of operator packages is missing",
     "ASCEND_OPP_PATH is unset or names no folder", "source set_env.sh, or use `aclimb run`"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_LOAD_JSON_FAILED), "an operator's description cannot be read",
     kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_JSON_VALUE_NOT_FOUND), "an operator's description lacks an entry",
     kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_JSON_FORMAT_INVALID),
     "an operator's description names an unknown format", kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_JSON_DTYPE_INVALID),
     "an operator's description names an unknown dtype", kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND), "no package of kernels is loaded",
     "the kernels of this chip are a package of their own, which is not installed",
     "install the kernel package of the chip in use"},
    {ACLIMB_CODE(ACLNN_ERR_INNER_OP_FILE_INVALID), "a kernel file is not usable", kPackageCause,
     kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_ATTR_NUM_OUT_OF_BOUND), "an operator has too many attributes",
     kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_ATTR_LEN_NOT_ENOUGH),
     "the room for an operator's attributes is too small", kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_INPUT_NUM_IN_JSON_TOO_LARGE),
     "an operator's description has too many inputs", kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_INPUT_JSON_IS_NULL),
     "an operator's description has an empty input", kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID),
     "a precompiled kernel asks for an impossible workspace", kPackageCause, kPackageFix},
    {ACLIMB_CODE(ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID),
     "a precompiled kernel asks for an impossible number of cores", kPackageCause, kPackageFix},
};

}  // namespace

std::span<const CodeEntry> OperatorCodes() { return kOperatorCodes; }

}  // namespace aclimb::catalogue
