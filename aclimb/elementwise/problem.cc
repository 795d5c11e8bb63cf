#include "aclimb/elementwise/problem.h"

#include <algorithm>
#include <cassert>

#include "aclimb/core/divide.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/tiles.h"

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

// An input that is not there is the last one once more, which changes nothing.
const TensorView& InputOrLast(std::span<const TensorView> views, int n) {
  return views[std::min(static_cast<size_t>(n), views.size() - 1)];
}

Walk<kOperands> WalkOf(std::span<const TensorView> inputs, const TensorView& output) {
  TensorView all[kMostInputs];
  for (int n = 0; n < kMostInputs; ++n) all[n] = Broadcast(InputOrLast(inputs, n), output);
  static_assert(kMostInputs == 3);
  return Walk<kOperands>::Make({&all[0], &all[1], &all[2], &output});
}

// Rows of a tile are computed one by one: shorter ones are gathered instead.
constexpr int64_t kLeastTileRow = 8;

// Clock cycles that an element takes beside its formula, about.
double IndirectCycles(const Problem& problem, bool converts) {
  if (problem.is_direct || problem.across >= 0) return 0;
  const Walk<kOperands>& walk = problem.walk;
  const int inner = walk.rank - 1;
  const bool short_rows = walk.rank > 1 && walk.extent[inner] < kShortRow;
  bool gathers = false;
  for (int n = 0; n < kOperands; ++n) {
    const int64_t step = walk.stride[n][inner];
    const bool dense = short_rows ? walk.IsDense(n) || problem.IsOneRow(n) : step == 0 || step == 1;
    gathers = gathers || !dense;
  }
  return (gathers ? 8 : 0) + (converts ? 2 : 0);
}

}  // namespace

bool Problem::RoundsInput(int n) const {
  return n != mask && IsHalf(promoted) && IsInteger(dtype[n]);
}

bool Problem::IsOneRow(int n) const {
  return std::all_of(walk.stride[n], walk.stride[n] + walk.rank - 1,
                     [](int64_t stride) { return stride == 0; });
}

Problem::Problem(Formula formula, std::span<const TensorView> views, const TensorView& output,
                 DType common)
    : walk(WalkOf(views, output)), promoted(common) {
  const Runs& runs = formula.Get();
  inputs = runs.inputs;
  mask = runs.mask;
  const int index = StorageIndex(promoted);
  compute = index >= 0 && runs.of[index] != nullptr ? promoted : DType::kFloat32;
  run = runs.of[StorageIndex(compute)];
  computed = runs.gives_bool ? DType::kBool : compute;
  result = IsHalf(promoted) && !runs.gives_bool ? promoted : computed;
  bool converts = computed != output.dtype || result != output.dtype;
  for (int n = 0; n < kOperands; ++n) {
    dtype[n] = n == kOutput ? output.dtype : InputOrLast(views, n).dtype;
    size[n] = static_cast<int64_t>(SizeOf(dtype[n]));
    converts = converts || (n < inputs && dtype[n] != Reads(n));
  }
  assert(mask < 0 || size[mask] == 1);
  const bool long_rows = walk.rank == 1 || walk.extent[walk.rank - 1] >= kShortRow;
  is_direct = !converts && long_rows && walk.InnerIsContiguous();
  across = is_direct ? -1 : Tiles<kOperands>::Across(walk, kLeastTileRow);
  const double each = static_cast<double>(runs.cycles) + IndirectCycles(*this, converts);
  cycles = each * static_cast<double>(walk.count);
  is_shared = is_direct && cycles >= kSharedCycles && cycles <= kTeamCycles;
  // In whole vectors.
  const double piece = is_shared && TeamSize() > 1 ? kSharedPieceCycles : kTeamPieceCycles;
  grain = RoundUp(static_cast<int64_t>(piece / each), int64_t{1024});
}

}  // namespace aclimb::elementwise
