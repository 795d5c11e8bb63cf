#pragma once

#include <cstdint>

#include "aclimb/copy/storage.h"

namespace aclimb::elementwise {

inline constexpr int kMostInputs = 3;

// output[i] = f(inputs[0][i], ...) for i < count: consecutive elements of one dtype, the output's
// being that or BOOL, and a mask having a byte each. The output may be one of the inputs. With
// `stream` the stores go around the caches where the instruction set can do that; end with
// hwy::FlushStream().
using Run = void (*)(const void* const* inputs, void* output, int64_t count, bool stream,
                     const void* attributes);

// A formula for one instruction set.
struct Runs {
  Run of[kStorageCount] = {};  // by the dtype it computes in; null: not in that one
  int inputs = 0;
  int mask = -1;            // the input that is read as bytes, of which any but 0 is true, or -1
  bool gives_bool = false;  // whatever the inputs' dtype is
  float cycles = 0;         // for one element in the first-level cache, about
};

// A formula of an operator: an exported function, which answers for the instruction set in use, and
// which of its formulas it is.
struct Formula {
  const Runs& (*runs)(int number) = nullptr;
  int number = 0;

  const Runs& Get() const { return runs(number); }
};

}  // namespace aclimb::elementwise
