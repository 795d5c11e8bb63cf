// Tensors, scalars, arrays and lists: creation, getters, ownership, refusals.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

namespace {

aclTensor* Make(const std::vector<int64_t>& shape, const std::vector<int64_t>& stride = {},
                int64_t offset = 0) {
  return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT,
                         stride.empty() ? nullptr : stride.data(), offset, ACL_FORMAT_ND,
                         shape.data(), shape.size(), nullptr);
}

std::vector<int64_t> Strides(const aclTensor* tensor) {
  int64_t* values = nullptr;
  uint64_t count = 99;
  EXPECT_EQ(aclGetViewStrides(tensor, &values, &count), 0);
  const std::vector<int64_t> copy(values, values + count);
  delete[] values;
  return copy;
}

void ExpectRefused(aclTensor* tensor, const char* names) {
  EXPECT_EQ(tensor, nullptr);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("aclCreateTensor: "), std::string::npos) << text;
  EXPECT_NE(text.find(names), std::string::npos) << text;
  EXPECT_NE(text.find("expected"), std::string::npos) << text;
}

TEST(Tensor, GettersReturnWhatWasGiven) {
  const int64_t shape[] = {2, 3};
  const int64_t stride[] = {5, 1};
  const int64_t storage[] = {17};
  int memory;
  aclTensor* tensor =
      aclCreateTensor(shape, 2, ACL_BF16, stride, 4, ACL_FORMAT_NHWC, storage, 1, &memory);
  ASSERT_NE(tensor, nullptr);
  int64_t* dims = nullptr;
  uint64_t count = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), 0);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(dims[0], 2);
  EXPECT_EQ(dims[1], 3);
  int64_t* storage_dims = nullptr;
  EXPECT_EQ(aclGetStorageShape(tensor, &storage_dims, &count), 0);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(storage_dims[0], 17);
  EXPECT_EQ(Strides(tensor), (std::vector<int64_t>{5, 1}));
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 0);
  EXPECT_EQ(offset, 4);
  aclFormat format;
  EXPECT_EQ(aclGetFormat(tensor, &format), 0);
  EXPECT_EQ(format, ACL_FORMAT_NHWC);
  aclDataType dtype;
  EXPECT_EQ(aclGetDataType(tensor, &dtype), 0);
  EXPECT_EQ(dtype, ACL_BF16);
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, &memory);
  EXPECT_EQ(aclSetRawTensorAddr(tensor, nullptr), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  // The arrays outlive the tensor and belong to the caller.
  EXPECT_EQ(dims[1], 3);
  delete[] dims;
  delete[] storage_dims;
}

TEST(Tensor, NullStridesMeanContiguous) {
  aclTensor* tensor = Make({2, 3, 4});
  EXPECT_EQ(Strides(tensor), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Tensor, RankZeroTakesNullPointers) {
  aclTensor* tensor =
      aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  ASSERT_NE(tensor, nullptr);
  int64_t* dims = nullptr;
  uint64_t count = 99;
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), 0);
  EXPECT_EQ(count, 0u);
  delete[] dims;
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  // One client gives a storage count with a null pointer for single elements.
  tensor = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr);
  EXPECT_NE(tensor, nullptr);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Tensor, EmptyExpandedAndHighRanksCanBeCreated) {
  for (aclTensor* tensor : {Make({0}), Make({3, 0, 2}), Make({2, 3}, {0, 0}),
                            Make(std::vector<int64_t>(9, 1)), Make({4}, {2}, 7)}) {
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(aclDestroyTensor(tensor), 0);
  }
}

