#include "aclimb/matmul/matmul.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/matmul/matrices.h"
#include "aclimb/matmul/panels_plan.h"
#include "aclimb/matmul/plan.h"
#include "aclimb/matmul/problem.h"
#include "aclimb/matmul/vector_plan.h"
#include "aclimb/onednn/instructions.h"
#include "aclimb/simd/factors.h"

namespace aclimb::matmul {
namespace {

using aclimb::onednn::Has;
using aclimb::onednn::Instructions;

// Multiplications that take no longer by panels, whatever the shape, than oneDNN takes to begin.
constexpr double kTinyWork = 2048;
// The limit where the sides fill panels and the sums are short.
constexpr double kSmallWork = 384 * 1024;
constexpr int64_t kLeastSide = 8, kMostTerms = 512;

Source SourceOf(const Term& term) { return {.parameter = term.parameter, .element = term.element}; }

// A factor of the product, and what has been done to it.
struct Factor {
  Source source;
  TensorView view;
  bool is_dense = false;

  // One dimension for two, of which `inner` is the second: the factor is copied if it has to be.
  void Join(int inner, Planner& planner, std::vector<DenseCopy>& copies) {
    const auto joins = [&] {
      return view.shape[inner - 1] == 1 || view.shape[inner] == 1 ||
             view.stride[inner - 1] == view.shape[inner] * view.stride[inner];
    };
    if (!joins()) Copy(view, view.dtype, planner, copies);
    if (view.shape[inner] == 1) view.stride[inner] = view.stride[inner - 1];
    view.shape[inner] *= view.shape[inner - 1];
    std::copy(view.shape + inner, view.shape + view.rank, view.shape + inner - 1);
    std::copy(view.stride + inner, view.stride + view.rank, view.stride + inner - 1);
    --view.rank;
  }

  // Books a dense copy in another dtype, or in the same.
  void MakeDense(DType dtype, Planner& planner, std::vector<DenseCopy>& copies) {
    TensorView from = view;
    // What is repeated in all of a batch is copied once.
    for (int d = 0; d < from.rank - 2; ++d) {
      if (from.stride[d] == 0) from.shape[d] = 1;
    }
    Copy(from, dtype, planner, copies);
  }

 private:
  void Copy(TensorView from, DType dtype, Planner& planner, std::vector<DenseCopy>& copies) {
    view = DenseLike(from, nullptr);
    view.dtype = dtype;
    const Source to = {.piece = planner.workspace().Book(view.ElementCount(),
                                                         static_cast<int64_t>(SizeOf(dtype)))};
    copies.push_back({source, from, to, view});
    source = to;
    is_dense = true;
  }
};

// The dtype in which oneDNN multiplies. Without tiles it takes bfloat16 in pairs of terms, and
// where one is left over, the element behind a row with it: zero times that is not zero if it is
// NaN.
DType OperandDType(const Factor& a, const Factor& b, int64_t terms) {
  const bool both = a.view.dtype == DType::kBFloat16 && b.view.dtype == DType::kBFloat16;
  const bool takes =
      Has(Instructions::kBFloat16Tiles) || (Has(Instructions::kAvx512) && terms % 2 == 0);
  return both && takes ? DType::kBFloat16 : DType::kFloat32;
}

// One engine takes the problem when nothing is left to copy.
class PlanBuilder {
 public:
  PlanBuilder(Planner& planner, const Call& call) : planner_(planner), call_(call) {
    factors_[0] = {SourceOf(call.a), call.a.view};
    factors_[1] = {SourceOf(call.b), call.b.view};
    if (call.adds_batch) JoinBatch();
  }

  PlanPointer Build() {
    while (true) {
      Problem problem = MakeProblem(factors_[0].view, factors_[1].view,
                                    HasSelf(call_) ? &call_.self.view : nullptr, call_.out.view);
      MergeBatches(problem);
      const bool too_far = MatricesReachTooFar(problem);
      const bool is_vector = problem.m == 1 || problem.n == 1 || too_far;
      const bool swaps = is_vector ? VectorSwaps(problem) : MatricesSwap(problem);
      if (swaps) Transpose(problem);
      // Row by row what reaches too far for the plans of matrices.
      if (is_vector && problem.m > 1) SplitRows(problem);
      Factor& a = factors_[swaps ? 1 : 0];
      Factor& b = factors_[swaps ? 0 : 1];
      const bool by_panels = !is_vector && TakesPanels(problem, a, b, swaps);
      if (is_vector   ? PrepareVector(problem, a, b)
          : by_panels ? PreparePanels(problem, a)
                      : PrepareMatrices(problem, a, b)) {
        Setup setup = {.problem = problem,
                       .finish = Finish(problem, call_.alpha, call_.beta),
                       .a = a.source,
                       .b = b.source,
                       .self = SourceOf(call_.self),
                       .out = SourceOf(call_.out),
                       .copies = std::move(copies_)};
        return is_vector   ? MakeVectorPlan(planner_, std::move(setup))
               : by_panels ? MakePanelsPlan(planner_, std::move(setup))
                           : MakeMatricesPlan(planner_, std::move(setup));
      }
    }
  }

