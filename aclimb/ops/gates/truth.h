#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/core/dimensions.h"
#include "aclimb/ops/gates/contract.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::gates {

inline double SigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }
inline double GeluOf(double x, bool tanh) {
  if (!tanh) return x * 0.5 * std::erfc(-x * 0.70710678118654752);
  return x * SigmoidOf(1.5957691216057308 * (x + 0.044715 * x * x * x));
}

// A result, and what rounding to float32 on the way can leave it off by, beside itself.
struct Rounded {
  double value;
  double size = 0;
};

// formula(first, second) of the halves' elements, in the order of a half.
template <typename Formula>
void SetHalf(const truth::Call& call, truth::Outputs& outputs, const Cut& cut, int out,
             const Formula& formula) {
  const std::vector<int64_t>& shape = call.Shape(cut.whole.place);
  const size_t d = WrapDimension(call.Integer(cut.dim.place), shape.size());
  int64_t inner = 1, count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    count *= shape[i];
    if (i > d) inner *= shape[i];
  }
  const int64_t half = shape[d] / 2 * inner;
  const std::vector<double>& x = call.Values(cut.whole.place);
  const DType in = call.DTypeOf(cut.whole.place), dtype = call.DTypeOf(out);
  const double computed = in == DType::kFloat64 ? 1e-15 : 2e-6;
  std::vector<double> values, allowed;
  for (int64_t i = 0; i < count / 2; ++i) {
    const auto at = static_cast<size_t>(i / half * 2 * half + i % half);
    const Rounded result =
        formula(x[at], x[at + static_cast<size_t>(half)], static_cast<size_t>(i));
    values.push_back(result.value);
    const double relative = computed + truth::RoundingOf(in) + truth::RoundingOf(dtype);
    const double off = relative * std::fabs(result.value) + computed * result.size +
                       truth::LeastOf(in) + truth::LeastOf(dtype);
    allowed.push_back(std::isfinite(off) ? off : 0);
  }
  outputs.Set(out, std::move(values), std::move(allowed));
}

// The two gradients as the halves of one tensor.
template <typename First, typename Second>
void SetBoth(const truth::Call& call, truth::Outputs& outputs, const Cut& cut, int out,
             const First& first, const Second& second) {
  truth::Outputs halves;
  SetHalf(call, halves, cut, out, first);
  const truth::Expected of_first = *halves.Find(out);
  SetHalf(call, halves, cut, out, second);
  const truth::Expected of_second = *halves.Find(out);
  const std::vector<int64_t>& shape = call.Shape(cut.whole.place);
  const size_t d = WrapDimension(call.Integer(cut.dim.place), shape.size());
  int64_t half = shape[d] / 2;
  for (size_t i = d + 1; i < shape.size(); ++i) half *= shape[i];
  truth::Expected both;
  for (int64_t i = 0; i < call.ElementCount(cut.whole.place); ++i) {
    const truth::Expected& of = i / half % 2 == 0 ? of_first : of_second;
    const auto at = static_cast<size_t>(i / (2 * half) * half + i % half);
    both.values.push_back(of.values[at]);
    both.allowed.push_back(of.allowed[at]);
  }
  outputs.Set(out, std::move(both.values), std::move(both.allowed));
}

namespace swi_glu {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  SetHalf(call, outputs, kCut, kOut,
          [](double a, double b, size_t) { return Rounded{a * SigmoidOf(a) * b}; });
}
}  // namespace swi_glu

namespace swi_glu_grad {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<double>& g = call.Values(kGrad);
  SetBoth(
      call, outputs, kCut, kOut,
      [&](double a, double b, size_t i) {
        const double s = SigmoidOf(a);
        return Rounded{g[i] * b * s * (1 + a * (1 - s)),
                       std::fabs(g[i] * b * s) * (1 + std::fabs(a * (1 - s)))};
      },
      [&](double a, double, size_t i) { return Rounded{g[i] * a * SigmoidOf(a)}; });
}
}  // namespace swi_glu_grad

namespace glu {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  SetHalf(call, outputs, kCut, kOut,
          [](double a, double b, size_t) { return Rounded{a * SigmoidOf(b)}; });
}
}  // namespace glu

namespace glu_backward {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<double>& g = call.Values(kGrad);
  SetBoth(
      call, outputs, kCut, kOut,
      [&](double, double b, size_t i) { return Rounded{g[i] * SigmoidOf(b)}; },
      [&](double a, double b, size_t i) {
        const double s = SigmoidOf(b);
        return Rounded{g[i] * a * (s * (1 - s)), std::fabs(g[i] * a * s) * 0.1};
      });
}
}  // namespace glu_backward

namespace ge_glu {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const bool tanh = call.Integer(kApproximate) == 1;
  SetHalf(call, outputs, kCut, kOut, [&](double a, double b, size_t) {
    return Rounded{a * GeluOf(b, tanh), std::fabs(a * b) * 0.1};
  });
  SetHalf(call, outputs, kCut, kOutGelu, [&](double, double b, size_t) {
    return Rounded{GeluOf(b, tanh), std::fabs(b) * 0.1};
  });
}
}  // namespace ge_glu

namespace ge_glu_v3 {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const bool tanh = call.Integer(kApproximate) == 1, left = call.Bool(kActivateLeft);
  SetHalf(call, outputs, kCut, kOut, [&](double a, double b, size_t) {
    return Rounded{left ? GeluOf(a, tanh) * b : a * GeluOf(b, tanh), std::fabs(a * b) * 0.1};
  });
  SetHalf(call, outputs, kCut, kOutGelu, [&](double a, double b, size_t) {
    return Rounded{GeluOf(left ? a : b, tanh), std::fabs(left ? a : b) * 0.1};
  });
}
}  // namespace ge_glu_v3

}  // namespace aclimb::gates
