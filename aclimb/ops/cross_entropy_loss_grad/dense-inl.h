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
template <bool kStream, class T>
HWY_INLINE void FillRun(const T* from, T* to, int64_t count, const Row& row) {
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
    Block<T>::template Map<kStream>(
        from + i, to + i, [&](VF x, int) { return hn::MulSub(Exp<T>(d, x), scale, level); });
  }
}

// Rows of at least one block each. Every store of kStream writes a whole aligned vector: where a
// vector lies across two rows, its lanes take the factors of theirs, and the target is part of the
// vector that holds it. No line is written twice.
template <bool kStream, class T>
class LongRows {
 public:
  LongRows(const RowTable& table, const T* from, T* to, int64_t rows, int64_t columns)
      : table_(table), from_(from), to_(to), rows_(rows), columns_(columns) {}

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
        FillRun<kStream>(from_ + at, to_ + at, block - at, row_);
        Mixed<kStream>(block, from_ + block, to_ + block);
        at = block + kStep;
      }
      FillRun<kStream>(from_ + at, to_ + at, last - at, row_);
      at = last;
      Advance(at);
    }
    if (at < end) Part(at, end);
    if constexpr (kStream) hwy::FlushStream();
  }

 private:
  static constexpr int64_t kStep = Block<T>::kElements;

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
    const VF level0 = hn::Set(d, row_.kept ? row_.level : Dropped());
    const VF level1 = hn::Set(d, next.kept ? next.level : Dropped());
    const VI split_lane = hn::Set(di, static_cast<int32_t>(std::min(split, kStep)));
    const VI lane0 = hn::Set(di, row_.kept ? Lane(row_begin_ + row_.target - at) : -1);
    const VI lane1 = hn::Set(di, next.kept ? Lane(split + next.target) : -1);
    Block<T>::template Map<kStreamBlock>(from, to, [&](VF x, int part) {
      const VI index = Block<T>::Index(part);
      const auto first = hn::RebindMask(d, hn::Lt(index, split_lane));
      const VF scale = hn::IfThenElse(first, scale0, scale1);
      VF less = hn::IfThenElse(first, level0, level1);
      less = hn::IfThenElse(hn::RebindMask(d, hn::Eq(index, lane0)), hn::Set(d, row_.pull), less);
      less = hn::IfThenElse(hn::RebindMask(d, hn::Eq(index, lane1)), hn::Set(d, next.pull), less);
      return Gradient<T>(x, scale, less);
    });
  }
  static int32_t Lane(int64_t offset) {
    return offset >= 0 && offset < kStep ? static_cast<int32_t>(offset) : -1;
  }

  const RowTable& table_;
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
  ShortRows(const RowTable& table, const T* from, T* to, int64_t columns)
      : table_(table), common_(table.Common()), from_(from), to_(to), columns_(columns) {
    if (common_ != nullptr) Fill(scale_, kChunk, common_->scale);
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
    if (common_ != nullptr) {
      LayOutCommon(at, count);
    } else {
      LayOut(at, count);
    }
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

  // All kept rows share their factors: only targets and dropped rows differ.
  void LayOutCommon(int64_t at, int64_t count) {
    const float level = common_->level;
    const float pull = common_->pull;
    Fill(less_, count, level);
    int64_t row_index = at / columns_;
    int64_t begin = row_index * columns_ - at;
    for (; begin < count; begin += columns_, ++row_index) {
      const int64_t target = table_.Target(row_index);
      if (table_.IsKept(target)) {
        const int64_t lane = begin + target;
        if (lane >= 0 && lane < count) less_[lane] = pull;
      } else {
        const int64_t first = std::max<int64_t>(begin, 0);
        const int64_t last = std::min(begin + columns_, count);
        Fill(less_ + first, last - first, Dropped());
        Fill(less_ + last, 1, level);
      }
    }
  }

  void LayOut(int64_t at, int64_t count) {
    int64_t row_index = at / columns_;
    int64_t begin = row_index * columns_ - at;
    for (; begin < count; begin += columns_, ++row_index) {
      const Row row = table_.Of(row_index);
      const int64_t first = std::max<int64_t>(begin, 0);
      const int64_t last = std::min(begin + columns_, count);
      Fill(scale_ + first, last - first, row.scale);
      Fill(less_ + first, last - first, row.kept ? row.level : Dropped());
      const int64_t lane = begin + row.target;
      if (row.kept && lane >= 0 && lane < count) less_[lane] = row.pull;
    }
  }

  const RowTable& table_;
  const Row* common_;
  const T* from_;
  T* to_;
  int64_t columns_;
  float scale_[kChunk + 2 * kLanes] = {};
  float less_[kChunk + 2 * kLanes] = {};
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss_grad
HWY_AFTER_NAMESPACE();

#endif
