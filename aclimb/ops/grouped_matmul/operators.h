#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/grouped_matmul/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::grouped_matmul {

// By definition, in double.
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto at = [](const std::vector<double>& values, int64_t i) {
    return values[static_cast<size_t>(i)];
  };
  for (int i = 0; i < call.ListSize(kX); ++i) {
    const std::vector<double>&x = call.Values({kX, i}), &weight = call.Values({kWeight, i});
    const int64_t terms = call.Shape({kWeight, i})[0], columns = call.Shape({kWeight, i})[1];
    const DType dtype = call.DTypeOf({kX, i});
    std::vector<double> values, allowed;
    for (int64_t e = 0; e < call.ElementCount({kY, i}); ++e) {
      const int64_t row = e / columns, column = e % columns;
      double sum = call.IsGiven(kBias) ? at(call.Values({kBias, i}), column) : 0;
      double magnitude = std::fabs(sum);
      for (int64_t k = 0; k < terms; ++k) {
        const double term = at(x, row * terms + k) * at(weight, k * columns + column);
        sum += term;
        magnitude += std::fabs(term);
      }
      values.push_back(sum);
      allowed.push_back(truth::RoundingOf(dtype) * std::fabs(sum) + 1e-6 * magnitude +
                        truth::LeastOf(dtype));
    }
    outputs.Set({kY, i}, std::move(values), std::move(allowed));
  }
}

inline void Draw(truth::Draw& draw, truth::Call& call) {
  constexpr int kCounts[] = {2, 1, 3, 5, 17};
  constexpr int64_t kExtents[] = {3, 1, 2, 5, 0, 17, 33, 8, 64};
  const int count = draw.Pick(kCounts);
  const DType dtype = truth::DrawDType(draw, call.ParameterAt(kX).dtypes[draw.product()]);
  const bool has_bias = draw.Flip();
  const int64_t most = draw.most_elements() / count;
  for (const int list : {kX, kWeight, kY}) call.SetList(list, count);
  if (has_bias) call.SetList(kBias, count);
  double cost = 0;
  for (int i = 0; i < count; ++i) {
    int64_t m = draw.Pick(kExtents), n = draw.Pick(kExtents), k = draw.Pick(kExtents);
    while (m * k > most || k * n > most || m * n > most) {
      m = (m + 1) / 2;
      n = (n + 1) / 2;
      k = (k + 1) / 2;
      if (m * n * k <= 1) break;
    }
    std::vector<int64_t> heads(static_cast<size_t>(draw.Below(5)), 1);
    if (!heads.empty() && draw.Flip()) heads[0] = 2;
    heads.push_back(m);
    const auto rows = [&](int64_t last) {
      std::vector<int64_t> shape = heads;
      shape.push_back(last);
      return shape;
    };
    truth::DrawTensor(draw, call, {kX, i}, rows(k), dtype);
    truth::DrawTensor(draw, call, {kWeight, i}, {k, n}, dtype);
    if (has_bias) {
      truth::DrawTensor(draw, call, {kBias, i}, {n},
                        dtype == DType::kFloat16 ? dtype : DType::kFloat32);
    }
    call.SetTensor({kY, i}, rows(n), dtype);
    cost += 8.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  draw.SetCost(cost);
  call.SetInteger(kSplitItem, draw.Below(2));
  call.SetInteger(kGroupType, -1);
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnGroupedMatmulV3GetWorkspaceSize)>(kContract, &Truth, &Draw)};

}  // namespace aclimb::grouped_matmul
