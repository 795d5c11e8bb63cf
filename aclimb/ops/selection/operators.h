#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aclimb/contract/promotion.h"
#include "aclimb/ops/selection/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::selection {

inline void EqualTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace equal;  // NOLINT: the positions
  const DType self = call.DTypeOf(kSelf), other = call.DTypeOf(kOther);
  const DType as = *contract::PromoteTensors(self, other);
  bool all = call.Shape(kSelf) == call.Shape(kOther);
  for (size_t i = 0; all && i < call.Values(kSelf).size(); ++i) {
    all = truth::CastValue(call.Values(kSelf)[i], self, as) ==
          truth::CastValue(call.Values(kOther)[i], other, as);
  }
  outputs.Set(kOut, {all ? 1.0 : 0.0}, truth::Allowance{});
}

// For each element of a tensor, whether it is the number, as the dtype that
// they have in common has both.
inline std::vector<double> Same(const truth::Call& call, int tensor, int number) {
  const DType of_tensor = call.DTypeOf(tensor), of_number = call.DTypeOf(number);
  const DType as = *contract::PromoteTensorAndScalar(of_tensor, of_number);
  const double sought = truth::CastValue(call.At(number).real, of_number, as);
  std::vector<double> same;
  for (const double x : call.Values(tensor)) {
    same.push_back(truth::CastValue(x, of_tensor, as) == sought ? 1 : 0);
  }
  return same;
}
inline void IsInTensorScalarTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace is_in_tensor_scalar;  // NOLINT: the positions
  std::vector<double> same = Same(call, kElement, kTestElement);
  for (double& each : same) each = (each != 0) != call.Bool(kInvert) ? 1 : 0;
  outputs.Set(kOut, std::move(same), truth::Allowance{});
}
inline void IsInScalarTensorTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace is_in_scalar_tensor;  // NOLINT: the positions
  const std::vector<double> same = Same(call, kTestElements, kElement);
  const bool found = std::find(same.begin(), same.end(), 1) != same.end();
  outputs.Set(kOut, {found != call.Bool(kInvert) ? 1.0 : 0.0}, truth::Allowance{});
}
inline void DrawIsInScalarTensor(truth::Draw& draw, truth::Call& call) {
  using namespace is_in_scalar_tensor;  // NOLINT: the positions
  truth::DrawFromContract(draw, call);
  truth::DrawTensor(draw, call, kOut, std::vector<int64_t>(draw.Flip() ? 1 : 0, 1));
  truth::MarkUnlessObeyed(draw, call);
}

inline void IsCloseTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace is_close;  // NOLINT: the positions
  const double rtol = call.Real(kRtol), atol = call.Real(kAtol);
  const bool nan_too = call.Bool(kEqualNan);
  // FLOAT and half types are compared in float32, by whose numbers tolerances are met or missed.
  const DType dtype = call.DTypeOf(kSelf);
  const bool in_float = dtype == DType::kFloat32 || IsHalf(dtype);
  const auto rounded = [=](double x) {
    return in_float ? static_cast<double>(static_cast<float>(x)) : x;
  };
  const auto close = truth::Each(call, {kSelf, kOther}, [=](double x, double y) {
    if (std::isnan(x) || std::isnan(y)) return nan_too && std::isnan(x) && std::isnan(y) ? 1. : 0.;
    if (std::isinf(x) || std::isinf(y)) return x == y ? 1. : 0.;
    const double part = rounded(rounded(rtol) * std::fabs(y)), distance = rounded(std::fabs(x - y));
    const bool is_near = std::isfinite(distance) && distance <= rounded(rounded(atol) + part);
    return x == y || is_near ? 1. : 0.;
  });
  outputs.Set(kOut, close, truth::Allowance{});
}

inline void MaskedSelectTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace masked_select;  // NOLINT: the positions
  std::vector<double> selected;
  for (const auto& [self, mask] : truth::BroadcastPlaces(call, {kSelf, kMask})) {
    if (call.Values(kMask)[mask] != 0) selected.push_back(call.Values(kSelf)[self]);
  }
  selected.resize(static_cast<size_t>(call.ElementCount(kOut)));
  outputs.Set(kOut, std::move(selected), truth::Allowance{});
}

inline void MaskedScatterTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_masked_scatter;  // NOLINT: the positions
  std::vector<double> self = call.Values(kSelf);
  const std::vector<double>& source = call.Values(kSource);
  size_t next = 0;
  for (const auto& [place, mask] : truth::BroadcastPlaces(call, {kSelf, kMask})) {
    if (next == source.size()) break;
    if (call.Values(kMask)[mask] != 0) self[place] = source[next++];
  }
  outputs.Set(kSelf, std::move(self), truth::Allowance{});
}

