#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "aclimb/ops/products/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/draw.h"
#include "aclimb/truth/draw_call.h"

namespace aclimb::products {

// Extents of a product whose truth is computed in a moment.
struct DrawnExtents {
  int64_t m, n, k;

  explicit DrawnExtents(truth::Draw& draw) {
    constexpr int64_t kExtents[] = {3, 1, 2, 5, 8, 17, 1, 0, 33, 4, 7, 64, 16, 130, 257, 1000};
    m = draw.Pick(kExtents);
    n = draw.Pick(kExtents);
    k = draw.Pick(kExtents);
    const int64_t most = draw.most_elements();
    while (m * k > most || k * n > most || m * n > most || m * n * k > 32 * most) {
      int64_t& longest = std::max({m, n, k}) == k ? k : std::max(m, n) == m ? m : n;
      longest = (longest + 1) / 2;
    }
    draw.SetCost(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
  }
};

inline void DrawInput(truth::Draw& draw, truth::Call& call, int parameter, Dims shape,
                      DType dtype) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  call.SetTensor(parameter, std::move(shape), dtype, truth::DrawValues(draw, dtype, count));
}

// The same dtype for both factors most often; and that of the output.
inline DType DrawFactorDTypes(truth::Draw& draw, contract::DTypeMask mask, DType (&dtypes)[2]) {
  dtypes[0] = dtypes[1] = truth::DrawDType(draw, mask);
  if (draw.Byte() >= 160) dtypes[1] = truth::DrawDType(draw, mask);
  const DType promoted = *contract::PromoteTensors(dtypes[0], dtypes[1]);
  return promoted == DType::kFloat16 && draw.Byte() >= 192 ? DType::kFloat32 : promoted;
}

inline void DrawMathType(truth::Draw& draw, truth::Call& call, int parameter) {
  const bool old_chip =
      draw.product() == Product::kInference310P || draw.product() == Product::kTraining910;
  call.SetInteger(parameter, old_chip ? 1 + draw.Below(2) : draw.Below(4));
}

// By the ranks of the contract; what stands before the matrices is drawn for both factors.
template <const contract::Contract& kContract>
void DrawProduct(truth::Draw& draw, truth::Call& call) {
  const DrawnExtents g(draw);
  const auto rank = [&](int parameter) {
    const contract::Parameter& p = kContract.At(parameter);
    return p.min_rank + draw.Below(p.max_rank - p.min_rank + 1);
  };
  const int64_t first_rank = rank(kSelf), second_rank = rank(kMat2);
  Dims first, second;
  // Few batches keep the truth quick.
  const int64_t batch_dims = std::max<int64_t>({first_rank, second_rank, 2}) - 2;
  int64_t batches = 1;
  for (int64_t d = 0; d < batch_dims; ++d) {
    const int64_t left = batch_dims - d;  // dimensions from here to the matrices
    int64_t extent = batches * g.m * g.n * g.k > 4 * draw.most_elements() ? 1 : 1 + draw.Below(4);
    if (draw.Byte() >= 250) extent = 0;
    batches *= std::max<int64_t>(1, extent);
    const uint8_t repeated = draw.Byte();
    if (left <= first_rank - 2) first.push_back(repeated >= 192 && repeated < 224 ? 1 : extent);
    if (left <= second_rank - 2) second.push_back(repeated >= 224 ? 1 : extent);
  }
  if (first_rank > 1) first.push_back(g.m);
  first.push_back(g.k);
  second.push_back(g.k);
  if (second_rank > 1) second.push_back(g.n);
  DType dtypes[2];
  DType result = DrawFactorDTypes(draw, kContract.At(kSelf).dtypes[draw.product()], dtypes);
  if (kContract.rules[0].kind == contract::RuleKind::kSameDType) result = dtypes[1] = dtypes[0];
  Dims out = MatmulShape(first, second).value_or(Dims());
  if (out.empty() && draw.Flip()) out = {1};
  DrawInput(draw, call, kSelf, std::move(first), dtypes[0]);
  DrawInput(draw, call, kMat2, std::move(second), dtypes[1]);
  call.SetTensor(kOut, std::move(out), result);
  DrawMathType(draw, call, kCubeMathType);
}

inline void DrawDot(truth::Draw& draw, truth::Call& call) {
  const DrawnExtents g(draw);
  const DType dtype = truth::DrawDType(draw, kDotDTypes[draw.product()]);
  DrawInput(draw, call, kSelf, {g.k}, dtype);
  DrawInput(draw, call, kMat2, {g.k}, dtype);
  call.SetTensor(kOut, {}, dtype);
}

// Tensors of one dtype most often, and scalars of its kind.
inline void DrawAddmv(truth::Draw& draw, truth::Call& call) {
  const DrawnExtents g(draw);
  const contract::DTypeMask mask = kAddmvDTypes[draw.product()];
  DType tensors[3], scalars[2];
  tensors[0] = truth::DrawDType(draw, mask);
  for (const int i : {1, 2}) {
    tensors[i] = draw.Byte() >= 208 ? truth::DrawDType(draw, mask) : tensors[0];
  }
  double numbers[2];
  for (const int i : {0, 1}) {
    const bool whole = !IsFloating(tensors[0]) && draw.Byte() < 224;
    scalars[i] = whole ? DType::kInt32 : draw.Byte() >= 224 ? DType::kFloat64 : DType::kFloat32;
    if (tensors[0] == DType::kBool && whole) scalars[i] = DType::kBool;
    numbers[i] = whole ? static_cast<double>(draw.Below(4)) : (draw.Byte() % 32 - 8) / 8.0;
    if (scalars[i] == DType::kBool) numbers[i] = numbers[i] != 0 ? 1 : 0;
  }
  const bool repeats = numbers[0] != 0 && draw.Byte() >= 192;
  DrawInput(draw, call, kAddmvSelf, {repeats ? 1 : g.m}, tensors[0]);
  DrawInput(draw, call, kMat, {g.m, g.k}, tensors[1]);
  DrawInput(draw, call, kVec, {g.k}, tensors[2]);
  call.SetScalar(kAddmvAlpha, numbers[0], scalars[0]);
  call.SetScalar(kAddmvBeta, numbers[1], scalars[1]);
  call.SetTensor(kAddmvOut, {g.m}, AddmvDType(tensors, scalars));
  DrawMathType(draw, call, kAddmvMathType);
}

// By the ranks and patterns of the contract.
template <const contract::Contract& kContract, bool kAddsBatch>
void DrawSum(truth::Draw& draw, truth::Call& call) {
  const DrawnExtents g(draw);
  const bool in_place = kContract.At(kAddend).role == contract::Role::kInOut;
  const bool has_batch = kContract.At(kFirst).max_rank == 3;
  const bool broadcasts = kContract.At(kFirst).Shape().Broadcasts();
  Dims first, second, out;
  if (has_batch) {
    const int64_t batch = draw.Byte() >= 250 ? 0 : 1 + draw.Below(4);
    const uint8_t repeated = broadcasts ? draw.Byte() : 0;
    first.push_back(repeated >= 192 && repeated < 224 ? 1 : batch);
    second.push_back(repeated >= 224 ? 1 : batch);
    if (!kAddsBatch) out.push_back(batch);
  }
  first.insert(first.end(), {g.m, g.k});
  second.insert(second.end(), {g.k, g.n});
  out.insert(out.end(), {g.m, g.n});
  // The addend lacks dimensions, or has some once.
  Dims addend = out;
  if (!in_place) {
    addend.erase(addend.begin(), addend.begin() + draw.Below(4) % (1 + addend.size()));
    for (int64_t& extent : addend) {
      if (draw.Byte() >= 208) extent = 1;
    }
  }
  DType dtypes[2];
  const contract::DTypeMask mask = kContract.At(kFirst).dtypes[draw.product()];
  DType result = DrawFactorDTypes(draw, mask, dtypes);
  DType of_addend = draw.Byte() >= 192 ? truth::DrawDType(draw, mask) : dtypes[0];
  const DType promoted =
      *contract::PromoteTensors(*contract::PromoteTensors(dtypes[0], dtypes[1]), of_addend);
  if (in_place) of_addend = promoted;
  if (promoted != DType::kFloat16) result = promoted;
  DrawInput(draw, call, kAddend, std::move(addend), of_addend);
  DrawInput(draw, call, kFirst, std::move(first), dtypes[0]);
  DrawInput(draw, call, kSecond, std::move(second), dtypes[1]);
  for (const int scalar : {kBeta, kAlpha}) {
    call.SetScalar(scalar, (draw.Byte() % 32 - 8) / 8.0,
                   draw.Byte() < 192 ? DType::kFloat32 : DType::kFloat64);
  }
  if (!in_place) call.SetTensor(kSum, std::move(out), result);
  DrawMathType(draw, call, in_place ? kInPlaceMathType : kSumMathType);
}

}  // namespace aclimb::products
