#pragma once

#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/core/dtype.h"

// Dense elements of a floating dtype, a chunk at a time as float32.
namespace aclimb::rows {

// Elements of a chunk. Rows that are not longer are loaded once, whatever is done with them.
inline constexpr int64_t kChunk = 8192;

// Where a thread keeps chunks of operands that are not float32.
template <int kOperands>
struct Buffers {
  alignas(64) float of[kOperands][kChunk];
};

class Reader {
 public:
  Reader(const void* data, DType dtype)
      : data_(static_cast<const char*>(data)),
        size_(static_cast<int64_t>(SizeOf(dtype))),
        converter_(dtype, DType::kFloat32) {}

  // Elements [begin, begin + count): themselves, or converted into the buffer.
  const float* Load(int64_t begin, int64_t count, float* buffer) const {
    const char* const from = data_ + begin * size_;
    if (!converter_.Changes()) return reinterpret_cast<const float*>(from);
    converter_.Run(from, count, buffer);
    return buffer;
  }
  bool converts() const { return converter_.Changes(); }

 private:
  const char* data_;
  int64_t size_;
  copy::Converter converter_;
};

class Writer {
 public:
  Writer(void* data, DType dtype)
      : data_(static_cast<char*>(data)),
        size_(static_cast<int64_t>(SizeOf(dtype))),
        converter_(DType::kFloat32, dtype) {}

  // Where to compute the elements from `begin` on: in their place, or in the buffer.
  float* Place(int64_t begin, float* buffer) const {
    return converts() ? buffer : reinterpret_cast<float*>(data_ + begin * size_);
  }
  // Puts what was computed there into its place.
  void Store(const float* from, int64_t begin, int64_t count) const {
    if (converts()) converter_.Run(from, count, data_ + begin * size_);
  }
  bool converts() const { return converter_.Changes(); }

 private:
  char* data_;
  int64_t size_;
  copy::Converter converter_;
};

}  // namespace aclimb::rows
