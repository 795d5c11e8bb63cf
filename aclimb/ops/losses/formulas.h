#pragma once

#include <cstdint>

namespace aclimb::losses {

// The most operands that a formula has.
inline constexpr int kMostOperands = 5;

// Of consecutive float32 elements: out[i] = f(x[0][i], x[1][i], ...).
//   attribute  beta, where there is one
using Formula = void (*)(const float* const* x, int64_t count, float attribute, float* out);

// The operands are self and target; with weights, weight and posWeight come after them.
void AbsoluteDifference(const float* const* x, int64_t count, float, float* out);
void SmoothDifference(const float* const* x, int64_t count, float beta, float* out);
void SoftMargin(const float* const* x, int64_t count, float, float* out);
void CrossEntropy(const float* const* x, int64_t count, float, float* out);
void CrossEntropyOfLogits(const float* const* x, int64_t count, float, float* out);
void Divergence(const float* const* x, int64_t count, float, float* out);
void DivergenceOfLogarithms(const float* const* x, int64_t count, float, float* out);

// The operands are the loss's gradient and then the same.
void AbsoluteDifferenceGradient(const float* const* x, int64_t count, float, float* out);
void SmoothDifferenceGradient(const float* const* x, int64_t count, float beta, float* out);
void SoftMarginGradient(const float* const* x, int64_t count, float, float* out);
void CrossEntropyGradient(const float* const* x, int64_t count, float, float* out);
void CrossEntropyOfLogitsGradient(const float* const* x, int64_t count, float, float* out);
void DivergenceGradient(const float* const* x, int64_t count, float, float* out);
void DivergenceOfLogarithmsGradient(const float* const* x, int64_t count, float, float* out);

}  // namespace aclimb::losses
