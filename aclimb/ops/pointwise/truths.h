#pragma once

#include <cmath>

#include "aclimb/core/dtype.h"

// What each operator gives for one element, in double.
namespace aclimb::pointwise::truths {

// The numbers besides the inputs, in the order of the parameters.
struct Numbers {
  double real[3] = {};  // as float32 has them, where half types are computed
  double rounded = 0;   // the first of them, as the dtype has it
  int64_t integer[3] = {};
  bool given[5] = {};    // what is null is not; by parameter
  bool by_tanh = false;  // the text
  bool whole = false;    // integers are computed

  double operator[](int i) const { return real[i]; }
};

inline double Elu(double x, const Numbers& n) {
  return x <= 0 ? n[0] * n[1] * std::expm1(x * n[2]) : n[1] * x;
}
inline double ByErf(double x) { return x * (1 + std::erf(x * M_SQRT1_2)) / 2; }
inline double ByTanh(double x) {
  return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
}
inline double GeluV2(double x, const Numbers& n) {
  return n.integer[0] == 0 ? ByErf(x) : ByTanh(x);
}
inline double LeakyRelu(double x, const Numbers& n) { return x > 0 ? x : x * n[0]; }
inline double Softplus(double x, const Numbers& n) {
  const double z = x * n[0];
  return z > n[1] ? x : (std::fmax(z, 0) + std::log1p(std::exp(-std::fabs(z)))) / n[0];
}
inline double Celu(double x, const Numbers& n) {
  return x <= 0 ? n[0] * std::expm1(x * static_cast<float>(1 / n[0])) : x;
}
inline double Hardshrink(double x, const Numbers& n) {
  return std::fabs(x) <= std::fmax(n.rounded, 0) ? 0 : x;
}
inline double Threshold(double x, const Numbers& n) { return x <= n[0] ? n[1] : x; }

inline double Least(double x, double least) { return x < least || std::isnan(least) ? least : x; }
inline double Most(double x, double most) { return x > most || std::isnan(most) ? most : x; }
inline double Clamp(double x, const Numbers& n) {
  const double above = n.given[1] ? Least(x, n[0]) : x;
  return n.given[2] ? Most(above, n[1]) : above;
}
inline double ClampMin(double x, const Numbers& n) { return Least(x, n[0]); }
inline double ClampMax(double x, const Numbers& n) { return Most(x, n[0]); }

inline double ClampMinBy(double x, double least, const Numbers&) { return Least(x, least); }
inline double ClampMaxBy(double x, double most, const Numbers&) { return Most(x, most); }
inline double ClampByBoth(double x, double least, double most, const Numbers&) {
  return Most(Least(x, least), most);
}
// Of the bound that is given.
inline double ClampByOne(double x, double bound, const Numbers& n) {
  return n.given[1] ? Least(x, bound) : Most(x, bound);
}
inline double Where(double condition, double x, double y, const Numbers&) {
  return condition != 0 ? x : y;
}
inline double MaskedFill(double x, double mask, const Numbers& n) { return mask != 0 ? n[0] : x; }
inline double MaskedFillBy(double x, double mask, double value, const Numbers&) {
  return mask != 0 ? value : x;
}

// A sum, and how large its terms are, which may cancel.
struct Sum {
  double value;
  double size;
};
inline Sum Addcmul(double x, double a, double b, const Numbers& n) {
  const double product = n[0] * a * b;
  return {x + product, std::fabs(x) + std::fabs(product)};
}
inline Sum Addcdiv(double x, double a, double b, const Numbers& n) {
  double quotient = n[0] * a / b;
  if (n.whole) quotient = b == 0 ? 0 : std::trunc(n[0] * a / b);
  return {x + quotient, std::fabs(x) + std::fabs(quotient)};
}
inline Sum Between(double x, double end, double weight) {
  const double size =
      std::fabs(x) + std::fabs(end) + (1 + std::fabs(weight)) * (std::fabs(end) + std::fabs(x));
  return {std::fabs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight), size};
}
inline Sum Lerp(double x, double end, double weight, const Numbers&) {
  return Between(x, end, weight);
}
inline Sum LerpBy(double x, double end, const Numbers& n) { return Between(x, end, n[0]); }

