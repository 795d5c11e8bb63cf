#include "aclimb/ops/convolution_backward/products/tile_product.h"

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/ops/convolution_backward/for_each.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/ops/convolution_backward/products/tile_kernels.h"

namespace aclimb::convolution_backward {
namespace {

using tiles::Blocks;
using tiles::kResident;
using tiles::kSide;
using tiles::kStep;

// Bytes of packed columns that a unit works on: with its rows and sums they stay in the second
// cache of the processors with tiles, which has 2 MiB. The wider, the longer the stretches of
// memory that are read and written.
constexpr int64_t kRightBytes = 1 << 20, kImageBytes = 1 << 19;

// Steps packed at once: more pixels do not make stretches of memory much longer.
constexpr int64_t kMostChunk = 128;

constexpr int64_t kStepBytes = kStep * static_cast<int64_t>(sizeof(BFloat16));
constexpr int64_t kFloat = sizeof(float);

void PackWeights(const TileProduct& p, const TensorView& weight, BFloat16* packed) {
  const int64_t stride = weight.stride[0];
  ForEach(Blocks(p.rows), p.slots > 1, [&](int64_t block) {
    const int64_t first = block * kSide, rows = std::min(kSide, p.rows - first);
    BFloat16* const panel = packed + block * Blocks(p.depth) * kStep;
    if (p.task == Task::kForward) {
      tiles::PackLeft(weight.As<BFloat16>() + first * stride, stride, rows, p.depth, panel);
    } else {
      tiles::PackLeftTransposed(weight.As<BFloat16>() + first, stride, rows, p.depth, panel);
    }
  });
}

// Sums over channels, of some columns of one image and all or some rows of the weight.
void RowsUnit(const TileProduct& p, int64_t unit, const Matrix& source, const Matrix& result,
              const BFloat16* packed, BFloat16* panels) {
  const int64_t steps = Blocks(p.depth);
  const int64_t ranges = CeilDivide(p.rows, p.unit_rows);
  const int64_t column_ranges = CeilDivide(p.columns, p.unit_columns);
  const int64_t first_row = unit % ranges * p.unit_rows;
  const int64_t first_column = unit / ranges % column_ranges * p.unit_columns;
  const int64_t image = unit / ranges / column_ranges;
  const int64_t end_row = std::min(p.rows, first_row + p.unit_rows);
  const int64_t columns = std::min(p.unit_columns, p.columns - first_column);
  for (int64_t c = 0; c < columns; c += kSide) {
    tiles::PackRight(source.As<BFloat16>(image, 0) + first_column + c, source.row,
                     std::min(kSide, columns - c), p.depth, panels + c / kSide * steps * kStep);
  }
  const tiles::Session session;
  alignas(64) float sums[kStep];
  for (int64_t r = first_row; r < end_row; r += kSide) {
    const auto rows = tiles::Left::Panel(packed + r / kSide * steps * kStep);
    for (int64_t c = 0; c < columns; c += kSide) {
      tiles::Multiply(rows, panels + c / kSide * steps * kStep, steps, false,
                      sums);
      tiles::StoreRows(sums, true, std::min(kSide, end_row - r), std::min(kSide, columns - c),
                       result.As<BFloat16>(image, r) + first_column + c, result.row);
    }
  }
}

// Sums over the pixels of all images, of some rows and columns of the weight's gradient. Columns
// are packed for a chunk, which is many pixels of an image or several small images, and then meet
// its rows, one block after the other: that reads long stretches of each channel.
class SumsUnit {
 public:
  SumsUnit(const TileProduct& p, int64_t unit, const Matrix& left, const Matrix& right,
           void* memory)
      : p_(p),
        left_(left),
        right_(right),
        first_row_(unit % CeilDivide(p.rows, p.unit_rows) * p.unit_rows),
        first_column_(unit / CeilDivide(p.rows, p.unit_rows) * p.unit_columns),
        rows_(std::min(p.unit_rows, p.rows - first_row_)),
        columns_(std::min(p.unit_columns, p.columns - first_column_)),
        sums_(static_cast<float*>(memory)),
        lefts_(reinterpret_cast<BFloat16*>(sums_ + Blocks(rows_) * Blocks(columns_) * kStep)),
        rights_(lefts_ + p.chunk * kStep),
        long_sums_(sums_, Blocks(rows_) * Blocks(columns_) * kStep, BlockTerms(DType::kBFloat16),
                   reinterpret_cast<double*>(rights_ + Blocks(columns_) * p.chunk * kStep)) {}

