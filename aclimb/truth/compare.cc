#include "aclimb/truth/compare.h"

#include <cmath>
#include <limits>
#include <utility>

#include "aclimb/truth/elements.h"

namespace aclimb::truth {

Difference DifferenceOf(const std::vector<double>& got, const std::vector<double>& expected,
                        const std::vector<double>& allowed) {
  Difference difference;
  difference.count = got.size();
  for (size_t i = 0; i < got.size(); ++i) {
    if (!allowed.empty() && allowed[i] == kAnything) continue;
    const double e = expected[i];
    double error = std::fabs(got[i] - e);
    if (got[i] == e || (std::isnan(got[i]) && std::isnan(e))) {
      error = 0;
    } else if (!std::isfinite(got[i]) || !std::isfinite(e)) {
      error = std::numeric_limits<double>::infinity();
    }
    if (error > difference.absolute) {
      difference.absolute = error;
      difference.absolute_at = i;
    }
    const double relative = e != 0 && error > 0 ? error / std::fabs(e) : 0;
    // An infinite or missing number has no relative error of its own.
    if (std::isfinite(relative) && relative > difference.relative) {
      difference.relative = relative;
      difference.relative_at = i;
    }
    // What is allowed beside an infinity is infinite too.
    const double most = allowed.empty() || std::isinf(error) ? 0 : allowed[i];
    if (error > 0 && !(error <= most) && difference.beyond++ == 0) {
      difference.first_beyond = i;
    }
  }
  return difference;
}

Expected InDType(Expected expected, DType dtype) {
  // No dtype rounds what is below to an infinity.
  constexpr double kFinite = 65000;
  for (double& value : expected.values) {
    if (std::fabs(value) < kFinite) continue;
    const double rounded = Rounded(value, dtype);
    if (!std::isfinite(rounded)) value = rounded;
  }
  return expected;
}

}  // namespace aclimb::truth