template <bool kTransposed>
void NonzeroTruth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<double>& elements = call.Values(Nonzero::kSelf);
  const std::vector<int64_t>& shape = call.Shape(Nonzero::kSelf);
  std::vector<size_t> found;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] != 0) found.push_back(i);
  }
  // In the order of memory; what is left is 0.
  std::vector<double> out(elements.size() * shape.size());
  for (size_t n = 0; n < found.size(); ++n) {
    size_t number = found[n];
    for (size_t d = shape.size(); d-- > 0;) {
      const auto extent = static_cast<size_t>(shape[d]);
      out[kTransposed ? d * found.size() + n : n * shape.size() + d] =
          static_cast<double>(number % extent);
      number /= extent;
    }
  }
  outputs.Set(Nonzero::kOut, std::move(out), truth::Allowance{});
}

// Mostly equal ones.
inline void DrawEqual(truth::Draw& draw, truth::Call& call) {
  using namespace equal;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  if (draw.Below(4) == 0) {
    truth::DrawTensor(draw, call, kOther);
  } else {
    constexpr DType kBoth[] = {DType::kFloat32, DType::kInt8, DType::kFloat64, DType::kBFloat16};
    const DType dtype = draw.Flip() ? call.DTypeOf(kSelf) : draw.Pick(kBoth);
    std::vector<double> values = call.Values(kSelf);
    if (!values.empty() && draw.Below(3) == 0) values[values.size() / 2] += 1;
    call.SetTensor(kOther, call.Shape(kSelf), dtype, std::move(values));
  }
  truth::DrawTensor(draw, call, kOut,
                    draw.Flip() ? std::vector<int64_t>{1} : std::vector<int64_t>{});
  truth::MarkUnlessObeyed(draw, call);
}

// A tensor and a mask one of which may have fewer dimensions, or 1 in place of some.
inline void DrawMaskedSelect(truth::Draw& draw, truth::Call& call) {
  using namespace masked_select;  // NOLINT: the positions
  const int whole = draw.Below(4) == 0 ? kMask : kSelf, other = whole == kSelf ? kMask : kSelf;
  truth::DrawTensor(draw, call, whole);
  std::vector<int64_t> shape = call.Shape(whole);
  if (draw.Flip()) {
    for (int64_t& extent : shape) {
      if (draw.Below(3) == 0) extent = 1;
    }
    shape.erase(shape.begin(), shape.begin() + draw.Below(static_cast<int64_t>(shape.size()) + 1));
  }
  truth::DrawTensor(draw, call, other, std::move(shape));
  truth::DrawTensor(draw, call, kOut, {call.ElementCount(whole)}, call.DTypeOf(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

// A mask that may have fewer dimensions than selfRef, or 1 in place of some; a source with enough
// elements.
inline void DrawMaskedScatter(truth::Draw& draw, truth::Call& call) {
  using namespace inplace_masked_scatter;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<int64_t> shape = call.Shape(kSelf);
  if (draw.Flip()) {
    for (int64_t& extent : shape) {
      if (draw.Below(3) == 0) extent = 1;
    }
    shape.erase(shape.begin(), shape.begin() + draw.Below(static_cast<int64_t>(shape.size()) + 1));
  }
  truth::DrawTensor(draw, call, kMask, std::move(shape));
  std::vector<int64_t> source = call.Shape(kSelf);
  std::reverse(source.begin(), source.end());
  if (draw.Flip()) source = {call.ElementCount(kSelf) + draw.Below(3)};
  truth::DrawTensor(draw, call, kSource, std::move(source), call.DTypeOf(kSelf));
}

template <bool kTransposed>
void DrawNonzero(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, Nonzero::kSelf);
  std::vector<int64_t> shape = {call.ElementCount(Nonzero::kSelf),
                                static_cast<int64_t>(call.Shape(Nonzero::kSelf).size())};
  if (kTransposed) std::swap(shape[0], shape[1]);
  truth::DrawTensor(draw, call, Nonzero::kOut, std::move(shape));
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnEqualGetWorkspaceSize)>(equal::kContract, &EqualTruth, &DrawEqual),
    truth::Entry<decltype(aclnnIsCloseGetWorkspaceSize)>(is_close::kContract, &IsCloseTruth),
    truth::Entry<decltype(aclnnIsInTensorScalarGetWorkspaceSize)>(is_in_tensor_scalar::kContract,
                                                                  &IsInTensorScalarTruth),
    truth::Entry<decltype(aclnnIsInScalarTensorGetWorkspaceSize)>(
        is_in_scalar_tensor::kContract, &IsInScalarTensorTruth, &DrawIsInScalarTensor),
    truth::SizesOutput(truth::Entry<decltype(aclnnMaskedSelectGetWorkspaceSize)>(
        masked_select::kContract, &MaskedSelectTruth, &DrawMaskedSelect)),
    truth::Entry<decltype(aclnnInplaceMaskedScatterGetWorkspaceSize)>(
        inplace_masked_scatter::kContract, &MaskedScatterTruth, &DrawMaskedScatter),
    truth::SizesOutput(truth::Entry<decltype(aclnnNonzeroGetWorkspaceSize)>(
        nonzero::kContract, &NonzeroTruth<false>, &DrawNonzero<false>)),
    truth::SizesOutput(truth::Entry<decltype(aclnnNonzeroV2GetWorkspaceSize)>(
        nonzero_v2::kContract, &NonzeroTruth<true>, &DrawNonzero<true>)),
};

}  // namespace aclimb::selection
