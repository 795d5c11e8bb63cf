// The C functions, and the plans between them.

#include "aclimb/core/dimensions.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/repeats/by_tensor_contracts.h"
#include "aclimb/ops/repeats/contracts.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::repeats {
namespace {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

Result<PlanPointer> PlanExpand(const Arguments& arguments, Planner& planner) {
  const View out(arguments, expand::kOut);
  Pieces pieces;
  pieces.Copy(View(arguments, expand::kSelf).BroadcastTo(out), out);
  return pieces.Finish(planner);
}

// Each dimension of out as two: which repetition, and which index of self.
Result<PlanPointer> PlanRepeat(const Arguments& arguments, Planner& planner) {
  View self(arguments, repeat::kSelf), out(arguments, repeat::kOut);
  while (self.rank() < out.rank()) self = self.Repeat(0, 1);
  for (int d = out.rank() - 1; d >= 0; --d) {
    out = out.Split(d, self.extent(d));
    self = self.Repeat(d, arguments.Ints(repeat::kRepeats)[static_cast<size_t>(d)]);
  }
  Pieces pieces;
  pieces.Copy(self, out);
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanInterleave(const Arguments& arguments, Planner& planner) {
  View self(arguments, interleave::kSelf);
  const View out(arguments, interleave::kOut);
  if (self.rank() == 0) self = self.Repeat(0, 1);
  const int64_t repeats = arguments.Integer(interleave::kRepeats);
  const auto d = static_cast<int>(WrapDimension(arguments.Integer(interleave::kDim), self.rank()));
  Pieces pieces;
  pieces.Copy(self.Repeat(d + 1, repeats), out.Split(d, repeats));
  return pieces.Finish(planner);
}

// The dimension of out as all dimensions of self, and which repetition.
Result<PlanPointer> PlanInterleaveAll(const Arguments& arguments, Planner& planner) {
  const View self(arguments, interleave_all::kSelf);
  View out(arguments, interleave_all::kOut);
  const int64_t repeats = arguments.Integer(interleave_all::kRepeats);
  if (out.extent(0) == 0) return PlanPointer();
  out = out.Split(0, repeats);
  for (int d = self.rank() - 1; d > 0; --d) out = out.Split(0, self.extent(d));
  if (self.rank() == 0) out = out.Select(0, 0);
  Pieces pieces;
  pieces.Copy(self.Repeat(self.rank(), repeats), out);
  return pieces.Finish(planner);
}

constinit Operator expand_operator(expand::kContract, PlanExpand);
constinit Operator repeat_operator(repeat::kContract, PlanRepeat);
constinit Operator interleave_operator(interleave::kContract, PlanInterleave);
constinit Operator interleave_all_operator(interleave_all::kContract, PlanInterleaveAll);

}  // namespace
}  // namespace aclimb::repeats

using namespace aclimb::repeats;  // NOLINT: the operators

aclnnStatus aclnnExpandGetWorkspaceSize(const aclTensor* self, const aclIntArray* size,
                                        aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return aclimb::Phase1(expand_operator, workspaceSize, executor, self, size, out);
}
aclnnStatus aclnnExpand(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                        aclrtStream stream) {
  return aclimb::Phase2(expand_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRepeatGetWorkspaceSize(const aclTensor* self, const aclIntArray* repeats,
                                        aclTensor* out, uint64_t* workspaceSize,
                                        aclOpExecutor** executor) {
  return aclimb::Phase1(repeat_operator, workspaceSize, executor, self, repeats, out);
}
aclnnStatus aclnnRepeat(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                        aclrtStream stream) {
  return aclimb::Phase2(repeat_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(const aclTensor* self, int64_t repeats,
                                                            int64_t dim, int64_t outputSize,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor) {
  return aclimb::Phase1(interleave_operator, workspaceSize, executor, self, repeats, dim,
                        outputSize, out);
}
aclnnStatus aclnnRepeatInterleaveIntWithDim(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(interleave_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRepeatInterleaveIntGetWorkspaceSize(const aclTensor* self, int64_t repeats,
                                                     int64_t outputSize, aclTensor* out,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(interleave_all_operator, workspaceSize, executor, self, repeats, outputSize,
                        out);
}
aclnnStatus aclnnRepeatInterleaveInt(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(interleave_all_operator, workspace, workspaceSize, executor, stream);
}
