// Products of several pairs of matrices, one after another: each has the whole team.

#include <utility>
#include <vector>

#include "aclimb/executor/phase.h"
#include "aclimb/matmul/matmul.h"
#include "aclimb/ops/grouped_matmul/contract.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::grouped_matmul {
namespace {

class Products final : public Plan {
 public:
  explicit Products(std::vector<PlanPointer> each) : each_(std::move(each)) {}

  void Run(const RunContext& run) const override {
    for (const PlanPointer& product : each_) {
      if (IsCancelled()) return;
      product->Run(run);
    }
  }
  double Flops() const override {
    double sum = 0;
    for (const PlanPointer& product : each_) sum += product->Flops();
    return sum;
  }

 private:
  const std::vector<PlanPointer> each_;
};

Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const auto term = [&](int parameter, size_t i) {
    return matmul::Term{parameter, i, arguments.Tensor(parameter, i).View()};
  };
  std::vector<PlanPointer> products;
  // Products follow one another: each may use the whole workspace.
  const int64_t mark = planner.workspace().Mark();
  double cycles = 0;
  for (size_t i = 0; i < arguments.ElementCount(kX); ++i) {
    matmul::Call call = {.a = term(kX, i), .b = term(kWeight, i), .out = term(kY, i)};
    if (arguments.Given(kBias)) call.self = term(kBias, i);
    Result<PlanPointer> product = matmul::MakePlan(planner, call);
    planner.workspace().Rewind(mark);
    if (!product.ok()) return product.TakeStatus();
    if (product.value() == nullptr) continue;
    products.push_back(std::move(product.value()));
    cycles += planner.cost().cycles;
  }
  if (products.empty()) return PlanPointer();
  planner.Costs({.cycles = cycles});
  return PlanPointer(NewPlan<Products>(std::move(products)));
}

constinit Operator kOperator(kContract, MakePlan);

}  // namespace
}  // namespace aclimb::grouped_matmul

extern "C" aclnnStatus aclnnGroupedMatmulV3GetWorkspaceSize(
    const aclTensorList* x, const aclTensorList* weight, const aclTensorList* biasOptional,
    const aclTensorList* scaleOptional, const aclTensorList* offsetOptional,
    const aclTensorList* antiquantScaleOptional, const aclTensorList* antiquantOffsetOptional,
    const aclTensor* groupListOptional, int64_t splitItem, int64_t groupType,
    const aclTensorList* y, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::grouped_matmul::kOperator, workspaceSize, executor, x, weight,
                        biasOptional, scaleOptional, offsetOptional, antiquantScaleOptional,
                        antiquantOffsetOptional, groupListOptional, splitItem, groupType, y);
}

extern "C" aclnnStatus aclnnGroupedMatmulV3(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::grouped_matmul::kOperator, workspace, workspaceSize, executor,
                        stream);
}
