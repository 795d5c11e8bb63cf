#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "aclimb/contract/given.h"
#include "aclimb/contract/promotion.h"
#include "aclimb/contract/told.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

// A tensor or a scalar that takes part in a result.
struct Operand {
  DType dtype = DType::kUndefined;
  bool is_scalar = false;
};

// Joins the dtypes of a result's operands.
class Promotion {
 public:
  // Returns false when the operands so far have no common dtype.
  bool Add(const Operand& operand) {
    if (!any_) {
      any_ = true;
      common_ = operand;
      return true;
    }
    const bool swap = common_.is_scalar && !operand.is_scalar;
    const Operand& a = swap ? operand : common_;
    const Operand& b = swap ? common_ : operand;
    const auto dtype = !a.is_scalar && b.is_scalar ? PromoteTensorAndScalar(a.dtype, b.dtype)
                                                   : PromoteTensors(a.dtype, b.dtype);
    if (!dtype) return false;
    common_ = {*dtype, a.is_scalar && b.is_scalar};
    return true;
  }

  bool any() const { return any_; }
  DType dtype() const { return common_.dtype; }

 private:
  bool any_ = false;
  Operand common_;
};

size_t CountOf(const Contract& contract, const Arguments& arguments, int parameter) {
  return IsList(contract.At(parameter).kind) ? arguments.ElementCount(parameter) : 1;
}

// The elements of lists that go together; those of a single tensor or scalar go with all.
struct Row {
  const Contract& contract;
  const Arguments& arguments;
  size_t element;

  const ScalarValue* ScalarAt(int parameter) const {
    const Argument& argument = arguments.At(parameter);
    const bool is_list = contract.At(parameter).kind == Kind::kScalarList;
    return static_cast<const ScalarValue*>(is_list ? argument.elements[element].object
                                                   : argument.object);
  }
  GivenTensor TensorOf(int parameter) const {
    const bool is_list = contract.At(parameter).kind == Kind::kTensorList;
    return TensorAt(contract, arguments, parameter, is_list ? element : 0);
  }

  // Nothing of what is not given.
  std::optional<Operand> At(int parameter) const {
    if (HasTensors(contract.At(parameter).kind)) {
      if (const GivenTensor given = TensorOf(parameter)) return Operand{given->dtype, false};
      return std::nullopt;
    }
    if (const ScalarValue* const scalar = ScalarAt(parameter)) return Operand{scalar->dtype, true};
    return std::nullopt;
  }

  // "self.dtype is FLOAT (shape [2, 3])", "alpha is DOUBLE 0.5"
  std::string Told(int parameter) const {
    const Kind kind = contract.At(parameter).kind;
    if (HasTensors(kind)) {
      const GivenTensor given = TensorOf(parameter);
      return DTypeTold(NameOf(contract, given), *given.tensor);  // NOLINT: no other is told
    }
    const int in_list = kind == Kind::kScalarList ? static_cast<int>(element) : -1;
    return Cat(NameOf(contract, parameter, in_list), " is ", ScalarAt(parameter)->Text());
  }

  std::string ToldInputs(const Rule& rule) const {
    std::string text;
    for (int index : {rule.subject, rule.other, rule.third}) {
      if (index < 0 || !At(index)) continue;
      text += Cat(text.empty() ? "" : " and ", Told(index));
    }
    return text;
  }
};

std::optional<std::string> Wrong(const Rule& rule, const Row& row) {
  Promotion promotion;
  for (int index : {rule.subject, rule.other, rule.third}) {
    if (index < 0) continue;
    const std::optional<Operand> operand = row.At(index);
    if (operand && !promotion.Add(*operand)) {
      return Cat(row.ToldInputs(rule), "; expected dtypes that promote to a common one.");
    }
  }
  if (rule.output < 0 || !promotion.any() || !row.At(rule.output)) return std::nullopt;
  const DType to = row.At(rule.output)->dtype;
  if (ResultConverts(promotion.dtype(), to)) return std::nullopt;
  return Cat(row.Told(rule.output), " but ", row.ToldInputs(rule), ", which promote to ",
             NameOf(promotion.dtype()), "; expected an output dtype that ",
             NameOf(promotion.dtype()), " converts to.");
}

// Nothing when they have none, or none is given.
std::optional<DType> CommonOf(const Row& row, std::initializer_list<int> parameters) {
  Promotion promotion;
  for (int index : parameters) {
    if (index < 0) continue;
    const std::optional<Operand> operand = row.At(index);
    if (operand && !promotion.Add(*operand)) return std::nullopt;
  }
  if (!promotion.any()) return std::nullopt;
  return promotion.dtype();
}

