#pragma once

#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/elementwise/problem.h"

namespace aclimb::elementwise {

using copy::Place;

// Computes blocks of elements on one thread, through buffers that stay in the first-level cache.
class Worker {
 public:
  explicit Worker(const Problem& problem);

  // Elements of a block at most.
  int64_t block() const { return block_; }
  void Compute(const Place (&place)[kOperands], int64_t count, bool stream);

  // Whether elements that lie side by side need no buffers; then they may be computed so.
  bool IsPlain() const { return !converts_; }
  void RunSideBySide(char* const (&at)[kOperands], int64_t count, bool stream) const {
    const void* const in[kMostInputs] = {at[0], at[1], at[2]};
    problem_.run(in, at[kOutput], count, stream, problem_.attributes);
  }

 private:
  const void* Input(int n, const Place& place, int64_t count);
  void Store(const Place& place, int64_t count);

  static constexpr int64_t kBufferBytes = 4096;

  const Problem& problem_;
  int64_t block_;
  bool converts_ = false;
  // Integers that meet a half type are rounded to it before the formula reads them.
  copy::Converter rounded_[kMostInputs];
  copy::Converter from_[kMostInputs];
  // What is computed is stored in one step, or in two where it is rounded before.
  copy::Converter rounding_;
  copy::Converter storing_;
  // What is repeated stays in its buffer for the next blocks.
  const char* repeated_[kMostInputs] = {};
  int64_t repeated_count_[kMostInputs] = {};
  alignas(64) char input_[kMostInputs][kBufferBytes];
  alignas(64) char result_[2][kBufferBytes];
};

}  // namespace aclimb::elementwise
