// The C functions of the rows in rows.inc, and the plans between them.

#include <algorithm>

#include "aclimb/executor/phase.h"
#include "aclimb/ops/pads/edge_contracts.h"
#include "aclimb/ops/pads/gradient.h"
#include "aclimb/pieces/pieces.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::pads {
namespace {

using contract::Arguments;
using pieces::Pieces;
using pieces::View;

// What stands before and behind dimension d, and what is between, of it and of those behind it.
// Numbers below 0 cut elements off.
void AddRepeated(Pieces& pieces, const IntArrayValue& padding, const View& self, const View& out,
                 int d) {
  if (d == self.rank()) return pieces.Copy(self, out);
  const int64_t before =
      PairOf(padding, static_cast<size_t>(self.rank()), static_cast<size_t>(d)).before;
  const int64_t extent = self.extent(d), all = out.extent(d);
  // Where those of self begin and end.
  const int64_t begin = std::clamp<int64_t>(before, 0, all);
  const int64_t end = std::clamp<int64_t>(extent + before, begin, all);
  const auto add = [&](const View& from, int64_t first, int64_t count) {
    AddRepeated(pieces, padding, from, out.Narrow(d, first, count), d + 1);
  };
  if (begin > 0) add(self.Select(d, 0).Repeat(d, begin), 0, begin);
  if (end > begin) add(self.Narrow(d, begin - before, end - begin), begin, end - begin);
  if (all > end) add(self.Select(d, extent - 1).Repeat(d, all - end), end, all - end);
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

template <Edge kEdge>
Result<PlanPointer> PlanAround(const Arguments& arguments, Planner& planner) {
  using namespace around;  // NOLINT: the positions
  const View self(arguments, kSelf), out(arguments, kOut);
  const IntArrayValue& padding = arguments.Ints(kPadding);
  const int first = self.rank() - static_cast<int>(padding.size() / 2);
  Pieces pieces;
  if (kEdge == Edge::kMirrored) {
    AddReflected(pieces, padding, self, out, first);
  } else {
    AddRepeated(pieces, padding, self, out, first);
  }
  return pieces.Finish(planner);
}

struct GradientPlan final : Plan {
  GradientArgs args;
  rows::Dense from, to;
  WorkspacePiece sums;

  void Run(const RunContext& run) const override {
    rows::RunDense(run, {&from, &to}, [&] {
      GradientArgs of_run = args;
      of_run.from = from.Data(run);
      of_run.to = to.Data(run);
      of_run.sums = run.Piece<double>(sums);
      return PadGradient(of_run);
    });
  }
};

template <Edge kEdge, int kDims>
Result<PlanPointer> PlanGradient(const Arguments& arguments, Planner& planner) {
  using namespace gradient;  // NOLINT: the positions
  const TensorView from = arguments.Tensor(kGradOutput).View();
  const TensorView to = arguments.Tensor(kGradInput).View();
  if (to.ElementCount() == 0) return PlanPointer();
  auto plan = NewPlan<GradientPlan>();
  GradientArgs& args = plan->args;
  const auto axis = [&](int from_last) {
    const int d = to.rank - 1 - from_last;
    const int64_t before = arguments.Ints(kPadding)[static_cast<size_t>(2 * from_last)];
    return PaddedAxis{to.shape[d], before, from.shape[d], kEdge == Edge::kMirrored};
  };
  args.width = axis(0);
  if (kDims >= 2) args.height = axis(1);
  if (kDims == 3) args.depth = axis(2);
  args.planes = to.ElementCount() / (args.depth.in * args.height.in * args.width.in);
  args.dtype = from.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  args.slots = std::clamp<int64_t>(TeamSize(), 1, Slots::kMost);
  plan->from = rows::Dense::Input(planner, kGradOutput, from, args.dtype);
  plan->to = rows::Dense::Output(planner, kGradInput, to, args.dtype);
  plan->sums =
      planner.workspace().Book(args.slots * args.width.out, static_cast<int64_t>(sizeof(double)));
  planner.Costs({.cycles = plan->from.CopyCycles() + plan->to.CopyCycles() +
                           1.5 * static_cast<double>(from.ElementCount()) +
                           4 * static_cast<double>(to.ElementCount())});
  return PlanPointer(std::move(plan));
}

}  // namespace
}  // namespace aclimb::pads

#define ACLIMB_PAD_PHASE2(Name)                                                                \
  extern "C" aclnnStatus aclnn##Name(void* workspace, uint64_t workspaceSize,                  \
                                     aclOpExecutor* executor, aclrtStream stream) {            \
    return aclimb::Phase2(aclimb::pads::k##Name##Operator, workspace, workspaceSize, executor, \
                          stream);                                                             \
  }
#define ACLIMB_PAD(name, Name, header, edge, ...)                                                  \
  namespace aclimb::pads {                                                                         \
  constinit static Operator k##Name##Operator(k##Name##Contract, PlanAround<Edge::k##edge>);       \
  }                                                                                                \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                            \
      const aclTensor* self, const aclIntArray* padding, aclTensor* out, uint64_t* workspaceSize,  \
      aclOpExecutor** executor) {                                                                  \
    return aclimb::Phase1(aclimb::pads::k##Name##Operator, workspaceSize, executor, self, padding, \
                          out);                                                                    \
  }                                                                                                \
  ACLIMB_PAD_PHASE2(Name)
#define ACLIMB_PAD_BACKWARD(name, Name, header, edge, dims, ...)                                \
  namespace aclimb::pads {                                                                      \
  constinit static Operator k##Name##Operator(k##Name##Contract,                                \
                                              PlanGradient<Edge::k##edge, dims>);               \
  }                                                                                             \
  extern "C" aclnnStatus aclnn##Name##GetWorkspaceSize(                                         \
      const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* padding,           \
      aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {                \
    return aclimb::Phase1(aclimb::pads::k##Name##Operator, workspaceSize, executor, gradOutput, \
                          self, padding, gradInput);                                            \
  }                                                                                             \
  ACLIMB_PAD_PHASE2(Name)
#include "aclimb/ops/pads/rows.inc"
