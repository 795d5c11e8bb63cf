#pragma once

#include <algorithm>
#include <cmath>

// What each row gives for one element, with the scalar as the dtype has it.
namespace aclimb::foreach::truths {

// Wide enough for a product of two INT32 on x86.
using Real = long double;

// A result, and how large its terms are where they may cancel.
struct Sum {
  Real value;
  Real size;
};
inline Sum Plus(Real x, Real y) { return {x + y, std::fabs(x) + std::fabs(y)}; }

inline Sum AddList(Real x, Real y, Real alpha) { return Plus(x, alpha * y); }
inline Sum SubList(Real x, Real y, Real alpha) { return Plus(x, -alpha * y); }
inline Sum AddScalar(Real x, Real scalar) { return Plus(x, scalar); }
inline Sum SubScalar(Real x, Real scalar) { return Plus(x, -scalar); }
inline Sum MulList(Real x, Real y, Real) { return {x * y, 0}; }
inline Sum MulScalar(Real x, Real scalar) { return {x * scalar, 0}; }
inline Sum DivList(Real x, Real y, Real) { return {x / y, 0}; }
inline Sum DivScalar(Real x, Real scalar) { return {x / scalar, 0}; }
inline Real Larger(Real x, Real y) { return x > y || std::isnan(x) ? x : y; }
inline Real Smaller(Real x, Real y) { return x < y || std::isnan(x) ? x : y; }
inline Sum MaximumList(Real x, Real y, Real) { return {Larger(x, y), 0}; }
inline Sum MaximumScalar(Real x, Real scalar) { return {Larger(x, scalar), 0}; }
inline Sum MinimumScalar(Real x, Real scalar) { return {Smaller(x, scalar), 0}; }
inline Sum Addcmul(Real x, Real a, Real b, Real scalar) { return Plus(x, scalar * a * b); }
inline Sum Addcdiv(Real x, Real a, Real b, Real scalar) { return Plus(x, scalar * (a / b)); }
inline Sum LerpList(Real x, Real end, Real weight, Real) {
  const Real size = (2 + std::fabs(weight)) * (std::fabs(end) + std::fabs(x));
  return {std::fabs(weight) < 0.5L ? x + weight * (end - x) : end - (end - x) * (1 - weight), size};
}
inline Sum LerpScalar(Real x, Real end, Real weight) { return LerpList(x, end, weight, 0); }
inline Sum Sqrt(Real x, Real) { return {std::sqrt(x), 0}; }
inline Sum Neg(Real x, Real) { return {-x, 0}; }
inline Sum Reciprocal(Real x, Real) { return {1 / x, 0}; }
inline Sum Abs(Real x, Real) { return {std::fabs(x), 0}; }
inline Sum Exp(Real x, Real) { return {std::exp(x), 0}; }
inline Sum Tanh(Real x, Real) { return {std::tanh(x), 0}; }
inline Sum Sigmoid(Real x, Real) { return {1 / (1 + std::exp(-x)), 0}; }
inline Sum Zero(Real, Real) { return {0, 0}; }

}  // namespace aclimb::foreach::truths
