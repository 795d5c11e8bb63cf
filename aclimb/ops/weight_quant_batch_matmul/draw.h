#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/weight_quant_batch_matmul/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::weight_quant_batch_matmul {

inline void DrawInput(truth::Draw& draw, truth::Call& call, int parameter,
                      std::vector<int64_t> shape, DType dtype) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  call.SetTensor(parameter, std::move(shape), dtype, truth::DrawValues(draw, dtype, count));
}

//   kOutput  the position of y
template <const contract::Contract& kContract, int kOutput>
void Draw(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kExtents[] = {3, 1, 2, 5, 8, 17, 33, 0, 64, 4, 7, 130, 257, 66, 96, 200};
  int64_t m = draw.Pick(kExtents), n = draw.Pick(kExtents), k = draw.Pick(kExtents);
  const int64_t most = draw.most_elements();
  while (m * k > most || k * n > most || m * n > most || m * n * k > 16 * most) {
    int64_t& longest = std::max({m, n, k}) == k ? k : std::max(m, n) == m ? m : n;
    longest = (longest + 1) / 2;
  }
  draw.SetCost(4.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
  const auto dtype_of = [&](int parameter, contract::DTypeMask if_none) {
    const contract::DTypeMask mask = kContract.At(parameter).dtypes[draw.product()];
    return truth::DrawDType(draw, mask == 0 ? if_none : mask);
  };
  const DType dtype = dtype_of(kX, contract::DTypes(DType::kFloat16));
  const bool has_groups = k > 32 && draw.product() != Product::kInference310P && draw.Flip();
  const int64_t group = has_groups ? 32 * (1 + draw.Below((k - 1) / 32)) : 0;
  std::vector<int64_t> scale = {has_groups ? CeilDivide(k, group) : 1, n};
  if (!has_groups) {
    const int64_t form = draw.Below(3);
    if (form == 0) scale = {1};
    if (form == 1) scale = {n};
  }
  DrawInput(draw, call, kX, {m, k}, dtype);
  DrawInput(draw, call, kWeight, {k, n}, dtype_of(kWeight, contract::DTypes(DType::kInt8)));
  DrawInput(draw, call, kScale, scale, dtype);
  if (draw.Flip()) DrawInput(draw, call, kOffset, scale, dtype);
  if (draw.Flip()) {
    DrawInput(draw, call, kBias, draw.Flip() ? std::vector<int64_t>{1, n} : std::vector<int64_t>{n},
              dtype == DType::kBFloat16 ? DType::kFloat32 : DType::kFloat16);
  }
  call.SetInteger(kGroupSize, group);
  if (kOutput == kYOfV3) call.SetInteger(kInnerPrecise, draw.Below(2));
  call.SetTensor(kOutput, {m, n}, dtype);
}

}  // namespace aclimb::weight_quant_batch_matmul
