#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

namespace aclimb::bench {

// Throws with the call's recent error text when `code` is not 0.
void Check(int code, const char* call);

// splitmix64: the same numbers on every machine and with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // In [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  int64_t Below(int64_t end) { return static_cast<int64_t>(Unit() * static_cast<double>(end)); }
  // Mean 0, variance 1: a sum of uniform numbers, near enough to normal for data.
  double Normal();

 private:
  uint64_t state_;
};

// Bytes of an element, and the C interface's number, of "float32", "float16", "bfloat16",
// "int8", "int32", "int64" or "bool".
size_t SizeOfName(const std::string& dtype);
aclDataType AclDataTypeOf(const std::string& dtype);

// Strides of a matrix: dense, or those of the transposed view of a dense one.
inline std::vector<int64_t> StridesOf(const std::string& layout, int64_t rows) {
  return layout == "transposed" ? std::vector<int64_t>{1, rows} : std::vector<int64_t>{};
}

class IntArray {
 public:
  explicit IntArray(const std::vector<int64_t>& values)
      : array_(aclCreateIntArray(values.data(), values.size())) {}
  ~IntArray() { (void)aclDestroyIntArray(array_); }
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;
  operator aclIntArray*() const { return array_; }  // NOLINT: as a program passes it

 private:
  aclIntArray* array_;
};

// Device memory and its descriptor.
class DeviceTensor {
 public:
  // `stride` in elements, empty for row-major.
  DeviceTensor(const std::vector<int64_t>& shape, const std::string& dtype,
               const std::vector<int64_t>& stride = {}, aclFormat format = ACL_FORMAT_ND);
  ~DeviceTensor();
  DeviceTensor(const DeviceTensor&) = delete;
  DeviceTensor& operator=(const DeviceTensor&) = delete;

  operator aclTensor*() const { return tensor_; }  // NOLINT: as a program passes it
  int64_t count() const { return count_; }
  double bytes() const { return static_cast<double>(bytes_); }

  // Writes value(random) to every element; the values repeat after about a million.
  void Fill(uint64_t seed, const std::function<double(Random&)>& value);
  void FillNormal(uint64_t seed, double scale = 1);
  // The elements, in order of memory.
  template <typename T>
  void Upload(const std::vector<T>& values);

  void Poison();
  // Looks at some thousand places spread over the tensor, or at those of them where a dense tensor
  // of BOOL is true.
  bool PoisonShows(const DeviceTensor* where = nullptr) const;

 private:
  std::string dtype_;
  int64_t count_ = 0;
  size_t bytes_ = 0;
  void* memory_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

}  // namespace aclimb::bench
