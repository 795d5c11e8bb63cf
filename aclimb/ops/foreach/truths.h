#pragma once

#include <algorithm>
#include <cmath>

// What each row gives for one element, in double, with the scalar as the dtype has it.
namespace aclimb::foreach::truths {

// A result, and how large its terms are where they may cancel.
struct Sum {
  double value;
  double size;
};
inline Sum Plus(double x, double y) { return {x + y, std::fabs(x) + std::fabs(y)}; }

inline Sum AddList(double x, double y, double alpha) { return Plus(x, alpha * y); }
inline Sum SubList(double x, double y, double alpha) { return Plus(x, -alpha * y); }
inline Sum AddScalar(double x, double scalar) { return Plus(x, scalar); }
inline Sum SubScalar(double x, double scalar) { return Plus(x, -scalar); }
inline Sum MulList(double x, double y, double) { return {x * y, 0}; }
inline Sum MulScalar(double x, double scalar) { return {x * scalar, 0}; }
inline Sum DivList(double x, double y, double) { return {x / y, 0}; }
inline Sum DivScalar(double x, double scalar) { return {x / scalar, 0}; }
inline double Larger(double x, double y) { return x > y || std::isnan(x) ? x : y; }
inline double Smaller(double x, double y) { return x < y || std::isnan(x) ? x : y; }
inline Sum MaximumList(double x, double y, double) { return {Larger(x, y), 0}; }
inline Sum MaximumScalar(double x, double scalar) { return {Larger(x, scalar), 0}; }
inline Sum MinimumScalar(double x, double scalar) { return {Smaller(x, scalar), 0}; }
inline Sum Addcmul(double x, double a, double b, double scalar) { return Plus(x, scalar * a * b); }
inline Sum Addcdiv(double x, double a, double b, double scalar) {
  return Plus(x, scalar * (a / b));
}
inline Sum LerpList(double x, double end, double weight, double) {
  const double size = (2 + std::fabs(weight)) * (std::fabs(end) + std::fabs(x));
  return {std::fabs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight), size};
}
inline Sum LerpScalar(double x, double end, double weight) { return LerpList(x, end, weight, 0); }
inline Sum Sqrt(double x, double) { return {std::sqrt(x), 0}; }
inline Sum Neg(double x, double) { return {-x, 0}; }
inline Sum Reciprocal(double x, double) { return {1 / x, 0}; }
inline Sum Abs(double x, double) { return {std::fabs(x), 0}; }
inline Sum Exp(double x, double) { return {std::exp(x), 0}; }
inline Sum Tanh(double x, double) { return {std::tanh(x), 0}; }
inline Sum Sigmoid(double x, double) { return {1 / (1 + std::exp(-x)), 0}; }
inline Sum Zero(double, double) { return {0, 0}; }

}  // namespace aclimb::foreach::truths
