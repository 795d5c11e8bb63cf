#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "aclimb/contract/promotion.h"
#include "aclimb/ops/pointwise/contracts.h"
#include "aclimb/ops/pointwise/truths.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::pointwise {

// A condition, which has no say in what is computed in.
constexpr bool IsCondition(const Parameter& parameter) {
  const contract::DTypeMask mask = parameter.dtypes[Product::kA2];
  return (mask & ~contract::DTypes(DType::kBool, DType::kUInt8)) == 0;
}

// The tensors of a call by their roles, those that are given, and what it computes in.
struct Operands {
  explicit Operands(const truth::Call& call) {
    for (int p = 0; p < call.size(); ++p) {
      if (call.ParameterAt(p).kind != Kind::kTensor) continue;
      if (contract::IsWritten(call.ParameterAt(p).role)) output = p;
      if (!contract::IsRead(call.ParameterAt(p).role) || !call.IsGiven(p)) continue;
      inputs.push_back(p);
      if (IsCondition(call.ParameterAt(p))) continue;
      const DType own = call.DTypeOf(p);
      computed = computed == DType::kUndefined
                     ? own
                     : contract::PromoteTensors(computed, own).value_or(computed);
    }
  }

  std::vector<int> inputs = {};
  int output = -1;
  DType computed = DType::kUndefined;

  // An element as the formula reads it: integers are rounded to the dtype that is computed in.
  double Read(double element) const {
    return IsFloating(computed) ? truth::Rounded(element, computed) : element;
  }
};

inline truths::Numbers NumbersOf(const truth::Call& call, DType computed) {
  truths::Numbers numbers;
  numbers.whole = !IsFloating(computed);
  int scalars = 0, integers = 0;
  for (int p = 0; p < call.size(); ++p) {
    numbers.given[p] = call.IsGiven(p);
    if (call.ParameterAt(p).kind == Kind::kInteger) numbers.integer[integers++] = call.Integer(p);
    if (call.ParameterAt(p).kind == Kind::kString) numbers.by_tanh = call.Text(p, "") == "tanh";
    if (call.ParameterAt(p).kind == Kind::kReal) numbers.real[scalars++] = call.Real(p);
    if (call.ParameterAt(p).kind != Kind::kScalar) continue;
    const double real = call.Real(p);
    numbers.real[scalars++] = computed == DType::kFloat64 ? real
                              : computed == DType::kBool  ? (real != 0 ? 1 : 0)
                              : numbers.whole && IsInteger(call.DTypeOf(p))
                                  ? truth::Wrapped(real, computed)
                              : numbers.whole ? std::trunc(real)
                                              : static_cast<double>(call.Float(p));
  }
  numbers.rounded =
      IsFloating(computed) ? truth::Rounded(numbers.real[0], computed) : numbers.real[0];
  return numbers;
}

