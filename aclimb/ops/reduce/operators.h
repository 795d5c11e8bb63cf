#pragma once

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "aclimb/ops/reduce/contracts.h"
#include "aclimb/ops/reduce/extremes_contracts.h"
#include "aclimb/ops/reduce/truths.h"
#include "aclimb/truth/operator_entry.h"
#include "aclimb/truth/reduced.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::reduce {

using Truth = truths::Result (*)(const truths::Elements& elements, DType dtype);

// The results over the dimensions of the set, of elements that were converted to `dtype`.
inline void SetResults(const truth::Call& call, truth::Outputs& outputs, int out, DType dtype,
                       contract::DimensionSet reduced, Truth of) {
  const DType stored = call.DTypeOf(out);
  const bool is_whole = !IsFloating(call.DTypeOf(kSelf)) && !IsFloating(dtype);
  const truths::Whole whole_of = is_whole ? truths::WholeOf(of) : nullptr;
  if (whole_of != nullptr) {
    std::vector<int64_t> results;
    for (std::vector<int64_t>& elements : truth::IntegerGroups(call, kSelf, reduced)) {
      for (int64_t& x : elements) x = truth::CastInteger(x, dtype);
      results.push_back(truth::CastInteger(whole_of(elements), dtype));
    }
    if (IsFloating(stored)) {
      const truth::Allowance rounding = {truth::RoundingOf(stored), truth::LeastOf(stored)};
      return outputs.Set(out, std::vector<double>(results.begin(), results.end()), rounding);
    }
    for (int64_t& result : results) result = truth::CastInteger(result, stored);
    return outputs.SetIntegers(out, std::move(results));
  }
  truth::Expected expected;
  for (truths::Elements& elements : truth::Groups(call, kSelf, reduced)) {
    for (double& x : elements) x = truths::Cast(x, dtype);
    const truths::Result result = of(elements, dtype);
    const bool whole = !IsFloating(stored);
    expected.values.push_back(whole ? truths::Cast(result.value, stored) : result.value);
    const double relative = truth::RoundingOf(dtype) + truth::RoundingOf(stored);
    const double rounding = std::isfinite(result.value) ? std::fabs(result.value) * relative : 0;
    expected.allowed.push_back(result.allowed + rounding + truth::LeastOf(dtype) +
                               truth::LeastOf(stored));
  }
  outputs.Set(out, std::move(expected.values), std::move(expected.allowed));
}

inline contract::DimensionSet DimensionsOf(const truth::Call& call, int dims) {
  const int rank = static_cast<int>(call.Shape(kSelf).size());
  if (dims < 0) return contract::DimensionsIn({}, rank);
  const bool one = call.ParameterAt(dims).kind == contract::Kind::kInteger;
  return contract::DimensionsIn(one ? std::vector<int64_t>{call.Integer(dims)} : call.Ints(dims),
                                rank);
}

//   dims, out, dtype  parameter positions; dtype -1 for that of self
template <Truth kTruth, int kDimensions, int kResult, int kDType = -1>
void TruthOf(const truth::Call& call, truth::Outputs& outputs) {
  const DType dtype = kDType < 0 ? call.DTypeOf(kSelf) : DType(call.Integer(kDType));
  SetResults(call, outputs, kResult, dtype, DimensionsOf(call, kDimensions), kTruth);
}
// Float32 does for what the sum is made of, and what comes of integers.
inline void TruthOfLogSumExp(const truth::Call& call, truth::Outputs& outputs) {
  SetResults(call, outputs, kOut, DType::kFloat32, DimensionsOf(call, kDims), &truths::LogSumExp);
}
inline void TruthOfMeanV2(const truth::Call& call, truth::Outputs& outputs) {
  const bool none = call.Ints(kDims).empty() && call.Bool(kAttribute);
  SetResults(call, outputs, kOutAfterAttribute, call.DTypeOf(kSelf),
             none ? 0 : DimensionsOf(call, kDims), &truths::MeanV2);
}
// The output's shape follows from more than a rule of a kind knows.
inline void DrawMeanV2(truth::Draw& draw, truth::Call& call) {
  const DType dtype = truth::DrawDType(draw, kNumbers[draw.product()]);
  const std::vector<int64_t> shape = truth::DrawShape(draw, 0, 8);
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  call.SetTensor(kSelf, shape, dtype, truth::DrawValues(draw, dtype, count));
  std::vector<int64_t> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto rank = static_cast<int64_t>(shape.size());
    if (draw.Byte() % 3 == 1) dims.push_back(static_cast<int64_t>(d) - (draw.Flip() ? rank : 0));
  }
  call.SetInts(kDims, dims);
  call.SetInteger(kKeep, draw.Flip() ? 1 : 0);
  call.SetInteger(kAttribute, draw.Flip() ? 1 : 0);
  const bool none = dims.empty() && call.Bool(kAttribute);
  const auto reduced = none ? 0 : DimensionsOf(call, kDims);
  call.SetTensor(kOutAfterAttribute, contract::ReducedShape(shape, reduced, call.Bool(kKeep)),
                 dtype);
}