TEST(Tensor, RefusalsNameTheArgument) {
  const int64_t shape[] = {2, 3};
  const int64_t negative[] = {2, -3};
  const int64_t huge[] = {int64_t{1} << 32, int64_t{1} << 32};
  const int64_t huge_empty[] = {int64_t{1} << 32, 0, int64_t{1} << 32};
  const auto make = [&](const int64_t* dims, uint64_t count, aclDataType dtype,
                        const int64_t* stride, int64_t offset) {
    return aclCreateTensor(dims, count, dtype, stride, offset, ACL_FORMAT_ND, shape, 2, nullptr);
  };
  (void)aclGetRecentErrMsg();
  ExpectRefused(make(nullptr, 2, ACL_FLOAT, nullptr, 0), "viewDims is null");
  ExpectRefused(make(negative, 2, ACL_FLOAT, nullptr, 0), "viewDims[1] is -3");
  ExpectRefused(make(shape, 2, ACL_FLOAT, negative, 0), "stride[1] is -3");
  ExpectRefused(make(shape, 2, ACL_FLOAT, nullptr, -1), "offset is -1");
  ExpectRefused(make(shape, 2, ACL_DT_UNDEFINED, nullptr, 0), "dataType");
  ExpectRefused(make(shape, 2, static_cast<aclDataType>(5), nullptr, 0), "dataType is number 5");
  ExpectRefused(make(huge, 2, ACL_FLOAT, nullptr, 0), "product exceeds");
  ExpectRefused(make(huge_empty, 3, ACL_FLOAT, nullptr, 0), "product exceeds");
  ExpectRefused(make(shape, uint64_t{1} << 60, ACL_FLOAT, nullptr, 0), "viewDimsNum");
}

TEST(Tensor, InitReplacesEverythingAndKeepsTheOldOnFailure) {
  aclTensor* tensor = Make({2});
  const int64_t shape[] = {4, 5};
  EXPECT_EQ(
      aclInitTensor(tensor, shape, 2, ACL_INT64, nullptr, 3, ACL_FORMAT_NC, shape, 2, nullptr), 0);
  EXPECT_EQ(Strides(tensor), (std::vector<int64_t>{5, 1}));
  const int64_t bad[] = {-1};
  EXPECT_EQ(aclInitTensor(tensor, bad, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, bad, 1, nullptr),
            161002);
  EXPECT_EQ(Strides(tensor), (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(
      aclInitTensor(nullptr, shape, 2, ACL_INT64, nullptr, 3, ACL_FORMAT_NC, shape, 2, nullptr),
      161001);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Tensor, GettersRefuseNullAndDeadTensors) {
  aclTensor* tensor = Make({2});
  int64_t* dims = nullptr;
  uint64_t count = 0;
  int64_t offset;
  aclFormat format;
  aclDataType dtype;
  void* address;
  EXPECT_EQ(aclGetViewShape(nullptr, &dims, &count), 161001);
  EXPECT_EQ(aclGetViewShape(tensor, nullptr, &count), 161001);
  EXPECT_EQ(aclGetViewShape(tensor, &dims, nullptr), 161001);
  EXPECT_EQ(aclGetStorageShape(nullptr, &dims, &count), 161001);
  EXPECT_EQ(aclGetViewStrides(tensor, nullptr, &count), 161001);
  EXPECT_EQ(aclGetViewOffset(nullptr, &offset), 161001);
  EXPECT_EQ(aclGetViewOffset(tensor, nullptr), 161001);
  EXPECT_EQ(aclGetFormat(tensor, nullptr), 161001);
  EXPECT_EQ(aclGetDataType(tensor, nullptr), 161001);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, nullptr), 161001);
  EXPECT_EQ(aclSetRawTensorAddr(nullptr, nullptr), 161001);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), 161002);
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 161002);
  EXPECT_EQ(aclGetFormat(tensor, &format), 161002);
  EXPECT_EQ(aclGetDataType(tensor, &dtype), 161002);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 161002);
  EXPECT_EQ(aclSetRawTensorAddr(tensor, nullptr), 161002);
}

TEST(Descriptor, DestroyingNullIsFine) {
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
  EXPECT_EQ(aclDestroyScalar(nullptr), 0);
  EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), 0);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), 0);
  EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
  EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
}

TEST(Descriptor, DestroyingTwiceOrByTheWrongFunctionIsRefused) {
  aclTensor* tensor = Make({2});
  EXPECT_EQ(aclDestroyScalar(reinterpret_cast<aclScalar*>(tensor)), 161002);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  EXPECT_EQ(aclDestroyTensor(tensor), 161002);
  // The slot is used again; the old handle does not name the new object.
  aclTensor* next = Make({3});
  EXPECT_EQ(aclDestroyTensor(tensor), 161002);
  EXPECT_EQ(aclDestroyTensor(next), 0);
  int on_stack = 0;
  EXPECT_EQ(aclDestroyTensor(reinterpret_cast<aclTensor*>(&on_stack)), 161002);
}

