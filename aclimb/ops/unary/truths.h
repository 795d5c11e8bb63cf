#pragma once

#include <cmath>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/unary/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"

// What each row gives for one element, in double; the dtype of the input where it matters.
namespace aclimb::unary::truths {

// Integers wrap: the least one stays what it is.
inline double Abs(double x, DType dtype) { return truth::Wrapped(std::fabs(x), dtype); }
inline double Neg(double x, DType dtype) { return truth::Wrapped(-x, dtype); }
inline double Exp(double x, DType) { return std::exp(x); }
inline double Log(double x, DType) { return std::log(x); }
inline double Sqrt(double x, DType) { return std::sqrt(x); }
inline double Rsqrt(double x, DType) { return 1 / std::sqrt(x); }
inline double Reciprocal(double x, DType) { return 1 / x; }
// Integers are computed with as float32: of large ones a sine depends on their last digits.
inline double AsRead(double x, DType dtype) {
  return IsFloating(dtype) ? x : static_cast<double>(static_cast<float>(x));
}
inline double Sin(double x, DType dtype) { return std::sin(AsRead(x, dtype)); }
inline double Cos(double x, DType dtype) { return std::cos(AsRead(x, dtype)); }
inline double Tanh(double x, DType) { return std::tanh(x); }
inline double Sigmoid(double x, DType) { return 1 / (1 + std::exp(-x)); }
inline double Relu(double x, DType) { return x < 0 ? 0 : x; }
inline double Gelu(double x, DType) {
  return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
}
inline double Silu(double x, DType) { return x / (1 + std::exp(-x)); }
inline double Mish(double x, DType) { return x * std::tanh(std::log1p(std::exp(x))); }
inline double Ramp(double x) { return x < -3 ? 0 : x > 3 ? 6 : x + 3; }
inline double Hardswish(double x, DType) { return x * Ramp(x) / 6; }
inline double Hardsigmoid(double x, DType) { return Ramp(x) / 6; }
inline double Erf(double x, DType) { return std::erf(x); }
inline double Floor(double x, DType) { return std::floor(x); }
inline double Ceil(double x, DType) { return std::ceil(x); }
inline double Round(double x, DType) { return std::nearbyint(x); }
inline double Trunc(double x, DType) { return std::trunc(x); }
inline double Sign(double x, DType) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
inline double LogicalNot(double x, DType) { return x == 0 ? 1 : 0; }
inline double BitwiseNot(double x, DType dtype) {
  if (dtype == DType::kBool) return x == 0 ? 1 : 0;
  return dtype == DType::kUInt8 ? 255 - x : -x - 1;
}
inline double Acos(double x, DType) { return std::acos(x); }
inline double Acosh(double x, DType) { return std::acosh(x); }
inline double Asin(double x, DType) { return std::asin(x); }
inline double Asinh(double x, DType) { return std::asinh(x); }
inline double Atan(double x, DType) { return std::atan(x); }
inline double Atanh(double x, DType) { return std::atanh(x); }
inline double Cosh(double x, DType) { return std::cosh(x); }
inline double Sinh(double x, DType) { return std::sinh(x); }
inline double Tan(double x, DType dtype) { return std::tan(AsRead(x, dtype)); }
inline double Erfc(double x, DType) { return std::erfc(x); }
// The bisection ends where the middle is one of the ends.
inline double Erfinv(double x, DType) {
  if (std::isnan(x) || std::fabs(x) > 1) return std::nan("");
  if (std::fabs(x) == 1) return std::copysign(HUGE_VAL, x);
  double low = -6, high = 6;
  if (x == 0) return x;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    // Close to the ends by what is left to them.
    const bool is_below = x > 0 ? std::erfc(middle) > 1 - x : std::erfc(-middle) < 1 + x;
    (is_below ? low : high) = middle;
  }
  return (low + high) / 2;
}
inline double Expm1(double x, DType) { return std::expm1(x); }
inline double Log1p(double x, DType) { return std::log1p(x); }
inline double Log2(double x, DType) { return std::log2(x); }
inline double Log10(double x, DType) { return std::log10(x); }
inline double Exp2(double x, DType) { return std::exp2(x); }
inline double Signbit(double x, DType) { return std::signbit(x) ? 1 : 0; }
inline double IsFinite(double x, DType) { return std::isfinite(x) ? 1 : 0; }

// A few units of the last place of float32, or one rounding to a half type.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {5e-7, 1e-40};
    case DType::kFloat16:
      return {5e-4, 6e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-40};
    case DType::kFloat64:
      return {4e-16, 1e-300};
    default:
      return {};
  }
}

}  // namespace aclimb::unary::truths
