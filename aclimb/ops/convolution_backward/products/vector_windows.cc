#include "aclimb/ops/convolution_backward/products/vector_windows.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/products/pixels_unit.h"
#include "aclimb/ops/convolution_backward/products/vector_kernels.h"
#include "aclimb/ops/convolution_backward/products/weight_unit.h"
#include "aclimb/ops/convolution_backward/products/window_blocks.h"
#include "aclimb/simd/slots.h"

namespace aclimb::convolution_backward {
namespace {

using vectors::kMostVectors;
using vectors::kRows;

// Sums of one block: the panel of the right operand that they meet stays in the nearest cache.
constexpr int64_t kMostDepth = 256;
constexpr int64_t kMostColumns = 512;
constexpr int64_t kMostWeightRows = 1152;  // of a unit of kGradWeight
// Pixels of a unit, as whole images if it can be, and elements of what they read.
constexpr int64_t kMostPixels = 512;
constexpr int64_t kMostSource = 1 << 20;
constexpr int64_t kMostLanes = 16;

constexpr vectors::Factors kFloats = vectors::Factors::kFloat32;

// Weights as the right operand: for each group, panel of the result's channels, chunk of the others
// and tap, [channel][width].
void PackWeights(const VectorWindows& p, const TensorView& weight, float* packed) {
  const Matrix from = Matrix::Weights(weight);
  const int64_t taps = p.geometry.KernelSize(), chunks = CeilDivide(p.depth, p.chunk);
  const int64_t across = CeilDivide(p.columns, p.unit_columns);
  ForEach(p.geometry.groups * chunks * across, p.slots > 1, [&](int64_t piece) {
    const Part part(p, piece % across);
    const int64_t group = piece / across / chunks, channel = group * p.geometry.y_channels;
    const int64_t k = piece / across % chunks * p.chunk, depth = std::min(p.chunk, p.depth - k);
    float* const panels = packed + group * p.GroupWeights();
    EachPanel(p, part.columns, [&](int64_t c, int64_t width, int64_t columns) {
      const int64_t column = part.first_column + c;
      float* const panel = panels + column * p.depth * taps + k * taps * width;
      if (columns < width) std::fill_n(panel, depth * taps * width, 0.0f);
      if (p.task == Task::kGradX && taps == 1) {
        const vectors::Piece all = {0, 0, 0, static_cast<int32_t>(columns), 0};
        vectors::PackPieces(kFloats, from.dtype, from.At(0, channel + k, column), from.row, 1,
                            depth, &all, 1, panel, width);
        return;
      }
      if (p.task == Task::kGradX) {
        for (int64_t i = 0; i < depth; ++i) {
          vectors::PackRightTransposed(kFloats, from.dtype,
                                       from.At(0, channel + k + i, column * taps), taps, columns,
                                       taps, panel + i * width, depth * width);
        }
        return;
      }
      // Their elements come channel by channel with all taps of each.
      constexpr int64_t kTile = 64;
      alignas(64) float tile[kMostVectors * kMostLanes * kTile];
      for (int64_t first = 0; first < depth * taps; first += kTile) {
        const int64_t count = std::min(kTile, depth * taps - first);
        vectors::PackRightTransposed(kFloats, from.dtype,
                                     from.At(0, channel + column, k * taps + first), from.row,
                                     columns, count, tile, width);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t at = (first + i) % taps * depth + (first + i) / taps;
          std::copy_n(tile + i * width, columns, panel + at * width);
        }
      }
    });
  });
}

// Blocks of up to so many pixels.
void CutPixels(VectorWindows& p, int64_t most) {
  const Extents all = ResultOf(p);
  const auto even = [](int64_t count, int64_t limit) {
    return CeilDivide(count, CeilDivide(count, std::max<int64_t>(limit, 1)));
  };
  p.images = even(p.geometry.batch, most / all.Pixels());
  p.lines = even(all.lines, most / all.width);
  p.width = even(all.width, most);
}

// Along a dimension, the most that windows for so many positions side by side reach over.
int64_t Reach(const Geometry& g, Task task, int d, int64_t positions) {
  const int64_t gaps = (g.kernel[d] - 1) * g.dilation[d];
  if (ReadsX(task)) return std::min((positions - 1) * g.stride[d] + gaps + 1, g.in[d]);
  return std::min((positions - 1 + gaps) / g.stride[d] + 1, g.out[d]);
}

// The most that a block reads of an image.
void MeasureSource(VectorWindows& p) {
  const Geometry& g = p.geometry;
  const int64_t* const result = ReadsX(p.task) ? g.out : g.in;
  const int64_t height = (ReadsX(p.task) ? g.in : g.out)[1];
  // Lines may be the last ones of a plane and the first ones of the next.
  const bool whole = p.lines % result[1] == 0 || result[1] % p.lines == 0;
  const int64_t planes = std::min(CeilDivide(p.lines, result[1]) + (whole ? 0 : 1), result[0]);
  const int64_t rows = planes > 1 ? height : Reach(g, p.task, 1, std::min(p.lines, result[1]));
  const int64_t depths = Reach(g, p.task, 0, planes);
  p.source_lines = std::min(depths * rows, p.lines * LineTaps(g));
  p.source_span = depths > 1 ? depths * height : rows;
  p.source_width = Reach(g, p.task, 2, p.width);
}

// Blocks of pixels that do not depend on the team, whose sources fit a near cache if they can.
void CutPixelsAndSource(VectorWindows& p) {
  for (int64_t most = kMostPixels;; most /= 2) {
    CutPixels(p, most);
    MeasureSource(p);
    const int64_t pixels = p.images * p.source_lines * p.source_width;
    if (most == 1 || SaturatedProduct(pixels, PixelPitch(p.chunk)) <= kMostSource) return;
  }
}

// Calls size(down, across), which cuts a plan into so many units each way and returns the size of
// one, for all numbers of the two ranges, and leaves the plan with the least time by a model: every
// thread takes as many units as the busiest one, and a unit reads its operands in the time of
// multiplying a few more rows and columns.
struct Range {
  int64_t first, last;
};
struct UnitSize {
  int64_t units, rows, columns;
};
template <typename Size>
void CutUnits(const Range& downs, const Range& acrosses, int threads, const Size& size) {
  constexpr double kReading = 16;
  double least = 0;
  int64_t best_down = downs.first, best_across = acrosses.first;
  for (int64_t down = downs.first; down <= downs.last; ++down) {
    for (int64_t across = acrosses.first; across <= acrosses.last; ++across) {
      const UnitSize unit = size(down, across);
      const double rounds = static_cast<double>(CeilDivide(unit.units, int64_t{threads}));
      const double time = rounds * (static_cast<double>(unit.rows) + kReading) *
                          (static_cast<double>(unit.columns) + kReading);
      if (least > 0 && time >= least) continue;
      least = time;
      best_down = down;
      best_across = across;
    }
  }
  size(best_down, best_across);
}

// Cuts columns, and rows for kGradWeight, into units.
void Cut(VectorWindows& p, int threads) {
  const Geometry& g = p.geometry;
  const bool rows = p.task == Task::kGradWeight;
  const int64_t most_rows = std::max(kMostWeightRows / g.KernelSize() / kRows, int64_t{1}) * kRows;
  const int64_t down = rows ? CeilDivide(g.x_channels, most_rows) : 1;
  const int64_t across = CeilDivide(p.columns, kMostColumns);
  CutUnits({down, rows ? down + 2 * threads : down},
           {across, std::max(across, std::min(p.columns / (2 * p.lanes), across + 2 * threads))},
           threads, [&](int64_t pieces, int64_t parts) {
             p.unit_rows = RoundUp(CeilDivide(g.x_channels, pieces), kRows);
             p.unit_columns = RoundUp(CeilDivide(p.columns, parts), p.lanes);
             const int64_t size =
                 rows ? p.unit_rows * g.KernelSize() : p.images * p.lines * p.width;
             return UnitSize{p.Units(), size, p.unit_columns};
           });
}

}  // namespace

