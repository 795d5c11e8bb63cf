// aclnnDot: the C entry points and the plans between them.

#include <atomic>
#include <cstring>

#include "aclimb/executor/phase.h"
#include "aclimb/matmul/matmul.h"
#include "aclimb/ops/products/contracts.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::products {
namespace {

// Elements that a thread takes at once.
constexpr int64_t kDotGrain = 64 * 1024;

// The low 32 bits of a sum of integers, whose own bits they begin with. It is the same in any
// order.
template <typename T>
uint32_t SumOf(const TensorView& a, const TensorView& b) {
  std::atomic<uint32_t> total{0};
  ParallelFor(a.shape[0], kDotGrain, [&](int64_t begin, int64_t end) {
    uint32_t sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      sum += static_cast<uint32_t>(a.As<T>()[i * a.stride[0]]) *
             static_cast<uint32_t>(b.As<T>()[i * b.stride[0]]);
    }
    total.fetch_add(sum, std::memory_order_relaxed);
  });
  return total.load(std::memory_order_relaxed);
}

struct IntegerDotPlan final : Plan {
  void Run(const RunContext& run) const override {
    const TensorView self = run.View(kSelf), other = run.View(kMat2), out = run.View(kOut);
    const uint32_t sum = self.dtype == DType::kInt8    ? SumOf<int8_t>(self, other)
                         : self.dtype == DType::kUInt8 ? SumOf<uint8_t>(self, other)
                                                       : SumOf<int32_t>(self, other);
    std::memcpy(out.data, &sum, SizeOf(out.dtype));
  }
};

Result<PlanPointer> PlanDot(const contract::Arguments& arguments, Planner& planner) {
  const auto view = [&](int parameter) { return arguments.Tensor(parameter).View(); };
  if (!IsFloating(view(kSelf).dtype)) {
    planner.Reads(kSelf);
    planner.Reads(kMat2);
    planner.Writes(kOut);
    planner.Costs({.cycles = static_cast<double>(view(kSelf).shape[0])});
    return PlanPointer(NewPlan<IntegerDotPlan>());
  }
  return matmul::MakePlan(
      planner, {.a = {.parameter = kSelf, .view = matmul::AsRow(view(kSelf))},
                .b = {.parameter = kMat2, .view = matmul::AsColumn(view(kMat2))},
                .out = {.parameter = kOut, .view = matmul::AsRow(matmul::AsColumn(view(kOut)))}});
}

constinit Operator kDotOperator(kDotContract, PlanDot);

}  // namespace
}  // namespace aclimb::products

extern "C" aclnnStatus aclnnDotGetWorkspaceSize(const aclTensor* self, const aclTensor* tensor,
                                                aclTensor* out, uint64_t* workspaceSize,
                                                aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::products::kDotOperator, workspaceSize, executor, self, tensor, out);
}

extern "C" aclnnStatus aclnnDot(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream) {
  return aclimb::Phase2(aclimb::products::kDotOperator, workspace, workspaceSize, executor, stream);
}
