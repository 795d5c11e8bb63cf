#pragma once

#include <algorithm>
#include <cmath>

namespace aclimb::norms {

// The mean of numbers, and the sum of their squares about it.
struct Moments {
  double mean;
  double squares;
};

// From the sum of `count` numbers, which float32 makes inexact, and from the sums of their
// deviations from about its mean, and of the squares of these, which are small and tell the rest.
inline Moments MomentsFrom(double mean, float about, double count, double off, double squares) {
  // Infinities have no deviations.
  if (!std::isfinite(off)) return {mean, squares};
  return {static_cast<double>(about) + off / count, std::max(squares - off / count * off, 0.0)};
}

// deviations(about) gives the two sums.
template <typename Deviations>
Moments MomentsOf(double sum, double count, const Deviations& deviations) {
  const double mean = sum / count;
  const auto about = static_cast<float>(mean);
  const double* const sums = deviations(about);
  return MomentsFrom(mean, about, count, sums[0], sums[1]);
}

}  // namespace aclimb::norms
