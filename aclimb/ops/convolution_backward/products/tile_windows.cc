#include "aclimb/ops/convolution_backward/products/tile_windows.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/ops/convolution_backward/products/product.h"
#include "aclimb/ops/convolution_backward/products/tile_kernels.h"

namespace aclimb::convolution_backward {
namespace {

using tiles::Blocks;
using tiles::kResident;
using tiles::kSide;
using tiles::kStep;

constexpr int64_t kElement = sizeof(BFloat16);

// Of a float32 sum.
constexpr int64_t kMostTerms = BlockTerms(DType::kBFloat16);

// What a unit holds should not be much more than the second cache, of 2 MiB: its sums, and rows of
// y and columns of x of a block. Small images share a block.
constexpr int64_t kBlockBytes = 1792 * 1024, kSumBytes = 640 * 1024, kSmallPlanes = 1024;

void Zero(BFloat16* from, int64_t count) {
  std::memset(static_cast<void*>(from), 0, static_cast<size_t>(count * kElement));
}

// A block of positions: its first window, and its planes.
class Planes {
 public:
  explicit Planes(const TileWindows& p, int64_t block = 0) {
    for (int d = kDims - 1; d >= 0; --d) {
      const int64_t blocks = CeilDivide(p.geometry.out[d], p.block[d]);
      begin_[d] = block % blocks * p.block[d];
      block /= blocks;
      windows_[d] = std::min(p.block[d], p.geometry.out[d] - begin_[d]);
      extent_[d] = windows_[d] + p.reach[d];
    }
  }
  int64_t begin(int d) const { return begin_[d]; }
  int64_t Flat(int64_t a, int64_t b, int64_t c) const {
    return (a * extent_[1] + b) * extent_[2] + c;
  }
  int64_t Size() const { return extent_[0] * extent_[1] * extent_[2]; }
  // Positions from the first to the last window of so many images.
  int64_t Length(int64_t images) const {
    return (images - 1) * Size() + Flat(windows_[0] - 1, windows_[1] - 1, windows_[2]);
  }
  int64_t windows(int d) const { return windows_[d]; }
  int64_t extent(int d) const { return extent_[d]; }

 private:
  int64_t begin_[kDims], windows_[kDims], extent_[kDims];
};

// Taps of one dimension see x at so many remainders modulo the stride, which are [0, count) for
// steps of one and two.
int64_t PhasesAlong(const Geometry& g, int d) {
  return g.kernel[d] > 1 && g.dilation[d] % g.stride[d] != 0 ? g.stride[d] : 1;
}
// The phase of x that a tap sees, and its shift there.
struct Tap {
  int64_t phase, shift;
};
Tap TapOf(const Geometry& g, const Planes& planes, int64_t tap) {
  int64_t phase = 0, scale = 1, at[kDims];
  for (int d = kDims - 1; d >= 0; --d) {
    const int64_t offset = tap % g.kernel[d] * g.dilation[d];
    tap /= g.kernel[d];
    phase += offset % g.stride[d] * scale;
    scale *= PhasesAlong(g, d);
    at[d] = offset / g.stride[d];
  }
  return {phase, planes.Flat(at[0], at[1], at[2])};
}

int64_t BlocksOf(const TileWindows& p) {
  int64_t blocks = 1;
  for (int d = 0; d < kDims; ++d) blocks *= CeilDivide(p.geometry.out[d], p.block[d]);
  return blocks;
}

// What a unit works on.
struct Unit {
  int64_t rows, columns;   // channels
  float* sums;             // [tap][block of rows][block of columns]
  BFloat16* rows_of_y;     // [row][row_pitch]
  BFloat16* columns_of_x;  // [phase][even or odd first position][half a block][pair][column][2]
  BFloat16* embedded;      // a block of channels of x
  Tap* taps;
  int64_t sum_count;
  double* totals;     // of long sums
  int64_t row_pitch;  // elements
  int64_t pairs;      // of positions, with those that the last whole step reaches
  int64_t bytes;      // of all

