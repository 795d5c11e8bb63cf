#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclimb/core/dtype.h"

namespace aclimb::cli {

// The elements of a one-dimensional .npy file. Throws Unreadable when it is not one of that many
// elements of that dtype.
std::vector<unsigned char> ReadNpy(const std::string& path, DType dtype, uint64_t elements);

}  // namespace aclimb::cli
