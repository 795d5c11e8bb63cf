#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclnn/acl_meta.h"
#include "tests/fuzz/draw.h"

namespace aclimb::fuzz {

// kLeftAlone: an output that the call does not ask for. kUnknown: one of a call whose flags were
// spoilt, so that nobody knows whether it is written.
enum class Role { kInput, kOutput, kInOut, kLeftAlone, kUnknown };

// What an operator's document allows for a parameter.
struct ViewSpec {
  Role role = Role::kInput;
  std::vector<int64_t> shape;
  DType dtype = DType::kFloat32;
  aclFormat format = ACL_FORMAT_ND;
};

// A tensor argument: a view of device memory with canaries around it, and what the memory held
// before the call. The bytes choose its strides and offset and may spoil any part of it.
class View {
 public:
  View(Draw& draw, ViewSpec spec);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  aclTensor* handle() const { return handle_; }
  // Neither memory nor time would suffice to use it: its data address is null.
  bool too_large() const { return too_large_; }
  // Phase 2 may refuse it.
  bool bad_data() const { return bad_data_; }

  // Values of an input, or others where the bytes say so. Nothing happens when the tensor has no
  // memory, or another shape than was asked for.
  void Fill(Draw& draw, const std::vector<double>& values);
  // From now on the output is this input's memory.
  void MakeOutputToo() { in_place_ = true; }
  // From now on nobody knows whether an output is written.
  void MakeUnknown() {
    if (role_ == Role::kOutput) role_ = Role::kUnknown;
  }

  // Puts the values of inputs, and poison everywhere else, into device memory.
  void Upload(unsigned char poison);
  // Ends in a finding when anything but the elements of an output has changed.
  void CheckSurroundings(const char* what, unsigned char poison) const;
  // The elements' bytes in row-major order.
  std::vector<unsigned char> Elements() const;
  // The operator writes it; it must leave every other one alone.
  bool written() const { return role_ == Role::kOutput || role_ == Role::kInOut || in_place_; }
  // Two writes may meet in one element: its result depends on the order.
  bool overlaps() const { return overlaps_; }
  // The descriptor may die once phase 1 has returned.
  void DestroyHandle();
  // From now on somebody else destroys it.
  aclTensor* TakeHandle() { return std::exchange(handle_, nullptr); }

 private:
  void Set(int64_t index, double value);
  void ChooseLayout(Draw& draw);
  void Spoil(Draw& draw);
  void PlaceElements();
  void Allocate(Draw& draw);

  Role role_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> stride_;
  int64_t offset_ = 0;
  DType dtype_;
  aclFormat format_;
  bool contiguous_ = false;  // pass no strides
  int64_t count_ = 0;
  size_t element_bytes_ = 0;
  size_t storage_bytes_ = 0;
  bool too_large_ = false;
  bool bad_data_ = false;
  bool in_place_ = false;
  bool overlaps_ = false;
  std::vector<int64_t> places_;        // of the elements within the storage
  std::vector<unsigned char> values_;  // the elements' bytes, row-major; of inputs
  std::vector<unsigned char> image_;   // what was uploaded, canaries included
  unsigned char* memory_ = nullptr;    // on the device
  void* data_ = nullptr;               // what the descriptor says
  aclTensor* handle_ = nullptr;
};

}  // namespace aclimb::fuzz
