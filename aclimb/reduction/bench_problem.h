#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/case.h"
#include "bench/device_tensor.h"

// Problems of operators that go along one dimension of a matrix.
namespace aclimb::reduction {

struct BenchShape {
  int64_t rows;
  int64_t columns;
  int dim;
  std::string layout;  // of the matrix: dense, or transposed, the transposed view of a dense one
  std::string dtype;
  std::string result;   // the output's dtype
  bool scalar = false;  // the output has one element
};

using BenchPhase1 = std::function<aclnnStatus(const aclTensor* self, aclTensor* out,
                                              uint64_t* workspace_size, aclOpExecutor** executor)>;
using BenchPhase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

class BenchProblem : public bench::Problem {
 public:
  BenchProblem(const BenchShape& shape, BenchPhase1 phase1, BenchPhase2 phase2)
      : phase1_(std::move(phase1)),
        phase2_(phase2),
        self_({shape.rows, shape.columns}, shape.dtype, bench::StridesOf(shape.layout, shape.rows)),
        out_(ShapeOfResult(shape), shape.result) {
    self_.FillNormal(1);
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return phase1_(self_, out_, workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return phase2_(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override { return out_.PoisonShows(); }

  static std::vector<int64_t> ShapeOfResult(const BenchShape& shape) {
    if (shape.scalar) return {};
    return {shape.dim == 0 ? shape.columns : shape.rows};
  }

 private:
  BenchPhase1 phase1_;
  BenchPhase2 phase2_;
  bench::DeviceTensor self_;
  bench::DeviceTensor out_;
};

inline bench::Case BenchCaseOf(const char* operator_name, const char* name, const BenchShape& shape,
                               const BenchPhase1& phase1, BenchPhase2 phase2) {
  double results = 1;
  for (const int64_t extent : BenchProblem::ShapeOfResult(shape)) {
    results *= static_cast<double>(extent);
  }
  const double elements = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  return {
      operator_name,
      name,
      shape.dtype,
      {{"rows", std::to_string(shape.rows)},
       {"columns", std::to_string(shape.columns)},
       {"dim", std::to_string(shape.dim)},
       {"layout", shape.layout},
       {"dtype", shape.dtype}},
      {.read_bytes = elements * static_cast<double>(bench::SizeOfName(shape.dtype)),
       .write_bytes = results * static_cast<double>(bench::SizeOfName(shape.result))},
      [shape, phase1, phase2] { return std::make_unique<BenchProblem>(shape, phase1, phase2); }};
}

}  // namespace aclimb::reduction
