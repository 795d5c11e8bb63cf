#pragma once

#include <cstdint>
#include <string>

namespace aclimb {

// The name of an aclFormat: "NCHW", "FRACTAL_NZ"; "number 99" for a number that is none.
std::string FormatText(int32_t format);

}  // namespace aclimb
