#include "tests/support/device.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclimb/core/descriptor.h"
#include "aclimb/core/packed.h"
#include "tests/support/stored_elements.h"

namespace aclimb::testing {
namespace {

constexpr size_t kCanary = 64;
constexpr unsigned char kPoison = 0xC3;

}  // namespace

DeviceTensor::DeviceTensor(std::vector<int64_t> shape, DType dtype,
                           const std::vector<double>& values, Options options)
    : shape_(std::move(shape)),
      stride_(options.stride.empty() ? ContiguousStrides(shape_) : options.stride),
      offset_(options.offset),
      dtype_(dtype) {
  count_ = ElementCountOf(shape_).value_or(0);
  dense_ = PackedPerByte(dtype) == 1 && stride_ == ContiguousStrides(shape_);
  int64_t last = offset_;
  for (size_t d = 0; d < shape_.size(); ++d)
    last += std::max<int64_t>(0, shape_[d] - 1) * stride_[d];
  const int64_t elements = count_ == 0 ? offset_ : last + 1;
  storage_bytes_ = static_cast<size_t>(SizeOf(dtype) > 0 ? BytesOf(dtype, elements) : elements);
  const size_t bytes = storage_bytes_ + 2 * kCanary;
  EXPECT_EQ(aclrtMalloc(&allocation_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0) << aclGetRecentErrMsg();
  storage_ = static_cast<char*>(allocation_) + kCanary;
  std::vector<unsigned char> host(bytes, kPoison);
  if (!values.empty()) {
    const bool fits = static_cast<int64_t>(values.size()) == count_;
    EXPECT_TRUE(fits) << values.size() << " values for " << count_ << " elements";
    if (fits) Store(host.data() + kCanary, truth::WriteElements(values, dtype));
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
      dense_(other.dense_),
      storage_bytes_(other.storage_bytes_),
      element_offsets_(std::move(other.element_offsets_)),
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

const std::vector<int64_t>& DeviceTensor::ElementOffsets() const {
  if (element_offsets_.empty()) {
    element_offsets_ = testing::ElementOffsets(shape_, stride_, offset_);
  }
  return element_offsets_;
}

std::vector<unsigned char> DeviceTensor::Download() const {
  std::vector<unsigned char> host(storage_bytes_ + 2 * kCanary);
  EXPECT_EQ(
      aclrtMemcpy(host.data(), host.size(), allocation_, host.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0)
      << aclGetRecentErrMsg();
  return host;
}

std::vector<unsigned char> DeviceTensor::Load(const unsigned char* storage) const {
  if (!dense_) return LoadElements(storage, ElementOffsets(), dtype_);
  const size_t size = SizeOf(dtype_);
  const unsigned char* const first = storage + static_cast<size_t>(offset_) * size;
  return {first, first + static_cast<size_t>(count_) * size};
}

void DeviceTensor::Store(unsigned char* storage, const std::vector<unsigned char>& elements) const {
  if (!dense_) return StoreElements(storage, ElementOffsets(), dtype_, elements);
  if (elements.empty()) return;
  std::memcpy(storage + static_cast<size_t>(offset_) * SizeOf(dtype_), elements.data(),
              elements.size());
}

std::vector<double> DeviceTensor::Values() const { return truth::ReadElements(Bytes(), dtype_); }

std::vector<unsigned char> DeviceTensor::Bytes() const { return Load(Download().data() + kCanary); }

DeviceTensor::Content DeviceTensor::Read() const {
  const std::vector<unsigned char> host = Download();
  std::vector<unsigned char> bytes = Load(host.data() + kCanary);
  if (dense_) {
    const auto is_poison = [](unsigned char byte) { return byte == kPoison; };
    const size_t first = kCanary + static_cast<size_t>(offset_) * SizeOf(dtype_);
    const bool intact =
        std::all_of(host.data(), host.data() + first, is_poison) &&
        std::all_of(host.data() + first + bytes.size(), host.data() + host.size(), is_poison);
    return {std::move(bytes), intact};
  }
  std::vector<unsigned char> expected(host.size(), kPoison);
  Store(expected.data() + kCanary, bytes);
  return {std::move(bytes), host == expected};
}

void DeviceTensor::SetIntegers(const std::vector<int64_t>& integers) {
  std::vector<unsigned char> host = Download();
  const std::vector<int64_t>& offsets = ElementOffsets();
  for (size_t i = 0; i < integers.size(); ++i) {
    std::memcpy(host.data() + kCanary + static_cast<size_t>(offsets[i]) * sizeof(int64_t),
                &integers[i], sizeof(int64_t));
  }
  ACLIMB_EXPECT_OK(
      aclrtMemcpy(allocation_, host.size(), host.data(), host.size(), ACL_MEMCPY_HOST_TO_DEVICE));
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

Workspace::Workspace(uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const uint64_t all = kShift + bytes + kCanary;
  EXPECT_EQ(aclrtMalloc(&memory_, all, ACL_MEM_MALLOC_HUGE_FIRST), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(aclrtMemset(memory_, all, kPoison, all), 0) << aclGetRecentErrMsg();
  // NaN: an operator that reads what it has not written shows it.
  EXPECT_EQ(aclrtMemset(get(), bytes, 0xFF, bytes), 0) << aclGetRecentErrMsg();
}

Workspace::~Workspace() {
  if (memory_ == nullptr) return;
  std::vector<unsigned char> behind(kCanary);
  // The test may have reset the device.
  if (aclrtMemcpy(behind.data(), kCanary, static_cast<char*>(get()) + bytes_, kCanary,
                  ACL_MEMCPY_DEVICE_TO_HOST) == 0) {
    EXPECT_EQ(behind, std::vector<unsigned char>(kCanary, kPoison))
        << "written behind the workspace";
  }
  (void)aclrtFree(memory_);
}

}  // namespace aclimb::testing
