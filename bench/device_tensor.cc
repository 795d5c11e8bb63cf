#include "bench/device_tensor.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "aclimb/core/half.h"

namespace aclimb::bench {
namespace {

// NaN in every floating-point dtype; as a BOOL neither true nor false.
constexpr unsigned char kPoison = 0xFF;
// A prime, so that rows of usual lengths do not repeat.
constexpr int64_t kPattern = 1048573;

void Encode(double value, const std::string& dtype, unsigned char* to) {
  const float single = static_cast<float>(value);
  if (dtype == "float32") {
    std::memcpy(to, &single, sizeof(single));
  } else if (dtype == "float16") {
    const Float16 half = ToFloat16(single);
    std::memcpy(to, &half, sizeof(half));
  } else if (dtype == "bfloat16") {
    const BFloat16 half = ToBFloat16(single);
    std::memcpy(to, &half, sizeof(half));
  } else if (dtype == "int64") {
    const auto whole = static_cast<int64_t>(value);
    std::memcpy(to, &whole, sizeof(whole));
  } else if (dtype == "int32") {
    const auto whole = static_cast<int32_t>(value);
    std::memcpy(to, &whole, sizeof(whole));
  } else if (dtype == "int8") {
    *to = static_cast<unsigned char>(static_cast<int8_t>(value));
  } else if (dtype == "bool") {
    *to = value != 0 ? 1 : 0;
  } else {
    throw std::runtime_error("no values of dtype " + dtype);
  }
}

}  // namespace

void Check(int code, const char* call) {
  if (code == 0) return;
  const char* const text = aclGetRecentErrMsg();
  throw std::runtime_error(std::string(call) + " returned " + std::to_string(code) + ": " +
                           (text == nullptr ? "" : text));
}

uint64_t Random::Next() {
  uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double Random::Normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += Unit();
  return sum;
}

size_t SizeOfName(const std::string& dtype) {
  if (dtype == "float32" || dtype == "int32") return 4;
  if (dtype == "int64") return 8;
  if (dtype == "float16" || dtype == "bfloat16") return 2;
  if (dtype == "int8" || dtype == "bool") return 1;
  throw std::runtime_error("no dtype " + dtype);
}

aclDataType AclDataTypeOf(const std::string& dtype) {
  if (dtype == "float32") return ACL_FLOAT;
  if (dtype == "int32") return ACL_INT32;
  if (dtype == "int64") return ACL_INT64;
  if (dtype == "float16") return ACL_FLOAT16;
  if (dtype == "bfloat16") return ACL_BF16;
  if (dtype == "int8") return ACL_INT8;
  if (dtype == "bool") return ACL_BOOL;
  throw std::runtime_error("no dtype " + dtype);
}

DeviceTensor::DeviceTensor(const std::vector<int64_t>& shape, const std::string& dtype,
                           const std::vector<int64_t>& stride, aclFormat format)
    : dtype_(dtype), count_(1) {
  for (const int64_t extent : shape) count_ *= extent;
  bytes_ = static_cast<size_t>(count_) * SizeOfName(dtype);
  Check(aclrtMalloc(&memory_, std::max<size_t>(bytes_, 1), ACL_MEM_MALLOC_HUGE_FIRST),
        "aclrtMalloc");
  tensor_ = aclCreateTensor(shape.data(), shape.size(), AclDataTypeOf(dtype),
                            stride.empty() ? nullptr : stride.data(), 0, format, shape.data(),
                            shape.size(), memory_);
  if (tensor_ == nullptr) {
    (void)aclrtFree(memory_);
    throw std::runtime_error(std::string("aclCreateTensor: ") + aclGetRecentErrMsg());
  }
}

DeviceTensor::~DeviceTensor() {
  (void)aclDestroyTensor(tensor_);
  (void)aclrtFree(memory_);
}

void DeviceTensor::Fill(uint64_t seed, const std::function<double(Random&)>& value) {
  const size_t size = SizeOfName(dtype_);
  const int64_t pattern = std::min(kPattern, count_);
  std::vector<unsigned char> host(static_cast<size_t>(pattern) * size);
  Random random(seed);
  for (int64_t i = 0; i < pattern; ++i) {
    Encode(value(random), dtype_, host.data() + static_cast<size_t>(i) * size);
  }
  for (size_t begin = 0; begin < bytes_; begin += host.size()) {
    const size_t n = std::min(host.size(), bytes_ - begin);
    Check(aclrtMemcpy(static_cast<char*>(memory_) + begin, n, host.data(), n,
                      ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
  }
}

void DeviceTensor::FillNormal(uint64_t seed, double scale) {
  Fill(seed, [scale](Random& random) { return random.Normal() * scale; });
}

template <typename T>
void DeviceTensor::Upload(const std::vector<T>& values) {
  if (values.size() != static_cast<size_t>(count_)) throw std::runtime_error("Upload: count");
  const size_t size = SizeOfName(dtype_);
  std::vector<unsigned char> host(bytes_);
  for (size_t i = 0; i < values.size(); ++i) {
    Encode(static_cast<double>(values[i]), dtype_, host.data() + i * size);
  }
  Check(aclrtMemcpy(memory_, bytes_, host.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE),
        "aclrtMemcpy");
}
template void DeviceTensor::Upload(const std::vector<float>& values);
template void DeviceTensor::Upload(const std::vector<int64_t>& values);

void DeviceTensor::Poison() {
  if (bytes_ != 0) Check(aclrtMemset(memory_, bytes_, kPoison, bytes_), "aclrtMemset");
}

bool DeviceTensor::PoisonShows(const DeviceTensor* where) const {
  constexpr size_t kPlaces = 4096;
  const size_t size = SizeOfName(dtype_);
  const size_t count = static_cast<size_t>(count_);
  const size_t step = std::max<size_t>(1, count / kPlaces);
  const auto read = [](const DeviceTensor& tensor, size_t i, size_t bytes, unsigned char* to) {
    Check(aclrtMemcpy(to, bytes, static_cast<const char*>(tensor.memory_) + i * bytes, bytes,
                      ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
  };
  // Not one by itself: a result may be NaN.
  int alike = 0;
  for (size_t i = 0; i < count; i += step) {
    unsigned char element[8], looks = 1;
    if (where != nullptr) read(*where, i, 1, &looks);
    if (looks == 0) continue;
    read(*this, i, size, element);
    alike += std::all_of(element, element + size, [](unsigned char c) { return c == kPoison; });
  }
  return alike > 2 || (alike > 0 && count <= 2);
}

}  // namespace aclimb::bench
