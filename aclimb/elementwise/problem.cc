#include "aclimb/elementwise/problem.h"

#include <algorithm>

namespace aclimb::elementwise {
namespace {

// `view` with the shape of `output`: dimensions that it lacks or has once are repeated.
TensorView Broadcast(const TensorView& view, const TensorView& output) {
  TensorView all = output;
  all.dtype = view.dtype;
  const int missing = output.rank - view.rank;
  for (int d = 0; d < output.rank; ++d) {
    const bool repeated = d < missing || view.shape[d - missing] == 1;
    all.stride[d] = repeated ? 0 : view.stride[d - missing];
  }
  return all;
}

Walk<kOperands> WalkOf(std::span<const TensorView> inputs, const TensorView& output) {
  TensorView views[kMostInputs];
  // An input that is not there is another one once more: it changes nothing.
  for (int n = 0; n < kMostInputs; ++n) {
    const size_t given = std::min(static_cast<size_t>(n), inputs.size() - 1);
    views[n] = Broadcast(inputs[given], output);
  }
  return Walk<kOperands>::Make({&views[0], &views[1], &views[2], &output});
}

DType ComputeDType(const Runs& runs, DType promoted) {
  const int index = StorageIndex(promoted);
  return index >= 0 && runs.of[index] != nullptr ? promoted : DType::kFloat32;
}

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

}  // namespace

Problem::Problem(Formula formula_of, std::span<const TensorView> inputs, const TensorView& output,
                 DType promoted)
    : walk(WalkOf(inputs, output)), formula(formula_of) {
  const Runs& runs = formula.Get();
  compute = ComputeDType(runs, promoted);
  computed = runs.gives_bool ? DType::kBool : compute;
  result = IsHalf(promoted) && !runs.gives_bool ? promoted : computed;
  dtype[kOutput] = output.dtype;
  bool converts = computed != output.dtype || result != output.dtype;
  for (int n = 0; n < kMostInputs; ++n) {
    dtype[n] = inputs[std::min(static_cast<size_t>(n), inputs.size() - 1)].dtype;
    converts = converts || dtype[n] != compute;
  }
  const bool long_rows = walk.rank == 1 || walk.extent[walk.rank - 1] >= kShortRow;
  is_direct = !converts && long_rows && walk.InnerIsContiguous();
}

double Problem::Cycles() const {
  // Elements that lie apart, or change their dtype, take longer.
  constexpr double kIndirectCycles = 10;
  const double each = static_cast<double>(formula.Get().cycles) + (is_direct ? 0 : kIndirectCycles);
  return each * static_cast<double>(walk.count);
}

}  // namespace aclimb::elementwise
