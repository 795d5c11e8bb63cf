#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/norms/batch_norm.h"
#include "aclimb/ops/norms/channel_gradients_truth.h"
#include "aclimb/ops/norms/group_norm.h"
#include "aclimb/ops/norms/layer_norm_truth.h"
#include "aclimb/ops/norms/row_truth.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw_call.h"

// Truths and drawn calls of the norms whose statistics belong to channels.
namespace aclimb::norms {

// Three flags, and the outputs that go with them; what is not wanted may be given all the same.
struct DrawnOutput {
  int parameter;
  Shape shape;
  DType dtype;
};
inline void DrawOutputs(truth::Draw& draw, truth::Call& call, int mask_parameter,
                        const DrawnOutput (&outputs)[3]) {
  Shape mask;
  for (const DrawnOutput& output : outputs) {
    mask.push_back(draw.Byte() % 4 == 3 ? 0 : 1);
    if (mask.back() == 0 && draw.Flip()) continue;
    call.SetTensor(output.parameter, output.shape, output.dtype).touched = mask.back() != 0;
  }
  call.SetInts(mask_parameter, std::move(mask));
}

// Sets the gradients that are wanted.
inline void SetGradients(const truth::Call& call, truth::Outputs& outputs, int mask_parameter,
                         const int (&parameters)[3], RowGradients gradients) {
  Results* const all[] = {&gradients.x, &gradients.weight, &gradients.bias};
  for (size_t i = 0; i < 3; ++i) {
    if (call.Ints(mask_parameter)[i] == 0) continue;
    SetRounded(outputs, parameters[i], call.DTypeOf(parameters[i]), std::move(*all[i]));
  }
}

inline std::vector<double> ValuesOrNone(const truth::Call& call, int parameter) {
  return call.IsGiven(parameter) ? call.Values(parameter) : std::vector<double>();
}

struct GroupNumbers {
  int64_t n;
  int64_t c;
  int64_t hxw;
  int64_t group;
};
inline GroupNumbers DrawGroups(truth::Draw& draw, truth::Call& call, const GroupPositions& at) {
  constexpr int64_t kN[] = {2, 1, 3, 0, 5}, kEach[] = {2, 1, 3, 8, 0}, kGroups[] = {2, 1, 4, 7};
  constexpr int64_t kHxW[] = {5, 1, 16, 35, 0, 130, 1, 9};
  GroupNumbers numbers = {draw.Pick(kN), draw.Pick(kEach), draw.Pick(kHxW), draw.Pick(kGroups)};
  numbers.c *= numbers.group;
  // A single element, which may have rank 0.
  if (draw.Byte() % 8 == 7) numbers = {1, 1, 1, 1};
  const int64_t planes = numbers.n * numbers.c;
  // More elements where a team may run.
  if (planes > 1 && draw.most_elements() > 50'000 && draw.Flip()) {
    numbers.hxw = draw.most_elements() / 2 / planes;
  }
  call.SetInteger(at.n, numbers.n);
  call.SetInteger(at.c, numbers.c);
  call.SetInteger(at.hxw, numbers.hxw);
  call.SetInteger(at.group, numbers.group);
  return numbers;
}

// A shape of at least `rank` dimensions with these extents, whatever dimensions of 1 lead it.
inline Shape DrawRank(truth::Draw& draw, Shape extents) {
  const auto room = static_cast<int64_t>(8 - extents.size());
  extents.insert(extents.begin(), static_cast<size_t>(draw.Below(room + 1)), 1);
  return extents;
}
// A shape of any rank with so many elements: rank 0 where there is one.
inline Shape DrawCount(truth::Draw& draw, int64_t count) {
  if (count == 1 && draw.Flip()) return {};
  return DrawRank(draw, {count});
}

// A group of a sample is a row whose channels have a weight each.
inline RowMap RowsOfGroups(const GroupNumbers& numbers) {
  const int64_t each = numbers.c / numbers.group;
  RowMap rows = DenseRows(numbers.n * numbers.group, each * numbers.hxw);
  rows.sets = numbers.group;
  rows.set_step = each;
  rows.weight_run = std::max<int64_t>(1, numbers.hxw);
  return rows;
}
inline GroupNumbers NumbersOf(const truth::Call& call, const GroupPositions& at) {
  return {call.Integer(at.n), call.Integer(at.c), call.Integer(at.hxw), call.Integer(at.group)};
}

namespace group_norm {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kGroupFloats[draw.product()]);
  const GroupNumbers numbers = DrawGroups(draw, call, kAt);
  const Shape shape = DrawRank(draw, {numbers.n * numbers.c, numbers.hxw});
  DrawInput(draw, call, kSelf, shape, dtype);
  if (draw.Flip()) DrawInput(draw, call, kGamma, {numbers.c}, DrawOwnOrFloat(draw, dtype));
  if (draw.Flip()) DrawInput(draw, call, kBeta, {numbers.c}, DrawOwnOrFloat(draw, dtype));
  call.SetReal(kEps, DrawEps(draw));
  call.SetTensor(kOut, shape, dtype);
  const DType statistics = DrawOwnOrFloat(draw, dtype);
  const int64_t groups = numbers.n * numbers.group;
  call.SetTensor(kMeanOut, DrawCount(draw, groups), statistics);
  call.SetTensor(kRstdOut, DrawCount(draw, groups), statistics);
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  Normalized result =
      NormalizedRows(RowsOfGroups(NumbersOf(call, kAt)), call.Values(kSelf),
                     ValuesOrNone(call, kGamma), ValuesOrNone(call, kBeta), call.Real(kEps));
  SetRounded(outputs, kOut, call.DTypeOf(kOut), std::move(result.out));
  SetRounded(outputs, kMeanOut, call.DTypeOf(kMeanOut), std::move(result.mean));
  SetRounded(outputs, kRstdOut, call.DTypeOf(kRstdOut), std::move(result.rstd));
}

}  // namespace group_norm