TEST(Scalar, CopiesAnyDTypeOfWholeBytes) {
  double value = 3;
  for (aclDataType dtype : {ACL_FLOAT, ACL_DOUBLE, ACL_INT64, ACL_BOOL, ACL_FLOAT16, ACL_BF16,
                            ACL_COMPLEX64, ACL_UINT8}) {
    unsigned char bytes[16] = {};
    std::memcpy(bytes, &value, sizeof(value));
    aclScalar* scalar = aclCreateScalar(bytes, dtype);
    EXPECT_NE(scalar, nullptr);
    EXPECT_EQ(aclDestroyScalar(scalar), 0);
  }
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  EXPECT_EQ(aclCreateScalar(&value, ACL_DT_UNDEFINED), nullptr);
  EXPECT_EQ(aclCreateScalar(&value, ACL_STRING), nullptr);
}

TEST(Array, SizesAndEmptyOnes) {
  const int64_t ints[] = {1, 2, 3};
  const float floats[] = {1};
  const bool bools[] = {true, false};
  aclIntArray* a = aclCreateIntArray(ints, 3);
  aclFloatArray* b = aclCreateFloatArray(floats, 1);
  aclBoolArray* c = aclCreateBoolArray(bools, 2);
  aclIntArray* empty = aclCreateIntArray(nullptr, 0);
  ASSERT_NE(empty, nullptr);
  uint64_t size = 99;
  EXPECT_EQ(aclGetIntArraySize(a, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(aclGetFloatArraySize(b, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclGetBoolArraySize(c, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclGetIntArraySize(empty, &size), 0);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(aclGetIntArraySize(nullptr, &size), 161001);
  EXPECT_EQ(aclGetIntArraySize(a, nullptr), 161001);
  EXPECT_EQ(aclDestroyIntArray(a), 0);
  EXPECT_EQ(aclGetIntArraySize(a, &size), 161002);
  const std::string destroyed = aclGetRecentErrMsg();
  EXPECT_NE(destroyed.find("not a live aclIntArray (it is a destroyed aclIntArray)"),
            std::string::npos)
      << destroyed;
  EXPECT_NE(destroyed.find("keep the object until its last use"), std::string::npos) << destroyed;
  EXPECT_EQ(aclDestroyFloatArray(b), 0);
  EXPECT_EQ(aclDestroyBoolArray(c), 0);
  EXPECT_EQ(aclDestroyIntArray(empty), 0);
  EXPECT_EQ(aclCreateIntArray(nullptr, 1), nullptr);
  EXPECT_EQ(aclCreateFloatArray(nullptr, 1), nullptr);
  EXPECT_EQ(aclCreateBoolArray(nullptr, 1), nullptr);
}

TEST(List, OwnsItsMembers) {
  aclTensor* members[] = {Make({2}), nullptr, Make({3})};
  aclTensorList* list = aclCreateTensorList(members, 3);
  uint64_t size = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  EXPECT_EQ(aclDestroyTensor(members[0]), 161002);
  float one = 1;
  aclScalar* scalars[] = {aclCreateScalar(&one, ACL_FLOAT)};
  aclScalarList* scalar_list = aclCreateScalarList(scalars, 1);
  EXPECT_EQ(aclGetScalarListSize(scalar_list, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclDestroyScalarList(scalar_list), 0);
  EXPECT_EQ(aclDestroyScalar(scalars[0]), 161002);
  aclTensorList* empty = aclCreateTensorList(nullptr, 0);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(aclGetTensorListSize(empty, &size), 0);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(aclDestroyTensorList(empty), 0);
  EXPECT_EQ(aclCreateTensorList(nullptr, 2), nullptr);
}

TEST(Descriptor, MadeOnOneThreadDestroyedOnAnother) {
  aclTensor* tensor = nullptr;
  std::thread([&] { tensor = Make({2}); }).join();
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Init, TheBaseLibraryInitialisesAnyNumberOfTimes) {
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnFinalize(), 0);
  EXPECT_EQ(aclnnFinalize(), 0);
}

}  // namespace
