#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/core/dtype.h"
#include "aclimb/rows/spans.h"
#include "aclimb/simd/cache.h"

// Dense elements of a floating dtype, a chunk at a time as float32.
namespace aclimb::rows {

// Elements of a chunk. Rows that are not longer are loaded once, whatever is done with them.
inline constexpr int64_t kChunk = 8192;

// Where a thread keeps chunks of operands that are not float32.
template <int kOperands>
struct Buffers {
  alignas(64) float of[kOperands][kChunk];
};

// Elements after which the ones that come next are asked for.
inline constexpr int64_t kPiece = 512;

// How many elements ahead that is, where rows have this length: a chunk at most.
inline int64_t AheadOf(int64_t length) { return std::clamp<int64_t>(length, 1024, kChunk); }

// Rows that a thread takes at once, of which each takes that many clock cycles.
inline int64_t RowsAtOnce(double cycles) {
  constexpr double kCycles = 64 * 1024;
  return std::max<int64_t>(1, static_cast<int64_t>(kCycles / cycles));
}

// Calls body(at, n) for the pieces of `count` elements.
template <typename Body>
void InPieces(int64_t count, const Body& body) {
  for (int64_t at = 0; at < count; at += kPiece) body(at, std::min(kPiece, count - at));
}

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
  // Elements from `begin` on as they lie in memory.
  template <typename T>
  const T* At(int64_t begin) const {
    return reinterpret_cast<const T*>(data_ + begin * size_);
  }
  // What Load() of no more than a chunk from `begin` on gave, while the buffer stays as it is.
  const float* Kept(int64_t begin, const float* buffer) const {
    return converts() ? buffer : reinterpret_cast<const float*>(data_ + begin * size_);
  }
  // Asks for elements that are read soon, which may be past the end, if a conversion leaves memory
  // idle meanwhile. Where nothing is converted the processor's own prefetcher is faster alone.
  void Prefetch(int64_t begin, int64_t count) const {
    if (converts()) Fetch(begin, count);
  }
  // Asks for them in any case.
  void Fetch(int64_t begin, int64_t count) const {
    const auto from = reinterpret_cast<uintptr_t>(data_) + static_cast<uintptr_t>(begin * size_);
    for (int64_t k = 0; k < count * size_; k += 64) {
      hwy::Prefetch(reinterpret_cast<const char*>(from + static_cast<uintptr_t>(k)));
    }
  }
  bool converts() const { return converter_.Changes(); }

 private:
  const char* data_;
  int64_t size_;
  copy::Converter converter_;
};

class Writer {
 public:
  // `count` elements in runs of `run`. What does not stay in the caches anyhow goes around them,
  // where runs are whole cache lines. operands: how many of that size are read and written; 1 where
  // computing takes longer than memory.
  Writer(void* data, DType dtype, int64_t count, int64_t run, int operands = 1)
      : data_(static_cast<char*>(data)),
        size_(static_cast<int64_t>(SizeOf(dtype))),
        converter_(DType::kFloat32, dtype) {
    constexpr int64_t kLine = 64;
    const int64_t bytes = count * size_;
    // Half types take longer to compute than to write.
    const bool large =
        size_ >= 4 ? operands * bytes > CacheShareBytes() : bytes > LastLevelCacheBytes();
    const bool lines = run * size_ % kLine == 0 && reinterpret_cast<uintptr_t>(data) % kLine == 0;
    streams_ = lines && large;
  }

  // Where to compute the elements from `begin` on: in their place, or in the buffer.
  float* Place(int64_t begin, float* buffer) const {
    return converts() || streams_ ? buffer : reinterpret_cast<float*>(data_ + begin * size_);
  }
  // Where to compute them if nothing reads them again: in their place, around the caches if
  // `stream`, or in the buffer.
  struct Target {
    float* to;
    bool stream;
  };
  Target Final(int64_t begin, float* buffer) const {
    if (converts()) return {buffer, false};
    return {reinterpret_cast<float*>(data_ + begin * size_), streams_};
  }
  // Elements from `begin` on as they lie in memory, and whether to write them around the caches.
  template <typename T>
  T* At(int64_t begin) const {
    return reinterpret_cast<T*>(data_ + begin * size_);
  }
  bool streams() const { return streams_; }
  // Puts what was computed there, a chunk at most, into its place, if it is not there.
  void Store(const float* from, int64_t begin, int64_t count) const {
    char* const to = data_ + begin * size_;
    if (reinterpret_cast<const char*>(from) == to) return;
    if (!streams_) {
      if (converts()) converter_.Run(from, count, to);
      return;
    }
    if (!converts()) return SpansInUse().stream(from, count * size_, to);
    alignas(64) char converted[kChunk * 2];
    converter_.Run(from, count, converted);
    SpansInUse().stream(converted, count * size_, to);
  }
  // To be called when a thread has stored its part.
  void Flush() const {
    if (streams_) hwy::FlushStream();
  }
  bool converts() const { return converter_.Changes(); }

 private:
  char* data_;
  int64_t size_;
  copy::Converter converter_;
  bool streams_ = false;
};

}  // namespace aclimb::rows
