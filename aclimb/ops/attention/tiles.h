#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/matmul/onednn.h"
#include "aclimb/onednn/instructions.h"
#include "aclimb/ops/attention/operand.h"
#include "aclimb/ops/attention/problem.h"

namespace aclimb::attention {

// Keys of a tile at most.
inline constexpr int64_t kTileKeys = 256;
// Multiplications that oneDNN does in a cycle, about.
inline constexpr double kMultiplications = 16;
// What stands for the largest score of a query that has none.
inline constexpr float kLowest = std::numeric_limits<float>::lowest();

// One dimension in pieces of one length and a shorter one.
struct Cut {
  int64_t extent = 0;
  int64_t length = 1;

  int64_t Pieces() const { return CeilDivide(extent, length); }
  int64_t Begin(int64_t piece) const { return piece * length; }
  int64_t Length(int64_t piece) const { return std::min(length, extent - piece * length); }
};
inline Cut CutInto(int64_t extent, int64_t most) {
  return {extent, std::max<int64_t>(1, std::min(extent, most))};
}

// Whether oneDNN multiplies these operands as they are: bfloat16 where the processor has tiles for
// it.
inline bool MultipliesHalves(DType dtype) {
  return dtype == DType::kBFloat16 && onednn::Has(onednn::Instructions::kBFloat16Tiles);
}

// Rows of float32 or bfloat16 for oneDNN: where they lie, or copied to a thread's own memory.
class Panel {
 public:
  Panel() = default;
  // `counted`: rows beyond a batch's count are zeros, whatever is there.
  Panel(const Operand& operand, int64_t width, bool counted, DType dtype)
      : width_(width), size_(static_cast<int64_t>(SizeOf(dtype))) {
    const TensorView& view = operand.by_heads();
    converter_ = copy::Converter(view.dtype, dtype);
    constexpr int64_t kFar = int64_t{1} << 20;  // more than oneDNN wants between rows
    direct_ = view.dtype == dtype && !counted && view.shape[2] > 1 && view.stride[2] >= width &&
              view.stride[2] <= kFar;
    stride_ = direct_ ? view.stride[2] : width;
  }

  int64_t stride() const { return stride_; }
  // What Load() wants for so many rows.
  int64_t BufferBytes(int64_t rows) const { return direct_ ? 0 : rows * width_ * size_; }

  // Rows [first, first + count) of a head, of which only `valid` are there.
  const char* Load(const Rows& rows, int64_t b, int64_t h, int64_t first, int64_t count,
                   int64_t valid, char* buffer) const {
    if (direct_) return rows.At(b, h, first);
    valid = std::clamp<int64_t>(valid, 0, count);
    for (int64_t r = 0; r < valid; ++r) {
      LoadRow(rows.At(b, h, first + r), buffer + r * width_ * size_);
    }
    std::fill(buffer + valid * width_ * size_, buffer + count * width_ * size_, '\0');
    return buffer;
  }
  void LoadRow(const char* row, char* to) const {
    if (converter_.Changes()) return converter_.Run(row, width_, to);
    std::copy_n(row, width_ * size_, to);
  }

 private:
  int64_t width_ = 0, size_ = 0;
  int64_t stride_ = 0;
  bool direct_ = false;
  copy::Converter converter_;
};

// Numbers of float32 as sums of two of bfloat16, of which the second is what the first leaves, so
// that products on tiles lose less than 2^-17 of a number.
class Halves {
 public:
  // The second of them go to `rest`; `buffer` is as long as the row.
  void Split(const float* row, int64_t count, char* first, char* rest, float* buffer) const {
    rounding_.Run(row, count, first);
    widening_.Run(first, count, buffer);
    for (int64_t k = 0; k < count; ++k) buffer[k] = row[k] - buffer[k];
    rounding_.Run(buffer, count, rest);
  }

 private:
  copy::Converter rounding_{DType::kFloat32, DType::kBFloat16};
  copy::Converter widening_{DType::kBFloat16, DType::kFloat32};
};

// A product of tiles for each size that tiles of two cut dimensions have.
class TileProducts {
 public:
  // `request(m, n)` says the product of a tile of m by n places of the two.
  template <typename Make>
  TileProducts(const Cut& down, const Cut& across, const Make& request) {
    for (int i = 0; i < 4; ++i) {
      const int64_t m = Size(down, i / 2 != 0), n = Size(across, i % 2 != 0);
      if (m == 0 || n == 0) continue;
      const matmul::onednn::Request wanted = request(m, n);
      if (wanted.m == 0 || wanted.n == 0 || wanted.k == 0) continue;
      of_[i] = matmul::onednn::MakeProduct(wanted);
      scratch_ = std::max(scratch_, of_[i]->ScratchBytes());
    }
    down_ = down.length;
    across_ = across.length;
  }
  TileProducts() = default;

  int64_t ScratchBytes() const { return scratch_; }
  // Null where there is nothing to add up.
  const matmul::onednn::Product* Of(int64_t m, int64_t n) const {
    return of_[2 * (m < down_) + (n < across_)].get();
  }

 private:
  static int64_t Size(const Cut& cut, bool last) {
    if (last) return cut.extent % cut.length;
    return cut.extent >= cut.length ? cut.length : 0;
  }

  matmul::onednn::ProductPointer of_[4];
  int64_t down_ = 1, across_ = 1;
  int64_t scratch_ = 0;
};

// A thread's memory, cut into arrays.
class Arrays {
 public:
  template <typename T>
  int64_t Add(int64_t count) {
    const int64_t at = bytes_;
    bytes_ += RoundUp(count * static_cast<int64_t>(sizeof(T)), int64_t{64});
    return at;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

}  // namespace aclimb::attention