namespace group_norm_backward {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const auto any = [&] { return truth::DrawDType(draw, kGroupFloats[draw.product()]); };
  const DType dtype = any(), statistics = DrawOwnOrFloat(draw, dtype);
  const GroupNumbers numbers = DrawGroups(draw, call, kAt);
  const int64_t count = numbers.n * numbers.c * numbers.hxw, groups = numbers.n * numbers.group;
  DrawInput(draw, call, kGradOut, DrawCount(draw, count), dtype);
  DrawInput(draw, call, kInput, DrawCount(draw, count), dtype);
  DrawInput(draw, call, kMean, DrawCount(draw, groups), statistics);
  DrawInput(draw, call, kRstd, DrawCount(draw, groups), statistics);
  if (draw.Flip()) {
    DrawInput(draw, call, kGamma, DrawCount(draw, numbers.c), DrawOwnOrFloat(draw, dtype));
  }
  DrawOutputs(draw, call, kOutputMask,
              {{kGradInput, DrawCount(draw, count), any()},
               {kGradGamma, DrawCount(draw, numbers.c), any()},
               {kGradBeta, DrawCount(draw, numbers.c), any()}});
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const GroupNumbers numbers = NumbersOf(call, kAt);
  SetGradients(call, outputs, kOutputMask, {kGradInput, kGradGamma, kGradBeta},
               GradientsOfChannels(RowsOfGroups(numbers), call.Values(kGradOut),
                                   call.Values(kInput), call.Values(kMean), call.Values(kRstd),
                                   ValuesOrNone(call, kGamma), numbers.c));
}

}  // namespace group_norm_backward

// Channels are rows of the batch, with one weight.
inline RowMap RowsOfChannels(const Shape& shape) {
  int64_t inner = 1;
  for (size_t d = 2; d < shape.size(); ++d) inner *= shape[d];
  const int64_t channels = shape[1], length = shape[0] * inner;
  return {.rows = channels,
          .length = length,
          .row_step = inner,
          .run = std::max<int64_t>(1, inner),
          .step = channels * inner,
          .sets = std::max<int64_t>(1, channels),
          .set_step = 1,
          .weight_run = std::max<int64_t>(1, length)};
}

// Variances are not negative.
inline void DrawVariance(truth::Draw& draw, truth::Call& call, int parameter, const Shape& shape,
                         DType dtype) {
  std::vector<double> values = truth::DrawValues(draw, dtype, ProductOf(shape));
  for (double& value : values) value = std::fabs(value) + 0.25;
  call.SetTensor(parameter, shape, dtype, std::move(values));
}

