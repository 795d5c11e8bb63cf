// aclnnNorm and aclnnLinalgVectorNorm: the C entry points and the plans between them.

#include <cmath>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/norm/contract.h"
#include "aclimb/reduction/reduction.h"

namespace aclimb::norm {
namespace {

using reduction::Finishing;
using reduction::Fold;
using reduction::Output;
using reduction::Slot;

void ToRoot(const Finishing& of, int64_t count, Slot* first, Slot*) {
  for (int64_t i = 0; i < count; ++i) {
    first[i].real =
        of.number == 2 ? std::sqrt(first[i].real) : std::pow(first[i].real, 1 / of.number);
  }
}

Fold FoldOf(double order) {
  if (std::isinf(order)) return order > 0 ? Fold::kMaxAbsolute : Fold::kMinAbsolute;
  if (order == 0) return Fold::kNonzeros;
  if (order == 1) return Fold::kAbsoluteSum;
  return order == 2 ? Fold::kSquares : Fold::kPowers;
}

Result<PlanPointer> PlanOf(const contract::Arguments& arguments, Planner& planner,
                           const Output& output) {
  const double order = arguments.Scalar(kOrder).ToFloat();
  const Fold fold = FoldOf(order);
  const bool has_root = fold == Fold::kSquares || fold == Fold::kPowers;
  return reduction::MakePlan(planner, arguments,
                             {.fold = fold,
                              .input = kSelf,
                              .reduced = contract::ReducedDimensions(arguments, kSelf, kDims),
                              .outputs = {output},
                              .finish = has_root ? &ToRoot : nullptr,
                              .number = order});
}

Result<PlanPointer> PlanNorm(const contract::Arguments& arguments, Planner& planner) {
  return PlanOf(arguments, planner, {.parameter = kOut});
}

Result<PlanPointer> PlanLinalgVectorNorm(const contract::Arguments& arguments, Planner& planner) {
  return PlanOf(arguments, planner,
                {.parameter = kOutAfterDType, .as = DType(arguments.Integer(kDType))});
}

constinit Operator kNorm(kNormContract, PlanNorm);
constinit Operator kLinalgVectorNorm(kLinalgVectorNormContract, PlanLinalgVectorNorm);

}  // namespace
}  // namespace aclimb::norm

extern "C" aclnnStatus aclnnNormGetWorkspaceSize(const aclTensor* self, const aclScalar* pScalar,
                                                 const aclIntArray* dim, bool keepdim,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norm::kNorm, workspaceSize, executor, self, pScalar, dim, keepdim,
                        out);
}

extern "C" aclnnStatus aclnnNorm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return aclimb::Phase2(aclimb::norm::kNorm, workspace, workspaceSize, executor, stream);
}

extern "C" aclnnStatus aclnnLinalgVectorNormGetWorkspaceSize(
    const aclTensor* self, const aclScalar* ord, const aclIntArray* dims, bool keepDims,
    const aclDataType dtype, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::norm::kLinalgVectorNorm, workspaceSize, executor, self, ord, dims,
                        keepDims, dtype, out);
}

extern "C" aclnnStatus aclnnLinalgVectorNorm(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::norm::kLinalgVectorNorm, workspace, workspaceSize, executor,
                        stream);
}
