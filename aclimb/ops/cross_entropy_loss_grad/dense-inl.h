// Contiguous log_prob and x_grad, seen as one flat run of elements. Included once per instruction
// set.
#if defined(ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_DENSE_INL_H_
#undef ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_DENSE_INL_H_
#else
#define ACLIMB_OPS_CROSS_ENTROPY_LOSS_GRAD_DENSE_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "aclimb/ops/cross_entropy_loss_grad/block-inl.h"
#include "aclimb/ops/cross_entropy_loss_grad/rows.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss_grad {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements from `to` to the next address that a non-temporal store accepts. 64 rather than the
// vector's size, so that pieces share no cache line.
template <class T>
HWY_INLINE int64_t ToAligned(const T* to) {
  constexpr uintptr_t kLine = 64;
  return static_cast<int64_t>((kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine /
                              sizeof(T));
}

// Whole blocks that belong to one row and do not contain its target.
//   weights  of the columns from `from` on when kWeighted
template <bool kStream, bool kWeighted, class T>
HWY_INLINE void FillRun(const T* from, T* to, int64_t count, const Row& row, const float* weights) {
  constexpr int64_t kStep = Block<T>::kElements;
  const F32 d;
  if (!row.kept) {
    const VF zero = hn::Zero(d);
    for (int64_t i = 0; i < count; i += kStep) {
      Block<T>::template Map<kStream>(from + i, to + i, [&](VF, int) { return zero; });
    }
    return;
  }
  const VF scale = hn::Set(d, row.scale);
  const VF level = hn::Set(d, row.level);
  for (int64_t i = 0; i < count; i += kStep) {
    Block<T>::template Map<kStream>(from + i, to + i, [&](VF x, int part) {
      VF less = level;
      if constexpr (kWeighted) less = Spread(level, Block<T>::Floats(weights + i, part));
      return hn::MulSub(Exp<T>(d, x), scale, less);
    });
  }
}

// Rows of at least one block each. Every store of kStream writes a whole aligned vector: where a
// vector lies across two rows, its lanes take the factors of theirs, and the target is part of the
// vector that holds it. No line is written twice.
template <bool kStream, bool kWeighted, class T>
class LongRows {
 public:
  // weights  of the columns, one next to the other, when kWeighted
  LongRows(const RowTable& table, const float* weights, const T* from, T* to, int64_t rows,
           int64_t columns)
      : table_(table), weights_(weights), from_(from), to_(to), rows_(rows), columns_(columns) {}

  // Elements [begin, end).
  void Run(int64_t begin, int64_t end) {
    row_index_ = begin / columns_;
    row_begin_ = row_index_ * columns_;
    row_ = table_.Of(row_index_);
    int64_t at = begin;
    if (const int64_t head = std::min(ToAligned(to_ + at), end - at); head > 0)
      at = Part(at, at + head);
    while (end - at >= kStep) {
      const int64_t in_row = std::min(row_begin_ + columns_, end) - at;
      if (in_row < kStep) {
        Mixed<kStream>(at, from_ + at, to_ + at);
        at += kStep;
        Advance(at);
        continue;
      }
      const int64_t last = at + in_row / kStep * kStep;
      const int64_t target = row_begin_ + row_.target;
      if (row_.kept && at <= target && target < last) {
        const int64_t block = at + (target - at) / kStep * kStep;
        Fill(at, block - at);
        Mixed<kStream>(block, from_ + block, to_ + block);
        at = block + kStep;
      }
      Fill(at, last - at);
      at = last;
      Advance(at);
    }
    if (at < end) Part(at, end);
    if constexpr (kStream) hwy::FlushStream();
  }

 private:
  static constexpr int64_t kStep = Block<T>::kElements;

  HWY_INLINE void Fill(int64_t at, int64_t count) const {
    FillRun<kStream, kWeighted>(from_ + at, to_ + at, count, row_,
                                kWeighted ? weights_ + (at - row_begin_) : nullptr);
  }

  void Advance(int64_t at) {
    if (at < row_begin_ + columns_) return;
    row_begin_ += columns_;
    ++row_index_;
    if (row_index_ < rows_) row_ = table_.Of(row_index_);
  }

  // [at, end) in steps of less than a block or one, through copies.
  int64_t Part(int64_t at, int64_t end) {
    while (at < end) {
      const int64_t count = std::min(end - at, kStep);
      T in[kStep] = {};
      T out[kStep];
      std::memcpy(in, from_ + at, static_cast<size_t>(count) * sizeof(T));
      Mixed<false>(at, in, out);
      std::memcpy(to_ + at, out, static_cast<size_t>(count) * sizeof(T));
      at += count;
      Advance(at);
    }
    return end;
  }

  // The block at flat position `at`, which reaches into the next row at most.
  template <bool kStreamBlock>
  HWY_INLINE void Mixed(int64_t at, const T* from, T* to) const {
    const F32 d;
    const I32 di;
    const int64_t split = row_begin_ + columns_ - at;  // lanes of row_
    Row next;
    if (split < kStep && row_index_ + 1 < rows_) next = table_.Of(row_index_ + 1);
    const VF scale0 = hn::Set(d, row_.scale);
    const VF scale1 = hn::Set(d, next.scale);
    const VF level0 = hn::Set(d, row_.level);
    const VF level1 = hn::Set(d, next.level);
    const VI split_lane = hn::Set(di, static_cast<int32_t>(std::min(split, kStep)));
    const VI lane0 = hn::Set(di, row_.kept ? Lane(row_begin_ + row_.target - at) : -1);
    const VI lane1 = hn::Set(di, next.kept ? Lane(split + next.target) : -1);
    float weights[kStep] = {};
    if constexpr (kWeighted) {
      const int64_t of_row = std::min(split, kStep);
      std::copy_n(weights_ + (at - row_begin_), of_row, weights);
      std::copy_n(weights_, kStep - of_row, weights + of_row);
    }
    Block<T>::template Map<kStreamBlock>(from, to, [&](VF x, int part) {
      const VI index = Block<T>::Index(part);
      const auto first = hn::RebindMask(d, hn::Lt(index, split_lane));
      const VF scale = hn::IfThenElse(first, scale0, scale1);
      VF less = hn::IfThenElse(first, level0, level1);
      if constexpr (kWeighted) less = Spread(less, Block<T>::Floats(weights, part));
      less = hn::IfThenElse(hn::RebindMask(d, hn::Eq(index, lane0)), hn::Set(d, row_.pull), less);
      less = hn::IfThenElse(hn::RebindMask(d, hn::Eq(index, lane1)), hn::Set(d, next.pull), less);
      return Gradient<T>(x, scale, less);
    });
  }
  static int32_t Lane(int64_t offset) {
    return offset >= 0 && offset < kStep ? static_cast<int32_t>(offset) : -1;
  }

  const RowTable& table_;
  const float* weights_;
  const T* from_;
  T* to_;
  int64_t rows_;
  int64_t columns_;
  int64_t row_index_ = 0;
  int64_t row_begin_ = 0;
  Row row_;
};

// Rows too short for that: the factors of about a thousand elements are laid out one per element,
// then one pass goes over them whatever rows they belong to.
template <bool kStream, class T>
class ShortRows {
 public:
  // Rows shorter than this.
  static constexpr int64_t kLimit = 64;

  // weights  of the columns, one next to the other, or null
  ShortRows(const RowTable& table, const float* weights, const T* from, T* to, int64_t columns)
      : table_(table),
        common_(table.Common()),
        weighted_(weights != nullptr),
        from_(from),
        to_(to),
        columns_(columns) {
    if (common_ != nullptr) {
      Fill(scale_, kChunk, common_->scale);
    } else if (table.IsByTarget()) {
      for (int64_t c = 0; c < columns; ++c) by_target_[c] = table.OfTarget(c);
    }
    if (weighted_) std::copy_n(weights, columns, weights_);
  }

  // Elements [begin, end).
  void Run(int64_t begin, int64_t end) {
    const int64_t head = std::min(ToAligned(to_ + begin), end - begin);
    if (head > 0) Chunk<false>(begin, head);
    for (int64_t at = begin + head; at < end; at += kChunk) {
      Chunk<kStream>(at, std::min(kChunk, end - at));
    }
    if constexpr (kStream) hwy::FlushStream();
  }

 private:
  static constexpr int64_t kChunk = 1024;
  static constexpr int64_t kLanes = static_cast<int64_t>(HWY_LANES(float));

  template <bool kStreamChunk>
  void Chunk(int64_t at, int64_t count) {
    LayOut(at, count);
    const F32 d;
    const T* from = from_ + at;
    T* to = to_ + at;
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      Put<kStreamChunk>(
          Gradient<T>(LoadF32(d, from + i), hn::LoadU(d, scale_ + i), hn::LoadU(d, less_ + i)),
          to + i);
    }
    if (i < count) {
      T in[kLanes] = {};
      T out[kLanes];
      const size_t bytes = static_cast<size_t>(count - i) * sizeof(T);
      std::memcpy(in, from + i, bytes);
      Put<false>(Gradient<T>(LoadF32(d, in), hn::LoadU(d, scale_ + i), hn::LoadU(d, less_ + i)),
                 out);
      std::memcpy(to + i, out, bytes);
    }
  }

  // Whole vectors, so up to one is written past the end: what comes next is laid out later, or is
  // padding.
  static HWY_INLINE void Fill(float* to, int64_t count, float value) {
    const F32 d;
    const VF v = hn::Set(d, value);
    for (int64_t i = 0; i < count; i += kLanes) hn::StoreU(v, d, to + i);
  }

  // Rows are laid out whole: there is room for one on either side of the chunk.
  void LayOut(int64_t at, int64_t count) {
    if (common_ != nullptr) {
      LayOutCommon(at, count);
    } else if (table_.IsByTarget()) {
      // Without a jump on whether the row is kept: dropped ones come at random.
      LayOutEach(at, count, [this](int64_t n) -> const Row& {
        const int64_t target = table_.Target(n);
        return by_target_[table_.IsKept(target) ? target : columns_];
      });
    } else {
      LayOutEach(at, count, [this](int64_t n) { return table_.Of(n); });
    }
  }

  // Only targets and dropped rows differ.
  HWY_INLINE void LayOutCommon(int64_t at, int64_t count) {
    const float level = common_->level;
    const float pull = common_->pull;
    Fill(less_, count, level);
    int64_t n = at / columns_;
    for (int64_t begin = n * columns_ - at; begin < count; begin += columns_, ++n) {
      const int64_t target = table_.Target(n);
      if (table_.IsKept(target)) {
        less_[begin + target] = pull;
      } else {
        Fill(less_ + begin, columns_, Dropped());
        Fill(less_ + begin + columns_, 1, level);
      }
    }
  }

  template <class RowAt>
  HWY_INLINE void LayOutEach(int64_t at, int64_t count, RowAt&& row_at) {
    int64_t n = at / columns_;
    for (int64_t begin = n * columns_ - at; begin < count; begin += columns_, ++n) {
      const Row& row = row_at(n);
      Fill(scale_ + begin, columns_, row.scale);
      if (weighted_) {
        FillSpread(less_ + begin, row.level);
      } else {
        Fill(less_ + begin, columns_, row.level);
      }
      less_[begin + row.target] = row.pull;
    }
  }

  void FillSpread(float* to, float level) const {
    const F32 d;
    const VF v = hn::Set(d, level);
    for (int64_t i = 0; i < columns_; i += kLanes) {
      hn::StoreU(Spread(v, hn::LoadU(d, weights_ + i)), d, to + i);
    }
  }

  const RowTable& table_;
  const Row* common_;
  bool weighted_;
  const T* from_;
  T* to_;
  int64_t columns_;
  Row by_target_[kLimit];  // and a dropped one after them
  float weights_[kLimit + kLanes] = {};
  float scales_[kLimit + kChunk + kLimit + kLanes] = {};
  float lesses_[kLimit + kChunk + kLimit + kLanes] = {};
  float* const scale_ = scales_ + kLimit;
  float* const less_ = lesses_ + kLimit;
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss_grad
HWY_AFTER_NAMESPACE();

#endif
