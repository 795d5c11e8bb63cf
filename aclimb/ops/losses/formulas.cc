#include "aclimb/ops/losses/formulas.h"

#include <algorithm>
#include <cmath>

namespace aclimb::losses {
namespace {

// The logarithm of what is close to 0 is no less than this; NaN stays.
constexpr float kLeastLogarithm = -100;
float Bounded(float logarithm) { return logarithm < kLeastLogarithm ? kLeastLogarithm : logarithm; }
constexpr float kLeastVariance = 1e-12f;

float Sigmoid(float x) {
  const float e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

}  // namespace

void AbsoluteDifference(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = std::fabs(x[0][i] - x[1][i]);
}
void AbsoluteDifferenceGradient(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float difference = x[1][i] - x[2][i];
    const float sign = static_cast<float>((difference > 0 ? 1 : 0) - (difference < 0 ? 1 : 0));
    out[i] = x[0][i] * sign;
  }
}

void SmoothDifference(const float* const* x, int64_t count, float beta, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float size = std::fabs(x[0][i] - x[1][i]);
    out[i] = size < beta ? 0.5f * size * size / beta : size - 0.5f * beta;
  }
}
void SmoothDifferenceGradient(const float* const* x, int64_t count, float beta, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float g = x[0][i], difference = x[1][i] - x[2][i];
    out[i] = difference <= -beta ? -g : difference >= beta ? g : g * difference / beta;
  }
}

void SoftMargin(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float z = -x[1][i] * x[0][i];
    // NaN goes through exp.
    out[i] = std::log1p(std::exp(-std::fabs(z))) + (z > 0 ? z : 0);
  }
}
void SoftMarginGradient(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float t = x[2][i];
    out[i] = -t * Sigmoid(-t * x[1][i]) * x[0][i];
  }
}

void CrossEntropy(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float p = x[0][i], t = x[1][i];
    out[i] = ((t - 1) * Bounded(std::log1p(-p)) - t * Bounded(std::log(p))) * x[2][i];
  }
}
void CrossEntropyGradient(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float p = x[1][i], t = x[2][i], variance = (1 - p) * p;
    const float divisor = variance < kLeastVariance ? kLeastVariance : variance;
    out[i] = x[0][i] * ((p - t) / divisor) * x[3][i];
  }
}

void CrossEntropyOfLogits(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float z = x[0][i], t = x[1][i];
    const float log_weight = (x[3][i] - 1) * t + 1;
    const float softplus = std::log1p(std::exp(-std::fabs(z))) + (z < 0 ? -z : 0);
    // NaN goes through exp.
    out[i] = ((1 - t) * z + log_weight * softplus) * x[2][i];
  }
}
void CrossEntropyOfLogitsGradient(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float y = x[2][i], t = x[4][i] * y;
    out[i] = x[0][i] * ((t + (1 - y)) * Sigmoid(x[1][i]) - t) * x[3][i];
  }
}

void Divergence(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) {
    const float t = x[1][i];
    out[i] = (t == 0 ? 0 : t * std::log(t)) - t * x[0][i];
  }
}
void DivergenceGradient(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = -x[2][i] * x[0][i];
}
void DivergenceOfLogarithms(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = std::exp(x[1][i]) * (x[1][i] - x[0][i]);
}
void DivergenceOfLogarithmsGradient(const float* const* x, int64_t count, float, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = -std::exp(x[2][i]) * x[0][i];
}

}  // namespace aclimb::losses
