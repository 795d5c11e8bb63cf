#pragma once

#include <cmath>

#include "aclimb/core/dtype.h"

// What each operator gives for one element, in double.
namespace aclimb::pointwise::truths {

// The numbers besides the inputs, in the order of the parameters.
struct Numbers {
  double real[3] = {};  // as the dtype that is computed in has them
  int64_t integer[3] = {};
  bool given[3] = {};  // null scalars are not

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
  return x * n[0] > n[1] ? x : std::log1p(std::exp(x * n[0])) / n[0];
}
inline double Threshold(double x, const Numbers& n) { return x <= n[0] ? n[1] : x; }

inline double Least(double x, double least) { return x < least || std::isnan(least) ? least : x; }
inline double Most(double x, double most) { return x > most || std::isnan(most) ? most : x; }
inline double Clamp(double x, const Numbers& n) {
  const double below = n.given[1] ? Most(x, n[1]) : x;
  return n.given[0] ? Least(below, n[0]) : below;
}
inline double ClampMin(double x, const Numbers& n) { return Least(x, n[0]); }
inline double ClampMax(double x, const Numbers& n) { return Most(x, n[0]); }

inline double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
inline double SiluBackward(double g, double x, const Numbers&) {
  return g * SigmoidOf(x) * (1 + x * (1 - SigmoidOf(x)));
}
inline double SigmoidBackward(double g, double y, const Numbers&) { return g * (1 - y) * y; }
inline double HardswishBackward(double g, double x, const Numbers&) {
  return x < -3 ? 0 : x > 3 ? g : g * (x / 3 + 0.5);
}
inline double HardsigmoidBackward(double g, double x, const Numbers&) {
  return x > -3 && x < 3 ? g / 6 : 0;
}
inline double HardtanhBackward(double g, double x, const Numbers& n) {
  return x < n[0] || x > n[1] ? 0 : g;
}
inline double LeakyReluBackward(double g, double x, const Numbers& n) {
  return x > 0 ? g : g * n[0];
}

}  // namespace aclimb::pointwise::truths
