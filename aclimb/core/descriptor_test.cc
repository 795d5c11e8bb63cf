#include "aclimb/core/descriptor.h"

#include <gtest/gtest.h>

#include <limits>

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

}  // namespace
}  // namespace aclimb
