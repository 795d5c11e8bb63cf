// The C functions, and the plans between them.

#include "aclimb/core/dimensions.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/slices/contracts.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::slices {
namespace {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

View Sliced(const View& view, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const auto d = static_cast<int>(WrapDimension(dim, view.rank()));
  const Cut cut = CutOf(start, end, step, view.extent(d));
  return view.Narrow(d, cut.first, cut.extent, cut.step);
}

Result<PlanPointer> PlanSlice(const Arguments& arguments, Planner& planner) {
  using namespace slice;  // NOLINT: the positions
  Pieces pieces;
  pieces.Copy(Sliced(View(arguments, kSelf), arguments.Integer(kDim), arguments.Integer(kStart),
                     arguments.Integer(kEnd), arguments.Integer(kStep)),
              View(arguments, kOut));
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanSliceV2(const Arguments& arguments, Planner& planner) {
  using namespace slice_v2;  // NOLINT: the positions
  View self(arguments, kSelf);
  for (size_t i = 0; i < arguments.Ints(kAxes).size() && self.rank() > 0; ++i) {
    self = Sliced(self, arguments.Ints(kAxes)[i], arguments.Ints(kStarts)[i],
                  arguments.Ints(kEnds)[i], arguments.Ints(kSteps)[i]);
  }
  Pieces pieces;
  pieces.Copy(self, View(arguments, kOut));
  return pieces.Finish(planner);
}

Result<PlanPointer> PlanFlip(const Arguments& arguments, Planner& planner) {
  using namespace flip;  // NOLINT: the positions
  View self(arguments, kSelf);
  for (const int64_t dim : arguments.Ints(kDims)) {
    self = self.Flip(static_cast<int>(WrapDimension(dim, self.rank())));
  }
  Pieces pieces;
  pieces.Copy(self, View(arguments, kOut));
  return pieces.Finish(planner);
}

// Both sides of the place where a dimension begins anew, dimension by dimension.
void AddRolled(Pieces& pieces, const View& x, const View& out, const int64_t* shifts, int d) {
  if (d == x.rank()) return pieces.Copy(x, out);
  const int64_t extent = x.extent(d), shift = shifts[d];
  AddRolled(pieces, x.Narrow(d, 0, extent - shift), out.Narrow(d, shift, extent - shift), shifts,
            d + 1);
  if (shift == 0) return;
  AddRolled(pieces, x.Narrow(d, extent - shift, shift), out.Narrow(d, 0, shift), shifts, d + 1);
}

Result<PlanPointer> PlanRoll(const Arguments& arguments, Planner& planner) {
  using namespace roll;  // NOLINT: the positions
  const View x(arguments, kX), out(arguments, kOut);
  if (x.IsEmpty()) return PlanPointer();
  int64_t shifts[kMaxRank] = {};
  for (size_t i = 0; i < arguments.Ints(kDims).size() && x.rank() > 0; ++i) {
    const size_t d = WrapDimension(arguments.Ints(kDims)[i], x.rank());
    const int64_t extent = x.extent(static_cast<int>(d));
    shifts[d] = ShiftedFurther(shifts[d], arguments.Ints(kShifts)[i], extent);
  }
  Pieces pieces;
  AddRolled(pieces, x, out, shifts, 0);
  return pieces.Finish(planner);
}

constinit Operator slice_operator(slice::kContract, PlanSlice);
constinit Operator slice_v2_operator(slice_v2::kContract, PlanSliceV2);
constinit Operator flip_operator(flip::kContract, PlanFlip);
constinit Operator roll_operator(roll::kContract, PlanRoll);

}  // namespace
}  // namespace aclimb::slices

using namespace aclimb::slices;  // NOLINT: the operators

aclnnStatus aclnnSliceGetWorkspaceSize(const aclTensor* self, int64_t dim, int64_t start,
                                       int64_t end, int64_t step, aclTensor* out,
                                       uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(slice_operator, workspaceSize, executor, self, dim, start, end, step, out);
}
aclnnStatus aclnnSlice(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                       aclrtStream stream) {
  return aclimb::Phase2(slice_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnSliceV2GetWorkspaceSize(const aclTensor* self, const aclIntArray* starts,
                                         const aclIntArray* ends, const aclIntArray* axes,
                                         const aclIntArray* steps, aclTensor* out,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(slice_v2_operator, workspaceSize, executor, self, starts, ends, axes, steps,
                        out);
}
aclnnStatus aclnnSliceV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  return aclimb::Phase2(slice_v2_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnFlipGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                      aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return aclimb::Phase1(flip_operator, workspaceSize, executor, self, dims, out);
}
aclnnStatus aclnnFlip(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                      aclrtStream stream) {
  return aclimb::Phase2(flip_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRollGetWorkspaceSize(const aclTensor* x, const aclIntArray* shifts,
                                      const aclIntArray* dims, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(roll_operator, workspaceSize, executor, x, shifts, dims, out);
}
aclnnStatus aclnnRoll(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                      aclrtStream stream) {
  return aclimb::Phase2(roll_operator, workspace, workspaceSize, executor, stream);
}
