#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/norms/layer_norm.h"
#include "aclimb/ops/norms/row_truth.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::norms {

// A dtype of rows and one of what belongs to them, which may be FLOAT always.
inline DType DrawOwnOrFloat(truth::Draw& draw, DType dtype) {
  return draw.Flip() ? DType::kFloat32 : dtype;
}

inline double DrawEps(truth::Draw& draw) {
  constexpr double kEps[] = {1e-5, 1e-3, 0.25, 1e-5};
  return draw.Pick(kEps);
}

// A tensor with drawn values.
inline void DrawInput(truth::Draw& draw, truth::Call& call, int parameter, const Shape& shape,
                      DType dtype) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  call.SetTensor(parameter, shape, dtype, truth::DrawValues(draw, dtype, count));
}

// Rows: the last `row_rank` dimensions of a drawn shape.
struct DrawnRows {
  Shape all;
  Shape row;         // the last dimensions
  Shape statistics;  // 1 for each of these
};
inline DrawnRows DrawRows(truth::Draw& draw, int most_rank = 8) {
  DrawnRows rows;
  rows.all = truth::DrawShape(draw, 1, most_rank);
  const auto rank = static_cast<int64_t>(rows.all.size());
  const int64_t row_rank = 1 + draw.Below(rank);
  rows.row.assign(rows.all.end() - row_rank, rows.all.end());
  rows.statistics = rows.all;
  for (int64_t d = rank - row_rank; d < rank; ++d) rows.statistics[static_cast<size_t>(d)] = 1;
  return rows;
}

inline int64_t ProductOf(const Shape& shape) {
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

namespace layer_norm {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kFloats[draw.product()]);
  const DrawnRows rows = DrawRows(draw);
  DrawInput(draw, call, kInput, rows.all, dtype);
  call.SetInts(kNormalizedShape, rows.row);
  if (draw.Flip()) DrawInput(draw, call, kWeight, rows.row, DrawOwnOrFloat(draw, dtype));
  if (draw.Flip()) DrawInput(draw, call, kBias, rows.row, DrawOwnOrFloat(draw, dtype));
  call.SetReal(kEps, DrawEps(draw));
  call.SetTensor(kOut, rows.all, dtype);
  const DType statistics = DrawOwnOrFloat(draw, dtype);
  if (draw.Flip()) call.SetTensor(kMeanOut, rows.statistics, statistics);
  if (draw.Flip()) call.SetTensor(kRstdOut, rows.statistics, statistics);
  if (call.size() > kImplMode) call.SetInteger(kImplMode, draw.Below(3));
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t length = ProductOf(call.Ints(kNormalizedShape));
  const int64_t rows = length > 0 ? call.ElementCount(kInput) / length : 0;
  Normalized result = NormalizedRows(DenseRows(rows, length), call.Values(kInput),
                                     call.Values(kWeight), call.Values(kBias), call.Real(kEps));
  SetRounded(outputs, kOut, call.DTypeOf(kOut), std::move(result.out));
  if (length == 0) {
    // The mean of nothing.
    for (int64_t r = 0; r < ProductOf(call.Shape(kMeanOut)); ++r) result.mean.Add(NAN, 0);
    for (int64_t r = 0; r < ProductOf(call.Shape(kRstdOut)); ++r) result.rstd.Add(NAN, 0);
  }
  if (call.IsGiven(kMeanOut)) {
    SetRounded(outputs, kMeanOut, call.DTypeOf(kMeanOut), std::move(result.mean));
  }
  if (call.IsGiven(kRstdOut)) {
    SetRounded(outputs, kRstdOut, call.DTypeOf(kRstdOut), std::move(result.rstd));
  }
}

namespace backward {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kFloats[draw.product()]);
  const DType statistics = DrawOwnOrFloat(draw, dtype);
  const DrawnRows rows = DrawRows(draw);
  DrawInput(draw, call, kGradOut, rows.all, dtype);
  DrawInput(draw, call, kInput, rows.all, dtype);
  call.SetInts(kNormalizedShape, rows.row);
  DrawInput(draw, call, kMean, rows.statistics, statistics);
  DrawInput(draw, call, kRstd, rows.statistics, statistics);
  if (draw.Flip()) DrawInput(draw, call, kWeight, rows.row, DrawOwnOrFloat(draw, dtype));
  if (draw.Flip()) {
    DrawInput(draw, call, kBias, rows.row, truth::DrawDType(draw, kFloats[draw.product()]));
  }
  Shape mask;
  const int outputs[] = {kGradInput, kGradWeight, kGradBias};
  for (const int output : outputs) {
    mask.push_back(draw.Byte() % 4 == 3 ? 0 : 1);
    // What is not wanted may be given all the same.
    if (mask.back() == 0 && draw.Flip()) continue;
    const bool whole = output == kGradInput;
    const DType own = whole ? dtype : truth::DrawDType(draw, kFloats[draw.product()]);
    call.SetTensor(output, whole ? rows.all : rows.row, own).touched = mask.back() != 0;
  }
  call.At(kWeight).touched = mask[0] != 0;
  call.At(kBias).touched = false;
  call.SetInts(kOutputMask, std::move(mask));
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t length = ProductOf(call.Ints(kNormalizedShape));
  const int64_t rows = length > 0 ? call.ElementCount(kInput) / length : 0;
  const Shape& wanted = call.Ints(kOutputMask);
  RowGradients result =
      GradientsOfRows(DenseRows(rows, length), call.Values(kGradOut), call.Values(kInput),
                      call.Values(kMean), call.Values(kRstd),
                      call.IsGiven(kWeight) ? call.Values(kWeight) : std::vector<double>(), length);
  if (wanted[0]) {
    SetRounded(outputs, kGradInput, call.DTypeOf(kGradInput), std::move(result.x));
  }
  if (wanted[1]) {
    SetRounded(outputs, kGradWeight, call.DTypeOf(kGradWeight), std::move(result.weight));
  }
  if (wanted[2]) {
    SetRounded(outputs, kGradBias, call.DTypeOf(kGradBias), std::move(result.bias));
  }
}

}  // namespace backward
}  // namespace layer_norm
}  // namespace aclimb::norms