namespace batch_norm {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kBatchFloats[draw.product()]);
  const Shape shape = truth::DrawShape(draw, 2, 8), channels = {shape[1]};
  const bool training = draw.Flip();
  const auto own = [&] { return DrawOwnOrFloat(draw, dtype); };
  DrawInput(draw, call, kInput, shape, dtype);
  if (draw.Flip()) DrawInput(draw, call, kWeight, channels, own());
  if (draw.Flip()) DrawInput(draw, call, kBias, channels, own());
  if (draw.Flip()) DrawInput(draw, call, kRunningMean, channels, own());
  if (draw.Flip()) DrawVariance(draw, call, kRunningVar, channels, own());
  call.SetInteger(kTraining, training ? 1 : 0);
  call.SetReal(kMomentum, draw.Flip() ? 0.1 : 0.25);
  call.SetReal(kEps, DrawEps(draw));
  call.SetTensor(kOutput, shape, dtype);
  for (const int statistics : {kSaveMean, kSaveInvstd}) {
    if (training || draw.Flip()) call.SetTensor(statistics, channels, own()).touched = training;
  }
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const RowMap rows = RowsOfChannels(call.Shape(kInput));
  const auto channels = static_cast<size_t>(rows.rows);
  const bool training = call.Bool(kTraining);
  const auto count = static_cast<double>(rows.length);
  Normalized result = NormalizedRows(rows, call.Values(kInput), ValuesOrNone(call, kWeight),
                                     ValuesOrNone(call, kBias), call.Real(kEps));
  const auto running = [&](int parameter, double otherwise) {
    return call.IsGiven(parameter) ? call.Values(parameter)
                                   : std::vector<double>(channels, otherwise);
  };
  const std::vector<double> mean = running(kRunningMean, 0), variance = running(kRunningVar, 1);
  if (training) {
    const double momentum = call.Real(kMomentum);
    const auto move = [&](int parameter, const std::vector<double>& before, const Results& batch,
                          double scale) {
      if (!call.IsGiven(parameter)) return;
      Results moved;
      for (size_t c = 0; c < channels; ++c) {
        const double value = momentum * (batch.values[c] * scale) + (1 - momentum) * before[c];
        // An empty batch leaves them as they are.
        if (rows.length == 0) {
          moved.Add(before[c], 0);
        } else {
          moved.Add(value, momentum * batch.errors[c] * scale + kTermError * std::fabs(value));
        }
      }
      SetRounded(outputs, parameter, call.DTypeOf(parameter), std::move(moved));
    };
    move(kRunningMean, mean, result.mean, 1);
    move(kRunningVar, variance, result.variance, count / (count - 1));
    SetRounded(outputs, kSaveMean, call.DTypeOf(kSaveMean), std::move(result.mean));
    SetRounded(outputs, kSaveInvstd, call.DTypeOf(kSaveInvstd), std::move(result.rstd));
  } else {
    const std::vector<double> weight = ValuesOrNone(call, kWeight);
    const std::vector<double> bias = ValuesOrNone(call, kBias);
    const std::vector<double>& x = call.Values(kInput);
    for (int64_t r = 0; r < rows.rows; ++r) {
      const double m = At(mean, r), s = 1 / std::sqrt(At(variance, r) + call.Real(kEps));
      const double w = weight.empty() ? 1 : At(weight, r), b = bias.empty() ? 0 : At(bias, r);
      for (int64_t i = 0; i < rows.length; ++i) {
        const auto at = static_cast<size_t>(rows.Place(r, i));
        result.out.values[at] = (x[at] - m) * s * w + b;
        result.out.errors[at] =
            kTermError * ((std::fabs(x[at]) + std::fabs(m)) * s * std::fabs(w) + std::fabs(b));
      }
    }
    for (const int parameter : {kRunningMean, kRunningVar}) {
      if (!call.IsGiven(parameter)) continue;
      SetRounded(outputs, parameter, call.DTypeOf(parameter),
                 {.values = call.Values(parameter), .errors = std::vector<double>(channels)});
    }
  }
  SetRounded(outputs, kOutput, call.DTypeOf(kOutput), std::move(result.out));
}

}  // namespace batch_norm

namespace batch_norm_backward {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const auto any = [&] { return truth::DrawDType(draw, kBatchFloats[draw.product()]); };
  const DType dtype = any();
  const Shape shape = truth::DrawShape(draw, 2, 8), channels = {shape[1]};
  const bool training = draw.Flip();
  DrawInput(draw, call, kGradOut, shape, dtype);
  DrawInput(draw, call, kInput, shape, dtype);
  if (draw.Flip()) DrawInput(draw, call, kWeight, channels, DrawOwnOrFloat(draw, dtype));
  if (draw.Flip()) DrawInput(draw, call, kRunningMean, channels, any());
  if (draw.Flip()) DrawVariance(draw, call, kRunningVar, channels, any());
  if (training || draw.Flip()) DrawInput(draw, call, kSaveMean, channels, any());
  if (training || draw.Flip()) DrawVariance(draw, call, kSaveInvstd, channels, any());
  for (const int statistics : {kRunningMean, kRunningVar}) call.At(statistics).touched = !training;
  for (const int statistics : {kSaveMean, kSaveInvstd}) call.At(statistics).touched = training;
  call.SetInteger(kTraining, training ? 1 : 0);
  call.SetReal(kEps, DrawEps(draw));
  DrawOutputs(
      draw, call, kOutputMask,
      {{kGradInput, shape, dtype}, {kGradWeight, channels, any()}, {kGradBias, channels, any()}});
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const RowMap rows = RowsOfChannels(call.Shape(kInput));
  const auto channels = static_cast<size_t>(rows.rows);
  const bool training = call.Bool(kTraining);
  std::vector<double> mean(channels, 0), rstd(channels, 1);
  const int mean_from = training ? kSaveMean : kRunningMean;
  const int rstd_from = training ? kSaveInvstd : kRunningVar;
  if (call.IsGiven(mean_from)) mean = call.Values(mean_from);
  if (call.IsGiven(rstd_from)) rstd = call.Values(rstd_from);
  if (!training) {
    for (double& value : rstd) value = 1 / std::sqrt(value + call.Real(kEps));
  }
  SetGradients(call, outputs, kOutputMask, {kGradInput, kGradWeight, kGradBias},
               GradientsOfChannels(rows, call.Values(kGradOut), call.Values(kInput), mean, rstd,
                                   ValuesOrNone(call, kWeight), rows.rows,
                                   {.one_weight = true, .fixed_statistics = !training}));
}

}  // namespace batch_norm_backward
}  // namespace aclimb::norms
