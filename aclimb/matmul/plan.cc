#include "aclimb/matmul/plan.h"

#include <algorithm>

#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::matmul {
namespace {

// Columns whose partial sums are added at once.
constexpr int64_t kBlock = 256;
// Sums that a thread takes at once.
constexpr int64_t kGrain = 32 * 1024;

class NoProductPlan final : public ProductPlan {
 public:
  using ProductPlan::ProductPlan;
  double Flops() const override { return 0; }

 protected:
  void Compute(const RunContext& run) const override {
    FinishPartial(run, static_cast<const float*>(nullptr), 0);
  }
};

}  // namespace

void ProductPlan::Run(const RunContext& run) const {
  for (const DenseCopy& copy : setup_.copies) {
    TensorView from = copy.from_view, to = copy.to_view;
    from.data = const_cast<char*>(copy.from.At(run));
    to.data = const_cast<char*>(copy.to.At(run));
    if (!copy::Copy(from, to)) return;
  }
  Compute(run);
}

template <typename Sum>
void ProductPlan::FinishPartial(const RunContext& run, const Sum* partial, int64_t parts) const {
  const int64_t m = problem().m, n = problem().n;
  const int64_t rows = problem().Batches() * m;
  ParallelFor(rows, std::max<int64_t>(1, kGrain / (n * std::max<int64_t>(1, parts))),
              [&](int64_t first, int64_t last) {
                double sums[kBlock];
                for (int64_t row = first; row < last; ++row) {
                  for (int64_t column = 0; column < n; column += kBlock) {
                    const int64_t count = std::min(kBlock, n - column);
                    std::fill_n(sums, count, 0.0);
                    for (int64_t part = 0; part < parts; ++part) {
                      const Sum* from = partial + (part * rows + row) * n + column;
                      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(from[i]);
                    }
                    FinishRow(run, row / m, row % m, column, sums, count);
                  }
                }
              });
}
template void ProductPlan::FinishPartial(const RunContext& run, const float* partial,
                                         int64_t parts) const;
template void ProductPlan::FinishPartial(const RunContext& run, const double* partial,
                                         int64_t parts) const;

PlanPointer MakeNoProductPlan(Planner& planner, Setup setup) {
  const Problem& problem = setup.problem;
  planner.Costs({.cycles = 2 * static_cast<double>(problem.Batches()) *
                           static_cast<double>(problem.m) * static_cast<double>(problem.n)});
  return NewPlan<NoProductPlan>(std::move(setup));
}

}  // namespace aclimb::matmul
