#pragma once

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclimb/core/tensor_view.h"
#include "tests/support/stored_elements.h"

// For tests of kernels, which take views of the host's memory.
namespace aclimb::testing {

// Bytes that start on a cache line, with poison in them and canaries around, which the address
// sanitizer lets nobody else read.
class HostMemory {
 public:
  explicit HostMemory(size_t bytes) : bytes_(bytes), memory_(bytes + 2 * kCanary + kLine, kPoison) {
    start_ = (kLine - reinterpret_cast<uintptr_t>(memory_.data()) % kLine) % kLine + kCanary;
    Guard(true);
  }
  ~HostMemory() { Guard(false); }
  HostMemory(HostMemory&&) = default;

  unsigned char* data() { return memory_.data() + start_; }
  const unsigned char* data() const { return memory_.data() + start_; }
  size_t size() const { return bytes_; }
  void Poison() { std::fill_n(data(), bytes_, kPoison); }

  bool CanariesIntact() const {
    const auto is_poison = [](unsigned char byte) { return byte == kPoison; };
    Guard(false);
    const bool intact = std::all_of(data() - kCanary, data(), is_poison) &&
                        std::all_of(data() + bytes_, data() + bytes_ + kCanary, is_poison);
    Guard(true);
    return intact;
  }

 private:
  static constexpr size_t kLine = 64, kCanary = 128;
  // Neither negative nor small as an integer, and large as a float.
  static constexpr unsigned char kPoison = 0x5A;

  void Guard([[maybe_unused]] bool on) const {
    // What was moved away has none.
    if (memory_.empty()) return;
    for ([[maybe_unused]] const unsigned char* const canary : {data() - kCanary, data() + bytes_}) {
      if (on) {
        ASAN_POISON_MEMORY_REGION(canary, kCanary);
      } else {
        ASAN_UNPOISON_MEMORY_REGION(canary, kCanary);
      }
    }
  }

  size_t bytes_;
  std::vector<unsigned char> memory_;
  size_t start_ = 0;
};

// A strided tensor there, no larger than it has to be. Elements are poison until they are written.
class HostTensor {
 public:
  // `stride` in elements, empty for row-major; the first element lies `offset` elements in.
  HostTensor(DType dtype, const std::vector<int64_t>& shape, std::vector<int64_t> stride = {},
             int64_t offset = 0)
      : view_(ViewOf(dtype, shape, stride)),
        memory_((static_cast<size_t>(offset) + Reach(view_)) * SizeOf(dtype)) {
    std::vector<int64_t> strides(view_.stride, view_.stride + view_.rank);
    offsets_ = ElementOffsets(shape, strides, offset);
    view_.data = memory_.data() + static_cast<size_t>(offset) * SizeOf(dtype);
  }
  HostTensor(HostTensor&&) = default;

  const TensorView& view() const { return view_; }
  void Poison() { memory_.Poison(); }
  // Of all elements in row-major order.
  void Set(const std::vector<double>& values) {
    StoreElements(memory_.data(), offsets_, view_.dtype, truth::WriteElements(values, view_.dtype));
  }
  std::vector<double> Values() const { return truth::ReadElements(Bytes(), view_.dtype); }
  std::vector<unsigned char> Bytes() const {
    return LoadElements(memory_.data(), offsets_, view_.dtype);
  }
  // Whether what lies between the elements, and around all of them, is poison still.
  bool SurroundingsIntact() const {
    HostMemory rest(memory_.size());
    StoreElements(rest.data(), offsets_, view_.dtype, Bytes());
    return memory_.CanariesIntact() &&
           std::equal(rest.data(), rest.data() + rest.size(), memory_.data());
  }

 private:
  static TensorView ViewOf(DType dtype, const std::vector<int64_t>& shape,
                           const std::vector<int64_t>& stride) {
    TensorView view;
    view.dtype = dtype;
    view.rank = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), view.shape);
    view = DenseLike(view, nullptr);
    std::copy(stride.begin(), stride.end(), view.stride);
    return view;
  }
  // Elements from the first to the last, both included.
  static size_t Reach(const TensorView& view) {
    int64_t last = 0;
    for (int d = 0; d < view.rank; ++d) last += (view.shape[d] - 1) * view.stride[d];
    return view.ElementCount() == 0 ? 0 : static_cast<size_t>(last + 1);
  }

  TensorView view_;
  HostMemory memory_;
  std::vector<int64_t> offsets_;
};

}  // namespace aclimb::testing
