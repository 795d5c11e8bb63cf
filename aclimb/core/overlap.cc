#include "aclimb/core/overlap.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "aclimb/core/packed.h"

namespace aclimb {
namespace {

using Wide = __int128;

constexpr int kMostSteps = 4096;
constexpr size_t kMostTerms = 2 * kMaxRank + 1;

// The number in [0, modulus) whose product with `factor` has the remainder 1; they have no common
// divisor.
int64_t Inverse(int64_t factor, int64_t modulus) {
  // a and b are x and y times the factor, but for multiples of the modulus.
  int64_t a = factor % modulus, b = modulus, x = 1, y = 0;
  while (a > 1) {
    const int64_t quotient = b / a;
    b = std::exchange(a, b - quotient * a);
    y = std::exchange(x, y - quotient * x);
  }
  return x < 0 ? x + modulus : x;
}

// What no address reaches counts as the largest number.
int64_t Limited(Wide value) { return static_cast<int64_t>(std::min<Wide>(value, INT64_MAX)); }

// Multiples of strides that add up to a number: x[0] * stride[0] + x[1] * stride[1] + ... = total
// with each x from 0 to its most. By the largest stride first: the smaller ones have to make up for
// the rest, which bounds x and, by their common divisor, tells its remainder.
class Sum {
 public:
  // Strides above 0.
  void Add(int64_t stride, int64_t most) {
    size_t at = count_++;
    for (; at > 0 && terms_[at - 1].stride > stride; --at) terms_[at] = terms_[at - 1];
    terms_[at] = {stride, most, 0, 0, 0};
  }

  Sharing Find(int64_t total) {
    size_t kept = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (kept > 0 && terms_[kept - 1].stride == terms_[i].stride) {
        terms_[kept - 1].most = Limited(Wide{terms_[kept - 1].most} + terms_[i].most);
      } else {
        terms_[kept++] = terms_[i];
      }
    }
    count_ = kept;
    int64_t reach = 0, divisor = 0;
    for (size_t i = 0; i < count_; ++i) {
      terms_[i].reach = reach;
      terms_[i].divisor = divisor;
      reach = Limited(reach + Wide{terms_[i].most} * terms_[i].stride);
      divisor = std::gcd(divisor, terms_[i].stride);
    }
    if (total < 0 || total > reach) return Sharing::kNone;
    if (count_ == 0) return Sharing::kFound;
    if (total % divisor != 0) return Sharing::kNone;
    steps_ = 0;
    if (Choose(count_ - 1, total)) return Sharing::kFound;
    return steps_ > kMostSteps ? Sharing::kUndecided : Sharing::kNone;
  }

  // Of what was found, the part of one term that was added with this stride; at most `most`.
  int64_t Take(int64_t stride, int64_t most) {
    for (size_t i = 0; i < count_; ++i) {
      if (terms_[i].stride != stride) continue;
      const int64_t taken = std::min(most, terms_[i].x);
      terms_[i].x -= taken;
      return taken;
    }
    return 0;
  }

 private:
  struct Term {
    int64_t stride, most;
    int64_t reach, divisor;  // of all terms with smaller strides
    int64_t x;
  };

  // `total` is within the reach of the terms up to `t`, and a multiple of their divisor.
  bool Choose(size_t t, int64_t total) {
    Term& term = terms_[t];
    if (t == 0) {
      term.x = total / term.stride;
      return true;
    }
    // What the smaller ones cannot reach has to come from here.
    int64_t from = std::max<int64_t>(0, total - term.reach);
    from = from / term.stride + (from % term.stride != 0 ? 1 : 0);
    const int64_t to = std::min(term.most, total / term.stride);
    const int64_t common = std::gcd(term.stride, term.divisor), step = term.divisor / common;
    // NOLINTNEXTLINE: strides and divisors are above 0, and so is a step.
    const auto remainder = static_cast<int64_t>(static_cast<Wide>(total / common % step) *
                                                Inverse(term.stride / common, step) % step);
    const int64_t behind = (remainder - from % step + step) % step;
    if (behind > to - from) return false;
    for (from += behind; from <= to; from += step) {
      if (++steps_ > kMostSteps) return false;
      term.x = from;
      if (Choose(t - 1, total - from * term.stride)) return true;
      if (steps_ > kMostSteps || to - from < step) return false;
    }
    return false;
  }

