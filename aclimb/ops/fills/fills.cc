// The C functions that fill parts of a tensor with one number each, and the plans between them.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/fills/contracts.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::fills {
namespace {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

template <int kNumber>
Result<PlanPointer> PlanNumber(const Arguments& arguments, Planner& planner) {
  Pieces pieces;
  pieces.Fill(kNumber, View(arguments, 0));
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanScalar(const Arguments& arguments, Planner& planner) {
  Pieces pieces;
  pieces.Fill(arguments.Scalar(inplace_fill_scalar::kValue),
              View(arguments, inplace_fill_scalar::kSelfRef));
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanTensor(const Arguments& arguments, Planner& planner) {
  const View self(arguments, inplace_fill_tensor::kSelfRef);
  View value(arguments, inplace_fill_tensor::kValue);
  if (value.rank() == 1) value = value.Select(0, 0);
  Pieces pieces;
  pieces.Copy(value.BroadcastTo(self), self);
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanDiagonal(const Arguments& arguments, Planner& planner) {
  using namespace inplace_fill_diagonal;  // NOLINT: the positions
  const View self(arguments, kSelfRef);
  const ScalarValue& value = arguments.Scalar(kFillValue);
  const int64_t rows = self.extent(0), columns = self.extent(1);
  Pieces pieces;
  if (self.IsEmpty()) return pieces.Finish(planner);
  if (self.rank() == 2 && arguments.Bool(kWrap) && rows > columns) {
    // Diagonals with the row behind each, then what is left.
    const int64_t period = columns + 1, whole = rows / period, rest = rows % period;
    pieces.Fill(value, self.Narrow(0, 0, whole * period).Split(0, period).Diagonal(1, columns));
    if (rest > 0) pieces.Fill(value, self.Narrow(0, whole * period, rest).Diagonal(0, rest));
    return pieces.Finish(planner);
  }
  View diagonal = self;
  while (diagonal.rank() > 1) diagonal = diagonal.Diagonal(0, std::min(rows, columns));
  pieces.Fill(value, diagonal);
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanEye(const Arguments& arguments, Planner& planner) {
  const View out(arguments, eye::kOut);
  const int64_t n = out.extent(0), m = out.extent(1);
  Pieces pieces;
  pieces.Fill(0, out);
  pieces.Then();
  if (n > 0 && m > 0) pieces.Fill(1, out.Diagonal(0, std::min(n, m)));
  return pieces.Finish(planner);
}

constinit Operator zero_operator(inplace_zero::kContract, PlanNumber<0>);
constinit Operator one_operator(inplace_one::kContract, PlanNumber<1>);
constinit Operator fill_scalar_operator(inplace_fill_scalar::kContract, PlanScalar);
constinit Operator fill_tensor_operator(inplace_fill_tensor::kContract, PlanTensor);
constinit Operator fill_diagonal_operator(inplace_fill_diagonal::kContract, PlanDiagonal);
constinit Operator eye_operator(eye::kContract, PlanEye);

}  // namespace
}  // namespace aclimb::fills

using namespace aclimb::fills;  // NOLINT: the operators

aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor* selfRef, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  return aclimb::Phase1(zero_operator, workspaceSize, executor, selfRef);
}
aclnnStatus aclnnInplaceZero(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return aclimb::Phase2(zero_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceOneGetWorkspaceSize(const aclTensor* selfRef, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return aclimb::Phase1(one_operator, workspaceSize, executor, selfRef);
}
aclnnStatus aclnnInplaceOne(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                            aclrtStream stream) {
  return aclimb::Phase2(one_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor* selfRef, const aclScalar* value,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(fill_scalar_operator, workspaceSize, executor, selfRef, value);
}
aclnnStatus aclnnInplaceFillScalar(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclimb::Phase2(fill_scalar_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFillTensorGetWorkspaceSize(aclTensor* selfRef, const aclTensor* value,
                                                   uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(fill_tensor_operator, workspaceSize, executor, selfRef, value);
}
aclnnStatus aclnnInplaceFillTensor(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclimb::Phase2(fill_tensor_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceFillDiagonalGetWorkspaceSize(aclTensor* selfRef, const aclScalar* fillValue,
                                                     bool wrap, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(fill_diagonal_operator, workspaceSize, executor, selfRef, fillValue, wrap);
}
aclnnStatus aclnnInplaceFillDiagonal(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(fill_diagonal_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnEyeGetWorkspaceSize(int64_t n, int64_t m, aclTensor* out, uint64_t* workspaceSize,
                                     aclOpExecutor** executor) {
  return aclimb::Phase1(eye_operator, workspaceSize, executor, n, m, out);
}
aclnnStatus aclnnEye(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                     aclrtStream stream) {
  return aclimb::Phase2(eye_operator, workspace, workspaceSize, executor, stream);
}
