#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/half.h"
#include "aclimb/truth/elements.h"
#include "aclnn/aclnn_base.h"

// For tests that call the C interface: tensors on the device with poison inside and canaries
// around, and the reading and writing of any dtype through double.
namespace aclimb::testing {

#define ACLIMB_EXPECT_OK(call) EXPECT_EQ((call), 0) << aclGetRecentErrMsg()
#define ACLIMB_ASSERT_OK(call) ASSERT_EQ((call), 0) << aclGetRecentErrMsg()

// Initialises once and binds device 0 to the calling thread; a stream per fixture.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const aclError code = aclInit(nullptr);
    ASSERT_TRUE(code == 0 || code == ACL_ERROR_REPEAT_INITIALIZE) << code;
    ACLIMB_ASSERT_OK(aclrtSetDevice(0));
    ACLIMB_ASSERT_OK(aclrtCreateStream(&stream_));
    (void)aclGetRecentErrMsg();
  }
  void TearDown() override {
    if (stream_ != nullptr) {
      ACLIMB_EXPECT_OK(aclrtDestroyStream(stream_));
    }
    ACLIMB_EXPECT_OK(aclrtResetDevice(0));
  }
  aclrtStream stream_ = nullptr;
};

using truth::ReadElement;
using truth::Rounded;
using truth::WriteElement;

// A strided view on the device. The whole storage, gaps included, is filled with a poison pattern,
// and canaries stand before and behind it.
class DeviceTensor {
 public:
  struct Options {
    std::vector<int64_t> stride = {};  // empty: contiguous
    int64_t offset = 0;                // elements before the view
    aclFormat format = ACL_FORMAT_ND;
    bool null_stride = false;  // give aclCreateTensor a null stride pointer
  };

  // Values in row-major order of the view; empty values leave the poison.
  DeviceTensor(std::vector<int64_t> shape, DType dtype, const std::vector<double>& values,
               Options options);
  DeviceTensor(std::vector<int64_t> shape, DType dtype, const std::vector<double>& values)
      : DeviceTensor(std::move(shape), dtype, values, Options{}) {}
  DeviceTensor(std::vector<int64_t> shape, DType dtype)
      : DeviceTensor(std::move(shape), dtype, {}, Options{}) {}
  ~DeviceTensor();
  DeviceTensor(DeviceTensor&& other) noexcept;
  DeviceTensor& operator=(DeviceTensor&&) = delete;
  DeviceTensor(const DeviceTensor&) = delete;

  aclTensor* get() const { return tensor_; }
  operator aclTensor*() const { return tensor_; }  // NOLINT: as a program passes it
  void* data() const { return storage_; }          // what aclCreateTensor got
  int64_t count() const { return count_; }
  const std::vector<int64_t>& shape() const { return shape_; }

  // What is on the device: of the view byte for byte, row-major; and whether the gaps between
  // strides and the canaries still hold the poison.
  struct Content {
    std::vector<unsigned char> bytes;
    bool surroundings_intact;
  };
  Content Read() const;
  // The view's values in row-major order, copied back from the device.
  std::vector<double> Values() const;
  // Its bytes alone: for bit-exact comparisons.
  std::vector<unsigned char> Bytes() const;
  bool SurroundingsIntact() const { return Read().surroundings_intact; }
  // True when every byte, the view's too, still holds the poison.
  bool Untouched() const;
  // Overwrites the view, of a dtype of 64 bits, in row-major order.
  void SetIntegers(const std::vector<int64_t>& integers);
  // Overwrites the view (and gaps) with poison again.
  void Poison();
  void DestroyDescriptor();
  // From now on somebody else destroys the descriptor.
  aclTensor* TakeDescriptor() { return std::exchange(tensor_, nullptr); }

 private:
  std::vector<unsigned char> Download() const;
  const std::vector<int64_t>& ElementOffsets() const;
  // The view's elements within the storage, and the same back.
  std::vector<unsigned char> Load(const unsigned char* storage) const;
  void Store(unsigned char* storage, const std::vector<unsigned char>& elements) const;

  std::vector<int64_t> shape_;
  std::vector<int64_t> stride_;
  int64_t offset_ = 0;
  DType dtype_;
  int64_t count_ = 0;
  bool dense_ = false;                            // its elements are one range of bytes
  size_t storage_bytes_ = 0;                      // without canaries
  mutable std::vector<int64_t> element_offsets_;  // empty until somebody asks
  void* allocation_ = nullptr;
  void* storage_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

// An aclScalar holding `value` in `dtype`.
class Scalar {
 public:
  Scalar(double value, DType dtype);
  explicit Scalar(float value) : Scalar(static_cast<double>(value), DType::kFloat32) {}
  ~Scalar();
  Scalar(const Scalar&) = delete;
  Scalar& operator=(const Scalar&) = delete;
  operator aclScalar*() const { return scalar_; }  // NOLINT

 private:
  aclScalar* scalar_;
};

class IntArray {
 public:
  IntArray(std::vector<int64_t> values) : IntArray(values.data(), values.size()) {}  // NOLINT
  IntArray(const int64_t* values, size_t count) : array_(aclCreateIntArray(values, count)) {}
  ~IntArray() { (void)aclDestroyIntArray(array_); }
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;
  operator aclIntArray*() const { return array_; }  // NOLINT

 private:
  aclIntArray* array_;
};

class BoolArray {
 public:
  BoolArray(std::initializer_list<bool> values)
      : BoolArray(std::vector<uint8_t>(values.begin(), values.end())) {}
  explicit BoolArray(const std::vector<uint8_t>& values)
      : array_(aclCreateBoolArray(reinterpret_cast<const bool*>(values.data()), values.size())) {}
  ~BoolArray() { (void)aclDestroyBoolArray(array_); }
  BoolArray(const BoolArray&) = delete;
  BoolArray& operator=(const BoolArray&) = delete;
  operator aclBoolArray*() const { return array_; }  // NOLINT

 private:
  aclBoolArray* array_;
};

// Device memory of `bytes` for a workspace; null for 0. It begins one byte behind a cache line,
// where alignment takes the most of it, is full of NaN, and a canary lies behind it.
class Workspace {
 public:
  explicit Workspace(uint64_t bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* get() const { return memory_ == nullptr ? nullptr : static_cast<char*>(memory_) + kShift; }

 private:
  static constexpr uint64_t kShift = 1;

  uint64_t bytes_;
  void* memory_ = nullptr;
};

// Phase 1 by `phase1(&size, &executor)`, workspace, phase 2, synchronise. Returns the
// first code that is not 0.
template <typename PhaseOne, typename PhaseTwo>
int RunBothPhases(PhaseOne&& phase1, PhaseTwo phase2, aclrtStream stream) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const int code = phase1(&size, &executor)) return code;
  const Workspace workspace(size);
  if (const int code = phase2(workspace.get(), size, executor, stream)) return code;
  return aclrtSynchronizeStream(stream);
}

}  // namespace aclimb::testing
