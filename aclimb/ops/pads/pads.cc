// aclnnConstantPadNd: the C functions, and the plan between them.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/pads/contracts.h"
#include "aclimb/pieces/pieces.h"

namespace aclimb::pads {
namespace {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

// Fills what is before and behind each dimension, and goes on within.
Result<PlanPointer> PlanConstant(const Arguments& arguments, Planner& planner) {
  using namespace constant;  // NOLINT: the positions
  View self(arguments, kSelf), out(arguments, kOut);
  const auto rank = static_cast<size_t>(self.rank());
  Pieces pieces;
  for (int d = 0; d < self.rank(); ++d) {
    const Pair pair = PairOf(arguments.Ints(kPad), rank, static_cast<size_t>(d));
    const int64_t before = std::max<int64_t>(0, pair.before);
    const int64_t behind = std::max<int64_t>(0, pair.behind);
    const int64_t kept = out.extent(d) - before - behind;
    pieces.Fill(arguments.Scalar(kValue), out.Narrow(d, 0, before));
    pieces.Fill(arguments.Scalar(kValue), out.Narrow(d, before + kept, behind));
    self = self.Narrow(d, std::max<int64_t>(0, -pair.before), kept);
    out = out.Narrow(d, before, kept);
  }
  pieces.Copy(self, out);
  return pieces.Finish(planner);
}

constinit Operator constant_operator(constant::kContract, PlanConstant);

}  // namespace
}  // namespace aclimb::pads

using namespace aclimb::pads;  // NOLINT: the operator

aclnnStatus aclnnConstantPadNdGetWorkspaceSize(const aclTensor* self, const aclIntArray* pad,
                                               const aclScalar* value, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(constant_operator, workspaceSize, executor, self, pad, value, out);
}
aclnnStatus aclnnConstantPadNd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream) {
  return aclimb::Phase2(constant_operator, workspace, workspaceSize, executor, stream);
}