inline double ThresholdBackward(double g, double x, const Numbers& n) { return x <= n[0] ? 0 : g; }
// g * ((1 + t) / 2 + rest): the two may cancel.
inline Sum OfShareAndRest(double g, double t, double rest) {
  const double share = (1 + t) / 2;
  return {g * (share + rest), std::fabs(g) * (std::fabs(share) + std::fabs(rest))};
}
inline Sum GeluBackwardByErf(double g, double x) {
  return OfShareAndRest(g, std::erf(x * M_SQRT1_2), x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI));
}
inline Sum GeluBackward(double g, double x, const Numbers&) {
  const double k = std::sqrt(2 / M_PI);
  const double t = std::tanh(k * (x + 0.044715 * x * x * x));
  return OfShareAndRest(g, t, x / 2 * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x));
}
inline Sum GeluBackwardV2(double g, double x, const Numbers& n) {
  return n.by_tanh ? GeluBackward(g, x, n) : GeluBackwardByErf(g, x);
}
inline Sum MishBackward(double g, double x, const Numbers&) {
  const double t = std::tanh(std::log1p(std::exp(x)));
  const double rest = x * (1 / (1 + std::exp(-x))) * (1 - t * t);
  return {g * (t + rest), std::fabs(g) * (std::fabs(t) + std::fabs(rest))};
}
inline double ShrinkBackward(double g, double x, const Numbers& n) {
  return std::fabs(x) <= std::fmax(n.rounded, 0) ? 0 : g;
}
inline double TanhBackward(double g, double y, const Numbers&) {
  const long double square = static_cast<long double>(y) * y;
  return static_cast<double>(g * (1 - square));
}
inline double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
inline double SoftplusBackward(double g, double x, const Numbers& n) {
  return x * n[0] > n[1] ? g : g * SigmoidOf(x * n[0]);
}
inline Sum SiluBackward(double g, double x, const Numbers&) {
  const double factor = g * SigmoidOf(x), rest = x * (1 - SigmoidOf(x));
  return {factor * (1 + rest), std::fabs(factor) * (1 + std::fabs(rest))};
}
inline double SigmoidBackward(double g, double y, const Numbers&) { return g * (1 - y) * y; }
inline Sum HardswishBackward(double g, double x, const Numbers&) {
  if (x < -3) return {0, 0};
  if (x > 3) return {g, std::fabs(g)};
  return {g * (x / 3 + 0.5), std::fabs(g) * (std::fabs(x) / 3 + 0.5)};
}
inline double HardsigmoidBackward(double g, double x, const Numbers&) {
  return x > -3 && x < 3 ? g / 6 : 0;
}
inline double HardtanhBackward(double g, double x, const Numbers& n) {
  return x < n[0] || x > n[1] ? 0 : g;
}
inline double LogSigmoidBackward(double g, double x, const Numbers&) {
  return g / (1 + std::exp(x));
}
inline double NanToNum(double x, const Numbers& n) {
  return std::isnan(x) ? n[0] : std::isinf(x) ? n[x > 0 ? 1 : 2] : x;
}
// In the type that PyTorch computes in.
template <typename T>
double RoundDecimals(double x, int64_t decimals) {
  const T power = static_cast<T>(std::pow(10.0, std::fabs(static_cast<double>(decimals))));
  const T number = static_cast<T>(x);
  return decimals < 0 ? std::nearbyint(number / power) * power
                      : std::nearbyint(number * power) / power;
}
inline double LeakyReluBackward(double g, double x, const Numbers& n) {
  return x > 0 ? g : g * n[0];
}

}  // namespace aclimb::pointwise::truths
