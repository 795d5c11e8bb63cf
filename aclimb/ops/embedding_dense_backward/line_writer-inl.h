// Output in whole cache lines. Included once per instruction set.
#if defined(ACLIMB_OPS_EMBEDDING_LINE_WRITER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_EMBEDDING_LINE_WRITER_INL_H_
#undef ACLIMB_OPS_EMBEDDING_LINE_WRITER_INL_H_
#else
#define ACLIMB_OPS_EMBEDDING_LINE_WRITER_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::embedding_dense_backward {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

// Gathers float32 results in first-level cache and stores them, rounded to the output's type, in
// whole cache lines: rows of any width and alignment then stream past the caches. Elements
// come in row-major order; rows that lie end to end in memory share their lines.
class LineWriter {
 public:
  // Results that Reserve grants at a time, at most.
  static constexpr int64_t kCapacity = 2048;

  LineWriter(const TensorView& out, bool stream)
      : out_(WithPlainStrides(out)),
        stream_(stream),
        rows_touch_(out_.stride[1] == 1 && out_.stride[0] == out_.shape[1]),
        element_size_(SizeOf(out_.dtype)),
        line_(out_.stride[1] == 1 ? static_cast<int64_t>(kLineBytes / element_size_) : 1) {}

  // True when rows follow each other without a Seek in between.
  bool RowsTouch() const { return rows_touch_; }

  // The next element goes to (row, column).
  void Seek(int64_t row, int64_t column) {
    Flush(true);
    char* const to =
        static_cast<char*>(out_.data) +
        (row * out_.stride[0] + column * out_.stride[1]) * static_cast<int64_t>(element_size_);
    const size_t into_line = line_ == 1 ? 0 : reinterpret_cast<uintptr_t>(to) % kLineBytes;
    target_ = to - into_line;
    head_ = fill_ = static_cast<int64_t>(into_line / element_size_);
  }

  // Room for min(count, kCapacity) or somewhat fewer results; a vector may be stored over its end.
  int64_t Reserve(int64_t count, float** room) {
    if (fill_ + count > kCapacity) Flush(false);
    *room = stage_ + fill_;
    return std::min(count, kCapacity - fill_);
  }
  void Commit(int64_t count) { fill_ += count; }

  void Zeros(int64_t count) {
    if (line_ > 1 && count >= kCapacity) {
      StageZeros((line_ - fill_ % line_) % line_, &count);
      Flush(false);
      const int64_t whole = count / line_ * line_;
      const size_t bytes = static_cast<size_t>(whole) * element_size_;
      StoreZeroLines(target_, bytes);
      target_ += bytes;
      count -= whole;
    }
    while (count > 0) StageZeros(count, &count);
  }

  void Finish() {
    Flush(true);
    if (stream_) hwy::FlushStream();
  }

 private:
  static constexpr size_t kLineBytes = 64;

  // A dimension of extent 1 may have any stride, also one that overflows.
  static TensorView WithPlainStrides(TensorView out) {
    if (out.shape[1] == 1) out.stride[1] = 1;
    if (out.shape[0] == 1) out.stride[0] = out.shape[1];
    return out;
  }

  void StageZeros(int64_t wanted, int64_t* rest) {
    float* room;
    const int64_t granted = Reserve(wanted, &room);
    std::memset(room, 0, static_cast<size_t>(granted) * sizeof(float));
    Commit(granted);
    *rest -= granted;
  }

  // Stores what is gathered, but keeps an unfinished line unless `all`.
  HWY_NOINLINE void Flush(bool all) {
    const int64_t end = all ? fill_ : fill_ / line_ * line_;
    if (end <= head_) return;
    switch (out_.dtype) {
      case DType::kFloat16:
        Store<Float16>(end);
        break;
      case DType::kBFloat16:
        Store<BFloat16>(end);
        break;
      default:
        Store<float>(end);
        break;
    }
    const int64_t rest = fill_ - end;
    std::memcpy(stage_, stage_ + end, static_cast<size_t>(rest) * sizeof(float));
    target_ += end * out_.stride[1] * static_cast<int64_t>(element_size_);
    head_ = 0;
    fill_ = rest;
  }

  template <typename T>
  void Store(int64_t end) {
    T* const to = reinterpret_cast<T*>(target_);
    if (line_ == 1) {
      ScatterF32(stage_, end, to, out_.stride[1]);
      return;
    }
    int64_t at = head_;
    if (at > 0) {
      const int64_t first = std::min(end, line_);
      ScatterF32(stage_ + at, first - at, to + at, 1);
      at = first;
    }
    const int64_t lines_end = std::max(at, end / line_ * line_);
    if (lines_end > at) {
      const float* whole = stage_ + at;
      const size_t bytes = static_cast<size_t>(lines_end - at) * sizeof(T);
      if constexpr (std::is_same_v<T, float>) {
        StoreLines(whole, to + at, bytes);
      } else {
        ScatterF32(whole, lines_end - at, reinterpret_cast<T*>(rounded_), 1);
        StoreLines(rounded_, to + at, bytes);
      }
    }
    if (end > lines_end) ScatterF32(stage_ + lines_end, end - lines_end, to + lines_end, 1);
  }

  void StoreLines(const void* from, void* to, size_t bytes) const {
    const hn::ScalableTag<uint8_t> d;
    const size_t step = hn::Lanes(d);
    const uint8_t* const read = static_cast<const uint8_t*>(from);
    uint8_t* const write = static_cast<uint8_t*>(to);
    if (stream_) {
      for (size_t i = 0; i < bytes; i += step) hn::Stream(hn::LoadU(d, read + i), d, write + i);
    } else {
      for (size_t i = 0; i < bytes; i += step) hn::StoreU(hn::LoadU(d, read + i), d, write + i);
    }
  }
  void StoreZeroLines(char* to, size_t bytes) const {
    if (!stream_) {
      std::memset(to, 0, bytes);
      return;
    }
    const hn::ScalableTag<uint8_t> d;
    const auto zero = hn::Zero(d);
    uint8_t* const write = reinterpret_cast<uint8_t*>(to);
    for (size_t i = 0; i < bytes; i += hn::Lanes(d)) hn::Stream(zero, d, write + i);
  }

  const TensorView out_;
  const bool stream_;
  const bool rows_touch_;
  const size_t element_size_;
  const int64_t line_;      // elements of a cache line; 1 when columns are apart
  char* target_ = nullptr;  // where stage_[0] belongs: the start of a line, unless line_ is 1
  int64_t head_ = 0;        // the first element of stage_ that is ours to store
  int64_t fill_ = 0;        // and the end of them
  alignas(kLineBytes) float stage_[kCapacity + 2 * HWY_MAX_BYTES / sizeof(float)];
  alignas(kLineBytes) uint16_t rounded_[kCapacity];
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::embedding_dense_backward
HWY_AFTER_NAMESPACE();

#endif
