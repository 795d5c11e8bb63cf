// Weights that are prepared for products of matrices, and how large they become.

#include <string>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/report.h"
#include "aclimb/ops/trans_matmul_weight/contract.h"

namespace aclimb::trans_matmul_weight {
namespace {

Result<PlanPointer> MakePlan(const contract::Arguments&, Planner&) { return PlanPointer(); }

constinit Operator kOperator(kContract, MakePlan);

Status RefuseSize(int code, std::string what, const char* fix, const char* rule) {
  return Refuse(code, std::move(what), fix, Cat("calculate_matmul_weight_size/", rule));
}

//   longest  the last extent is rounded up to this
Status Calculate(const aclIntArray* shape, int64_t longest, uint64_t* size) {
  if (shape == nullptr || size == nullptr) {
    return RefuseSize(
        kAclnnNullptr,
        Cat(shape == nullptr ? "tensorShape" : "weightTensorSize", " is null; expected a pointer."),
        "pass an aclIntArray and the address of a uint64_t", "null");
  }
  const auto* const extents =
      static_cast<const IntArrayValue*>(aclimb_handle_resolve(shape, ACLIMB_HANDLE_INT_ARRAY));
  if (extents == nullptr) {
    return RefuseHandle(kAclnnInvalid, "calculate_matmul_weight_size/handle", "tensorShape", shape,
                        "aclIntArray", "one made by aclCreateIntArray",
                        "destroy it only after this call");
  }
  const std::string given =
      Cat("tensorShape is ", ShapeText(extents->data(), extents->size()), "; expected ");
  if (extents->size() < 2 || extents->size() > 6) {
    return RefuseSize(kAclnnInvalid, Cat(given, "2 to 6 extents."), "pass the weight's shape",
                      "rank");
  }
  int64_t elements = 1;
  for (size_t i = 0; i < extents->size(); ++i) {
    const size_t from_end = extents->size() - i;
    const int64_t extent = (*extents)[i];
    if (extent < 1) {
      return RefuseSize(kAclnnInvalid, Cat(given, "extents above 0."), "pass the weight's shape",
                        "extent");
    }
    const int64_t unit = from_end == 1 ? longest : from_end == 2 ? 16 : 1;
    const int64_t units = CeilDivide(extent, unit);
    if (__builtin_mul_overflow(elements, units, &elements) ||
        __builtin_mul_overflow(elements, unit, &elements)) {
      return RefuseSize(kAclnnInvalid, Cat(given, "a product below 2^63."),
                        "pass the weight's shape", "overflow");
    }
  }
  *size = static_cast<uint64_t>(elements);
  return Ok();
}

Status CalculateOf(const aclIntArray* shape, aclDataType data_type, uint64_t* size) {
  const auto dtype = static_cast<DType>(data_type);
  if (dtype != DType::kFloat16 && dtype != DType::kBFloat16 && dtype != DType::kInt8) {
    const std::string name =
        IsKnown(dtype) ? std::string(NameOf(dtype)) : Cat(static_cast<int>(data_type));
    return RefuseSize(kAclnnInvalid,
                      Cat("dataType is ", name, "; expected FLOAT16, BFLOAT16 or INT8."),
                      "convert the weight, or multiply by it as it is", "dtype");
  }
  return Calculate(shape, dtype == DType::kInt8 ? 32 : 16, size);
}

}  // namespace
}  // namespace aclimb::trans_matmul_weight

extern "C" aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape,
                                                        aclDataType dataType,
                                                        uint64_t* weightTensorSize) {
  return aclimb::Guarded("aclnnCalculateMatmulWeightSizeV2", [&] {
    return aclimb::trans_matmul_weight::CalculateOf(tensorShape, dataType, weightTensorSize);
  });
}

extern "C" aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray* tensorShape,
                                                      uint64_t* weightTensorSize) {
  return aclimb::Guarded("aclnnCalculateMatmulWeightSize", [&] {
    return aclimb::trans_matmul_weight::Calculate(tensorShape, 16, weightTensorSize);
  });
}

extern "C" aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::trans_matmul_weight::kOperator, workspaceSize, executor,
                        mmWeightRef);
}

extern "C" aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::trans_matmul_weight::kOperator, workspace, workspaceSize, executor,
                        stream);
}
