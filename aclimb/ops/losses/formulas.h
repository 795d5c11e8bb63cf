#pragma once

#include <cstdint>

namespace aclimb::losses {

// The most operands that a formula has.
inline constexpr int kMostOperands = 5;

// Of consecutive float32 elements: out[i] = f(x[0][i], x[1][i], ...).
//   attribute  beta, where there is one
using Formula = void (*)(const float* const* x, int64_t count, float attribute, float* out);

enum class Loss : uint8_t {
  // The operands are self and target; with weights, weight and posWeight come after them.
  kAbsoluteDifference,
  kSmoothDifference,
  kSoftMargin,
  kCrossEntropy,
  kCrossEntropyOfLogits,
  kDivergence,
  kDivergenceOfLogarithms,
  // The operands are the loss's gradient and then self, target and the weights.
  kAbsoluteDifferenceGradient,
  kSmoothDifferenceGradient,
  kSoftMarginGradient,
  kCrossEntropyGradient,
  kCrossEntropyOfLogitsGradient,
  kDivergenceGradient,
  kDivergenceOfLogarithmsGradient,
};
// For the instruction set of this processor.
Formula FormulaOf(Loss loss);

}  // namespace aclimb::losses