// A few units of the last place of float32, where exponents may be a product, or one rounding to a
// half type.
inline truth::Allowance ComputedIn(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return {4e-6, 1e-40};
    case DType::kFloat16:
      return {6e-4, 6e-8};
    case DType::kBFloat16:
      return {4.5e-3, 1e-40};
    case DType::kFloat64:
      return {1e-14, 1e-300};
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

// pick(formula(...)) of the inputs' elements.
template <typename R, typename Pick>
std::vector<double> ValuesOf(const truth::Call& call, const Operands& operands,
                             R (*formula)(double, const truths::Numbers&),
                             const truths::Numbers& numbers, Pick pick) {
  const std::vector<int>& in = operands.inputs;
  return truth::Each(call, {in[0]},
                     [&](double x) { return pick(formula(operands.Read(x), numbers)); });
}
template <typename R, typename Pick>
std::vector<double> ValuesOf(const truth::Call& call, const Operands& operands,
                             R (*formula)(double, double, const truths::Numbers&),
                             const truths::Numbers& numbers, Pick pick) {
  const std::vector<int>& in = operands.inputs;
  return truth::Each(call, {in[0], in[1]}, [&](double x, double y) {
    return pick(formula(operands.Read(x), operands.Read(y), numbers));
  });
}
template <typename R, typename Pick>
std::vector<double> ValuesOf(const truth::Call& call, const Operands& operands,
                             R (*formula)(double, double, double, const truths::Numbers&),
                             const truths::Numbers& numbers, Pick pick) {
  const std::vector<int>& in = operands.inputs;
  return truth::Each(call, {in[0], in[1], in[2]}, [&](double x, double y, double z) {
    return pick(formula(operands.Read(x), operands.Read(y), operands.Read(z), numbers));
  });
}

inline double ValueOf(double value) { return value; }
inline double ValueOf(const truths::Sum& sum) { return sum.value; }

enum class Accuracy { kExact, kComputed, kSum };

template <auto kFormula, Accuracy kAccuracy>
void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const Operands operands(call);
  const DType computed = operands.computed, out = call.DTypeOf(operands.output);
  const truths::Numbers numbers = NumbersOf(call, computed);
  std::vector<double> values = ValuesOf(call, operands, kFormula, numbers,
                                        [](const auto& result) { return ValueOf(result); });
  truth::Allowance allowance;
  if (kAccuracy != Accuracy::kExact) allowance = ComputedIn(computed);
  if (out != computed) {
    allowance.relative += StoredIn(out).relative;
    allowance.absolute += StoredIn(out).absolute;
  }
  std::vector<double> allowed;
  for (const double value : values) {
    allowed.push_back(allowance.absolute + allowance.relative * std::fabs(value));
  }
  if constexpr (kAccuracy == Accuracy::kSum) {
    // What is computed in float32 or double is off by the size of its terms.
    const DType terms = computed == DType::kFloat64 ? computed : DType::kFloat32;
    const double relative = IsFloating(computed) ? ComputedIn(terms).relative : 0;
    const std::vector<double> sizes = ValuesOf(call, operands, kFormula, numbers,
                                               [](const truths::Sum& sum) { return sum.size; });
    for (size_t i = 0; i < sizes.size(); ++i) allowed[i] += relative * sizes[i];
  }
  for (double& value : values) {
    const double rounded = truth::Rounded(value, computed);
    // What is chosen may be a number that the dtype has not; what is computed may overflow.
    const bool is_rounded = kAccuracy == Accuracy::kExact || std::isinf(rounded);
    value = truth::Wrapped(is_rounded ? rounded : truth::Wrapped(value, computed), out);
  }
  outputs.Set(operands.output, std::move(values), std::move(allowed));
}
// Of operators that choose among numbers, that compute, and that add terms which may cancel.
template <auto kFormula>
constexpr auto Exact = &Truth<kFormula, Accuracy::kExact>;
template <auto kFormula>
constexpr auto Computed = &Truth<kFormula, Accuracy::kComputed>;
template <auto kFormula>
constexpr auto Sum = &Truth<kFormula, Accuracy::kSum>;

inline void TruthOfClampTensor(const truth::Call& call, truth::Outputs& outputs) {
  const bool both = call.IsGiven(1) && call.IsGiven(2);
  (both ? Exact<&truths::ClampByBoth> : Exact<&truths::ClampByOne>)(call, outputs);
}

// A reserved output stays as it is.
inline void TruthOfLogSigmoid(const truth::Call& call, truth::Outputs& outputs) {
  outputs.Set(1,
              truth::Each(call, {0},
                          [](double x) {
                            return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
                          }),
              ComputedIn(call.DTypeOf(0)));
}
template <int kOutput>
void TruthOfRoundDecimals(const truth::Call& call, truth::Outputs& outputs) {
  const DType dtype = call.DTypeOf(0);
  const int64_t decimals = call.Integer(1);
  outputs.Set(kOutput,
              truth::Each(call, {0},
                          [=](double x) {
                            // Drawn integers have no fraction to lose, and drawn decimals are not
                            // below 0.
                            if (IsInteger(dtype)) return x;
                            return dtype == DType::kFloat64
                                       ? truths::RoundDecimals<double>(x, decimals)
                                       : truths::RoundDecimals<float>(x, decimals);
                          }),
              IsFloating(dtype) && SizeOf(dtype) == 2 ? StoredIn(dtype) : truth::Allowance());
}

inline constexpr truth::OperatorEntry kOperators[] = {
#define ACLIMB_POINTWISE(name, Name, header, plan, truth_of, parameter_list, argument_list, ...) \
  truth::Entry<decltype(aclnn##Name##GetWorkspaceSize)>(k##Name##Contract, truth_of),
#include "aclimb/ops/pointwise/rows.inc"
#undef ACLIMB_POINTWISE
};

}  // namespace aclimb::pointwise
