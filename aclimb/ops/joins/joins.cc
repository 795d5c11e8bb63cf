// The C functions, and the plans between them.

#include "aclimb/executor/phase.h"
#include "aclimb/ops/joins/contracts.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::joins {
namespace {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

Result<PlanPointer> PlanCat(const Arguments& arguments, Planner& planner) {
  const View out(arguments, join::kOut);
  const auto dim = static_cast<int>(WrapDimension(arguments.Integer(join::kDim), out.rank()));
  Pieces pieces;
  int64_t at = 0;
  for (size_t i = 0; i < arguments.ElementCount(join::kTensors); ++i) {
    const View next(arguments, join::kTensors, static_cast<int>(i));
    pieces.Copy(next, out.Narrow(dim, at, next.extent(dim)));
    at += next.extent(dim);
  }
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanStack(const Arguments& arguments, Planner& planner) {
  const View out(arguments, join::kOut);
  const auto dim = static_cast<int>(WrapDimension(arguments.Integer(join::kDim), out.rank()));
  Pieces pieces;
  for (size_t i = 0; i < arguments.ElementCount(join::kTensors); ++i) {
    pieces.Copy(View(arguments, join::kTensors, static_cast<int>(i)),
                out.Select(dim, static_cast<int64_t>(i)));
  }
  return pieces.Finish(planner);
}

// The parts say themselves how long they are.
Result<PlanPointer> PlanSplit(const Arguments& arguments, Planner& planner) {
  const View self(arguments, split::kSelf);
  const auto dim = static_cast<int>(WrapDimension(arguments.Integer(split::kDim), self.rank()));
  Pieces pieces;
  int64_t at = 0;
  for (size_t i = 0; i < arguments.ElementCount(split::kOut); ++i) {
    const View part(arguments, split::kOut, static_cast<int>(i));
    pieces.Copy(self.Narrow(dim, at, part.extent(dim)), part);
    at += part.extent(dim);
  }
  return pieces.Finish(planner);
}

constinit Operator cat_operator(cat::kContract, PlanCat);
constinit Operator stack_operator(stack::kContract, PlanStack);
constinit Operator split_tensor_operator(split_tensor::kContract, PlanSplit);
constinit Operator split_with_size_operator(split_with_size::kContract, PlanSplit);

}  // namespace
}  // namespace aclimb::joins

using namespace aclimb::joins;  // NOLINT: the operators

aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList* tensors, int64_t dim, aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(cat_operator, workspaceSize, executor, tensors, dim, out);
}
aclnnStatus aclnnCat(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                     aclrtStream stream) {
  return aclimb::Phase2(cat_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnStackGetWorkspaceSize(const aclTensorList* tensors, int64_t dim, aclTensor* out,
                                       uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(stack_operator, workspaceSize, executor, tensors, dim, out);
}
aclnnStatus aclnnStack(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                       aclrtStream stream) {
  return aclimb::Phase2(stack_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnSplitTensorGetWorkspaceSize(const aclTensor* self, uint64_t splitSections,
                                             int64_t dim, aclTensorList* out,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(split_tensor_operator, workspaceSize, executor, self, splitSections, dim,
                        out);
}
aclnnStatus aclnnSplitTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return aclimb::Phase2(split_tensor_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnSplitWithSizeGetWorkspaceSize(const aclTensor* self, const aclIntArray* splitSize,
                                               int64_t dim, aclTensorList* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(split_with_size_operator, workspaceSize, executor, self, splitSize, dim,
                        out);
}
aclnnStatus aclnnSplitWithSize(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream) {
  return aclimb::Phase2(split_with_size_operator, workspace, workspaceSize, executor, stream);
}
