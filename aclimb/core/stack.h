#pragma once

#include <cstddef>

namespace aclimb {

// Stack that every kernel of ours or of a library runs on.
inline constexpr size_t kKernelStackBytes = size_t{256} << 10;

// Whether the calling thread has that much left. False on a stack that is not its thread's own, as
// coroutines have one, and where the system does not tell.
bool HasRoomForKernels();

}  // namespace aclimb
