#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "aclimb/copy/test_view.h"
#include "aclimb/core/half.h"
#include "aclimb/core/tensor_view.h"

// Tensors of the kernels' tests.
namespace aclimb::convolution_backward {

inline constexpr DType kDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

inline double Load(const char* at, DType dtype) {
  if (dtype == DType::kFloat32) {
    float value;
    std::memcpy(&value, at, 4);
    return static_cast<double>(value);
  }
  uint16_t bits;
  std::memcpy(&bits, at, 2);
  return static_cast<double>(dtype == DType::kFloat16 ? ToFloat(Float16{bits})
                                                      : ToFloat(BFloat16{bits}));
}
inline void Save(char* at, DType dtype, double value) {
  const float rounded = static_cast<float>(value);
  if (dtype == DType::kFloat32) {
    std::memcpy(at, &rounded, 4);
    return;
  }
  const uint16_t bits =
      dtype == DType::kFloat16 ? ToFloat16(rounded).bits : ToBFloat16(rounded).bits;
  std::memcpy(at, &bits, 2);
}

// As a tensor of the dtype would hold it.
inline double Rounded(double value, DType dtype) {
  char bytes[4];
  Save(bytes, dtype, value);
  return Load(bytes, dtype);
}

// Memory that ends at a page that nobody may touch, or begins behind one: sanitizers do not look
// into masked loads and stores.
class Fenced {
 public:
  Fenced(size_t bytes, bool at_end) {
    const size_t page = 4096, room = (bytes + page - 1) / page * page;
    size_ = room + 2 * page;
    std::vector<char*>& unused = unused_[size_];
    if (unused.empty()) {
      void* const all = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (all == MAP_FAILED) throw std::bad_alloc();
      all_ = static_cast<char*>(all);
      if (room > 0) mprotect(all_ + page, room, PROT_READ | PROT_WRITE);
    } else {
      all_ = unused.back();
      unused.pop_back();
    }
    data_ = all_ + page + (at_end ? room - bytes : 0);
  }
  ~Fenced() {
    if (size_ > kMostKept) {
      munmap(all_, size_);
    } else {
      unused_[size_].push_back(all_);
    }
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  char* data() const { return data_; }

 private:
  // The system takes longer over a small mapping than a test over its data.
  static constexpr size_t kMostKept = size_t{1} << 20;
  static inline std::map<size_t, std::vector<char*>> unused_;
  size_t size_;
  char* all_;
  char* data_;
};

// A view on fenced memory of exactly its size.
class Tensor {
 public:
  // `gap` elements lie between rows and, behind the last dimension, between elements.
  Tensor(const std::vector<int64_t>& shape, DType dtype, int64_t gap = 0) {
    view.dtype = dtype;
    view.rank = static_cast<int>(shape.size());
    int64_t stride = 1;
    for (int d = view.rank - 1; d >= 0; --d) {
      view.shape[d] = shape[static_cast<size_t>(d)];
      view.stride[d] = stride;
      stride = stride * view.shape[d] + gap;
    }
    int64_t last = 0;
    for (int d = 0; d < view.rank; ++d) last += (view.shape[d] - 1) * view.stride[d];
    bytes_ = static_cast<size_t>(last + 1) * SizeOf(dtype);
    memory_ = std::make_unique<Fenced>(bytes_, made_++ % 2 == 0);
    std::memset(memory_->data(), 0xFF, bytes_);  // NaN
    view.data = memory_->data();
  }
  // Multiples of a quarter, from random.Integer(least, most).
  template <typename Random>
  void Fill(Random& random) {
    Each([&](char* at) { Save(at, view.dtype, static_cast<double>(random.Integer(-8, 8)) / 4); });
  }
  std::vector<double> Values() const {
    std::vector<double> values;
    values.reserve(static_cast<size_t>(view.ElementCount()));
    Each([&](char* at) { values.push_back(Load(at, view.dtype)); });
    return values;
  }
  // What lies between the elements is as it was.
  bool GapsAreUntouched() const {
    const size_t size = SizeOf(view.dtype);
    // Elements that fill the memory have no gaps.
    if (static_cast<size_t>(view.ElementCount()) * size == bytes_) return true;
    std::vector<char> others(memory_->data(), memory_->data() + bytes_);
    Each([&](char* at) {
      std::memset(&others[static_cast<size_t>(at - memory_->data())], 0xFF, size);
    });
    return std::ranges::count(others, '\xFF') == std::ssize(others);
  }
  // Element `index` of the view, row-major.
  void Set(int64_t index, double value) {
    int64_t offset = 0;
    for (int d = view.rank - 1; d >= 0; --d) {
      offset += index % view.shape[d] * view.stride[d];
      index /= view.shape[d];
    }
    Save(memory_->data() + offset * static_cast<int64_t>(SizeOf(view.dtype)), view.dtype, value);
  }
  TensorView view;

 private:
  template <typename F>
  void Each(const F& body) const {
    aclimb::testing::EachElement(view, body);
  }
  static inline int made_ = 0;
  size_t bytes_;
  std::unique_ptr<Fenced> memory_;
};

}  // namespace aclimb::convolution_backward
