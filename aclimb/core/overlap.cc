#include "aclimb/core/overlap.h"

#include <algorithm>
#include <array>

namespace aclimb {
namespace {

constexpr int kMostSteps = 4096;

struct Dimension {
  size_t index = 0;
  int64_t extent = 0;
  int64_t stride = 0;
  int64_t reach = 0;  // of all dimensions with smaller strides together
};

// Of more than one element, by increasing strides.
struct Dimensions {
  std::array<Dimension, kMaxRank> of;
  size_t count = 0;
};

// Looks for a difference of two indices, not all 0, that moves the address by 0.
class Search {
 public:
  Search(const Dimensions& dimensions, size_t rank)
      : dimensions_(dimensions.of), difference_(rank) {}

  // Whether one was found; `moved` is what the dimensions from `count` on have chosen.
  bool Find(size_t count, int64_t moved, bool all_zero) {
    if (count == 0) return moved == 0 && !all_zero;
    if (++steps_ > kMostSteps) return false;
    const Dimension& dimension = dimensions_[count - 1];
    const int64_t most = dimension.extent - 1;
    // The smaller strides can make up for `reach` at most. Of a difference and its negative, one is
    // enough.
    const int64_t least = all_zero ? 0 : -most;
    int64_t from = CeilDivide(-dimension.reach - moved, dimension.stride);
    const int64_t to = std::min(most, FloorDivide(dimension.reach - moved, dimension.stride));
    for (from = std::max(least, from); from <= to && steps_ <= kMostSteps; ++from) {
      difference_[dimension.index] = from;
      if (Find(count - 1, moved + from * dimension.stride, all_zero && from == 0)) return true;
    }
    return false;
  }

  const std::vector<int64_t>& difference() const { return difference_; }

 private:
  static int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
  static int64_t CeilDivide(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

  std::array<Dimension, kMaxRank> dimensions_;
  std::vector<int64_t> difference_;
  int steps_ = 0;
};

}  // namespace

std::optional<SharedElement> FindSharedElement(const TensorDescriptor& tensor) {
  if (tensor.IsEmpty()) return std::nullopt;
  const size_t rank = tensor.shape.size();
  Dimensions dimensions;
  for (size_t d = 0; d < rank; ++d) {
    if (tensor.shape[d] == 1) continue;
    size_t at = dimensions.count++;
    for (; at > 0 && dimensions.of[at - 1].stride > tensor.stride[d]; --at) {
      dimensions.of[at] = dimensions.of[at - 1];
    }
    dimensions.of[at] = {d, tensor.shape[d], tensor.stride[d]};
  }
  int64_t reach = 0;
  bool apart = true;
  for (size_t i = 0; i < dimensions.count; ++i) {
    Dimension& dimension = dimensions.of[i];
    dimension.reach = reach;
    apart = apart && dimension.stride > reach;
    reach += (dimension.extent - 1) * dimension.stride;
  }
  if (apart) return std::nullopt;
  std::vector<int64_t> difference(rank);
  if (dimensions.of[0].stride == 0) {
    difference[dimensions.of[0].index] = 1;
  } else {
    Search search(dimensions, rank);
    if (!search.Find(dimensions.count, 0, true)) return std::nullopt;
    difference = search.difference();
  }
  SharedElement shared{difference, difference};
  for (size_t d = 0; d < rank; ++d) {
    shared.first[d] = std::max<int64_t>(0, -difference[d]);
    shared.second[d] = std::max<int64_t>(0, difference[d]);
  }
  return shared;
}

}  // namespace aclimb