int64_t VectorWindows::Blocks() const {
  return task == Task::kGradWeight ? CeilDivide(geometry.x_channels, unit_rows)
                                   : PixelBlocks(*this);
}

int64_t VectorWindows::Units() const {
  return geometry.groups * Blocks() * CeilDivide(columns, unit_columns);
}

int64_t VectorWindows::GroupWeights() const {
  if (task == Task::kGradWeight) return 0;
  return SaturatedProduct(SaturatedProduct(RoundUp(columns, kMostLanes), depth),
                          geometry.KernelSize());
}

int64_t VectorWindows::WeightBytes() const {
  return SaturatedProduct(SaturatedProduct(GroupWeights(), geometry.groups),
                          static_cast<int64_t>(sizeof(float)));
}

int64_t VectorWindows::SlotBytes() const {
  if (task == Task::kGradWeight) return WeightUnit(*this, 0, {}, {}, nullptr).Bytes();
  return PixelsUnit(*this, 0, {}, {}, nullptr, nullptr).Bytes();
}

int64_t VectorWindows::ScratchBytes() const {
  return WeightBytes() + SaturatedProduct(slots, SlotBytes());
}

VectorWindows PlanVectorWindows(const Geometry& geometry, Task task, int threads,
                                vectors::Factors of_weight) {
  VectorWindows p;
  p.task = task;
  if (task == Task::kGradWeight) p.factors = of_weight;
  p.geometry = ShortDimensionsFirst(geometry);
  const Geometry& g = p.geometry;
  if (g.IsOneToOne()) {
    const int64_t pixels = g.OutSize();
    for (int64_t* extents : {p.geometry.in, p.geometry.out}) {
      extents[0] = extents[1] = 1;
      extents[2] = pixels;
    }
    p.exchanged = task == Task::kGradWeight && g.y_channels > g.x_channels;
    if (p.exchanged) std::swap(p.geometry.x_channels, p.geometry.y_channels);
  }
  // One window steps nowhere, however far it would.
  for (int d = 0; d < kDims; ++d) {
    if (g.out[d] == 1) p.geometry.stride[d] = 1;
  }
  p.lanes = vectors::Lanes();
  p.columns = task == Task::kGradX ? g.x_channels : g.y_channels;
  if (task == Task::kGradWeight) {
    CutPixels(p, kMostDepth * vectors::PerElement(p.factors));
  } else {
    p.depth = task == Task::kForward ? g.x_channels : g.y_channels;
    p.chunk = CeilDivide(p.depth, CeilDivide(p.depth, kMostDepth));
    p.taps = std::clamp<int64_t>(kMostDepth / p.chunk, 1, g.KernelSize());
    CutPixelsAndSource(p);
  }
  Cut(p, threads);
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunWindows(const VectorWindows& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  auto* const packed = static_cast<float*>(scratch);
  const Matrix of_x = Matrix::Channels(p.exchanged ? y : x);
  const Matrix of_y = Matrix::Channels(p.exchanged ? x : y);
  const bool gives_weight = p.task == Task::kGradWeight;
  if (!gives_weight) PackWeights(p, weight, packed);
  if (p.slots > 1 && IsCancelled()) return;
  char* const memory = static_cast<char*>(scratch) + p.WeightBytes();
  const int64_t bytes = p.SlotBytes();
  Slots slots(p.slots);
  ForEach(p.Units(), p.slots > 1, [&](int64_t unit) {
    const Slots::Lease slot(slots);
    void* const own = memory + slot.number() * bytes;
    if (gives_weight) {
      WeightUnit sums(p, unit, of_x, of_y, own);
      sums.Run();
      sums.Store(weight);
    } else {
      PixelsUnit(p, unit, ReadsX(p.task) ? of_x : of_y, ReadsX(p.task) ? of_y : of_x, packed, own)
          .Run();
    }
  });
}

bool HasDensePlanes(const TensorView& channels) {
  TensorView plane = channels;
  plane.shape[0] = plane.shape[1] = 1;
  return plane.IsContiguous();
}

bool HasDenseRows(const TensorView& weight) {
  TensorView row = weight;
  row.shape[0] = 1;
  return row.IsContiguous();
}

}  // namespace aclimb::convolution_backward