  void Run() {
    const tiles::Session session;
    const int64_t most = std::max<int64_t>(1, p_.chunk / Blocks(p_.depth));
    for (int64_t image = 0; image < p_.batch; image += most) {
      const int64_t images = std::min(most, p_.batch - image);
      for (int64_t pixel = 0; pixel < p_.depth; pixel += p_.chunk * kSide) {
        AddChunk(image, images, pixel, std::min(p_.chunk * kSide, p_.depth - pixel));
      }
    }
    long_sums_.Finish();
  }

  void Store(const TensorView& weight) const {
    const float* block = sums_;
    for (int64_t r = 0; r < rows_; r += kSide) {
      for (int64_t c = 0; c < columns_; c += kSide, block += kStep) {
        const int64_t rows = std::min(kSide, rows_ - r), columns = std::min(kSide, columns_ - c);
        const int64_t row = first_row_ + r, column = first_column_ + c, stride = weight.stride[0];
        auto* const to = weight.As<BFloat16>();
        if (p_.swapped) {
          tiles::StoreColumns(block, rows, columns, to + column * stride + row, stride);
        } else {
          tiles::StoreRows(block, false, rows, columns, to + row * stride + column, stride);
        }
      }
    }
  }

 private:
  // Pixels [pixel, pixel + pixels) of every image in [image, image + images). All of an image when
  // there are several.
  void AddChunk(int64_t image, int64_t images, int64_t pixel, int64_t pixels) {
    const int64_t steps = Blocks(pixels);
    for (int64_t c = 0; c < columns_; c += kSide) {
      for (int64_t i = 0; i < images; ++i) {
        tiles::PackRightTransposed(
            right_.As<BFloat16>(image + i, first_column_ + c, pixel), right_.row,
            std::min(kSide, columns_ - c), pixels,
            rights_ + (c / kSide * p_.chunk + i * steps) * kStep);
      }
    }
    const bool add = long_sums_.Add(images * pixels);
    float* sums = sums_;
    for (int64_t r = 0; r < rows_; r += kSide, sums += Blocks(columns_) * kStep) {
      const BFloat16* const from = left_.As<BFloat16>(image, first_row_ + r, pixel);
      // Whole tiles of one image are taken from where they are.
      const int64_t in_place = images == 1 && rows_ - r >= kSide ? pixels / kSide : 0;
      for (int64_t i = 0; i < images; ++i) {
        tiles::PackLeft(from + i * left_.image + in_place * kSide, left_.row,
                        std::min(kSide, rows_ - r), pixels - in_place * kSide,
                        lefts_ + (i * steps + in_place) * kStep);
      }
      Multiply(tiles::Left::Rows(from, left_.row), 0, in_place, add, sums);
      Multiply(tiles::Left::Panel(lefts_), in_place, images * steps, add, sums);
    }
  }

  // Steps [begin, end) of a block of rows times all columns.
  void Multiply(const tiles::Left& rows, int64_t begin, int64_t end, bool add, float* sums) {
    for (int64_t s = begin; s < end; s += kResident) {
      for (int64_t c = 0; c < Blocks(columns_); ++c) {
        tiles::Multiply(rows.At(s), rights_ + (c * p_.chunk + s) * kStep,
                        std::min(kResident, end - s), add || s > 0, sums + c * kStep);
      }
    }
  }

