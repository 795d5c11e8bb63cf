#pragma once

#include <cmath>
#include <cstdint>

namespace aclimb::convolution_backward {

// What float32 sums err with most when it is added so many times: all of them are just below a
// power of two, so that the last half of the additions are off by almost half a unit in the last
// place each, the same way.
inline double WorstTerm(int64_t count) {
  const double sum = std::exp2(std::ceil(std::log2(static_cast<double>(count))));
  const double unit = sum * 0x1p-24;
  return std::floor(sum / static_cast<double>(count) / unit) * unit - 0.51 * unit;
}

}  // namespace aclimb::convolution_backward
