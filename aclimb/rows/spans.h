#pragma once

#include <cstdint>

#include "aclimb/core/half.h"

// What operators do with rows: functions of spans of float32, for the instruction set in use. Their
// sums over a span are exact to a few units in the last place of float32, however long it is: short
// blocks are added in float32, the blocks in double.
namespace aclimb::rows {

// Parameters of a span: one number for all of it, or one for each element, where the span holds the
// neighbours of many rows.
enum ParameterKind : int { kFlat, kEach };

struct Spans {
  // ---- One row
  float (*max)(const float* x, int64_t n);  // of no use if there is a NaN
  double (*sum)(const float* x, int64_t n);
  // The sum of x, which goes to `out`.
  double (*sum_and_widen)(const BFloat16* x, int64_t n, float* out);
  double (*dot)(const float* x, const float* y, int64_t n);
  double (*dot_bf16)(const BFloat16* x, const BFloat16* y, int64_t n);
  // The sum of exp(x - shift), which go to `out` unless that is null. No x is above the shift.
  double (*exp_sum)(const float* x, int64_t n, float shift, float* out);

  // sums[0] += x - about, sums[1] += (x - about)^2
  void (*deviations)(const float* x, int64_t n, float about, double* sums);
  // sums[0] += g * w, sums[1] += g * w * (x - mean) * rstd; w null: 1.
  // Unless they are null: biases += g, weights += g * (x - mean) * rstd, element by element.
  void (*gradient_sums)(const float* g, const float* x, const float* w, int64_t n, float mean,
                        float rstd, double* sums, float* biases, float* weights);

  // ---- Neighbours of many rows
  void (*max_each)(const float* x, int64_t n, float* max);   // max = max(max, x)
  void (*sum_each)(const float* x, int64_t n, float* sums);  // sums += x
  void (*dot_each)(const float* x, const float* y, int64_t n, float* sums);
  void (*exp_sum_each)(const float* x, const float* shift, int64_t n, float* out, float* sums);
  // totals += sums, and sums = 0
  void (*add_to_totals)(float* sums, int64_t n, double* totals);

  // sums += x - about, squares += (x - about)^2
  void (*deviations_each)(const float* x, const float* about, int64_t n, float* sums,
                          float* squares);
  // sums += g, products += g * (x - mean)
  void (*products_each)(const float* g, const float* x, const float* mean, int64_t n, float* sums,
                        float* products);
  // sums += g, products += g * (x - mean) * rstd, where each element has its own sum but all
  // have one mean; `sums` may be null.
  void (*weight_sums_each)(const float* g, const float* x, int64_t n, float mean, float rstd,
                           float* sums, float* products);

  // ---- Around the caches: `to` begins a cache line, and the bytes make whole ones
  void (*stream)(const void* from, int64_t bytes, void* to);

  // ---- Element by element, the parameters by ParameterKind. Where `stream`, the output goes
  // around the caches: it is whole lines of them.
  using Map = void (*)(const float* x, const float* a, const float* b, int64_t n, float* out,
                       bool stream);
  Map scale[2];      // x * a
  Map exp_scale[2];  // exp(x - a) * b, no x above a
  Map subtract[2];   // x - a - b
  using Map2 = void (*)(const float* x, const float* y, const float* a, int64_t n, float* out,
                        bool stream);
  Map2 softmax_gradient[2];  // (x - a) * y
  void (*softmax_gradient_bf16)(const BFloat16* x, const BFloat16* y, const float* a, int64_t n,
                                BFloat16* out, bool stream);
  Map2 log_softmax_gradient[2];  // x - exp(y) * a
  // (x - mean) * scale + shift
  void (*normalize[2])(const float* x, const float* mean, const float* scale, const float* shift,
                       int64_t n, float* out, bool stream);
  // g * a + (x - mean) * b + c
  void (*gradient[2])(const float* g, const float* x, const float* mean, const float* a,
                      const float* b, const float* c, int64_t n, float* out, bool stream);

  // ---- Element by element of one row, each with its own weight and bias, which may be null
  void (*add)(const float* x, const float* y, int64_t n, float* out);
  // (x - mean) * rstd * weight + bias
  void (*normalize_row)(const float* x, int64_t n, float mean, float rstd, const float* weight,
                        const float* bias, float* out, bool stream);
  void (*normalize_row_bf16)(const float* x, int64_t n, float mean, float rstd, const float* weight,
                             const float* bias, BFloat16* out, bool stream);
  // (g * weight - c1 - (x - mean) * rstd * c2) * rstd
  void (*gradient_row)(const float* g, const float* x, const float* weight, int64_t n, float mean,
                       float rstd, float c1, float c2, float* out, bool stream);
};

const Spans& SpansInUse();

}  // namespace aclimb::rows
