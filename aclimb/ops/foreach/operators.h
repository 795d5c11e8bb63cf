#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/ops/foreach/contracts.h"
#include "aclimb/ops/foreach/truths.h"
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

// INT32 loses the bits that it has not.
inline double Wrapped(double value) {
  return value - 0x1p32 * std::floor((value + 0x1p31) / 0x1p32);
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
void Truth(const truth::Call& call, truth::Outputs& outputs) {
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
      expected.allowed.push_back(allowance.absolute + allowance.relative * std::fabs(sum.value) +
                                 of_terms * sum.size);
      if (dtype == DType::kInt32) sum.value = Wrapped(sum.value);
      expected.values.push_back(sum.value);
    }
    expected = truth::InDType(std::move(expected), dtype);
    outputs.Set({lists.back(), i}, std::move(expected.values), std::move(expected.allowed));
  }
}

// A tensor beside the lists has a number for each of their tensors, of any of its dtypes.
inline void DrawLists(truth::Draw& draw, truth::Call& call) {
  truth::Draw lists = draw;
  truth::DrawFromContract(lists, call);
  for (int p = 0; p < call.size(); ++p) {
    if (call.ParameterAt(p).kind != Kind::kTensor) continue;
    truth::DrawTensor(draw, call, p, {call.ListSize(0)});
    draw.Byte();
  }
  // What follows differs from what was drawn for the lists.
  truth::MarkUnlessObeyed(draw, call);
}

// The output may be each input that has its dtypes and shapes.
struct SharedLists {
  constexpr explicit SharedLists(const contract::Contract& contract) {
    const int last = static_cast<int>(contract.parameters.size()) - 1;
    if (contract.At(last).role != contract::Role::kOutput) return;
    for (int p = 0; p < last; ++p) {
      if (contract.At(p).kind == Kind::kTensorList) pairs[count++] = {last, p};
    }
  }

  std::array<truth::InPlace, 3> pairs = {};
  size_t count = 0;
};
template <const contract::Contract& kContract>
inline constexpr SharedLists kSharedLists{kContract};

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_FOREACH(name, Name, header, kind, types, plan, truth_of, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(                     \
      k##Name##Contract, &Truth<truth_of>, &DrawLists,                       \
      std::span(kSharedLists<k##Name##Contract>.pairs)                       \
          .first(kSharedLists<k##Name##Contract>.count)),
#include "aclimb/ops/foreach/rows.inc"
#undef ACLIMB_FOREACH
};

}  // namespace aclimb::foreach
