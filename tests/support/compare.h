#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace aclimb::testing {

// |got - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// Element by element; NaN must meet NaN, infinity the same infinity. Reports the first difference
// and how many there are.
inline ::testing::AssertionResult Near(const std::vector<double>& got,
                                       const std::vector<double>& expected, Tolerance tolerance) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << "got " << got.size() << " values, expected " << expected.size();
  }
  size_t wrong = 0;
  size_t first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double g = got[i];
    const double e = expected[i];
    bool good;
    if (std::isnan(e)) {
      good = std::isnan(g);
    } else if (std::isinf(e)) {
      good = g == e;
    } else {
      good = std::fabs(g - e) <= tolerance.absolute + tolerance.relative * std::fabs(e);
    }
    if (!good && wrong++ == 0) first = i;
  }
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << wrong << " of " << got.size() << " differ, first at " << first << ": got " << got[first]
         << ", expected " << expected[first] << " within " << tolerance.relative << " relative, "
         << tolerance.absolute << " absolute";
}

// A small, seeded generator, the same on every platform (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  int64_t Integer(int64_t low, int64_t high) {  // both inclusive
    return low + static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }
  double Real(double low, double high) {
    return low + (high - low) * static_cast<double>(Next() >> 11) * 0x1p-53;
  }
  bool Chance(double p) { return Real(0, 1) < p; }
  std::vector<double> Reals(int64_t count, double low, double high) {
    std::vector<double> values(static_cast<size_t>(count));
    for (double& value : values) value = Real(low, high);
    return values;
  }

 private:
  uint64_t state_;
};

}  // namespace aclimb::testing
