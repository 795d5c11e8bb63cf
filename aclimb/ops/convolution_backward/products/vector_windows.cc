#include "aclimb/ops/convolution_backward/products/vector_windows.h"

#include <algorithm>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kRows = kWindowsRows;
// Sums of one block: the panel of the right operand that they meet stays in the nearest cache.
constexpr int64_t kMostDepth = 256;
constexpr int64_t kMostColumns = 512;
constexpr int64_t kMostRows = 1152;  // of all taps

// Blocks of up to so many pixels.
void CutPixels(VectorWindows& p, int64_t most) {
  const Geometry& g = p.geometry;
  const auto even = [](int64_t count, int64_t limit) {
    return CeilDivide(count, CeilDivide(count, std::max<int64_t>(limit, 1)));
  };
  p.images = even(g.batch, most / (p.Lines() * g.out[2]));
  p.lines = even(p.Lines(), most / g.out[2]);
  p.width = even(g.out[2], most);
}

// Cuts channels of x and y into so many units each way that the time is least by a model: every
// thread takes as many units as the busiest one, and a unit reads its operands in the time of
// multiplying a few more rows and columns.
void CutChannels(VectorWindows& p, int threads) {
  constexpr double kReading = 16;
  const Geometry& g = p.geometry;
  const int64_t most_rows = std::max(kMostRows / g.KernelSize() / kRows, int64_t{1}) * kRows;
  const int64_t least_down = CeilDivide(g.x_channels, most_rows);
  const int64_t least_across = CeilDivide(g.y_channels, kMostColumns);
  const int64_t most_across =
      std::max(least_across, std::min(g.y_channels / (2 * p.lanes), least_across + 2 * threads));
  const auto cut = [&](int64_t down, int64_t across) {
    p.unit_rows = RoundUp(CeilDivide(g.x_channels, down), kRows);
    p.unit_columns = RoundUp(CeilDivide(g.y_channels, across), p.lanes);
  };
  double least = 0;
  int64_t best_down = least_down, best_across = least_across;
  for (int64_t down = least_down; down <= least_down + 2 * threads; ++down) {
    for (int64_t across = least_across; across <= most_across; ++across) {
      cut(down, across);
      const double rounds = static_cast<double>(CeilDivide(p.Units(), int64_t{threads}));
      const double time = rounds * (static_cast<double>(p.unit_rows * g.KernelSize()) + kReading) *
                          (static_cast<double>(p.unit_columns) + kReading);
      if (least > 0 && time >= least) continue;
      least = time;
      best_down = down;
      best_across = across;
    }
  }
  cut(best_down, best_across);
}

}  // namespace

int64_t VectorWindows::Blocks() const {
  return CeilDivide(geometry.batch, images) * CeilDivide(Lines(), lines) *
         CeilDivide(geometry.out[2], width);
}

int64_t VectorWindows::Units() const {
  return geometry.groups * CeilDivide(geometry.x_channels, unit_rows) *
         CeilDivide(geometry.y_channels, unit_columns);
}

WindowsSlot::WindowsSlot(const VectorWindows& p, void* memory) {
  const auto take = [&](auto*& array, int64_t count) {
    char* const from = memory != nullptr ? static_cast<char*>(memory) + bytes : nullptr;
    array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(from);
    bytes += RoundUp(SaturatedProduct(count, static_cast<int64_t>(sizeof(*array))), 64);
  };
  // Elements that may be written behind the last line of a row.
  constexpr int64_t kBeyondLine = 16;
  const int64_t count = p.unit_rows * p.geometry.KernelSize() * p.unit_columns;
  take(sums, count);
  take(rights, p.Pitch() * p.unit_columns);
  take(lefts, kRows * p.Pitch() + kBeyondLine);
  take(lines, p.images * p.lines);
  take(terms, p.images * p.lines);
  take(totals, LongSums::Totals(count, p.Blocks(), kMostBlockSums));
}

int64_t VectorWindows::SlotBytes() const { return WindowsSlot(*this, nullptr).bytes; }

VectorWindows PlanVectorWindows(const Geometry& geometry, int threads, Factors factors) {
  VectorWindows p;
  p.factors = factors;
  p.geometry = ShortDimensionsFirst(geometry);
  Geometry& g = p.geometry;
  if (g.IsOneToOne()) {
    const int64_t pixels = g.OutSize();
    for (int64_t* extents : {g.in, g.out}) {
      extents[0] = extents[1] = 1;
      extents[2] = pixels;
    }
    p.exchanged = g.y_channels > g.x_channels;
    if (p.exchanged) std::swap(g.x_channels, g.y_channels);
  }
  // One window steps nowhere, however far it would.
  for (int d = 0; d < kDims; ++d) {
    if (g.out[d] == 1) g.stride[d] = 1;
  }
  p.lanes = WindowsLanes();
  CutPixels(p, kMostDepth * PerElement(p.factors));
  CutChannels(p, threads);
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunWindows(const VectorWindows& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  (void)ForEachUnit(p.Units(), 1, {scratch, p.slots, p.SlotBytes()}, [&](int64_t unit, void* slot) {
    WindowsUnit(p, unit, p.exchanged ? y : x, p.exchanged ? x : y, weight, slot);
  });
}

}  // namespace aclimb::convolution_backward
