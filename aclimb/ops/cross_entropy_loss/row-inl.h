// The log-sum-exp of a row, whose elements are read a chunk at a time. Included once per
// instruction set.
#if defined(ACLIMB_OPS_CROSS_ENTROPY_LOSS_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLIMB_OPS_CROSS_ENTROPY_LOSS_ROW_INL_H_
#undef ACLIMB_OPS_CROSS_ENTROPY_LOSS_ROW_INL_H_
#else
#define ACLIMB_OPS_CROSS_ENTROPY_LOSS_ROW_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "aclimb/copy/cast.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/extremes-inl.h"
#include "aclimb/simd/float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::cross_entropy_loss {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: the per-target toolbox

using F32 = hn::ScalableTag<float>;
using VF = hn::Vec<F32>;

// Elements of a row at a time, in first-level cache. A lane of a sum gets at most 512 of them on
// four sums, so that float32 is precise enough.
constexpr int64_t kChunk = 2048;
constexpr int64_t kSums = 4;
constexpr int64_t kMostLanes = HWY_MAX_BYTES / sizeof(float);

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
void StoreNumber(const TensorView& view, int64_t index, double value) {
  const int64_t at = view.rank == 0 ? 0 : index * view.stride[0];
  view.As<T>()[at] = RoundedOnce<T>(value);
}

// What is subtracted before the exponential. Nothing is below -inf: what is added then is 0, or NaN
// if there was one.
HWY_INLINE VF ShiftOf(VF maxima) {
  return hn::IfThenZeroElse(hn::Eq(maxima, hn::Set(F32(), -kInfinity)), maxima);
}

// One row of a matrix after the other.
template <class T>
class Row {
 public:
  explicit Row(const TensorView& matrix) : matrix_(matrix), columns_(matrix.shape[1]) {}

  // Finds the row's largest element, and the sum of exp(x - largest()).
  void Reduce(int64_t n) {
    row_ = n;
    largest_ = -kInfinity;
    sum_ = 0;
    for (int64_t first = 0; first < columns_; first += kChunk) {
      const int64_t count = std::min(kChunk, columns_ - first);
      Load(first, count);
      AddChunk(count);
    }
  }
  double largest() const { return largest_; }
  double sum() const { return sum_; }

  // Elements [first, first + count) of a row, in float32, to be worked on in place; whole vectors.
  float* Chunk(int64_t n, int64_t first, int64_t count) {
    // The last row that Reduce saw is still there, if it is one chunk.
    if (columns_ > kChunk || n != row_) {
      row_ = n;
      Load(first, count);
    }
    return chunk_;
  }

 private:
  static HWY_INLINE hn::Mask<F32> FirstLanes(int64_t count) {
    return hn::FirstN(F32(), static_cast<size_t>(count));
  }

  // Lanes behind the end get -inf.
  void Load(int64_t first, int64_t count) {
    const F32 d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), stride = matrix_.stride[1];
    const T* const from = matrix_.As<const T>() + row_ * matrix_.stride[0] + first * stride;
    const int64_t whole = count / lanes * lanes, rest = count - whole;
    GatherF32(from, stride, stride == 1 ? whole : count, chunk_);
    if (rest == 0) return;
    const VF last = stride == 1 ? LoadFirst(d, from + whole, rest) : hn::Load(d, chunk_ + whole);
    hn::Store(hn::IfThenElse(FirstLanes(rest), last, hn::Set(d, -kInfinity)), d, chunk_ + whole);
  }

  void AddChunk(int64_t count) {
    const F32 d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    VF maxima = hn::Set(d, -kInfinity);
    for (int64_t i = 0; i < count; i += lanes) maxima = hn::Max(hn::Load(d, chunk_ + i), maxima);
    const float largest = LargestLane(d, maxima);
    const VF shift = ShiftOf(hn::Set(d, largest));
    const auto term = [&](VF x) HWY_ATTR { return Exp<T, false>(d, hn::Sub(x, shift)); };
    VF sums[kSums] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    int64_t i = 0;
    for (; i + kSums * lanes <= count; i += kSums * lanes) {
      for (int64_t k = 0; k < kSums; ++k) {
        sums[k] = hn::Add(sums[k], term(hn::Load(d, chunk_ + i + k * lanes)));
      }
    }
    for (; i + lanes <= count; i += lanes) {
      sums[0] = hn::Add(sums[0], term(hn::Load(d, chunk_ + i)));
    }
    if (i < count) {
      // Lanes behind the end are no terms. The exponential of -inf would take longer.
      const auto mask = FirstLanes(count - i);
      const VF x = hn::IfThenElse(mask, hn::Load(d, chunk_ + i), shift);
      sums[1] = hn::Add(sums[1], hn::IfThenElseZero(mask, term(x)));
    }
    const VF sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
    Join(largest, static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum))));
  }

  // Adds a chunk's sum to those before it, which have another largest element.
  void Join(double largest, double sum) {
    if (sum == 0) return;
    if (!(largest <= largest_)) {
      if (sum_ != 0) sum_ *= std::exp(largest_ - largest);
      largest_ = largest;
      sum_ += sum;
    } else {
      sum_ += sum * std::exp(largest - largest_);
    }
  }

  const TensorView& matrix_;
  const int64_t columns_;
  int64_t row_ = 0;
  double largest_ = 0;
  double sum_ = 0;
  HWY_ALIGN float chunk_[kChunk + kMostLanes] = {};
};

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::cross_entropy_loss
HWY_AFTER_NAMESPACE();

#endif
