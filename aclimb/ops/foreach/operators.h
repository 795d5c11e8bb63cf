#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "aclimb/ops/foreach/contracts.h"
#include "aclimb/ops/foreach/truths.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::foreach {

// A few units of the last place of float32, or one rounding to a half type.
inline truth::Allowance AllowanceOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {6e-7, 1e-37};
    case DType::kFloat16:
      return {5e-4, 6e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-37};
    default:
      return {};
  }
}

// What tensor i of the lists has for a scalar; 0 where the operator has none.
inline double ScalarOf(const truth::Call& call, int i, DType dtype) {
  double scalar = 0;
  for (int p = 0; p < call.size(); ++p) {
    const Kind kind = call.ParameterAt(p).kind;
    if (kind == Kind::kScalar) scalar = call.Real(p);
    if (kind == Kind::kScalarList) scalar = call.Real({p, i});
    if (kind == Kind::kTensor) scalar = call.Values(p)[static_cast<size_t>(i)];
  }
  return IsFloating(dtype) ? static_cast<double>(static_cast<float>(scalar)) : std::trunc(scalar);
}

template <typename Formula, size_t... kInput>
truths::Sum Apply(Formula formula, const std::vector<const std::vector<double>*>& inputs, size_t at,
                  double scalar, std::index_sequence<kInput...>) {
  return formula((*inputs[kInput])[at]..., scalar);
}

template <auto kFormula>
struct FormulaTraits;
template <typename... T, truths::Sum (*kFormula)(T...)>
struct FormulaTraits<kFormula> {
  static constexpr size_t kInputs = sizeof...(T) - 1;
};

template <auto kFormula>
void TruthOf(const truth::Call& call, truth::Outputs& outputs) {
  constexpr size_t kInputs = FormulaTraits<kFormula>::kInputs;
  std::vector<int> lists;
  for (int p = 0; p < call.size(); ++p) {
    if (call.ParameterAt(p).kind == Kind::kTensorList) lists.push_back(p);
  }
  for (int i = 0; i < call.ListSize(lists[0]); ++i) {
    std::vector<const std::vector<double>*> inputs;
    for (size_t n = 0; n < kInputs; ++n) inputs.push_back(&call.Values({lists[n], i}));
    const DType dtype = call.DTypeOf({lists[0], i});
    const double scalar = ScalarOf(call, i, dtype);
    const truth::Allowance allowance = AllowanceOf(dtype);
    truth::Expected expected;
    for (size_t at = 0; at < inputs[0]->size(); ++at) {
      truths::Sum sum = Apply(kFormula, inputs, at, scalar, std::make_index_sequence<kInputs>());
      const double of_terms = IsFloating(dtype) ? AllowanceOf(DType::kFloat32).relative : 0;
      expected.allowed.push_back(static_cast<double>(
          allowance.absolute + allowance.relative * std::fabs(sum.value) + of_terms * sum.size));
      // A product of three may have more bits than can be told here.
      if (dtype == DType::kInt32 && sum.size >= 0x1p63L) expected.allowed.back() = truth::kAnything;
      sum.value = truth::Wrapped(sum.value, dtype);
      expected.values.push_back(static_cast<double>(sum.value));
    }
    expected = truth::InDType(std::move(expected), dtype);
    outputs.Set({lists.back(), i}, std::move(expected.values), std::move(expected.allowed));
  }
}

template <auto kFormula>
constexpr auto Each = &TruthOf<kFormula>;

inline double NormOf(const std::vector<double>& elements, double p) {
  double norm = std::isinf(p) && p < 0 ? p * p : 0;
  for (const double x : elements) {
    if (std::isnan(x) && p != 0) return x;
    const double size = std::fabs(x);
    if (std::isinf(p)) {
      norm = p > 0 ? std::max(norm, size) : std::min(norm, size);
    } else {
      norm += p == 0 ? (size != 0 ? 1 : 0) : std::pow(size, p);
    }
  }
  return p == 0 || std::isinf(p) ? norm : std::pow(norm, 1 / p);
}
inline void TruthOfNorm(const truth::Call& call, truth::Outputs& outputs) {
  for (int i = 0; i < call.ListSize(0); ++i) {
    const DType dtype = call.DTypeOf({0, i});
    const double norm = NormOf(call.Values({0, i}), call.Float(1));
    const truth::Allowance allowance = AllowanceOf(dtype);
    // Float32 sums before what is rounded.
    const double allowed = allowance.absolute + (allowance.relative + 4e-7) * std::fabs(norm);
    truth::Expected expected = truth::InDType({{norm}, {allowed}}, dtype);
    outputs.Set({2, i}, std::move(expected.values), std::move(expected.allowed));
  }
}

inline void TruthOfUnscale(const truth::Call& call, truth::Outputs& outputs) {
  double found = call.Values(1)[0];
  for (int i = 0; i < call.ListSize(0); ++i) {
    const DType dtype = call.DTypeOf({0, i});
    truth::Expected expected;
    for (const double x : call.Values({0, i})) {
      if (!std::isfinite(x)) found = 1;
      expected.values.push_back(x * call.Values(2)[0]);
      expected.allowed.push_back(AllowanceOf(dtype).absolute +
                                 AllowanceOf(dtype).relative * std::fabs(expected.values.back()));
    }
    expected = truth::InDType(std::move(expected), dtype);
    outputs.Set({0, i}, std::move(expected.values), std::move(expected.allowed));
  }
  outputs.Set(1, {found}, truth::Allowance());
}

// Tensors beside the lists, and norms, have shapes that custom rules tell.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  truth::Draw lists = draw;
  // For several tensors.
  lists.SetMostElements(std::max<int64_t>(1, draw.most_elements() / 8));
  truth::DrawFromContract(lists, call);
  const auto single = [&] { return std::vector<int64_t>(draw.Flip() ? 1 : 0, 1); };
  for (int p = 0; p < call.size(); ++p) {
    if (call.ParameterAt(p).kind == Kind::kTensor) {
      const bool many = std::string_view(call.ParameterAt(p).name) == "scalars";
      truth::DrawTensor(draw, call, p, many ? std::vector<int64_t>{call.ListSize(0)} : single());
    }
    if (call.ParameterAt(p).kind != Kind::kTensorList || call.ParameterAt(p).max_rank > 1) continue;
    for (int i = 0; i < call.ListSize(p); ++i)
      call.SetTensor({p, i}, single(), call.DTypeOf({p, i}));
  }
  truth::MarkUnlessObeyed(draw, call);
}

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_FOREACH(name, Name, header, kind, types, plan, truth_of, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, truth_of, &DrawCall),
#include "aclimb/ops/foreach/rows.inc"
#undef ACLIMB_FOREACH
};

}  // namespace aclimb::foreach
