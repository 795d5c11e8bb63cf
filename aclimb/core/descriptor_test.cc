#include "aclimb/core/descriptor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "aclimb/core/half.h"
#include "aclimb/core/packed.h"

namespace aclimb {
namespace {

TEST(Descriptor, ViewBeginsAtTheOffset) {
  float storage[6] = {};
  TensorDescriptor tensor;
  tensor.shape = {2};
  tensor.stride = {2};
  tensor.offset = 3;
  tensor.dtype = DType::kFloat32;
  EXPECT_EQ(tensor.View().data, nullptr);
  tensor.data = storage;
  EXPECT_EQ(tensor.View().data, static_cast<void*>(storage + 3));
}

// Its offset passes every check, since nothing is there to be read.
TEST(Descriptor, ViewOfAnEmptyTensorHasNoAddress) {
  float storage[1] = {};
  TensorDescriptor tensor;
  tensor.shape = {3, 0};
  tensor.stride = {1, 1};
  tensor.offset = std::numeric_limits<int64_t>::max();
  tensor.dtype = DType::kFloat32;
  tensor.data = storage;
  ASSERT_TRUE(tensor.Footprint().has_value());
  const TensorView view = tensor.View();
  EXPECT_EQ(view.data, nullptr);
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.ElementCount(), 0);
}

// Two elements share a byte; one that is touched counts whole.
TEST(Descriptor, PackedElementsTakeHalfAByte) {
  unsigned char storage[8] = {};
  TensorDescriptor tensor;
  tensor.shape = {3};
  tensor.stride = {2};
  tensor.offset = 4;
  tensor.dtype = DType::kInt4;
  tensor.data = storage;
  ASSERT_TRUE(tensor.Footprint().has_value());
  EXPECT_EQ(tensor.Footprint()->begin, 2);
  EXPECT_EQ(tensor.Footprint()->end, 5);
  EXPECT_EQ(tensor.View().data, static_cast<void*>(storage + 2));
  tensor.shape = {2};
  tensor.stride = {1};
  EXPECT_EQ(tensor.Footprint()->end, 3);
  EXPECT_EQ(BytesOf(DType::kInt4, 7), 4);
  EXPECT_EQ(BytesOf(DType::kInt16, 7), 14);
}

TEST(Descriptor, TheKeyTellsAllButTheAddress) {
  char memory;
  const TensorDescriptor base = {.shape = {2, 3},
                                 .stride = {3, 1},
                                 .storage_shape = {6},
                                 .offset = 1,
                                 .dtype = DType::kFloat32,
                                 .format = 2,
                                 .data = nullptr};
  TensorDescriptor moved = base;
  moved.data = &memory;
  std::vector<TensorDescriptor> tensors(7, base);
  tensors[1].shape = {3, 2};
  tensors[2].stride = {1, 2};
  tensors[3].storage_shape = {2, 3};
  tensors[4].offset = 2;
  tensors[5].dtype = DType::kInt32;
  tensors[6].format = 0;
  moved.SetKey();
  for (TensorDescriptor& tensor : tensors) {
    tensor.SetKey();
    tensor.SetKey();
  }
  EXPECT_EQ(tensors[0].key, moved.key);
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(tensors[i].key, tensors[j].key) << i << " " << j;
      EXPECT_NE(tensors[i].key.back(), tensors[j].key.back()) << i << " " << j;
    }
  }
}

template <typename T>
ScalarValue ScalarOf(DType dtype, T value) {
  ScalarValue scalar;
  scalar.dtype = dtype;
  std::memcpy(scalar.bytes, &value, sizeof(value));
  return scalar;
}

TEST(Scalar, IsADoubleWithoutRounding) {
  EXPECT_EQ(ScalarOf(DType::kFloat64, 0.1).ToDouble(), 0.1);
  EXPECT_EQ(ScalarOf(DType::kFloat32, 0.1f).ToDouble(), static_cast<double>(0.1f));
  EXPECT_EQ(ScalarOf(DType::kInt32, 16777217).ToDouble(), 16777217.0);
  EXPECT_EQ(ScalarOf<uint8_t>(DType::kBool, 7).ToDouble(), 1);
}

TEST(Scalar, IsANumberOfEveryRealDType) {
  EXPECT_EQ(ScalarOf(DType::kFloat16, ToFloat16(3)).ToFloat(), 3);
  EXPECT_EQ(ScalarOf(DType::kBFloat16, ToBFloat16(3)).ToFloat(), 3);
  EXPECT_EQ(ScalarOf<int8_t>(DType::kInt8, -3).ToFloat(), -3);
  EXPECT_EQ(ScalarOf<int16_t>(DType::kInt16, -3).ToFloat(), -3);
  EXPECT_EQ(ScalarOf<uint8_t>(DType::kUInt8, 253).ToFloat(), 253);
  EXPECT_EQ(ScalarOf<uint16_t>(DType::kUInt16, 65533).ToFloat(), 65533);
  EXPECT_EQ(ScalarOf<uint32_t>(DType::kUInt32, 0x80000000u).ToFloat(), 0x1p31f);
}

TEST(Scalar, IsTheNearestInteger) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ScalarOf(DType::kInt64, kMost - 1).ToInteger(), kMost - 1);
  EXPECT_EQ(ScalarOf(DType::kUInt64, ~uint64_t{0}).ToInteger(), kMost);
  EXPECT_EQ(ScalarOf(DType::kUInt64, ~uint64_t{0}).ToWrappedInteger(), -1);
  EXPECT_EQ(ScalarOf(DType::kFloat64, 1e300).ToWrappedInteger(), kMost);
  EXPECT_EQ(ScalarOf(DType::kFloat32, 2.9f).ToInteger(), 2);
  EXPECT_EQ(ScalarOf(DType::kFloat32, -2.9f).ToInteger(), -2);
  EXPECT_EQ(ScalarOf(DType::kFloat64, 1e300).ToInteger(), kMost);
  EXPECT_EQ(ScalarOf(DType::kFloat64, 0x1p63).ToInteger(), kMost);
  EXPECT_EQ(ScalarOf(DType::kFloat64, -1e300).ToInteger(), -kMost - 1);
  EXPECT_EQ(ScalarOf(DType::kFloat64, std::nan("")).ToInteger(), 0);
}

TEST(Scalar, TellsEveryNumberAsItIs) {
  EXPECT_EQ(ScalarOf(DType::kUInt64, ~uint64_t{0}).Text(), "UINT64 18446744073709551615");
  EXPECT_EQ(ScalarOf<int8_t>(DType::kInt8, -3).Text(), "INT8 -3");
}

}  // namespace
}  // namespace aclimb
