#include "aclimb/reduction/problem.h"

#include <algorithm>

#include "aclimb/copy/storage.h"
#include "aclimb/core/divide.h"

namespace aclimb::reduction {
namespace {

// Elements that are worth a task of their own: some 25 microseconds of memory's time.
constexpr int64_t kTaskElements = 64 * 1024;
// Tasks that keep any team busy to the end.
constexpr int64_t kManyTasks = 512;
// Rows below this length are turned, so that vectors go across them.
constexpr int64_t kShortRow = 48;

bool Keeps(uint32_t reduced, int d) { return (reduced >> d & 1) == 0; }

// The view with only the dimensions that are kept, or only the others.
TensorView Part(const TensorView& view, uint32_t reduced, bool kept) {
  TensorView part = view;
  part.rank = 0;
  for (int d = 0; d < view.rank; ++d) {
    if (Keeps(reduced, d) != kept) continue;
    part.shape[part.rank] = view.shape[d];
    part.stride[part.rank++] = view.stride[d];
  }
  return part;
}

// An output that keeps all dimensions has the reduced ones as 1.
TensorView KeptOf(const TensorView& output, const TensorView& input, uint32_t reduced) {
  const TensorView kept = Part(input, reduced, true);
  if (output.rank == kept.rank) return output;
  return kept.rank == 0 ? kept : Part(output, reduced, true);
}

// What elements are converted to if there is no kernel for them.
DType WiderOf(Fold fold, DType dtype) {
  if (fold == Fold::kAny || fold == Fold::kAll) return DType::kBool;
  if (!IsWhole(fold, dtype)) {
    return fold == Fold::kProduct ? DType::kFloat64 : DType::kFloat32;
  }
  return fold == Fold::kMax || fold == Fold::kMin ? DType::kInt32 : DType::kInt64;
}

double CyclesOf(Fold fold, bool whole) {
  if (whole) return 0.5;
  switch (fold) {
    case Fold::kPowers:
      return 8;
    case Fold::kExponentials:
      return 2;
    case Fold::kMoments:
    case Fold::kProduct:
    case Fold::kSquares:
      return 0.6;
    default:
      return 0.3;
  }
}

// A dimension that repeats its elements counts as the furthest apart.
int64_t Distance(int64_t stride) { return stride == 0 ? INT64_MAX : stride; }

}  // namespace

Problem::Problem(const Request& of, const TensorView& input,
                 const TensorView (&outputs)[kMostOutputs])
    : request(of), read(input.dtype) {
  compute = of.compute == DType::kUndefined ? read : of.compute;
  // Half types lie in float32.
  const bool is_half = IsHalf(read);
  if (is_half && compute == DType::kFloat32) compute = read;
  reading = copy::Converter(read, compute);
  if (KernelOf(of.fold, compute).rows == nullptr) {
    const DType wider = WiderOf(of.fold, compute);
    widening = copy::Converter(compute, wider);
    compute = wider;
  }
  converts = reading.Changes() || widening.Changes();
  kernel = KernelOf(of.fold, compute);
  if (of.fold == Fold::kExponentials) peak = KernelOf(Fold::kMax, compute);
  whole = IsWhole(of.fold, compute);
  search = SearchOf(compute);

  TensorView shaped[kMostOutputs];
  for (int n = 0; n < kMostOutputs; ++n) {
    // Unused outputs are like the first, so that dimensions merge all the same.
    const int real = n < of.output_count ? n : 0;
    const bool is_whole = whole || (of.outputs[n].second && of.finds);
    const DType as = of.outputs[n].as;
    shaped[n] = KeptOf(outputs[real], input, of.reduced);
    rounded[n] = as == DType::kUndefined ? outputs[real].dtype : as;
    rounding[n] = copy::Converter(is_whole ? DType::kInt64 : DType::kFloat64, rounded[n]);
    storing[n] = copy::Converter(rounded[n], outputs[real].dtype);
    output_size[n] = static_cast<int64_t>(SizeOf(outputs[real].dtype));
  }
  const TensorView kept_input = Part(input, of.reduced, true);
  const TensorView reduced_input = Part(input, of.reduced, false);
  kept = Walk<kMostOutputs + 1>::Make({&shaped[0], &shaped[1], &kept_input});
  reduced = Walk<1>::Make({&reduced_input});

  const int64_t elements = std::max<int64_t>(1, reduced.count);
  const int64_t kept_stride = kept.stride[kInput][kept.rank - 1];
  const int64_t kept_extent = kept.extent[kept.rank - 1];
  const int64_t reduced_stride = reduced.stride[0][reduced.rank - 1];
  transposes = reduced_stride == 1 && reduced.rank == 1 && reduced.count < kShortRow &&
               kept_stride > 1 && kept_extent >= 16;
  by_columns = transposes || reduced.count <= 1 ||
               (kept_extent > 1 && Distance(kept_stride) < Distance(reduced_stride));
  direct = !converts && !transposes && (by_columns ? kept_stride : reduced_stride) == 1;

  const int64_t inner = by_columns ? kept_extent : kept.count;
  width = direct || !by_columns ? kBlock : kBlock / 2;
  if (!by_columns) {
    const int64_t least = std::max<int64_t>(1, kTaskElements / 2 / elements);
    width = std::clamp(inner / kManyTasks, std::min(least, kBlock), kBlock);
  }
  width = std::min(width, inner);
  blocks = kept.count / inner * CeilDivide(inner, width);
  const int64_t per_block = std::max<int64_t>(1, kManyTasks / blocks);
  chunk = std::max(CeilDivide(elements, per_block), CeilDivide(kTaskElements, width));
  chunks = CeilDivide(elements, chunk);
  grain = std::max<int64_t>(1, kTaskElements / (width * std::min(chunk, elements)));
  double each = CyclesOf(of.fold, whole) + (direct ? 0 : 1) + (converts ? 0.5 : 0);
  if (of.finds) each += 0.2;
  cycles = each * static_cast<double>(kept.count) * static_cast<double>(reduced.count);
  cycles += 10 * static_cast<double>(kept.count);
}

int64_t Problem::ScratchBytes() const {
  if (chunks == 1) return 0;
  const int64_t numbers = HasSecond() ? 2 : 1;
  // Shifts stand behind the slots.
  return (chunks * numbers + 1) * kept.count * static_cast<int64_t>(sizeof(Slot));
}

}  // namespace aclimb::reduction
