#include "aclimb/matmul/vector_plan.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/matmul/panels.h"
#include "aclimb/matmul/vectors.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::matmul {
namespace {

// Elements of `b` that a unit of work reads at least, about, and results that it gives.
constexpr int64_t kUnitElements = 128 * 1024;
constexpr int64_t kFewResults = 256;
// Units that are enough for any team, and parts of a sum at most.
constexpr int64_t kEnoughUnits = 64;
constexpr int64_t kMostVectorParts = 1024;
constexpr int64_t kLineBytes = 64;

bool TermsAreNeighbours(const Problem& problem) { return problem.k == 1 || problem.b.row == 1; }
bool ResultsAreNeighbours(const Problem& problem) {
  return problem.n == 1 || problem.b.column == 1;
}

class VectorPlan final : public ProductPlan {
 public:
  VectorPlan(Setup of, Planner& planner) : ProductPlan(std::move(of)) {
    const Problem& p = problem();
    along_terms_ = TermsAreNeighbours(p) && !(ResultsAreNeighbours(p) && p.k < p.n);
    kernel_ = along_terms_ ? SumsAlongTerms(p.b.dtype, p.n) : SumsAlongResults(p.b.dtype);
    results_ = along_terms_ ? std::clamp<int64_t>(kUnitElements / p.k, kTogether, kFewResults)
                            : kFewResults;
    results_ = std::min(results_ / kTogether * kTogether, p.n);
    blocks_ = CeilDivide(p.n, results_);
    terms_ = p.k;
    if (p.Batches() * blocks_ < kEnoughUnits) {
      terms_ = std::max(kUnitElements / results_, CeilDivide(p.k, kMostVectorParts));
      terms_ = CeilDivide(p.k, CeilDivide(p.k, terms_));
    }
    parts_ = CeilDivide(p.k, terms_);
    if (parts_ > 1) {
      partial_ = planner.workspace().Book(parts_ * p.Batches() * p.n,
                                          static_cast<int64_t>(sizeof(double)));
    }
    if (!along_terms_) WidenBlocks();
    // A quarter of a cycle for an element that is in a cache, and what a short row costs.
    planner.Costs({.cycles = p.Work() / 4 + 8.0 * static_cast<double>(p.Batches() * p.n)});
  }

 protected:
  void Compute(const RunContext& run) const override {
    const Problem& p = problem();
    const int64_t units = p.Batches() * blocks_ * parts_;
    const int64_t grain = std::max<int64_t>(1, kUnitElements / (results_ * terms_));
    double* const partial = run.Piece<double>(partial_);
    const bool all = ParallelForAll(units, grain, [&](int64_t begin, int64_t end) {
      for (int64_t unit = begin; unit < end; ++unit) RunUnit(run, unit, partial);
    });
    if (all && parts_ > 1) FinishPartial(run, partial, parts_);
  }

 private:
  // Rows are read the sooner the more of them lies side by side. How they are cut decides about no
  // sum.
  void WidenBlocks() {
    const Problem& p = problem();
    const int64_t most = blocks_;
    blocks_ = CeilDivide(p.n, kMostResults);
    while (blocks_ < most && p.Batches() * blocks_ * parts_ < kUnitsEach * TeamSize()) {
      blocks_ = std::min(2 * blocks_, most);
    }
    results_ = std::min(RoundUp(CeilDivide(p.n, blocks_), kLineBytes / p.b.Size()), p.n);
    blocks_ = CeilDivide(p.n, results_);
  }

  void RunUnit(const RunContext& run, int64_t unit, double* partial) const {
    const Problem& p = problem();
    const int64_t batches = p.Batches();
    const int64_t block = unit % blocks_, part = unit / blocks_ % parts_;
    const int64_t batch = unit / blocks_ / parts_;
    const int64_t first = block * results_, count = std::min(results_, p.n - first);
    const int64_t begin = part * terms_, terms = std::min(terms_, p.k - begin);
    const int64_t at = p.OffsetOf(p.b, batch) + first * p.b.column + begin * p.b.row;
    const auto* const x =
        reinterpret_cast<const float*>(setup_.a.At(run)) + p.OffsetOf(p.a, batch) + begin;
    double whole[kMostResults];
    double* const sums = parts_ == 1 ? whole : partial + (part * batches + batch) * p.n + first;
    kernel_(setup_.b.At(run) + at * p.b.Size(), along_terms_ ? p.b.column : p.b.row, x, terms,
            count, sums);
    if (parts_ == 1) FinishRow(run, batch, 0, first, sums, count);
  }

  bool along_terms_;
  VectorSums kernel_;
  // A unit of work: results, and the terms of a part of their sums.
  int64_t results_, terms_;
  int64_t blocks_, parts_;
  WorkspacePiece partial_;
};

}  // namespace

bool VectorSwaps(const Problem& problem) {
  if (problem.m != 1 || problem.n != 1) return problem.n == 1;
  // Of two vectors the kernels read the second in any dtype.
  return problem.b.dtype == DType::kFloat32 && problem.a.dtype != DType::kFloat32;
}

bool VectorReads(const Problem& problem) {
  return TermsAreNeighbours(problem) || ResultsAreNeighbours(problem);
}

PlanPointer MakeVectorPlan(Planner& planner, Setup setup) {
  return NewPlan<VectorPlan>(std::move(setup), planner);
}

}  // namespace aclimb::matmul
