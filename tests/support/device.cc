#include "tests/support/device.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclimb/core/descriptor.h"
#include "tests/support/element_offsets.h"

namespace aclimb::testing {
namespace {

constexpr size_t kCanary = 64;
constexpr unsigned char kPoison = 0xC3;

template <typename T>
T Get(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
template <typename T>
void Put(unsigned char* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

// double to a 16-bit float in one rounding: to float32 with the sticky bit kept (round to odd).
float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) {
    return nearest;
  }
  const bool away = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  const uint32_t truncated = BitsOf(nearest) - (away ? 1u : 0u);
  return FloatOfBits(truncated | 1u);
}

}  // namespace

double ReadElement(const unsigned char* at, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64:
      return Get<float>(at);
    case DType::kFloat64:
    case DType::kComplex128:
      return Get<double>(at);
    case DType::kFloat16:
    case DType::kComplex32:
      return ToFloat(Get<Float16>(at));
    case DType::kBFloat16:
      return ToFloat(Get<BFloat16>(at));
    case DType::kInt8:
      return Get<int8_t>(at);
    case DType::kInt16:
      return Get<int16_t>(at);
    case DType::kInt32:
      return Get<int32_t>(at);
    case DType::kInt64:
      return static_cast<double>(Get<int64_t>(at));
    case DType::kUInt16:
      return Get<uint16_t>(at);
    case DType::kUInt32:
      return Get<uint32_t>(at);
    case DType::kUInt64:
      return static_cast<double>(Get<uint64_t>(at));
    default:
      return Get<uint8_t>(at);
  }
}

void WriteElement(unsigned char* at, DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kComplex64:
      return Put(at, static_cast<float>(value));
    case DType::kFloat64:
    case DType::kComplex128:
      return Put(at, value);
    case DType::kFloat16:
    case DType::kComplex32:
      return Put(at, ToFloat16(RoundToOdd(value)));
    case DType::kBFloat16:
      return Put(at, ToBFloat16(RoundToOdd(value)));
    case DType::kInt8:
      return Put(at, static_cast<int8_t>(value));
    case DType::kInt16:
      return Put(at, static_cast<int16_t>(value));
    case DType::kInt32:
      return Put(at, static_cast<int32_t>(value));
    case DType::kInt64:
      return Put(at, static_cast<int64_t>(value));
    case DType::kUInt16:
      return Put(at, static_cast<uint16_t>(value));
    case DType::kUInt32:
      return Put(at, static_cast<uint32_t>(value));
    case DType::kUInt64:
      return Put(at, static_cast<uint64_t>(value));
    default:
      return Put(at, static_cast<uint8_t>(value));
  }
}

double Rounded(double value, DType dtype) {
  unsigned char bytes[16] = {};
  WriteElement(bytes, dtype, value);
  return ReadElement(bytes, dtype);
}

