#include "aclimb/matmul/problem.h"

#include <algorithm>
#include <utility>

namespace aclimb::matmul {
namespace {

// `view` with the batch of `out`, and its matrices where `repeats`.
Operand OperandOf(const TensorView& view, const TensorView& out, bool repeats) {
  Operand operand;
  operand.dtype = view.dtype;
  const int missing = out.rank - view.rank;
  for (int d = 0; d < out.rank - 2; ++d) {
    const bool repeated = d < missing || view.shape[d - missing] == 1;
    operand.batch[d] = repeated ? 0 : view.stride[d - missing];
  }
  const auto stride = [&](int from_end) {
    const int d = view.rank - from_end;
    return repeats && (d < 0 || view.shape[d] == 1) ? 0 : view.stride[d];
  };
  operand.row = stride(2);
  operand.column = stride(1);
  return operand;
}

void Drop(Problem& problem, int dimension) {
  const auto drop = [&](int64_t* values) {
    std::copy(values + dimension + 1, values + problem.batch_rank, values + dimension);
  };
  drop(problem.batch);
  for (Operand* each : {&problem.a, &problem.b, &problem.out, &problem.self}) drop(each->batch);
  --problem.batch_rank;
}

// Whether the innermost batches of an operand follow each other like its `count` rows.
bool Follows(const Problem& problem, const Operand& operand, int64_t count) {
  const int64_t step = operand.batch[problem.batch_rank - 1];
  return count == 1 || step == count * operand.row;
}

bool MergeRows(Problem& problem) {
  const int inner = problem.batch_rank - 1;
  if (inner < 0 || problem.b.batch[inner] != 0 || problem.a.batch[inner] == 0) return false;
  const int64_t rows = problem.m;
  Operand* const all[] = {&problem.a, &problem.out, &problem.self};
  if (!std::all_of(all, all + 3, [&](Operand* each) { return Follows(problem, *each, rows); })) {
    return false;
  }
  if (rows == 1) {
    for (Operand* each : all) each->row = each->batch[inner];
  }
  problem.m *= problem.batch[inner];
  Drop(problem, inner);
  return true;
}

}  // namespace

Problem MakeProblem(const TensorView& a, const TensorView& b, const TensorView* self,
                    const TensorView& out) {
  Problem problem;
  problem.batch_rank = out.rank - 2;
  std::copy(out.shape, out.shape + problem.batch_rank, problem.batch);
  problem.m = out.shape[out.rank - 2];
  problem.n = out.shape[out.rank - 1];
  problem.k = a.shape[a.rank - 1];
  problem.a = OperandOf(a, out, false);
  problem.b = OperandOf(b, out, false);
  problem.out = OperandOf(out, out, false);
  if (self != nullptr) problem.self = OperandOf(*self, out, true);
  return problem;
}

void MergeBatches(Problem& problem) {
  for (int d = problem.batch_rank - 1; d >= 0; --d) {
    if (problem.batch[d] == 1) Drop(problem, d);
  }
  bool merged = true;
  while (merged) {
    merged = MergeRows(problem);
    Transpose(problem);
    merged = MergeRows(problem) || merged;
    Transpose(problem);
  }
}

void Transpose(Problem& problem) {
  std::swap(problem.m, problem.n);
  std::swap(problem.a, problem.b);
  for (Operand* each : {&problem.a, &problem.b, &problem.out, &problem.self}) {
    std::swap(each->row, each->column);
  }
}

void SplitRows(Problem& problem) {
  problem.batch[problem.batch_rank] = problem.m;
  for (Operand* each : {&problem.a, &problem.out, &problem.self}) {
    each->batch[problem.batch_rank] = each->row;
  }
  problem.b.batch[problem.batch_rank] = 0;
  ++problem.batch_rank;
  problem.m = 1;
}

}  // namespace aclimb::matmul
