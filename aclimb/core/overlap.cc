#include "aclimb/core/overlap.h"

#include <algorithm>

namespace aclimb {
namespace {

constexpr int kMostSteps = 4096;

struct Dimension {
  size_t index = 0;
  int64_t extent = 0;
  int64_t stride = 0;
  int64_t reach = 0;  // of all dimensions with smaller strides together
};

// Looks for a difference of two indices, not all 0, that moves the address by 0.
class Search {
 public:
  Search(std::vector<Dimension> dimensions, size_t rank)
      : dimensions_(std::move(dimensions)), difference_(rank) {}

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

  std::vector<Dimension> dimensions_;
  std::vector<int64_t> difference_;
  int steps_ = 0;
};

}  // namespace

std::optional<SharedElement> FindSharedElement(const TensorDescriptor& tensor) {
  if (tensor.IsEmpty()) return std::nullopt;
  const size_t rank = tensor.shape.size();
  std::vector<int64_t> difference(rank);
  std::vector<Dimension> dimensions;
  bool found = false;
  for (size_t d = 0; d < rank && !found; ++d) {
    if (tensor.shape[d] == 1) continue;
    dimensions.push_back({d, tensor.shape[d], tensor.stride[d]});
    found = tensor.stride[d] == 0;
    if (found) difference[d] = 1;
  }
  if (!found) {
    std::sort(dimensions.begin(), dimensions.end(),
              [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
    int64_t reach = 0;
    bool apart = true;
    for (Dimension& dimension : dimensions) {
      dimension.reach = reach;
      apart = apart && dimension.stride > reach;
      reach += (dimension.extent - 1) * dimension.stride;
    }
    if (apart) return std::nullopt;
    const size_t count = dimensions.size();
    Search search(std::move(dimensions), rank);
    if (!search.Find(count, 0, true)) return std::nullopt;
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
