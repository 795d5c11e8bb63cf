#include "aclimb/core/codes.h"
#include "tools/catalogue/rule_entry.h"

namespace aclimb::catalogue {
namespace {

constexpr const char* kWrongOrder = "arguments in the wrong order, or an uninitialised number";
constexpr const char* kDead = "it was destroyed, by itself or with its list";

constexpr FixedRule kObjectRules[] = {
    // aclTensor.
    {"tensor/null/*", kAclnnNullptr, "the argument of this name is not null",
     "aclCreateTensor failed and was not checked", "pass a tensor and the address of a variable"},
    {"tensor/handle", kAclnnInvalid, "the tensor is alive", kDead,
     "keep the tensor until its last use"},
    {"tensor/null-dims", kAclnnInvalid, "a rank above 0 comes with dimensions",
     "an empty vector's data() with another vector's size", "pass the shape that belongs together"},
    {"tensor/rank", kAclnnInvalid, "the rank is at most 1024", kWrongOrder,
     "compare the call with the declaration"},
    {"tensor/dtype", kAclnnInvalid, "the dtype is an aclDataType", kWrongOrder,
     "pass an enumerator of aclDataType"},
    {"tensor/negative-dim", kAclnnInvalid, "no dimension is negative",
     "-1 for an unknown dimension, as frameworks write it", "compute the shape first"},
    {"tensor/overflow", kAclnnInvalid, "the number of elements fits in 63 bits",
     "an overflow in the shape's arithmetic", "check the arithmetic"},
    {"tensor/negative-stride", kAclnnInvalid, "no stride is negative", "a reversed view",
     "copy the data in its own order first"},
    {"tensor/negative-offset", kAclnnInvalid, "the offset is not negative", kWrongOrder,
     "the offset counts elements from the tensor's address"},
    // Arrays, scalars, lists.
    {"array/null", kAclnnNullptr, "object and result are not null", "a creation that failed",
     "check the creation, and pass the address of a uint64_t"},
    {"array/handle", kAclnnInvalid, "the object is alive", kDead,
     "keep the object until its last use"},
    {"array/null-value", kAclnnInvalid, "a size above 0 comes with values",
     "an empty vector's data() with another vector's size", "pass the values, or size 0"},
    {"array/size", kAclnnInvalid, "the size fits in memory", kWrongOrder,
     "compare the call with the declaration"},
    {"list/null-value", kAclnnInvalid, "a size above 0 comes with members",
     "an empty vector's data() with another vector's size", "pass the members, or size 0"},
    {"list/size", kAclnnInvalid, "the list has at most 16777216 members", kWrongOrder,
     "compare the call with the declaration"},
    {"scalar/null-value", kAclnnInvalid, "the value's address is not null",
     "a number passed where its address is expected", "pass the address of a host variable"},
    {"scalar/dtype", kAclnnInvalid, "the dtype has whole bytes",
     "the dtype of a tensor of texts or of packed numbers", "pass the variable's own dtype"},
    {"destroy/*", kAclnnInvalid, "the object that is destroyed is alive",
     "destroyed twice, or after the list that owned it", "destroy each object once"},
    // Executors.
    {"executor/null", kAclnnInnerNullptr, "the executor is not null", "phase 1 failed",
     "check phase 1's code"},
    {"executor/consumed", kAclnnInnerNullptr, "the executor has not run and is not destroyed",
     "phase 2 consumed it; only repeatable ones survive",
     "call aclSetAclOpExecutorRepeatable right after phase 1"},
    {"executor/null-tensor", kAclnnInnerNullptr, "the tensor is not null", "a creation that failed",
     "pass the tensor of phase 1"},
    {"executor/index", kAclnnInvalid, "the index is that of a tensor that phase 1 got",
     "counting scalars too, or an optional tensor that was left out",
     "count the operator's tensors alone"},
    {"executor/other-tensor", kAclnnInvalid, "the tensor is the one that phase 1 got",
     "a new tensor for new data", "keep the tensor and set its address"},
    // Kernels that the device of ACLIMB_DEVICE brings.
    {"phase1/device-kernel", kAclnnRuntime, "the device makes its kernel for the call",
     "a fault of the device's plug-in", "see the device's own log, or unset ACLIMB_DEVICE"},
    {"phase2/no-device-kernel", kAclnnRuntime,
     "the device has a kernel for the operator, or the host sees the device's memory",
     "a plug-in without that operator", "unset ACLIMB_DEVICE to use the processor"},
    // The second phase.
    {"phase2/null-executor", kAclnnNullptr, "the executor is not null", "phase 1 failed",
     "check phase 1's code"},
    {"phase2/consumed-executor", kAclnnInnerNullptr, "the executor was not used before",
     "phase 2 called twice, as in a timing loop", "call phase 1 again, or make it repeatable"},
    {"phase2/other-operator", kAclnnInvalid, "both phases are of one operator",
     "two executors mixed up", "pass each executor to its own operator"},
    {"phase2/null-workspace", kAclnnNullptr, "workspace is not null where workspaceSize is above 0",
     "aclrtMalloc failed or was left out",
     "allocate workspaceSize bytes with aclrtMalloc, and pass them as workspace"},
    {"phase2/small-workspace", kAclnnInvalid, "the workspace is as large as phase 1 said",
     "one workspace for several calls", "allocate the largest of their sizes"},
    {"phase2/null-data", kAclnnNullptr, "every tensor with elements has an address",
     "a tensor created without memory", "set its address before phase 2"},
    {"phase2/not-device-memory", kAclnnInvalid, "tensors and workspace are live device memory",
     "host memory given to aclCreateTensor; memory freed between the phases",
     "allocate with aclrtMalloc, and free after the synchronise"},
    {"phase2/past-allocation", kAclnnInvalid, "each tensor ends within its allocation",
     "elements taken for bytes; strides or an offset in bytes",
     "allocate more, or correct shape, strides and offset of the view; of a workspace, allocate "
     "what phase 1 returned"},
    {"phase2/partial-overlap", kAclnnInvalid,
     "an output lies apart from the other tensors, or is the view of one of them",
     "a result that is written into another view of an input: shifted, transposed, or a row of it",
     "write to memory of its own, and copy the result"},
    {"phase2/not-in-place", kAclnnInvalid,
     "an output that is the view of an input is one of those that the operator may overwrite",
     "the output of a product, a flip or a reduction is the input itself; one tensor for two "
     "outputs",
     "allocate memory of its own for the output; the operator's page says what it may be"},
    {"phase2/runtime", kAclnnRuntime, "the stream takes the task",
     "no device set in this thread; a stream of another context or a destroyed one; with "
     "ASCEND_LAUNCH_BLOCKING=1 also a failure of the task itself",
     "explain the inner code that the message gives"},
    // aclnnCalculateMatmulWeightSize and its V2, which have no phases.
    {"calculate_matmul_weight_size/null", kAclnnNullptr,
     "tensorShape and weightTensorSize are not null", "an array whose creation was not checked",
     "pass an aclIntArray and the address of a uint64_t"},
    {"calculate_matmul_weight_size/handle", kAclnnInvalid, "tensorShape is a live aclIntArray",
     "it was destroyed before", "destroy it only after this call"},
    {"calculate_matmul_weight_size/rank", kAclnnInvalid, "tensorShape has 2 to 6 extents",
     "the shape of a vector", "pass the weight's shape"},
    {"calculate_matmul_weight_size/extent", kAclnnInvalid, "every extent is above 0",
     "an empty tensor", "pass the weight's shape"},
    {"calculate_matmul_weight_size/overflow", kAclnnInvalid,
     "the rounded extents multiply to less than 2^63", "an overflow in the shape's arithmetic",
     "pass the weight's shape"},
    {"calculate_matmul_weight_size/dtype", kAclnnInvalid, "dataType is FLOAT16, BFLOAT16 or INT8",
     "a weight in float32", "convert the weight, or multiply by it as it is"},
    // Failures inside.
    {"inner/handles", kAclnnInner, "a handle is left for a new object",
     "executors of phase 1 that no phase 2 consumed, or other objects, were never destroyed",
     "destroy what is not needed; executors with aclDestroyAclOpExecutor"},
    {"inner/host-memory", kAclnnInner, "the host has memory for descriptors and plans",
     "the process reached its memory limit", "free host memory"},
    {"inner/bug", kAclnnInner, "Aclimb makes no mistake", "a mistake in Aclimb",
     "report it, with the call and its arguments"},
};

}  // namespace

std::span<const FixedRule> ObjectRules() { return kObjectRules; }

}  // namespace aclimb::catalogue
