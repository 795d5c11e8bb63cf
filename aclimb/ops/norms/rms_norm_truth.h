#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/norms/layer_norm_truth.h"
#include "aclimb/ops/norms/rms_norm.h"
#include "aclimb/ops/norms/row_truth.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::norms {

// The statistics' shape may end before the rows' dimensions.
inline Shape DrawStatistics(truth::Draw& draw, const DrawnRows& rows) {
  Shape shape = rows.statistics;
  if (draw.Flip()) shape.resize(shape.size() - rows.row.size());
  return shape;
}

inline RowMap RowsOf(const truth::Call& call, int x, int gamma) {
  const int64_t length = call.ElementCount(gamma);
  return DenseRows(length > 0 ? call.ElementCount(x) / length : 0, length);
}

// The numbers of rows without elements.
inline void SetStatistics(truth::Outputs& outputs, const truth::Call& call, int parameter,
                          int64_t length, Results results) {
  if (length == 0) {
    for (int64_t r = 0; r < call.ElementCount(parameter); ++r) results.Add(NAN, 0);
  }
  SetRounded(outputs, parameter, call.DTypeOf(parameter), std::move(results));
}

namespace rms_norm {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kRmsFloats[draw.product()]);
  const DrawnRows rows = DrawRows(draw);
  DrawInput(draw, call, kX, rows.all, dtype);
  DrawInput(draw, call, kGamma, rows.row, DrawOwnOrFloat(draw, dtype));
  call.SetReal(kEpsilon, DrawEps(draw));
  call.SetTensor(kY, rows.all, dtype);
  call.SetTensor(kRstd, DrawStatistics(draw, rows), DType::kFloat32);
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const RowMap rows = RowsOf(call, kX, kGamma);
  Normalized result = NormalizedRows(rows, call.Values(kX), call.Values(kGamma), {},
                                     call.Real(kEpsilon), /*centered=*/false);
  SetRounded(outputs, kY, call.DTypeOf(kY), std::move(result.out));
  SetStatistics(outputs, call, kRstd, rows.length, std::move(result.rstd));
}

}  // namespace rms_norm

namespace rms_norm_grad {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kRmsFloats[draw.product()]);
  const DrawnRows rows = DrawRows(draw);
  DrawInput(draw, call, kDy, rows.all, dtype);
  DrawInput(draw, call, kX, rows.all, dtype);
  DrawInput(draw, call, kRstd, DrawStatistics(draw, rows), DType::kFloat32);
  DrawInput(draw, call, kGamma, rows.row, DrawOwnOrFloat(draw, dtype));
  call.SetTensor(kDx, rows.all, dtype);
  call.SetTensor(kDgamma, rows.row, DType::kFloat32);
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const RowMap rows = RowsOf(call, kX, kGamma);
  RowGradients result =
      GradientsOfRows(rows, call.Values(kDy), call.Values(kX), {}, call.Values(kRstd),
                      call.Values(kGamma), rows.length, /*centered=*/false);
  SetRounded(outputs, kDx, call.DTypeOf(kDx), std::move(result.x));
  SetRounded(outputs, kDgamma, DType::kFloat32, std::move(result.weight));
}

}  // namespace rms_norm_grad

// The sum of two tensors and, if it is there, of a bias for each element of all or of a row.
inline std::vector<double> SumOfRows(const truth::Call& call, int x1, int x2, int bias) {
  std::vector<double> sums = call.Values(x1);
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] += call.Values(x2)[i];
    if (bias < 0 || !call.IsGiven(bias)) continue;
    const std::vector<double>& addends = call.Values(bias);
    sums[i] += addends[i % addends.size()];
  }
  return sums;
}

// What the largest of the terms loses when it is added.
inline double ErrorOfSums(const std::vector<double>& sums) {
  double largest = 8;
  for (const double sum : sums) {
    if (std::isfinite(sum)) largest = std::fmax(largest, std::fabs(sum));
  }
  return 2e-7 * largest;
}

inline Results RoundedSums(const std::vector<double>& sums) {
  Results results;
  for (const double sum : sums) results.Add(sum, kTermError * (std::fabs(sum) + 8));
  return results;
}

namespace add_rms_norm {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kRmsFloats[draw.product()]);
  const DrawnRows rows = DrawRows(draw);
  DrawInput(draw, call, kX1, rows.all, dtype);
  DrawInput(draw, call, kX2, rows.all, dtype);
  DrawInput(draw, call, kGamma, rows.row, DrawOwnOrFloat(draw, dtype));
  call.SetReal(kEpsilon, DrawEps(draw));
  call.SetTensor(kY, rows.all, dtype);
  call.SetTensor(kRstd, DrawStatistics(draw, rows), DType::kFloat32);
  call.SetTensor(kX, rows.all, dtype);
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const RowMap rows = RowsOf(call, kX1, kGamma);
  const std::vector<double> sums = SumOfRows(call, kX1, kX2, -1);
  Normalized result = NormalizedRows(rows, sums, call.Values(kGamma), {}, call.Real(kEpsilon),
                                     /*centered=*/false, ErrorOfSums(sums));
  SetRounded(outputs, kY, call.DTypeOf(kY), std::move(result.out));
  SetStatistics(outputs, call, kRstd, rows.length, std::move(result.rstd));
  SetRounded(outputs, kX, call.DTypeOf(kX), RoundedSums(sums));
}

}  // namespace add_rms_norm

namespace add_layer_norm {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const auto dtype = [&] { return truth::DrawDType(draw, kRmsFloats[draw.product()]); };
  const DrawnRows rows = DrawRows(draw);
  DrawInput(draw, call, kX1, rows.all, dtype());
  DrawInput(draw, call, kX2, rows.all, dtype());
  DrawInput(draw, call, kGamma, rows.row, dtype());
  DrawInput(draw, call, kBeta, rows.row, dtype());
  if (draw.Flip()) DrawInput(draw, call, kBias, draw.Flip() ? rows.row : rows.all, dtype());
  call.SetReal(kEpsilon, DrawEps(draw));
  const bool wanted = draw.Flip();
  call.SetInteger(kAdditionalOutput, wanted ? 1 : 0);
  call.SetTensor(kY, rows.all, dtype());
  call.SetTensor(kMean, DrawStatistics(draw, rows), DType::kFloat32);
  call.SetTensor(kRstd, DrawStatistics(draw, rows), DType::kFloat32);
  if (wanted || draw.Flip()) call.SetTensor(kX, rows.all, dtype()).touched = wanted;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const RowMap rows = RowsOf(call, kX1, kGamma);
  const std::vector<double> sums = SumOfRows(call, kX1, kX2, kBias);
  Normalized result = NormalizedRows(rows, sums, call.Values(kGamma), call.Values(kBeta),
                                     call.Real(kEpsilon), /*centered=*/true, ErrorOfSums(sums));
  SetRounded(outputs, kY, call.DTypeOf(kY), std::move(result.out));
  SetStatistics(outputs, call, kMean, rows.length, std::move(result.mean));
  SetStatistics(outputs, call, kRstd, rows.length, std::move(result.rstd));
  if (call.Bool(kAdditionalOutput)) {
    SetRounded(outputs, kX, call.DTypeOf(kX), RoundedSums(sums));
  }
}

}  // namespace add_layer_norm
}  // namespace aclimb::norms