// PyTorch has no means of integers: what a sum that wraps would be divided by is nobody's contract.
constexpr truth::OperatorEntry WithExactSums(std::string_view name, truth::OperatorEntry entry) {
  entry.exact_integers = !name.starts_with("Mean");
  return entry;
}

#define ACLIMB_ENTRY(Name, ...)                                                                 \
  WithExactSums(#Name, truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, \
                                                                             __VA_ARGS__)),
#define ACLIMB_REDUCE_AS(name, Name, ...) \
  ACLIMB_ENTRY(Name, &TruthOf<&truths::Name, kDims, kOutAfterAttribute, kAttribute>)
#define ACLIMB_REDUCE(name, Name, ...) ACLIMB_ENTRY(Name, kTruthOf##Name)
#define ACLIMB_REDUCE_ALL(name, Name, ...) \
  ACLIMB_ENTRY(Name, &TruthOf<&truths::Name, -1, kOutOfAll>)
#define ACLIMB_PRODUCT(name, Name, ...) \
  ACLIMB_ENTRY(Name, &TruthOf<&truths::Name, -1, kOutOfProduct, kDTypeOfAll>)
#define ACLIMB_PRODUCT_DIM(name, Name, ...) \
  ACLIMB_ENTRY(Name, &TruthOf<&truths::Name, kDims, kOutAfterAttribute, kAttribute>)
#define ACLIMB_REDUCE_OR_NOT(name, Name, ...) ACLIMB_ENTRY(Name, &TruthOf##Name, &Draw##Name)

inline constexpr auto kTruthOfAmax = &TruthOf<&truths::Amax, kDims, kOut>;
inline constexpr auto kTruthOfAmin = &TruthOf<&truths::Amin, kDims, kOut>;
inline constexpr auto kTruthOfAll = &TruthOf<&truths::All, kDims, kOut>;
inline constexpr auto kTruthOfAny = &TruthOf<&truths::Any, kDims, kOut>;
inline constexpr auto kTruthOfLogSumExp = &TruthOfLogSumExp;

// The least into one output, the greatest into the other.
template <typename At, int kDimensions>
void TruthOfBoth(const truth::Call& call, truth::Outputs& outputs) {
  TruthOf<&truths::Amin, kDimensions, At::kMinOut>(call, outputs);
  TruthOf<&truths::Amax, kDimensions, At::kMaxOut>(call, outputs);
}

inline constexpr truth::OperatorEntry kOperators[] = {
#include "aclimb/ops/reduce/rows.inc"
    truth::WithExactIntegers(truth::Entry<decltype(aclnnAminmaxGetWorkspaceSize)>(
        aminmax::kContract, &TruthOfBoth<Both, kDims>)),
    truth::WithExactIntegers(truth::Entry<decltype(aclnnAminmaxDimGetWorkspaceSize)>(
        aminmax_dim::kContract, &TruthOfBoth<Both, kDims>)),
    truth::WithExactIntegers(truth::Entry<decltype(aclnnAminmaxAllGetWorkspaceSize)>(
        aminmax_all::kContract, &TruthOfBoth<BothOfAll, -1>)),
};
#undef ACLIMB_ENTRY
#undef ACLIMB_REDUCE_AS
#undef ACLIMB_REDUCE
#undef ACLIMB_REDUCE_ALL
#undef ACLIMB_PRODUCT
#undef ACLIMB_PRODUCT_DIM
#undef ACLIMB_REDUCE_OR_NOT

}  // namespace aclimb::reduce