  const TileProduct& p_;
  const Matrix left_, right_;
  const int64_t first_row_, first_column_, rows_, columns_;
  float* const sums_;
  BFloat16* const lefts_;   // a block of rows for a chunk
  BFloat16* const rights_;  // all columns for a chunk
  LongSums long_sums_;      // of sums_
};

}  // namespace

int64_t TileProduct::Units() const {
  const int64_t units = CeilDivide(rows, unit_rows) * CeilDivide(columns, unit_columns);
  return task == Task::kGradWeight ? units : units * batch;
}

int64_t TileProduct::WeightBytes() const {
  return task == Task::kGradWeight
             ? 0
             : SaturatedProduct(SaturatedProduct(Blocks(rows), Blocks(depth)), kStepBytes);
}

int64_t TileProduct::SlotBytes() const {
  const int64_t r = Blocks(unit_rows), c = Blocks(unit_columns);
  if (task != Task::kGradWeight) return c * Blocks(depth) * kStepBytes;
  const int64_t sums = r * c * kStep;
  const int64_t totals =
      LongSums::Totals(sums, SaturatedProduct(batch, depth), BlockTerms(DType::kBFloat16));
  return sums * kFloat + (1 + c) * chunk * kStepBytes + totals * 2 * kFloat;
}

int64_t TileProduct::ScratchBytes() const { return WeightBytes() + slots * SlotBytes(); }

TileProduct PlanTileProduct(const Geometry& g, Task task, int threads) {
  TileProduct p;
  p.task = task;
  p.batch = g.batch;
  if (task == Task::kGradWeight) {
    // Transposing costs more than copying: the smaller operand is the right one.
    p.swapped = g.x_channels > g.y_channels;
    p.rows = std::max(g.x_channels, g.y_channels);
    p.columns = std::min(g.x_channels, g.y_channels);
    p.depth = g.OutSize();
    p.unit_rows = std::min<int64_t>(512, RoundUp(p.rows, kSide));
    p.unit_columns = std::min<int64_t>(256, RoundUp(p.columns, kSide));
    while (p.Units() < threads && p.unit_rows > kSide) {
      p.unit_rows = RoundUp(p.unit_rows / 2, kSide);
    }
    while (p.Units() < threads && p.unit_columns > kSide) {
      p.unit_columns = RoundUp(p.unit_columns / 2, kSide);
    }
    // Many pixels of one image, or several small images.
    const int64_t steps = Blocks(p.depth), images = std::clamp<int64_t>(16 / steps, 1, p.batch);
    p.chunk =
        std::min({kMostChunk, kRightBytes / (Blocks(p.unit_columns) * kStepBytes), images * steps});
  } else {
    p.rows = ResultChannels(g, task);
    p.depth = SourceChannels(g, task);
    p.columns = g.OutSize();
    p.unit_rows = RoundUp(p.rows, kSide);
    const int64_t fitting = kImageBytes / (Blocks(p.depth) * kStepBytes) * kSide;
    p.unit_columns = std::clamp(fitting, kSide, RoundUp(p.columns, kSide));
    while (p.Units() < 4 * threads && p.unit_columns > 4 * kSide) {
      p.unit_columns = RoundUp(p.unit_columns / 2, kSide);
    }
    while (p.Units() < 4 * threads && p.unit_rows > 4 * kSide) {
      p.unit_rows = RoundUp(p.unit_rows / 2, kSide);
    }
  }
  p.slots = static_cast<int>(std::clamp<int64_t>(p.Units(), 1, threads));
  return p;
}

void RunProduct(const TileProduct& p, const TensorView& x, const TensorView& y,
                const TensorView& weight, void* scratch) {
  auto* const packed = static_cast<BFloat16*>(scratch);
  const Matrix of_x = ChannelsOf(x), of_y = ChannelsOf(y);
  RunPlan(
      p, of_x, of_y, scratch, [&] { PackWeights(p, weight, packed); },
      [&](int64_t unit, void* own) {
        SumsUnit sums(p, unit, p.swapped ? of_x : of_y, p.swapped ? of_y : of_x,
                      static_cast<char*>(own));
        sums.Run();
        sums.Store(weight);
      },
      [&](int64_t unit, const Matrix& source, const Matrix& result, void* own) {
        RowsUnit(p, unit, source, result, packed, static_cast<BFloat16*>(own));
      });
}

}  // namespace aclimb::convolution_backward
