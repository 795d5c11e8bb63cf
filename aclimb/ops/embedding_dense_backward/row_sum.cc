#include "aclimb/ops/embedding_dense_backward/row_sum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/embedding_dense_backward/row_sum.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the -inl headers are included once per target.
#include "aclimb/ops/embedding_dense_backward/line_writer-inl.h"
#include "aclimb/simd/float-inl.h"
#include "aclimb/simd/totals-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::embedding_dense_backward {
namespace HWY_NAMESPACE {

// Rows that are added in one sweep over the accumulators; their sum is still taken one by one.
constexpr int kTogether = 4;
static_assert(kBlockRows % kTogether == 0);
// How far ahead of the additions rows are requested. Into the second-level cache, which keeps more
// requests in flight than the first (measured: a quarter faster at 256-byte rows).
constexpr int64_t kPrefetchBytes = 4096;
constexpr int64_t kPrefetchRowBytes = 1024;
constexpr int64_t kMaxPrefetchRows = 32;

// to[i] = rows[0][i] + ... + rows[kCount - 1][i], on top of to[i] unless kFirst.
template <int kCount, bool kFirst, class D, typename T>
HWY_INLINE int64_t AddVectors(D d, const T* const* rows, int64_t i, int64_t count, float* to) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes) {
    auto sum = kFirst ? LoadF32(d, rows[0] + i) : hn::LoadU(d, to + i);
    if constexpr (!kFirst) sum = hn::Add(sum, LoadF32(d, rows[0] + i));
    for (int k = 1; k < kCount; ++k) sum = hn::Add(sum, LoadF32(d, rows[k] + i));
    hn::StoreU(sum, d, to + i);
  }
  return i;
}

template <int kCount, bool kFirst, typename T>
HWY_INLINE void AddRows(const T* const* rows, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  int64_t i = AddVectors<kCount, kFirst>(d, rows, 0, count, to);
  if (i == count) return;
  // The last is a vector of one lane: compilers would make vectors of a loop over elements again.
  if constexpr (hn::MaxLanes(d) > 8) {
    i = AddVectors<kCount, kFirst>(hn::CappedTag<float, 8>(), rows, i, count, to);
  }
  if constexpr (hn::MaxLanes(d) > 4) {
    i = AddVectors<kCount, kFirst>(hn::CappedTag<float, 4>(), rows, i, count, to);
  }
  if constexpr (hn::MaxLanes(d) > 1) {
    AddVectors<kCount, kFirst>(hn::CappedTag<float, 1>(), rows, i, count, to);
  }
}

template <bool kFirst, typename T>
HWY_INLINE void AddSome(const T* const* rows, int64_t row_count, int64_t count, float* to) {
  switch (row_count) {
    case 1:
      return AddRows<1, kFirst>(rows, count, to);
    case 2:
      return AddRows<2, kFirst>(rows, count, to);
    case 3:
      return AddRows<3, kFirst>(rows, count, to);
    default:
      return AddRows<4, kFirst>(rows, count, to);
  }
}

HWY_INLINE void Divide(float* values, int64_t count, float divisor) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, divisor);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Div(hn::LoadU(d, values + i), by), d, values + i);
  }
  for (; i < count; ++i) values[i] /= divisor;
}

// Walks the sorted indices and the output side by side.
template <typename T>
class RowSummer {
 public:
  explicit RowSummer(const RowSumJob& job) : job_(job), writer_(job.out, job.stream) {}

  void Run(int64_t begin, int64_t end) {
    const int64_t columns = job_.out.shape[1];
    int64_t row = begin / columns;
    int64_t column = begin % columns;
    int64_t left = end - begin;
    int64_t index = job_.sorted.LowerBound(row);
    const int64_t rows = job_.out.shape[0];
    prefetched_ = index;
    writer_.Seek(row, column);
    while (left > 0) {
      const int64_t next = index < job_.sorted.count ? job_.sorted.RowOf(index) : rows;
      if (next > row) {
        const int64_t gap = std::min(left, (next - row) * columns - column);
        WriteZeros(row, column, gap);
        left -= gap;
        row = next;
      } else {
        int64_t last = index + 1;
        while (last < job_.sorted.count && job_.sorted.RowOf(last) == row) ++last;
        const int64_t width = std::min(left, columns - column);
        SumRow(index, last, column, column + width);
        index = last;
        left -= width;
        ++row;
      }
      column = 0;
      if (left > 0 && !writer_.RowsTouch()) writer_.Seek(row, 0);
    }
    writer_.Finish();
  }

 private:
  const T* RowAt(int64_t index) const {
    return job_.grad.As<const T>() + job_.offsets.At(job_.sorted.PositionOf(index));
  }

  void WriteZeros(int64_t row, int64_t column, int64_t count) {
    if (writer_.RowsTouch()) return writer_.Zeros(count);
    while (count > 0) {
      const int64_t width = std::min(count, job_.out.shape[1] - column);
      writer_.Seek(row++, column);
      writer_.Zeros(width);
      column = 0;
      count -= width;
    }
  }