DeviceTensor::DeviceTensor(std::vector<int64_t> shape, DType dtype,
                           const std::vector<double>& values, Options options)
    : shape_(std::move(shape)),
      stride_(options.stride.empty() ? ContiguousStrides(shape_) : options.stride),
      offset_(options.offset),
      dtype_(dtype) {
  count_ = ElementCountOf(shape_).value_or(0);
  int64_t last = offset_;
  for (size_t d = 0; d < shape_.size(); ++d)
    last += std::max<int64_t>(0, shape_[d] - 1) * stride_[d];
  const int64_t elements = count_ == 0 ? offset_ : last + 1;
  const size_t size = std::max<size_t>(1, SizeOf(dtype));
  storage_bytes_ = static_cast<size_t>(elements) * size;
  const size_t bytes = storage_bytes_ + 2 * kCanary;
  EXPECT_EQ(aclrtMalloc(&allocation_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0) << aclGetRecentErrMsg();
  storage_ = static_cast<char*>(allocation_) + kCanary;
  std::vector<unsigned char> host(bytes, kPoison);
  if (!values.empty()) {
    EXPECT_EQ(static_cast<int64_t>(values.size()), count_);
    const std::vector<int64_t> offsets = ElementOffsets();
    for (size_t i = 0; i < values.size(); ++i) {
      WriteElement(host.data() + kCanary + static_cast<size_t>(offsets[i]) * size, dtype,
                   values[i]);
    }
  }
  EXPECT_EQ(aclrtMemcpy(allocation_, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), 0)
      << aclGetRecentErrMsg();
  // One-dimensional storage, as most clients describe it.
  const int64_t storage_dim = elements;
  tensor_ = aclCreateTensor(shape_.data(), shape_.size(), static_cast<aclDataType>(dtype),
                            options.null_stride ? nullptr : stride_.data(), offset_, options.format,
                            &storage_dim, 1, storage_);
  EXPECT_NE(tensor_, nullptr) << aclGetRecentErrMsg();
}

DeviceTensor::DeviceTensor(DeviceTensor&& other) noexcept
    : shape_(std::move(other.shape_)),
      stride_(std::move(other.stride_)),
      offset_(other.offset_),
      dtype_(other.dtype_),
      count_(other.count_),
      storage_bytes_(other.storage_bytes_),
      allocation_(std::exchange(other.allocation_, nullptr)),
      storage_(other.storage_),
      tensor_(std::exchange(other.tensor_, nullptr)) {}

DeviceTensor::~DeviceTensor() {
  DestroyDescriptor();
  if (allocation_ != nullptr) (void)aclrtFree(allocation_);
}

void DeviceTensor::DestroyDescriptor() {
  if (tensor_ != nullptr) (void)aclDestroyTensor(std::exchange(tensor_, nullptr));
}

std::vector<int64_t> DeviceTensor::ElementOffsets() const {
  return testing::ElementOffsets(shape_, stride_, offset_);
}

std::vector<unsigned char> DeviceTensor::Download() const {
  std::vector<unsigned char> host(storage_bytes_ + 2 * kCanary);
  EXPECT_EQ(
      aclrtMemcpy(host.data(), host.size(), allocation_, host.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0)
      << aclGetRecentErrMsg();
  return host;
}

std::vector<double> DeviceTensor::Values() const {
  const std::vector<unsigned char> host = Download();
  std::vector<double> values;
  values.reserve(static_cast<size_t>(count_));
  for (int64_t at : ElementOffsets()) {
    values.push_back(
        ReadElement(host.data() + kCanary + static_cast<size_t>(at) * SizeOf(dtype_), dtype_));
  }
  return values;
}

std::vector<unsigned char> DeviceTensor::Bytes() const {
  const std::vector<unsigned char> host = Download();
  std::vector<unsigned char> bytes;
  for (int64_t at : ElementOffsets()) {
    const auto* from = host.data() + kCanary + static_cast<size_t>(at) * SizeOf(dtype_);
    bytes.insert(bytes.end(), from, from + SizeOf(dtype_));
  }
  return bytes;
}

bool DeviceTensor::SurroundingsIntact() const {
  std::vector<unsigned char> host = Download();
  for (int64_t at : ElementOffsets()) {
    std::memset(host.data() + kCanary + static_cast<size_t>(at) * SizeOf(dtype_), kPoison,
                SizeOf(dtype_));
  }
  return std::all_of(host.begin(), host.end(), [](unsigned char byte) { return byte == kPoison; });
}

bool DeviceTensor::Untouched() const {
  const std::vector<unsigned char> host = Download();
  return std::all_of(host.begin(), host.end(), [](unsigned char byte) { return byte == kPoison; });
}

void DeviceTensor::Poison() {
  const size_t bytes = storage_bytes_ + 2 * kCanary;
  ACLIMB_EXPECT_OK(aclrtMemset(allocation_, bytes, kPoison, bytes));
}

Scalar::Scalar(double value, DType dtype) {
  unsigned char bytes[16] = {};
  WriteElement(bytes, dtype, value);
  scalar_ = aclCreateScalar(bytes, static_cast<aclDataType>(dtype));
  EXPECT_NE(scalar_, nullptr) << aclGetRecentErrMsg();
}

Scalar::~Scalar() { (void)aclDestroyScalar(scalar_); }

Workspace::Workspace(uint64_t bytes) {
  if (bytes > 0) {
    EXPECT_EQ(aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0) << aclGetRecentErrMsg();
  }
}

Workspace::~Workspace() {
  if (memory_ != nullptr) (void)aclrtFree(memory_);
}

}  // namespace aclimb::testing
