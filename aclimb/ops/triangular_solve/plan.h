#pragma once

#include <cstdint>

#include "aclimb/executor/plan.h"
#include "aclimb/ops/triangular_solve/contract.h"

namespace aclimb::triangular_solve {

// Multiplications that a thread takes at once, about.
inline constexpr double kGrain = 64 * 1024;

// What all plans share: the batch, and the triangle that is an output too.
class SolvePlan : public Plan {
 public:
  SolvePlan(const contract::Arguments& arguments, Planner& planner);

  double Flops() const override { return 2 * Work(columns_) * static_cast<double>(batches_); }
  void Run(const RunContext& run) const override;

 protected:
  static int64_t RowStride(const TensorView& view) { return view.stride[view.rank - 2]; }
  static int64_t ColumnStride(const TensorView& view) { return view.stride[view.rank - 1]; }

  // False when the run was cancelled.
  virtual bool Solve(const RunContext& run) const = 0;
  // Multiplications for so many columns.
  double Work(int64_t columns) const;
  // Bytes from the first matrix of a tensor to that of a batch of the output.
  int64_t OffsetOf(const TensorView& view, int64_t batch) const;
  char* At(const RunContext& run, int parameter, const TensorView& view, int64_t batch) const {
    return static_cast<char*>(run.Data(parameter)) + OffsetOf(view, batch);
  }

  const TensorView self_, a_, x_, m_;
  const bool upper_, transpose_, unit_diagonal_;
  const int64_t rows_, columns_;
  int64_t batches_ = 1;

 private:
  template <typename T>
  void CopyLine(const RunContext& run, int64_t line) const;
};

// In double, some columns at a time.
PlanPointer MakeDoublePlan(const contract::Arguments& arguments, Planner& planner);
// In float32, by products of panels.
PlanPointer MakePanelsPlan(const contract::Arguments& arguments, Planner& planner);

}  // namespace aclimb::triangular_solve
