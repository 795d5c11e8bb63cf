#pragma once

namespace aclimb {

// The cubic curve through elements that are 1 apart (a = -0.75): what an element counts at a
// distance of at most 1, or of 1 to 2, and the derivatives with the distance.
struct CubicCurve {
  static constexpr double Near(double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; }
  static constexpr double Far(double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; }
  static constexpr double NearSlope(double d) { return (3 * (kA + 2) * d - 2 * (kA + 3)) * d; }
  static constexpr double FarSlope(double d) { return (3 * kA * d - 10 * kA) * d + 8 * kA; }

 private:
  static constexpr double kA = -0.75;
};

}  // namespace aclimb
