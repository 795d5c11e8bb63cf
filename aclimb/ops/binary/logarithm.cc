#include <cmath>

#include "aclimb/ops/binary/formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/binary/logarithm.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/elementwise/elementwise-inl.h"
#include "aclimb/ops/binary/forms-inl.h"
#include "aclimb/simd/exp-inl.h"
#include "aclimb/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::binary {
namespace HWY_NAMESPACE {

// The logarithm of the sum of two powers is the larger exponent, and what the other adds. The two
// may cancel, so that half types need all digits of float32. Equal exponents are 0 apart, infinite
// ones too; NaN is not equal and stays.
//   of  the logarithm of the powers' base, and 1 divided by it
template <class D, class V>
HWY_INLINE V LogOfSum(D d, V x, V y, const double (&of)[2]) {
  const V larger = hn::IfThenElse(hn::Ge(x, y), x, y);
  const V apart = hn::IfThenZeroElse(hn::Eq(x, y), hn::Abs(hn::Sub(x, y)));
  const V power = Exp<float>(d, hn::Mul(apart, hn::Set(d, static_cast<float>(-of[0]))));
  return hn::MulAdd(Log1p<float>(d, power), hn::Set(d, static_cast<float>(of[1])), larger);
}
inline double LogOfSum(double x, double y, const double (&of)[2]) {
  const double apart = x == y ? 0 : std::fabs(x - y);
  return (x >= y ? x : y) + std::log1p(std::exp(-of[0] * apart)) * of[1];
}

struct Exponents : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 4;
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<double>;
};

struct LogAddExp : Exponents {
  static constexpr double kOf[] = {1, 1};
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return LogOfSum(d, x, y, kOf);
  }
  double Scalar(double x, double y) const { return LogOfSum(x, y, kOf); }
};

struct LogAddExp2 : Exponents {
  static constexpr double kOf[] = {M_LN2, M_LOG2E};
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return LogOfSum(d, x, y, kOf);
  }
  double Scalar(double x, double y) const { return LogOfSum(x, y, kOf); }
};

// 0 times any logarithm is 0, but NaN stays.
struct XLogY : Attributes {
  static constexpr int kInputs = 2;
  static constexpr float kCycles = 3;
  using Vectors = elementwise::Floats;
  using Scalars = elementwise::Types<double>;
  template <class T, class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V product = hn::Mul(x, Log<T>(d, y));
    const auto is_zero = hn::And(hn::Eq(x, hn::Zero(d)), hn::Eq(y, y));
    return hn::IfThenZeroElse(is_zero, product);
  }
  double Scalar(double x, double y) const { return x == 0 && !std::isnan(y) ? 0 : x * std::log(y); }
};

const elementwise::Runs& LogarithmOfNumber(int number) {
  static constexpr elementwise::Runs kRuns[] = {
      RunsOf<LogAddExp>(),
      {},
      {},
      RunsOf<LogAddExp2>(),
      {},
      {},
      RunsOf<XLogY>(),
      RunsOf<WithScalar<XLogY>>(),
      RunsOf<AfterScalar<XLogY>>(),
  };
  return kRuns[number];
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::binary
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::binary {

HWY_EXPORT(LogarithmOfNumber);

const elementwise::Runs& LogarithmRuns(int number) {
  return HWY_DYNAMIC_DISPATCH(LogarithmOfNumber)(number);
}

}  // namespace aclimb::binary
#endif