std::optional<std::string> WrongScalar(const Rule& rule, const Row& row) {
  const std::optional<Operand> scalar = row.At(rule.subject);
  const std::optional<DType> common = CommonOf(row, {rule.other, rule.third});
  if (!scalar || !common || IsComplex(*common)) return std::nullopt;
  const bool is_real = IsFloating(scalar->dtype);
  if (!IsComplex(scalar->dtype) && (!is_real || IsFloating(*common))) return std::nullopt;
  std::string text = Cat(row.Told(rule.subject), " but ", row.Told(rule.other));
  if (rule.third >= 0) {
    text += Cat(" and ", row.Told(rule.third), ", which promote to ", NameOf(*common));
  }
  return Cat(text, "; expected ", IsFloating(*common) ? "a real number." : "an integer or a BOOL.");
}

// The numbers of a dtype of integers.
struct Limits {
  int64_t least = 0;
  uint64_t most = 0;
};
Limits LimitsOf(DType dtype) {
  const auto bits = static_cast<int>(8 * SizeOf(dtype));
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  if (IsUnsigned(dtype)) return {0, all};
  return {-static_cast<int64_t>(all / 2) - 1, all / 2};
}

bool Has(const Limits& limits, const ScalarValue& scalar) {
  if (IsFloating(scalar.dtype)) {
    const double value = scalar.ToDouble(), most = static_cast<double>(limits.most);
    // Of 64 bits the nearest double is one more than the most. NaN compares false.
    const bool low_enough = most < 0x1p53 ? value <= most : value < most;
    return value >= static_cast<double>(limits.least) && low_enough;
  }
  if (scalar.dtype == DType::kUInt64 && scalar.ToDouble() >= 0x1p63) {
    return limits.most == std::numeric_limits<uint64_t>::max();
  }
  const int64_t value = scalar.ToInteger();
  if (value >= 0) return static_cast<uint64_t>(value) <= limits.most;
  if (limits.least < 0) return value >= limits.least;
  return -static_cast<uint64_t>(value) <= limits.most;
}

std::optional<std::string> ScalarOutside(const Rule& rule, const Row& row) {
  const ScalarValue* const scalar = row.ScalarAt(rule.subject);
  const std::optional<Operand> tensor = row.At(rule.other);
  if (scalar != nullptr && tensor && IsInteger(tensor->dtype) && IsFloating(scalar->dtype) &&
      std::isnan(scalar->ToDouble())) {
    return Cat(row.Told(rule.subject), " but ", row.Told(rule.other),
               "; expected a number, which NaN is not.");
  }
  const std::optional<DType> common = CommonOf(row, {rule.other, rule.third, rule.output});
  if (scalar == nullptr || !common || !IsInteger(*common) || IsComplex(scalar->dtype)) {
    return std::nullopt;
  }
  const Limits limits = LimitsOf(*common);
  if (Has(limits, *scalar)) return std::nullopt;
  std::string text = Cat(row.Told(rule.subject), " but ", row.Told(rule.other));
  if (rule.third >= 0 && rule.third != rule.subject) {
    text += Cat(" and ", row.Told(rule.third),
                rule.output < 0 ? std::string() : Cat(" and ", row.Told(rule.output)),
                ", which promote to ", NameOf(*common));
  }
  return Cat(text, "; expected a number from ", limits.least, " to ", limits.most, ".");
}

// So many elements go together; one if there is no list.
size_t RowsOf(const Contract& contract, const Rule& rule, const Arguments& arguments) {
  size_t rows = SIZE_MAX;
  bool any_list = false;
  for (int index : {rule.subject, rule.other, rule.third, rule.output}) {
    if (index < 0 || !IsList(contract.At(index).kind)) continue;
    any_list = true;
    rows = std::min(rows, CountOf(contract, arguments, index));
  }
  return any_list ? rows : 1;
}

}  // namespace

std::optional<std::string> ScalarViolation(const Contract& contract, const Rule& rule,
                                           const Arguments& arguments) {
  const size_t rows = RowsOf(contract, rule, arguments);
  for (size_t i = 0; i < rows; ++i) {
    const Row row{contract, arguments, i};
    if (auto wrong =
            rule.kind == RuleKind::kInDType ? ScalarOutside(rule, row) : WrongScalar(rule, row)) {
      return wrong;
    }
  }
  return std::nullopt;
}

std::optional<std::string> PromotionViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments) {
  const size_t rows = RowsOf(contract, rule, arguments);
  for (size_t i = 0; i < rows; ++i) {
    if (auto wrong = Wrong(rule, Row{contract, arguments, i})) return wrong;
  }
  return std::nullopt;
}

}  // namespace aclimb::contract