  // Laid out from `memory` on, which may be null.
  Unit(const TileWindows& p, int64_t of_rows, int64_t of_columns, void* memory)
      : rows(of_rows), columns(of_columns) {
    const Geometry& g = p.geometry;
    const Planes planes(p);
    const int64_t length = planes.Length(p.images);
    // With what follows the last window of a row. An odd number of cache lines: rows do not meet in
    // one set of a cache.
    row_pitch = (Blocks(length + p.reach[2]) | 1) * kSide;
    pairs = (Blocks(length) + Blocks(planes.Flat(p.reach[0], p.reach[1], p.reach[2])) + 1) *
            (kSide / 2);
    int64_t used = 0;
    const auto take = [&](auto*& pointer, int64_t count) {
      using Element = std::remove_reference_t<decltype(*pointer)>;
      pointer = reinterpret_cast<Element*>(reinterpret_cast<uintptr_t>(memory) +
                                           static_cast<uintptr_t>(used));
      used += RoundUp(count * static_cast<int64_t>(sizeof(Element)), int64_t{64});
    };
    sum_count = g.KernelSize() * Blocks(rows) * Blocks(columns) * kStep;
    take(sums, sum_count);
    take(rows_of_y, RoundUp(rows, kSide) * row_pitch);
    take(columns_of_x, p.Phases() * 2 * Blocks(columns) * 2 * HalfElements());
    take(embedded, kSide * EmbeddedPitch());
    take(taps, g.KernelSize());
    take(totals,
         LongSums::Totals(sum_count, SaturatedProduct(g.batch, BlocksOf(p) * length), kMostTerms));
    bytes = used;
  }
  int64_t HalfElements() const { return pairs * kSide; }
  int64_t EmbeddedPitch() const { return pairs * 2 + kSide; }
  BFloat16* Columns(int64_t phase, int64_t odd, int64_t block) const {
    return columns_of_x + ((phase * 2 + odd) * Blocks(columns) + block) * 2 * HalfElements();
  }
};

void EmbedY(const Planes& planes, const TensorView& y, int64_t first_channel, int64_t image,
            int64_t images, const Unit& unit) {
  Zero(unit.rows_of_y, RoundUp(unit.rows, kSide) * unit.row_pitch);
  for (int64_t r = 0; r < unit.rows; ++r) {
    for (int64_t n = 0; n < images; ++n) {
      const BFloat16* const from = y.As<BFloat16>() + (image + n) * y.stride[0] +
                                   (first_channel + r) * y.stride[1] +
                                   planes.begin(1) * y.stride[3] + planes.begin(2);
      BFloat16* const to = unit.rows_of_y + r * unit.row_pitch + n * planes.Size();
      for (int64_t a = 0; a < planes.windows(0); ++a) {
        tiles::EmbedRows(from + (planes.begin(0) + a) * y.stride[2], y.stride[3], 1,
                         planes.windows(1), planes.windows(2), 0, planes.extent(2),
                         to + planes.Flat(a, 0, 0));
      }
    }
  }
}

// Where a phase of x stands in the planes of a block. Along a dimension, place z of the plane holds
// element z * stride + first, in [lead, lead + count), and zeros before and behind.
struct PhasePlaces {
  int64_t first[kDims], lead[kDims], count[kDims];
};
PhasePlaces PlacesOf(const TileWindows& p, const Planes& planes, int64_t phase) {
  const Geometry& g = p.geometry;
  PhasePlaces places;
  for (int d = kDims - 1; d >= 0; --d) {
    const int64_t stride = g.stride[d], extent = planes.extent(d), phases = PhasesAlong(g, d);
    const int64_t first = phase % phases - g.pad_begin[d] + planes.begin(d) * stride;
    phase /= phases;
    const int64_t lead = std::clamp<int64_t>(CeilDivide(-first, stride), 0, extent);
    places.first[d] = first;
    places.lead[d] = lead;
    places.count[d] =
        std::clamp<int64_t>(CeilDivide(g.in[d] - first, stride) - lead, 0, extent - lead);
  }
  return places;
}

void EmbedChannel(const TileWindows& p, const Planes& planes, const PhasePlaces& at,
                  const TensorView& x, const BFloat16* channel, BFloat16* to) {
  const Geometry& g = p.geometry;
  const auto element = [&](int d, int64_t z) { return z * g.stride[d] + at.first[d]; };
  const int64_t length = planes.extent(2), slice = planes.extent(1) * length;
  const int64_t behind = planes.extent(1) - at.lead[1] - at.count[1];
  Zero(to, at.lead[0] * slice);
  for (int64_t a = at.lead[0]; a < at.lead[0] + at.count[0]; ++a) {
    BFloat16* const rows = to + a * slice + at.lead[1] * length;
    Zero(to + a * slice, at.lead[1] * length);
    tiles::EmbedRows(channel + element(0, a) * x.stride[2] + element(1, at.lead[1]) * x.stride[3] +
                         element(2, at.lead[2]),
                     g.stride[1] * x.stride[3], g.stride[2], at.count[1], at.count[2], at.lead[2],
                     length, rows);
    Zero(rows + at.count[1] * length, behind * length);
  }
  Zero(to + (at.lead[0] + at.count[0]) * slice,
       (planes.extent(0) - at.lead[0] - at.count[0]) * slice);
}

void PackX(const TileWindows& p, const Planes& planes, const TensorView& x, int64_t first_channel,
           int64_t image, int64_t images, const Unit& unit) {
  const int64_t pitch = unit.EmbeddedPitch();
  for (int64_t phase = 0; phase < p.Phases(); ++phase) {
    const PhasePlaces places = PlacesOf(p, planes, phase);
    for (int64_t block = 0; block < Blocks(unit.columns); ++block) {
      const int64_t columns = std::min(kSide, unit.columns - block * kSide);
      for (int64_t c = 0; c < columns; ++c) {
        BFloat16* const to = unit.embedded + c * pitch;
        const BFloat16* const channel =
            x.As<BFloat16>() + (first_channel + block * kSide + c) * x.stride[1];
        for (int64_t n = 0; n < images; ++n) {
          EmbedChannel(p, planes, places, x, channel + (image + n) * x.stride[0],
                       to + n * planes.Size());
        }
        Zero(to + images * planes.Size(), pitch - images * planes.Size());
      }
      for (int64_t odd = 0; odd < 2; ++odd) {
        tiles::PackRightTransposed(
            unit.embedded + odd, pitch, columns, unit.pairs * 2,
            tiles::Right::Halves(unit.Columns(phase, odd, block), unit.HalfElements()));
      }
    }
  }
}

// Adds what a block of positions gives.
void AddBlock(const TileWindows& p, const Planes& planes, int64_t images, bool add,
              const Unit& unit) {
  const Geometry& g = p.geometry;
  const int64_t steps = Blocks(planes.Length(images));
  const int64_t row_blocks = Blocks(unit.rows), column_blocks = Blocks(unit.columns);
  for (int64_t s = 0; s < steps; s += kResident) {
    const int64_t count = std::min(kResident, steps - s);
    for (int64_t r = 0; r < row_blocks; ++r) {
      const auto rows = tiles::Left::Rows(unit.rows_of_y + r * kSide * unit.row_pitch + s * kSide,
                                          unit.row_pitch);
      for (int64_t t = 0; t < g.KernelSize(); ++t) {
        const Tap tap = unit.taps[t];
        float* const sums = unit.sums + (t * row_blocks + r) * column_blocks * kStep;
        for (int64_t c = 0; c < column_blocks; ++c) {
          const auto columns =
              tiles::Right::Halves(unit.Columns(tap.phase, tap.shift % 2, c), unit.HalfElements());
          tiles::Multiply(rows, columns.Behind(tap.shift / 2).At(s), count, add || s > 0,
                          sums + c * kStep);
        }
      }
    }
  }
}

void RunUnit(const TileWindows& p, int64_t index, const TensorView& x, const TensorView& y,
             BFloat16* weight, void* memory) {
  const Geometry& g = p.geometry;
  const int64_t row_ranges = CeilDivide(g.y_channels, p.unit_rows);
  const int64_t column_ranges = CeilDivide(g.x_channels, p.unit_columns);
  const int64_t row = index % row_ranges * p.unit_rows;
  const int64_t column = index / row_ranges % column_ranges * p.unit_columns;
  const int64_t group = index / row_ranges / column_ranges;
  const int64_t first_row = group * g.y_channels + row;
  const int64_t first_column = group * g.x_channels + column;
  const Unit unit(p, std::min(p.unit_rows, g.y_channels - row),
                  std::min(p.unit_columns, g.x_channels - column), memory);

  const tiles::Session session;
  LongSums sums(unit.sums, unit.sum_count, kMostTerms, unit.totals);
  for (int64_t image = 0; image < g.batch; image += p.images) {
    const int64_t images = std::min(p.images, g.batch - image);
    for (int64_t block = 0; block < BlocksOf(p); ++block) {
      const Planes planes(p, block);
      for (int64_t t = 0; t < g.KernelSize(); ++t) unit.taps[t] = TapOf(g, planes, t);
      EmbedY(planes, y, first_row, image, images, unit);
      PackX(p, planes, x, first_column, image, images, unit);
      AddBlock(p, planes, images, sums.Add(planes.Length(images)), unit);
    }
  }
  sums.Finish();
  const float* block = unit.sums;
  for (int64_t t = 0; t < g.KernelSize(); ++t) {
    BFloat16* const to = weight + (t * g.groups * g.y_channels + first_row) * g.x_channels + column;
    for (int64_t r = 0; r < unit.rows; r += kSide) {
      for (int64_t c = 0; c < unit.columns; c += kSide, block += kStep) {
        tiles::StoreRows(block, false, std::min(kSide, unit.rows - r),
                         std::min(kSide, unit.columns - c), to + r * g.x_channels + c,
                         g.x_channels);
      }
    }
  }
}

}  // namespace

int64_t TileWindows::Units() const {
  const Geometry& g = geometry;
  return g.groups * CeilDivide(g.y_channels, unit_rows) * CeilDivide(g.x_channels, unit_columns);
}

int64_t TileWindows::SlotBytes() const {
  return Unit(*this, unit_rows, unit_columns, nullptr).bytes;
}

int64_t TileWindows::Phases() const {
  return PhasesAlong(geometry, 0) * PhasesAlong(geometry, 1) * PhasesAlong(geometry, 2);
}

int64_t TileWindows::Plane() const { return Planes(*this).Size(); }

double TileWindows::PackedPositions() const {
  return static_cast<double>(BlocksOf(*this)) * static_cast<double>(Plane()) *
         static_cast<double>(Phases());
}

TileWindows PlanTileWindows(const Geometry& g, int threads) {
  TileWindows p;
  p.geometry = g;
  for (int d = 0; d < kDims; ++d) {
    if (g.out[d] == 1) p.geometry.stride[d] = 1;  // which may be of any size
    p.reach[d] = (g.kernel[d] - 1) * g.dilation[d] / p.geometry.stride[d];
  }
  p.unit_rows = std::min<int64_t>(512, RoundUp(g.y_channels, kSide));
  p.unit_columns = std::min<int64_t>(256, RoundUp(g.x_channels, kSide));
  const auto halve = [&p] {
    int64_t& channels = p.unit_rows > p.unit_columns ? p.unit_rows : p.unit_columns;
    channels = RoundUp(channels / 2, kSide);
    return p.unit_rows * p.unit_columns > kSide * kSide;
  };
  const int64_t sum_bytes = g.KernelSize() * static_cast<int64_t>(sizeof(float));
  while (sum_bytes * p.unit_rows * p.unit_columns > kSumBytes && halve()) {
  }
  // The order of a sum depends on the blocks: not on the team.
  std::copy_n(g.out, kDims, p.block);
  const int64_t position_bytes = (2 * p.Phases() * p.unit_columns + p.unit_rows) * kElement;
  const int64_t positions = kBlockBytes / position_bytes;
  // Where a block is largest beside what shifts reach; rows of elements last. Blocks not much
  // larger than that would be copied over and over.
  const auto beside = [&p](int d) { return p.block[d] / (p.reach[d] + 1); };
  while (Planes(p).Size() > positions) {
    const int rows = beside(0) > beside(1) ? 0 : 1, widest = beside(rows) >= 2 ? rows : 2;
    if (beside(widest) < 2) break;
    p.block[widest] = CeilDivide(p.block[widest], int64_t{2});
  }
  if (BlocksOf(p) == 1) {
    p.images = std::clamp<int64_t>(kSmallPlanes / Planes(p).Size(), 1, g.batch);
  }
  while (p.Units() < threads && halve()) {
  }
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunTileWindows(const TileWindows& p, const TensorView& x, const TensorView& y,
                    BFloat16* weight, void* scratch) {
  RunUnits(p, static_cast<char*>(scratch),
           [&](int64_t unit, void* own) { RunUnit(p, unit, x, y, weight, own); });
}

}  // namespace aclimb::convolution_backward
