// The C functions, and the plans between them.

#include "aclimb/core/dimensions.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/copies/contracts.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::copies {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

namespace inplace_copy {

static Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  const View self(arguments, kSelfRef);
  Pieces pieces;
  pieces.Copy(View(arguments, kSrc).BroadcastTo(self), self);
  return pieces.Finish(planner);
}
constinit static Operator kOperator(kContract, MakePlan);

}  // namespace inplace_copy

namespace cast {

static Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  Pieces pieces;
  pieces.Copy(View(arguments, kSelf), View(arguments, kOut));
  return pieces.Finish(planner);
}
constinit static Operator kOperator(kContract, MakePlan);

}  // namespace cast

namespace permute {

static Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner) {
  const View self(arguments, kSelf);
  int64_t dims[kMaxRank] = {};
  for (int d = 0; d < self.rank(); ++d) {
    const int64_t dim = arguments.Ints(kDims)[static_cast<size_t>(d)];
    dims[d] = static_cast<int64_t>(WrapDimension(dim, self.rank()));
  }
  Pieces pieces;
  pieces.Copy(self.Permute(dims), View(arguments, kOut));
  return pieces.Finish(planner);
}
constinit static Operator kOperator(kContract, MakePlan);

}  // namespace permute
}  // namespace aclimb::copies

#define ACLIMB_PHASE2(Name, name)                                                              \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                  \
                                     aclOpExecutor* executor, aclrtStream stream) {            \
    return aclimb::Phase2(aclimb::copies::name::kOperator, workspace, workspaceSize, executor, \
                          stream);                                                             \
  }
ACLIMB_PHASE2(InplaceCopy, inplace_copy)
ACLIMB_PHASE2(Cast, cast)
ACLIMB_PHASE2(Permute, permute)

extern "C" aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor* selfRef, const aclTensor* src,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::copies::inplace_copy::kOperator, workspaceSize, executor, selfRef,
                        src);
}

extern "C" aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor* self, const aclDataType dtype,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::copies::cast::kOperator, workspaceSize, executor, self,
                        static_cast<int64_t>(dtype), out);
}

extern "C" aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor* self, const aclIntArray* dims,
                                                    aclTensor* out, uint64_t* workspaceSize,
                                                    aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::copies::permute::kOperator, workspaceSize, executor, self, dims,
                        out);
}
