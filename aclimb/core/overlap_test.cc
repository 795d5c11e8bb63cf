#include "aclimb/core/overlap.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace aclimb {
namespace {

TensorDescriptor Tensor(std::vector<int64_t> shape, std::vector<int64_t> stride,
                        DType dtype = DType::kFloat32) {
  TensorDescriptor tensor;
  tensor.shape = std::move(shape);
  tensor.stride = std::move(stride);
  tensor.dtype = dtype;
  return tensor;
}

Sharing Look(const TensorDescriptor& tensor) {
  SharedElement shared;
  return FindSharedElement(tensor, shared);
}
Sharing Look(const TensorDescriptor& one, const TensorDescriptor& other, int64_t ahead) {
  SharedElement shared;
  return FindSharedElement(one.View(), other.View(), ahead, shared);
}

int64_t PlaceOf(const TensorDescriptor& tensor, const std::vector<int64_t>& index) {
  int64_t place = 0;
  EXPECT_EQ(index.size(), tensor.shape.size());
  for (size_t d = 0; d < index.size(); ++d) {
    EXPECT_GE(index[d], 0);
    EXPECT_LT(index[d], tensor.shape[d]);
    place += index[d] * tensor.stride[d];
  }
  return place;
}

// Of all elements.
std::vector<int64_t> PlacesOf(const TensorDescriptor& tensor) {
  std::vector<int64_t> places;
  const int64_t count = tensor.ElementCount();
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, place = 0;
    for (size_t d = tensor.shape.size(); d-- > 0;) {
      place += rest % tensor.shape[d] * tensor.stride[d];
      rest /= tensor.shape[d];
    }
    places.push_back(place);
  }
  return places;
}

TEST(Overlap, AgreesWithLookingAtAllElements) {
  std::mt19937 random(1);
  int overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    const size_t rank = random() % 5;
    TensorDescriptor tensor = Tensor(std::vector<int64_t>(rank), std::vector<int64_t>(rank));
    for (size_t d = 0; d < rank; ++d) {
      tensor.shape[d] = random() % 16 == 0 ? 0 : 1 + random() % 5;
      tensor.stride[d] = random() % (i % 2 == 0 ? 24 : 200);
    }
    const std::vector<int64_t> places = PlacesOf(tensor);
    const bool has = std::set<int64_t>(places.begin(), places.end()).size() < places.size();
    SharedElement shared;
    ASSERT_EQ(FindSharedElement(tensor, shared), has ? Sharing::kFound : Sharing::kNone)
        << "call " << i;
    if (!has) continue;
    ++overlapping;
    EXPECT_NE(shared.first, shared.second);
    EXPECT_EQ(PlaceOf(tensor, shared.first), PlaceOf(tensor, shared.second));
  }
  EXPECT_GT(overlapping, 1000);
}

TEST(Overlap, OfTwoAgreesWithLookingAtAllBytes) {
  constexpr DType kDTypes[] = {DType::kInt8, DType::kFloat16, DType::kFloat32, DType::kInt64};
  std::mt19937 random(2);
  int overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    TensorDescriptor tensors[2];
    for (int t = 0; t < 2; ++t) {
      const size_t rank = random() % 4;
      tensors[t] = Tensor({}, {}, i % 2 == 0 || t == 0 ? kDTypes[random() % 4] : tensors[0].dtype);
      for (size_t d = 0; d < rank; ++d) {
        const bool same = t == 1 && d < tensors[0].stride.size() && random() % 3 == 0;
        tensors[t].shape.push_back(1 + random() % 4);
        tensors[t].stride.push_back(same ? tensors[0].stride[d] : random() % 24);
      }
    }
    const auto size = static_cast<int64_t>(SizeOf(tensors[0].dtype));
    const auto other_size = static_cast<int64_t>(SizeOf(tensors[1].dtype));
    int64_t ahead = static_cast<int64_t>(random() % 400) - 200;
    if (i % 3 != 0) ahead = ahead / size * size;
    std::set<int64_t> bytes;
    for (const int64_t place : PlacesOf(tensors[1])) {
      for (int64_t b = 0; b < other_size; ++b) bytes.insert(place * other_size + b);
    }
    bool has = false;
    for (const int64_t place : PlacesOf(tensors[0])) {
      for (int64_t b = 0; b < size; ++b) has = has || bytes.count(ahead + place * size + b) != 0;
    }
    SharedElement shared;
    ASSERT_EQ(FindSharedElement(tensors[0].View(), tensors[1].View(), ahead, shared),
              has ? Sharing::kFound : Sharing::kNone)
        << "call " << i;
    if (!has) continue;
    ++overlapping;
    const int64_t at = ahead + PlaceOf(tensors[0], shared.first) * size;
    const int64_t other_at = PlaceOf(tensors[1], shared.second) * other_size;
    EXPECT_LT(at, other_at + other_size);
    EXPECT_LT(other_at, at + size);
  }
  EXPECT_GT(overlapping, 1000);
}

TEST(Overlap, HalvesOfRowsLieApart) {
  const TensorDescriptor half = Tensor({8, 32, 128, 64}, {1 << 19, 1 << 14, 128, 1});
  EXPECT_EQ(Look(half, half, 64 * 4), Sharing::kNone);
  EXPECT_EQ(Look(half, half, 63 * 4), Sharing::kFound);
  EXPECT_EQ(Look(half, half, -127 * 4), Sharing::kFound);
}

TEST(Overlap, LargeStridesEndTheSearch) {
  EXPECT_EQ(Look(Tensor({1 << 20, 1 << 20}, {1, 1 << 20})), Sharing::kNone);
  EXPECT_EQ(Look(Tensor({1 << 20, 1 << 20}, {1, 1000})), Sharing::kFound);
  EXPECT_EQ(Look(Tensor({int64_t{1} << 62, 2}, {1, (int64_t{1} << 62) - 1}, DType::kInt8)),
            Sharing::kFound);
  // Whatever the answer is, there is one.
  (void)Look(Tensor({1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9, 1 << 9},
                    {1000003, 1000033, 1000037, 1000039, 1000081, 1000099, 1000117}));
}

// Of two elements that share a byte, a half.
TEST(Overlap, PackedElementsAndBytes) {
  TensorView packed, bytes;
  packed.dtype = DType::kInt4;
  packed.rank = 1;
  packed.shape[0] = 3;
  packed.stride[0] = 4;  // bytes 0, 2 and 4
  bytes.dtype = DType::kInt8;
  bytes.rank = 1;
  bytes.shape[0] = 2;
  bytes.stride[0] = 2;
  SharedElement shared;
  EXPECT_EQ(FindSharedElement(packed, bytes, 0, shared), Sharing::kFound);
  EXPECT_EQ(FindSharedElement(packed, bytes, 1, shared), Sharing::kNone);
  EXPECT_EQ(FindSharedElement(packed, bytes, -2, shared), Sharing::kFound);
  EXPECT_EQ(shared.first, std::vector<int64_t>{1});
  EXPECT_EQ(shared.second, std::vector<int64_t>{0});
}

}  // namespace
}  // namespace aclimb
