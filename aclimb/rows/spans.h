#pragma once

#include <cstdint>

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
  double (*dot)(const float* x, const float* y, int64_t n);
  // The sum of exp(x - shift), which go to `out` unless that is null. No x is above the shift.
  double (*exp_sum)(const float* x, int64_t n, float shift, float* out);

  // ---- Neighbours of many rows
  void (*max_each)(const float* x, int64_t n, float* max);   // max = max(max, x)
  void (*sum_each)(const float* x, int64_t n, float* sums);  // sums += x
  void (*dot_each)(const float* x, const float* y, int64_t n, float* sums);
  void (*exp_sum_each)(const float* x, const float* shift, int64_t n, float* out, float* sums);
  // totals += sums, and sums = 0
  void (*add_to_totals)(float* sums, int64_t n, double* totals);

  // ---- Element by element, the parameters by ParameterKind
  using Map = void (*)(const float* x, const float* a, const float* b, int64_t n, float* out);
  Map scale[2];      // x * a
  Map exp_scale[2];  // exp(x - a) * b, no x above a
  Map subtract[2];   // x - a - b
  using Map2 = void (*)(const float* x, const float* y, const float* a, int64_t n, float* out);
  Map2 softmax_gradient[2];      // (x - a) * y
  Map2 log_softmax_gradient[2];  // x - exp(y) * a
};

const Spans& SpansInUse();

}  // namespace aclimb::rows