  std::array<Term, kMostTerms> terms_;
  size_t count_ = 0;
  int steps_ = 0;
};

struct Dimension {
  size_t index;
  int64_t stride;
  int64_t most;  // index
};

// Those of several elements, by increasing strides.
struct Dimensions {
  explicit Dimensions(const TensorDescriptor& tensor) {
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
      if (tensor.shape[d] == 1) continue;
      size_t at = count++;
      for (; at > 0 && of[at - 1].stride > tensor.stride[d]; --at) of[at] = of[at - 1];
      of[at] = {d, tensor.stride[d], tensor.shape[d] - 1};
    }
  }

  std::array<Dimension, kMaxRank> of;
  size_t count = 0;
};

}  // namespace

Sharing FindSharedElement(const TensorDescriptor& tensor, SharedElement& shared) {
  if (tensor.IsEmpty()) return Sharing::kNone;
  const Dimensions dimensions(tensor);
  Sharing answer = Sharing::kNone;
  int64_t reach = 0;
  // Of two elements that are one, the second is further in the last dimension of those in which
  // they differ.
  for (size_t last = 0; last < dimensions.count; ++last) {
    const Dimension& dimension = dimensions.of[last];
    const int64_t reach_before = reach;
    reach += dimension.most * dimension.stride;
    if (dimension.stride > reach_before) continue;
    std::vector<int64_t> first(tensor.shape.size()), second(tensor.shape.size());
    second[dimension.index] = 1;
    if (dimension.stride > 0) {
      // The differences of the others, from -most to most, and of this one, from 1 on.
      Sum sum;
      for (size_t i = 0; i < last; ++i) {
        const auto& [index, stride, most] = dimensions.of[i];
        if (stride > 0) sum.Add(stride, Limited(Wide{most} * 2));
      }
      sum.Add(dimension.stride, dimension.most - 1);
      const Sharing found = sum.Find(reach_before - dimension.stride);
      if (found == Sharing::kUndecided) answer = found;
      if (found != Sharing::kFound) continue;
      second[dimension.index] = 1 + sum.Take(dimension.stride, dimension.most - 1);
      for (size_t i = 0; i < last; ++i) {
        const auto& [index, stride, most] = dimensions.of[i];
        const int64_t difference =
            stride > 0 ? sum.Take(stride, Limited(Wide{most} * 2)) - most : 0;
        first[index] = std::max<int64_t>(0, -difference);
        second[index] = std::max<int64_t>(0, difference);
      }
    }
    shared = {std::move(first), std::move(second)};
    return Sharing::kFound;
  }
  return answer;
}

Sharing FindSharedElement(const TensorView& one, const TensorView& other, int64_t ahead,
                          SharedElement& shared) {
  // In bytes, or in halves of them where an element is one.
  const int64_t packed = std::max(PackedPerByte(one.dtype), PackedPerByte(other.dtype));
  const int64_t one_size = BytesOf(one.dtype, packed), other_size = BytesOf(other.dtype, packed);
  ahead *= packed;
  // Steps through `other` and back through `one` that go as far as the end of `one` is ahead. In
  // elements, or in bytes with those of a pair of elements.
  const bool in_elements = one_size == other_size && ahead % one_size == 0;
  const int64_t one_unit = in_elements ? 1 : one_size, other_unit = in_elements ? 1 : other_size;
  int64_t total = in_elements ? ahead / one_size : ahead + one_size - 1;
  Sum sum;
  if (!in_elements) sum.Add(1, one_size + other_size - 2);
  for (int d = 0; d < other.rank; ++d) {
    if (other.shape[d] == 1 || other.stride[d] == 0) continue;
    sum.Add(other.stride[d] * other_unit, other.shape[d] - 1);
  }
  for (int d = 0; d < one.rank; ++d) {
    if (one.shape[d] == 1 || one.stride[d] == 0) continue;
    sum.Add(one.stride[d] * one_unit, one.shape[d] - 1);
    total += (one.shape[d] - 1) * one.stride[d] * one_unit;
  }
  const Sharing answer = sum.Find(total);
  if (answer != Sharing::kFound) return answer;
  shared.first.assign(static_cast<size_t>(one.rank), 0);
  shared.second.assign(static_cast<size_t>(other.rank), 0);
  // Back as far as possible first: to the first elements that are one.
  for (int d = 0; d < one.rank; ++d) {
    if (one.shape[d] == 1 || one.stride[d] == 0) continue;
    shared.first[static_cast<size_t>(d)] =
        one.shape[d] - 1 - sum.Take(one.stride[d] * one_unit, one.shape[d] - 1);
  }
  for (int d = 0; d < other.rank; ++d) {
    if (other.shape[d] == 1 || other.stride[d] == 0) continue;
    shared.second[static_cast<size_t>(d)] =
        sum.Take(other.stride[d] * other_unit, other.shape[d] - 1);
  }
  return answer;
}

}  // namespace aclimb
