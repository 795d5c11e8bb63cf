#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/case.h"
#include "bench/device_tensor.h"

// Problems of operators that compute each element of a matrix alone.
namespace aclimb::elementwise {

// Three inputs, of which a function reads the first ones, a mask of BOOL, of which half is true,
// and the scalars 0, 1 and 20.
struct BenchOperands {
  aclTensor* a;
  aclTensor* b;
  aclTensor* c;
  aclTensor* mask;
  aclTensor* out;
  aclScalar* zero;
  aclScalar* one;
  aclScalar* twenty;
  aclDataType result;
  uint64_t* size;
  aclOpExecutor** executor;
};

// What a function does with the mask: nothing; it reads it; it writes the output where it is true
// alone.
enum class BenchMask { kNone, kRead, kWritten };

struct BenchFunction {
  const char* name;
  int inputs;
  aclnnStatus (*phase1)(const BenchOperands& o);
  aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream);
  BenchMask mask;
};

// ACLIMB_BENCH_FUNCTION("name", inputs, Name, arguments of phase 1 before the output...), which are
// members of `o`.
#define ACLIMB_BENCH_FUNCTION(name, inputs, Name, ...) \
  ACLIMB_BENCH_MASKED(name, inputs, kNone, Name, __VA_ARGS__, o.out)

// ACLIMB_BENCH_MASKED("name", inputs, BenchMask, Name, arguments of phase 1, the output too...).
#define ACLIMB_BENCH_MASKED(name, inputs, mask, Name, ...)                       \
  aclimb::elementwise::BenchFunction {                                           \
    name, inputs,                                                                \
        [](const aclimb::elementwise::BenchOperands& o) {                        \
          return aclnn##Name##GetWorkspaceSize(__VA_ARGS__, o.size, o.executor); \
        },                                                                       \
        &aclnn##Name, aclimb::elementwise::BenchMask::mask                       \
  }

struct BenchShape {
  std::string function;
  int64_t rows;
  int64_t columns;
  // dense; transposed: the inputs are transposed views of dense matrices; row: the second input is
  // one row, which is broadcast.
  std::string layout;
  std::string dtype;
  std::string result;  // the output's dtype

  std::vector<int64_t> Extents(int input) const {
    if (layout == "row" && input == 1) return {columns};
    return {rows, columns};
  }
  std::vector<int64_t> Strides() const { return bench::StridesOf(layout, rows); }
};

class BenchProblem : public bench::Problem {
 public:
  BenchProblem(const BenchFunction& function, const BenchShape& shape)
      : function_(function),
        out_({shape.rows, shape.columns}, shape.result),
        result_(bench::AclDataTypeOf(shape.result)) {
    for (int i = 0; i < function.inputs; ++i) {
      input_[i] =
          std::make_unique<bench::DeviceTensor>(shape.Extents(i), shape.dtype, shape.Strides());
      if (i < 2) {
        input_[i]->FillNormal(static_cast<uint64_t>(i + 1));
      } else {
        input_[i]->Fill(3, [](bench::Random& random) { return 0.5 + random.Unit(); });
      }
    }
    if (function.mask != BenchMask::kNone) {
      mask_ = std::make_unique<bench::DeviceTensor>(std::vector{shape.rows, shape.columns}, "bool");
      mask_->Fill(4, [](bench::Random& random) { return static_cast<double>(random.Below(2)); });
    }
    const float numbers[] = {0, 1, 20};
    for (int i = 0; i < 3; ++i) {
      float number = numbers[i];
      scalar_[i] = aclCreateScalar(&number, ACL_FLOAT);
    }
  }
  ~BenchProblem() override {
    for (aclScalar* scalar : scalar_) (void)aclDestroyScalar(scalar);
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return function_.phase1({TensorOf(input_[0]), TensorOf(input_[1]), TensorOf(input_[2]),
                             TensorOf(mask_), out_, scalar_[0], scalar_[1], scalar_[2], result_,
                             workspace_size, executor});
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return function_.phase2(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { out_.Poison(); }
  bool PoisonShows() const override {
    return out_.PoisonShows(function_.mask == BenchMask::kWritten ? mask_.get() : nullptr);
  }

 private:
  static aclTensor* TensorOf(const std::unique_ptr<bench::DeviceTensor>& made) {
    return made ? static_cast<aclTensor*>(*made) : nullptr;
  }

  const BenchFunction& function_;
  std::unique_ptr<bench::DeviceTensor> input_[3];
  std::unique_ptr<bench::DeviceTensor> mask_;
  bench::DeviceTensor out_;
  aclDataType result_;
  aclScalar* scalar_[3] = {};
};

// The case `name` of a table of functions that lives as long as the process.
template <size_t kCount>
bench::Case BenchCaseOf(const BenchFunction (&functions)[kCount], const char* operator_name,
                        const char* name, const BenchShape& shape) {
  const BenchFunction* function = functions;
  while (shape.function != function->name) ++function;
  double read = 0;
  for (int i = 0; i < function->inputs; ++i) {
    double elements = 1;
    for (const int64_t extent : shape.Extents(i)) elements *= static_cast<double>(extent);
    read += elements * static_cast<double>(bench::SizeOfName(shape.dtype));
  }
  const double elements = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const double written = elements * static_cast<double>(bench::SizeOfName(shape.result));
  if (function->mask != BenchMask::kNone) read += elements;
  // Half of the elements of every line: the others have to be read, and the line is written.
  if (function->mask == BenchMask::kWritten) read += written;
  return {operator_name,
          name,
          shape.dtype,
          {{"function", shape.function},
           {"rows", std::to_string(shape.rows)},
           {"columns", std::to_string(shape.columns)},
           {"layout", shape.layout},
           {"dtype", shape.dtype},
           {"result", shape.result}},
          {.read_bytes = read, .write_bytes = written},
          [function, shape] { return std::make_unique<BenchProblem>(*function, shape); }};
}

}  // namespace aclimb::elementwise
