#include "tests/fuzz/view.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "acl/acl.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/packed.h"
#include "aclimb/truth/elements.h"
#include "tests/fuzz/finding.h"
#include "tests/support/stored_elements.h"

namespace aclimb::fuzz {
namespace {

constexpr size_t kCanary = 64;
constexpr int64_t kMostElements = 100'000;
constexpr int64_t kMostBytes = 1 << 20;

constexpr DType kAnyDType[] = {
    DType::kFloat32,        DType::kFloat16,    DType::kBFloat16,   DType::kFloat64,
    DType::kInt32,          DType::kInt64,      DType::kInt8,       DType::kUInt8,
    DType::kInt16,          DType::kBool,       DType::kUInt64,     DType::kComplex64,
    DType::kComplex128,     DType::kInt4,       DType::kUInt1,      DType::kString,
    DType::kComplex32,      DType::kFloat8E5M2, DType::kFloat4E2M1, DType::kHiFloat8,
    DType::kUInt16,         DType::kUInt32,     DType::kUndefined,  static_cast<DType>(99),
    static_cast<DType>(-77)};
constexpr int kAnyFormat[] = {2,  0,  1,  30, 27, 47, 35, 16, 3,   4,
                              29, 33, 12, 50, -1, 5,  63, 64, 1000};

}  // namespace

View::View(Draw& draw, ViewSpec spec)
    : role_(spec.role), shape_(std::move(spec.shape)), dtype_(spec.dtype), format_(spec.format) {
  ChooseLayout(draw);
  Spoil(draw);
  PlaceElements();
  Allocate(draw);
}

View::~View() {
  DestroyHandle();
  if (memory_ == nullptr) return;
  if (const int code = aclrtFree(memory_)) Finding("aclrtFree gives %d", code);
}

void View::DestroyHandle() {
  if (handle_ == nullptr) return;
  if (const int code = aclDestroyTensor(handle_)) Finding("aclDestroyTensor gives %d", code);
  handle_ = nullptr;
}

// What any operator must take: contiguous, permuted, with gaps, from an offset; inputs broadcast.
void View::ChooseLayout(Draw& draw) {
  const size_t rank = shape_.size();
  const uint8_t layout = draw.Byte();
  // The shape may be that of a tensor which was spoilt.
  if (std::any_of(shape_.begin(), shape_.end(),
                  [](int64_t n) { return n < 0 || n > kMostBytes; })) {
    stride_.assign(rank, 1);
    contiguous_ = true;
    return;
  }
  stride_ = ContiguousStrides(shape_);
  contiguous_ = layout % 8 < 3;
  if (contiguous_) return;
  if (layout % 8 == 3 || layout % 8 == 6) {
    // Another order in memory: a rotation, and one exchange.
    std::vector<size_t> order(rank);
    for (size_t i = 0; i < rank; ++i) order[i] = (i + layout / 8) % rank;
    if (rank > 1 && layout >= 128) std::swap(order[0], order[1]);
    int64_t step = 1;
    for (size_t i = rank; i-- > 0;) {
      stride_[order[i]] = step;
      step *= std::max<int64_t>(1, shape_[order[i]]);
    }
  }
  if (layout % 8 == 4 || layout % 8 == 6) {
    const int64_t gap = 2 + layout / 8 % 3;
    for (int64_t& stride : stride_) stride *= gap;
  } else if (layout % 8 == 5 && rank > 0) {
    // A part of wider rows.
    for (size_t d = 0; d + 1 < rank; ++d)
      stride_[d] += stride_[d] / std::max<int64_t>(1, shape_[rank - 1]) * (1 + layout / 8);
  } else if (layout % 8 == 7 && role_ == Role::kInput && rank > 0) {
    stride_[layout / 8 % rank] = 0;
  }
  if ((layout & 8) != 0) offset_ = (1 + layout / 16) * PackedPerByte(dtype_);
}

// Seldom one thing that is no proper argument any more.
void View::Spoil(Draw& draw) {
  const uint8_t what = draw.Byte();
  if (what < 224) return;
  draw.MarkStrange();
  const size_t rank = shape_.size();
  switch (what % 8) {
    case 0:
      dtype_ = draw.Pick(kAnyDType);
      return;
    case 1:
      format_ = static_cast<aclFormat>(draw.Pick(kAnyFormat));
      return;
    case 2:
      if (rank > 0)
        shape_[static_cast<size_t>(draw.Below(static_cast<int64_t>(rank)))] = draw.Wild();
      return;
    case 3:
      if (rank > 0) {
        contiguous_ = false;
        stride_[static_cast<size_t>(draw.Below(static_cast<int64_t>(rank)))] = draw.Wild();
      }
      return;
    case 4:
      contiguous_ = false;
      offset_ = draw.Wild();
      return;
    case 5:
      shape_.push_back(draw.Number(1, 3));
      stride_.push_back(1);
      return;
    case 6:
      if (rank > 0) {
        shape_.pop_back();
        stride_.pop_back();
      }
      return;
    default:
      if (rank > 0) {
        int64_t& extent = shape_[static_cast<size_t>(draw.Below(static_cast<int64_t>(rank)))];
        extent += extent < std::numeric_limits<int64_t>::max() ? 1 : -1;
      }
      return;
  }
}

void View::PlaceElements() {
  const bool negative_extent =
      std::any_of(shape_.begin(), shape_.end(), [](int64_t n) { return n < 0; });
  const std::optional<int64_t> count = negative_extent ? std::nullopt : ElementCountOf(shape_);
  too_large_ = !count;
  if (too_large_) return;
  if (contiguous_) stride_ = ContiguousStrides(shape_);
  element_bytes_ = SizeOf(dtype_);
  const TensorDescriptor descriptor{
      .shape = shape_, .stride = stride_, .storage_shape = {}, .offset = offset_, .dtype = dtype_};
  const bool negative =
      std::any_of(stride_.begin(), stride_.end(), [](int64_t n) { return n < 0; });
  const auto range = negative || offset_ < 0 ? std::nullopt : descriptor.Footprint();
  too_large_ = !range || *count > kMostElements || range->end > kMostBytes;
  if (too_large_) return;
  count_ = *count;
  storage_bytes_ = static_cast<size_t>(range->end);
  places_ = testing::ElementOffsets(shape_, stride_, offset_);
  // No stride is negative: the last element lies behind all others.
  std::vector<bool> taken(places_.empty() ? 0 : static_cast<size_t>(places_.back()) + 1);
  for (const int64_t place : places_) {
    overlaps_ = overlaps_ || taken[static_cast<size_t>(place)];
    taken[static_cast<size_t>(place)] = true;
  }
  if (role_ != Role::kOutput) values_.assign(places_.size() * element_bytes_, 0);
}

void View::Allocate(Draw& draw) {
  static char host_memory[64];
  const uint8_t fault = draw.Byte();
  if (!too_large_) {
    void* memory = nullptr;
    if (const int code =
            aclrtMalloc(&memory, storage_bytes_ + 2 * kCanary, ACL_MEM_MALLOC_HUGE_FIRST)) {
      Finding("aclrtMalloc of %zu bytes gives %d", storage_bytes_ + 2 * kCanary, code);
    }
    memory_ = static_cast<unsigned char*>(memory);
    data_ = memory_ + kCanary;
    image_.resize(storage_bytes_ + 2 * kCanary);
  }
  if (fault >= 248) {
    bad_data_ = true;
    // The last but one: further on in the device's range than small tensors come.
    void* const bad[] = {nullptr, host_memory, memory_ == nullptr ? nullptr : memory_ + (1 << 29),
                         reinterpret_cast<void*>(uintptr_t{0x10})};
    data_ = bad[fault % 4];
  }
  handle_ = aclCreateTensor(shape_.data(), shape_.size(), static_cast<aclDataType>(dtype_),
                            contiguous_ ? nullptr : stride_.data(), offset_, format_, shape_.data(),
                            shape_.size(), data_);
  if (handle_ != nullptr) return;
  if (!draw.strange()) Finding("aclCreateTensor refuses: %s", aclGetRecentErrMsg());
  if (aclGetRecentErrMsg()[0] == '\0') Finding("aclCreateTensor gives null without a message");
}

void View::Set(int64_t index, double value) {
  if (index >= count_ || values_.empty()) return;
  truth::WriteElement(values_.data() + static_cast<size_t>(index) * element_bytes_, dtype_, value);
}

void View::Fill(Draw& draw, const std::vector<double>& values) {
  const uint8_t mode = draw.Byte();
  if (values_.empty() || values.empty()) return;
  if (mode >= 224) {
    Stream stream(mode);
    for (unsigned char& byte : values_) byte = static_cast<unsigned char>(stream.Next());
    if (dtype_ == DType::kBool) {
      for (unsigned char& byte : values_) byte &= 1;
    }
    return;
  }
  for (int64_t i = 0; i < count_; ++i) Set(i, values[static_cast<size_t>(i) % values.size()]);
  if (mode < 160) return;
  // Some that are strange as numbers or as indices; all of them legal.
  constexpr double kOutside[] = {-1, -100, 1e9, 0.75, -0.5, 9.2e18, -9.2e18};
  for (int64_t i = draw.Below(3); i < count_; i += 1 + draw.Below(9)) {
    Set(i, (mode & 1) != 0 ? draw.Real() : draw.Pick(kOutside));
  }
}

void View::Upload(unsigned char poison) {
  if (memory_ == nullptr) return;
  std::fill(image_.begin(), image_.end(), poison);
  if (!values_.empty()) testing::StoreElements(image_.data() + kCanary, places_, dtype_, values_);
  std::memcpy(memory_, image_.data(), image_.size());
}

void View::CheckSurroundings(const char* what, unsigned char poison) const {
  if (memory_ == nullptr) return;
  const std::vector<unsigned char> now(memory_, memory_ + image_.size());
  if (!written() && role_ != Role::kUnknown) {
    if (now != image_) Finding("%s: an input was written", what);
    return;
  }
  std::vector<unsigned char> expected(now.size(), poison);
  testing::StoreElements(expected.data() + kCanary, places_, dtype_,
                         testing::LoadElements(now.data() + kCanary, places_, dtype_));
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] != expected[i]) {
      Finding("%s: byte %zu of %zu around an output was written", what, i, now.size());
    }
  }
}

std::vector<unsigned char> View::Elements() const {
  return testing::LoadElements(memory_ + kCanary, places_, dtype_);
}

}  // namespace aclimb::fuzz
