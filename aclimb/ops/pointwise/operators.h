#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "aclimb/ops/pointwise/contracts.h"
#include "aclimb/ops/pointwise/truths.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::pointwise {

// The tensors of a call by their roles, those that are given, and what it computes in.
struct Operands {
  explicit Operands(const truth::Call& call) {
    for (int p = 0; p < call.size(); ++p) {
      if (call.ParameterAt(p).kind != Kind::kTensor) continue;
      if (contract::IsWritten(call.ParameterAt(p).role)) output = p;
      if (!contract::IsRead(call.ParameterAt(p).role) || !call.IsGiven(p)) continue;
      const DType own = call.DTypeOf(p);
      computed = inputs.empty() ? own : contract::PromoteTensors(computed, own).value_or(computed);
      inputs.push_back(p);
    }
  }

  std::vector<int> inputs = {};
  int output = -1;
  DType computed = DType::kUndefined;
};

inline truths::Numbers NumbersOf(const truth::Call& call, DType computed) {
  truths::Numbers numbers;
  int scalars = 0, integers = 0;
  for (int p = 0; p < call.size(); ++p) {
    if (call.ParameterAt(p).kind == Kind::kInteger) numbers.integer[integers++] = call.Integer(p);
    if (call.ParameterAt(p).kind != Kind::kScalar) continue;
    const double real = call.Real(p);
    numbers.real[scalars] = computed == DType::kFloat64 ? real
                            : IsFloating(computed)      ? static_cast<double>(call.Float(p))
                                                        : std::trunc(real);
    numbers.given[scalars++] = call.IsGiven(p);
  }
  return numbers;
}

// A few units of the last place of float32, where terms of 1 may cancel and exponents may be a
// product, or one rounding to a half type.
inline truth::Allowance ComputedIn(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {4e-6, 1e-6};
    case DType::kFloat16:
      return {6e-4, 1e-6};
    case DType::kBFloat16:
      return {4.5e-3, 1e-6};
    case DType::kFloat64:
      return {1e-14, 1e-14};
    default:
      return {};
  }
}
// One rounding.
inline truth::Allowance StoredIn(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {6e-8, 1e-45};
    case DType::kFloat16:
      return {5e-4, 3e-8};
    case DType::kBFloat16:
      return {4e-3, 1e-40};
    default:
      return {};
  }
}

// Integers lose the bits that their dtype has not.
inline double Wrapped(double value, DType dtype) {
  if (!IsInteger(dtype)) return value;
  const double size = std::ldexp(1.0, 8 * static_cast<int>(SizeOf(dtype)));
  const double least = dtype == DType::kUInt8 ? 0 : -size / 2;
  return value - size * std::floor((value - least) / size);
}

inline std::vector<double> ValuesOf(const truth::Call& call, const std::vector<int>& in,
                                    double (*formula)(double, const truths::Numbers&),
                                    const truths::Numbers& numbers) {
  return truth::Each(call, {in[0]}, [&](double x) { return formula(x, numbers); });
}
inline std::vector<double> ValuesOf(const truth::Call& call, const std::vector<int>& in,
                                    double (*formula)(double, double, const truths::Numbers&),
                                    const truths::Numbers& numbers) {
  return truth::Each(call, {in[0], in[1]},
                     [&](double x, double y) { return formula(x, y, numbers); });
}

template <auto kFormula, bool kRounds>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const Operands operands(call);
  const DType out = call.DTypeOf(operands.output);
  truth::Allowance allowance;
  if (kRounds) allowance = ComputedIn(operands.computed);
  if (out != operands.computed) {
    allowance.relative += StoredIn(out).relative;
    allowance.absolute += StoredIn(out).absolute;
  }
  std::vector<double> values =
      ValuesOf(call, operands.inputs, kFormula, NumbersOf(call, operands.computed));
  for (double& value : values) {
    // What is chosen may be a number that the dtype has not; what is computed overflows.
    value = kRounds ? Wrapped(value, operands.computed) : truth::Rounded(value, operands.computed);
    value = Wrapped(value, out);
  }
  outputs.Set(operands.output, std::move(values), allowance);
}
// Of operators that compute, and of those that choose among numbers.
template <auto kFormula>
constexpr auto Computed = &Truth<kFormula, true>;
template <auto kFormula>
constexpr auto Exact = &Truth<kFormula, false>;

// The output may be each input of its dtypes.
struct SharedTensors {
  constexpr explicit SharedTensors(const contract::Contract& contract) {
    const int last = static_cast<int>(contract.parameters.size()) - 1;
    const Parameter& output = contract.At(last);
    if (output.role != contract::Role::kOutput) return;
    for (int p = 0; p < last; ++p) {
      const Parameter& input = contract.At(p);
      if (input.kind != Kind::kTensor || input.optional) continue;
      if (input.dtypes[Product::kA2] == output.dtypes[Product::kA2]) pairs[count++] = {last, p};
    }
  }

  std::array<truth::InPlace, 3> pairs = {};
  size_t count = 0;
};
template <const contract::Contract& kContract>
inline constexpr SharedTensors kSharedTensors{kContract};

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_POINTWISE(name, Name, header, plan, truth_of, parameter_list, argument_list, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(                                         \
      k##Name##Contract, truth_of, &truth::DrawFromContract,                                     \
      std::span(kSharedTensors<k##Name##Contract>.pairs)                                         \
          .first(kSharedTensors<k##Name##Contract>.count)),
#include "aclimb/ops/pointwise/rows.inc"
#undef ACLIMB_POINTWISE
};

}  // namespace aclimb::pointwise
