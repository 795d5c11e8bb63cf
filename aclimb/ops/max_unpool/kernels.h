#pragma once

#include <cstddef>
#include <cstdint>

// Kernels on dense planes, or volumes, one after the other. No result depends on the threads.
namespace aclimb::max_unpool {

struct UnpoolArgs {
  int64_t planes = 1;
  int64_t small = 0;   // elements of a plane that has an index for each
  int64_t large = 0;   // of a plane that the indices are for
  size_t element = 0;  // bytes: 1, 2, 4 or 8
  bool wide = false;   // the indices are INT64 instead of INT32
  const void* from = nullptr;
  const void* indices = nullptr;
  void* to = nullptr;
};

enum class Unpooled { kAll, kCancelled, kUnknownIndex };

// to[indices[i]] = from[i], 0 elsewhere. An index outside of its plane is left out.
Unpooled Unpool(const UnpoolArgs& args);
// to[i] = from[indices[i]], or 0.
Unpooled UnpoolGradient(const UnpoolArgs& args);

}  // namespace aclimb::max_unpool
