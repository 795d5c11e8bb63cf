#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"

namespace aclimb::copy {

// Converts consecutive elements of one dtype to another, any two that StorageIndex() knows (Cast()
// says how). Every result is rounded once; equal dtypes are copied bit by bit. Made for the
// instruction set in use.
class Converter {
 public:
  Converter() = default;  // of equal bytes; converts nothing
  Converter(DType from, DType to);

  // False: the elements stay as they are, whatever runs.
  bool Changes() const { return first_ != nullptr; }
  // `from` and `to` do not overlap.
  void Run(const void* from, int64_t count, void* to) const;
  // Run() around the caches, if there is a kernel for that: for outputs that no cache holds.
  void Stream(const void* from, int64_t count, void* to) const;

  using Step = void (*)(const void* from, int64_t count, void* to);

 private:
  Step first_ = nullptr;
  Step second_ = nullptr;  // what `first_` made float32 goes through it
  DType from_ = DType::kUndefined;
  DType to_ = DType::kUndefined;
};

}  // namespace aclimb::copy
