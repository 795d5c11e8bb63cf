#include "aclimb/core/overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace aclimb {
namespace {

TensorDescriptor Tensor(std::vector<int64_t> shape, std::vector<int64_t> stride) {
  TensorDescriptor tensor;
  tensor.shape = std::move(shape);
  tensor.stride = std::move(stride);
  tensor.dtype = DType::kFloat32;
  return tensor;
}

int64_t PlaceOf(const TensorDescriptor& tensor, const std::vector<int64_t>& index) {
  int64_t place = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    EXPECT_GE(index[d], 0);
    EXPECT_LT(index[d], tensor.shape[d]);
    place += index[d] * tensor.stride[d];
  }
  return place;
}

// By looking at all elements.
bool HasSharedElement(const TensorDescriptor& tensor) {
  std::set<int64_t> places;
  const int64_t count = tensor.ElementCount();
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, place = 0;
    for (size_t d = tensor.shape.size(); d-- > 0;) {
      place += rest % tensor.shape[d] * tensor.stride[d];
      rest /= tensor.shape[d];
    }
    if (!places.insert(place).second) return true;
  }
  return false;
}

TEST(Overlap, AgreesWithLookingAtAllElements) {
  std::mt19937 random(1);
  int overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    const size_t rank = random() % 5;
    TensorDescriptor tensor = Tensor(std::vector<int64_t>(rank), std::vector<int64_t>(rank));
    for (size_t d = 0; d < rank; ++d) {
      tensor.shape[d] = random() % 16 == 0 ? 0 : 1 + random() % 5;
      tensor.stride[d] = random() % 24;
    }
    const auto shared = FindSharedElement(tensor);
    ASSERT_EQ(shared.has_value(), HasSharedElement(tensor)) << "call " << i;
    if (!shared) continue;
    ++overlapping;
    EXPECT_NE(shared->first, shared->second);
    EXPECT_EQ(PlaceOf(tensor, shared->first), PlaceOf(tensor, shared->second));
  }
  EXPECT_GT(overlapping, 1000);
}

TEST(Overlap, LargeStridesEndTheSearch) {
  EXPECT_FALSE(FindSharedElement(Tensor({1 << 20, 1 << 20}, {1, 1 << 20})));
  EXPECT_TRUE(FindSharedElement(Tensor({1 << 20, 1 << 20}, {1, 1000})));
  // Either answer is right, as long as there is one.
  (void)FindSharedElement(
      Tensor({1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9},
             {1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117, 1000121}));
}

}  // namespace
}  // namespace aclimb
