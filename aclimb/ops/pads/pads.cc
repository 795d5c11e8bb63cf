// The C functions, and the plans between them.

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

// The mirrored and the straight parts of dimension d and of those behind it.
void AddReflected(Pieces& pieces, const IntArrayValue& padding, const View& self, const View& out,
                  int d) {
  if (d == self.rank()) return pieces.Copy(self, out);
  const Pair pair = PairOf(padding, static_cast<size_t>(self.rank()), static_cast<size_t>(d));
  const int64_t extent = self.extent(d);
  const auto add = [&](const View& from, int64_t first, int64_t count) {
    if (count > 0) AddReflected(pieces, padding, from, out.Narrow(d, first, count), d + 1);
  };
  add(self.Narrow(d, 1, pair.before).Flip(d), 0, pair.before);
  add(self, pair.before, extent);
  add(self.Narrow(d, extent - 1 - pair.behind, pair.behind).Flip(d), pair.before + extent,
      pair.behind);
}

Result<PlanPointer> PlanReflection(const Arguments& arguments, Planner& planner) {
  using namespace reflection;  // NOLINT: the positions
  const View self(arguments, kSelf);
  const IntArrayValue& padding = arguments.Ints(kPadding);
  Pieces pieces;
  AddReflected(pieces, padding, self, View(arguments, kOut),
               self.rank() - static_cast<int>(padding.size() / 2));
  return pieces.Finish(planner);
}

constinit Operator constant_operator(constant::kContract, PlanConstant);
constinit Operator reflection1d_operator(reflection::kContract1d, PlanReflection);
constinit Operator reflection2d_operator(reflection::kContract2d, PlanReflection);

}  // namespace
}  // namespace aclimb::pads

using namespace aclimb::pads;  // NOLINT: the operators

aclnnStatus aclnnConstantPadNdGetWorkspaceSize(const aclTensor* self, const aclIntArray* pad,
                                               const aclScalar* value, aclTensor* out,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(constant_operator, workspaceSize, executor, self, pad, value, out);
}
aclnnStatus aclnnConstantPadNd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream) {
  return aclimb::Phase2(constant_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnReflectionPad1dGetWorkspaceSize(const aclTensor* self, const aclIntArray* padding,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(reflection1d_operator, workspaceSize, executor, self, padding, out);
}
aclnnStatus aclnnReflectionPad1d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return aclimb::Phase2(reflection1d_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnReflectionPad2dGetWorkspaceSize(const aclTensor* self, const aclIntArray* padding,
                                                 aclTensor* out, uint64_t* workspaceSize,
                                                 aclOpExecutor** executor) {
  return aclimb::Phase1(reflection2d_operator, workspaceSize, executor, self, padding, out);
}
aclnnStatus aclnnReflectionPad2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return aclimb::Phase2(reflection2d_operator, workspace, workspaceSize, executor, stream);
}