  static bool HasSelf(const Call& call) { return call.self.parameter >= 0 && call.beta != 0; }

 private:
  // [B, M, K] and [B, K, N] as [M, B * K] and [B * K, N].
  void JoinBatch() {
    Factor& a = factors_[0];
    std::swap(a.view.shape[0], a.view.shape[1]);
    std::swap(a.view.stride[0], a.view.stride[1]);
    a.Join(2, planner_, copies_);
    factors_[1].Join(1, planner_, copies_);
  }

  // Whether everything can be read as it is now; otherwise something was copied.
  bool PrepareVector(const Problem& problem, Factor& x, Factor& matrix) {
    bool ready = true;
    const DType own = matrix.view.dtype;
    const bool is_read = IsReadAsFloat(own);
    if (!is_read || !(matrix.is_dense || VectorReads(problem))) {
      matrix.MakeDense(is_read ? own : DType::kFloat32, planner_, copies_);
      ready = false;
    }
    const bool consecutive = problem.k == 1 || problem.a.column == 1;
    if (x.view.dtype != DType::kFloat32 || !(consecutive || x.is_dense)) {
      x.MakeDense(DType::kFloat32, planner_, copies_);
      ready = false;
    }
    return ready;
  }

  // Whether panels take the right factor as it is, and the left one or a copy of it, which has its
  // terms side by side unless rows became columns.
  static bool TakesPanels(const Problem& problem, const Factor& a, const Factor& b, bool swapped) {
    if (!IsReadAsFloat(b.view.dtype)) return false;
    const bool in_pairs = OperandDType(a, b, problem.k) != DType::kFloat32;
    const double work = problem.Work() / static_cast<double>(problem.Batches());
    const bool fills = std::min(problem.m, problem.n) >= kLeastSide && problem.k <= kMostTerms;
    // A copy of the left factor may merge a batch: of pairs the whole product has to be tiny.
    const bool is_small =
        in_pairs ? problem.Work() <= kTinyWork : work <= (fills ? kSmallWork : kTinyWork);
    const bool has_panels = !in_pairs || (HasPairs() && !Has(Instructions::kBFloat16Tiles));
    const bool serves = is_small || (has_panels && PanelsServe(problem));
    return serves && MatricesRead(problem.b, problem.k, problem.n) &&
           (!swapped || PanelsAreOfLeft(problem) || PanelsRead(problem));
  }

  bool PreparePanels(const Problem& problem, Factor& a) {
    if (PanelsRead(problem)) return true;
    a.MakeDense(PanelsDType(problem), planner_, copies_);
    return false;
  }

  bool PrepareMatrices(const Problem& problem, Factor& a, Factor& b) {
    const DType dtype = OperandDType(a, b, problem.k);
    bool ready = true;
    const auto prepare = [&](Factor& factor, bool readable) {
      if (factor.view.dtype == dtype && (factor.is_dense || readable)) return;
      factor.MakeDense(dtype, planner_, copies_);
      ready = false;
    };
    prepare(a, MatricesRead(problem.a, problem.m, problem.k) && !MatricesGainByRows(problem));
    prepare(b, MatricesRead(problem.b, problem.k, problem.n));
    return ready;
  }

  Planner& planner_;
  const Call& call_;
  Factor factors_[2];
  std::vector<DenseCopy> copies_;
};

TensorView WithDimension(TensorView view, int at) {
  std::copy_backward(view.shape + at, view.shape + view.rank, view.shape + view.rank + 1);
  std::copy_backward(view.stride + at, view.stride + view.rank, view.stride + view.rank + 1);
  view.shape[at] = 1;
  view.stride[at] = 1;
  ++view.rank;
  return view;
}

}  // namespace

TensorView AsRow(TensorView view) { return WithDimension(view, view.rank - 1); }
TensorView AsColumn(TensorView view) { return WithDimension(view, view.rank); }

Result<PlanPointer> MakePlan(Planner& planner, const Call& call) {
  if (call.out.view.ElementCount() == 0) return PlanPointer();
  if (PlanBuilder::HasSelf(call)) {
    planner.Reads(call.self.parameter);
    planner.Writes(call.out.parameter);
  } else {
    planner.Overwrites(call.out.parameter);
  }
  const bool no_batch = call.adds_batch && call.a.view.shape[0] == 0;
  if (call.alpha == 0 || call.a.view.shape[call.a.view.rank - 1] == 0 || no_batch) {
    const TensorView& out = call.out.view;
    const Problem problem =
        MakeProblem(out, out, PlanBuilder::HasSelf(call) ? &call.self.view : nullptr, out);
    return MakeNoProductPlan(planner, {.problem = problem,
                                       .finish = Finish(problem, 0, call.beta),
                                       .self = SourceOf(call.self),
                                       .out = SourceOf(call.out)});
  }
  planner.Reads(call.a.parameter);
  planner.Reads(call.b.parameter);
  return PlanBuilder(planner, call).Build();
}

}  // namespace aclimb::matmul