  // Requests the rows that follow `last`, each once. Of a long row only the start: the processor's
  // own prefetcher then follows.
  void PrefetchAfter(int64_t last, int64_t column, int64_t width) {
    const int64_t bytes = std::min<int64_t>(width * sizeof(T), kPrefetchRowBytes);
    const int64_t ahead = std::clamp<int64_t>(kPrefetchBytes / bytes, 1, kMaxPrefetchRows);
    const int64_t until = std::min(last + ahead, job_.sorted.count);
    for (prefetched_ = std::max(prefetched_, last); prefetched_ < until; ++prefetched_) {
      const char* const from = reinterpret_cast<const char*>(RowAt(prefetched_) + column);
      for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i, 0, 2);
    }
  }

  // Rows of `width` elements that lie end to end are one stream to the processor's own prefetcher,
  // if they are read one after the other (measured: 1.6 times as fast where all indices are equal).
  static bool FollowEachOther(const T* const* rows, int64_t count, int64_t width) {
    for (int64_t k = 1; k < count; ++k) {
      if (rows[k] - rows[k - 1] != width) return false;
    }
    return count > 1;
  }

  // sum = `width` columns, those from `column` on, of the rows of grad at [first, last). `end` is
  // where the columns end that are wanted of these rows.
  HWY_INLINE void SumBlock(int64_t first, int64_t last, int64_t column, int64_t width, int64_t end,
                           float* sum) {
    const T* rows[kTogether];
    for (int64_t index = first; index < last; index += kTogether) {
      const int64_t count = std::min<int64_t>(kTogether, last - index);
      for (int64_t k = 0; k < count; ++k) rows[k] = RowAt(index + k) + column;
      if (FollowEachOther(rows, count, width)) {
        for (int64_t k = 0; k < count; ++k) {
          index + k == first ? AddSome<true>(rows, 1, width, sum)
                             : AddSome<false>(rows + k, 1, width, sum);
        }
        continue;
      }
      PrefetchAfter(index + count, column, end - column);
      if (index == first) {
        AddSome<true>(rows, count, width, sum);
      } else {
        AddSome<false>(rows, count, width, sum);
      }
    }
  }

  // Columns [begin, end) of the sum of the rows of grad at [first, last). SumBlock is in one place
  // only, since it takes most of the time to compile this file.
  void SumRow(int64_t first, int64_t last, int64_t begin, int64_t end) {
    for (int64_t column = begin; column < end;) {
      float* sum;
      const int64_t width = writer_.Reserve(end - column, &sum);
      int64_t block = first;
      for (;; block += kBlockRows) {
        SumBlock(block, std::min(block + kBlockRows, last), column, width, end, sum);
        if (HWY_LIKELY(last - block <= kBlockRows)) break;
        AddBlock(sum, width, block == first);
      }
      if (HWY_UNLIKELY(block > first)) {
        AddLastBlock(width, last - first, sum);
      } else if (job_.scale_by_freq && last - first > 1) {
        Divide(sum, width, static_cast<float>(last - first));
      }
      writer_.Commit(width);
      column += width;
    }
  }

  // Of a row that sums more than a block. They would slow down short sums if they were inlined.
  HWY_NOINLINE void AddBlock(const float* sum, int64_t width, bool first) {
    AddToTotals(sum, width, first, totals_);
  }
  HWY_NOINLINE void AddLastBlock(int64_t width, int64_t terms, float* sum) {
    RoundTotals(totals_, width, job_.scale_by_freq ? static_cast<double>(terms) : 1.0, sum);
  }

  const RowSumJob& job_;
  LineWriter writer_;
  int64_t prefetched_ = 0;  // rows before this index have been requested
  double totals_[LineWriter::kCapacity];
};

void SumRowsOf(const RowSumJob& job, int64_t begin, int64_t end) {
  switch (job.grad.dtype) {
    case DType::kFloat16:
      return RowSummer<Float16>(job).Run(begin, end);
    case DType::kBFloat16:
      return RowSummer<BFloat16>(job).Run(begin, end);
    default:
      return RowSummer<float>(job).Run(begin, end);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::embedding_dense_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "aclimb/ops/embedding_dense_backward/dense_rows.h"
#include "aclimb/simd/walk.h"

namespace aclimb::embedding_dense_backward {
namespace {
HWY_EXPORT(SumRowsOf);
}  // namespace

RowOffsets RowOffsets::Of(const TensorView& grad) {
  TensorView leading = grad;
  --leading.rank;
  // Beside a dense view the walk keeps the order of the positions.
  const TensorView dense = DenseLike(leading, nullptr);
  const Walk<2> walk = Walk<2>::Make({&leading, &dense});
  RowOffsets offsets;
  offsets.rank = walk.rank;
  for (int d = 0; d < walk.rank; ++d) {
    offsets.extent[d] = walk.extent[d];
    offsets.stride[d] = walk.stride[0][d];
  }
  return offsets;
}

void SumRows(const RowSumJob& job, int64_t begin, int64_t end) {
  if (begin < end) HWY_DYNAMIC_DISPATCH(SumRowsOf)(job, begin, end);
}

}  // namespace aclimb::embedding_dense_backward
#endif
