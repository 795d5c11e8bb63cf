#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "aclimb/contract/given.h"
#include "aclimb/contract/promotion.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

// ---- Numbers in a range

bool IsArray(Kind kind) {
  return kind == Kind::kIntArray || kind == Kind::kFloatArray || kind == Kind::kScalarList;
}

// Calls `each` with every number of the argument until it returns true, and returns whether it did.
template <typename Each>
bool AnyNumber(const Contract& contract, const Arguments& arguments, int parameter, Each&& each) {
  const Argument& argument = arguments.At(parameter);
  const Kind kind = contract.At(parameter).kind;
  if (kind == Kind::kInteger || kind == Kind::kBool)
    return each(static_cast<double>(argument.integer));
  if (kind == Kind::kReal) return each(argument.real);
  if (argument.object == nullptr) return false;
  const auto scalar = [&](const ScalarValue& value) {
    return !IsComplex(value.dtype) && each(static_cast<double>(value.ToFloat()));
  };
  if (kind == Kind::kScalar) return scalar(arguments.Scalar(parameter));
  if (kind == Kind::kIntArray) {
    for (int64_t value : arguments.Ints(parameter)) {
      if (each(static_cast<double>(value))) return true;
    }
  } else if (kind == Kind::kFloatArray) {
    for (float value : arguments.Floats(parameter)) {
      if (each(static_cast<double>(value))) return true;
    }
  } else if (kind == Kind::kScalarList) {
    for (size_t i = 0; i < arguments.ElementCount(parameter); ++i) {
      if (scalar(arguments.Scalar(parameter, i))) return true;
    }
  }
  return false;
}

std::string Told(const Contract& contract, const Rule& rule, const Arguments& arguments) {
  return ToldAttribute(contract, arguments, rule.subject, rule.bounds.is_uint64);
}

// All digits of a whole number.
std::string BoundText(double bound) {
  return std::fabs(bound) < 0x1p53 && bound == std::trunc(bound)
             ? std::to_string(static_cast<int64_t>(bound))
             : Cat(bound);
}

// "a number of at least 0", "numbers from 0 to 1"
std::string BoundsText(const Rule& rule, bool many) {
  const Bounds& bounds = rule.bounds;
  const std::string numbers = many ? "numbers" : "a number";
  const std::string least = BoundText(bounds.least), most = BoundText(bounds.most);
  if (bounds.is_uint64) return Cat(numbers, " below 2^63");
  if (bounds.most == Bounds::kInfinity) {
    return Cat(numbers, bounds.open ? " above " : " of at least ", least);
  }
  if (bounds.least == -Bounds::kInfinity) return Cat(numbers, " of at most ", most);
  if (bounds.least == bounds.most) return Cat(numbers, " equal to ", least);
  return Cat(numbers, bounds.open ? " above " : " from ", least,
             bounds.open ? " and at most " : " to ", most);
}

std::optional<std::string> OutOfBounds(const Contract& contract, const Rule& rule,
                                       const Arguments& arguments) {
  const Bounds& bounds = rule.bounds;
  const int when = rule.third;
  if (when >= 0 && !arguments.Bool(when)) return std::nullopt;
  const auto wrong = [&](double value) {
    if (bounds.nan && std::isnan(value)) return false;
    const bool high_enough = bounds.open ? value > bounds.least : value >= bounds.least;
    return !(high_enough && value <= bounds.most);
  };
  if (!AnyNumber(contract, arguments, rule.subject, wrong)) return std::nullopt;
  const bool many = IsArray(contract.At(rule.subject).kind);
  return Cat(Told(contract, rule, arguments),
             when < 0 ? std::string() : Cat(" and ", ToldAttribute(contract, arguments, when)),
             "; expected ", BoundsText(rule, many), ".");
}

// The same dimension counted from the end stands twice.
bool StandsTwice(const IntArrayValue& dimensions, int64_t rank) {
  uint64_t seen = 0;
  for (int64_t dimension : dimensions) {
    const uint64_t bit = uint64_t{1} << WrapDimension(dimension, rank);
    if ((seen & bit) != 0) return true;
    seen |= bit;
  }
  return false;
}

std::optional<std::string> NoDimension(const Contract& contract, const Rule& rule,
                                       const Arguments& arguments) {
  if (TensorCount(contract, arguments, rule.other) == 0) return std::nullopt;
  const GivenTensor tensor = TensorAt(contract, arguments, rule.other, 0);
  if (!tensor) return std::nullopt;
  const bool many = contract.At(rule.subject).kind == Kind::kIntArray;
  const int64_t rank = std::max(tensor->rank() + rule.bounds.more, 1);
  const auto wrong = [&](double value) {
    return value < static_cast<double>(-rank) || value >= static_cast<double>(rank);
  };
  const auto told = [&] {
    return Cat(Told(contract, rule, arguments), " but ", NameOf(contract, tensor), ".shape is ",
               ShapeOf(tensor), "; expected ");
  };
  if (AnyNumber(contract, arguments, rule.subject, wrong)) {
    return Cat(told(), many ? "dimensions from " : "a dimension from ", -rank, " to ", rank - 1,
               ".");
  }
  if (rule.bounds.distinct && arguments.Given(rule.subject) &&
      StandsTwice(arguments.Ints(rule.subject), rank)) {
    return Cat(told(), "each dimension once.");
  }
  return std::nullopt;
}

// "FLOAT is 0, FLOAT16 is 1".
std::string NumbersText(DTypeMask mask) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (Has(mask, dtype)) text += Cat(text.empty() ? "" : ", ", NameOf(dtype), " is ", i);
  }
  return text;
}

std::optional<std::string> OtherDType(const Contract& contract, const Rule& rule,
                                      const Arguments& arguments) {
  const GivenTensor to = TensorAt(contract, arguments, rule.other, 0);
  const int64_t number = arguments.Integer(rule.subject);
  const auto dtype = static_cast<DType>(number);
  const bool has_name = static_cast<int64_t>(dtype) == number && IsKnown(dtype);
  const std::string told =
      Cat(contract.At(rule.subject).name, " is ",
          has_name ? std::string(NameOf(dtype)) : Cat("the number ", number), " but ");
  const auto told_of = [&](const GivenTensor& given) {
    return Cat(NameOf(contract, given), ".dtype is ", DTypeOf(given));
  };
  if (rule.third < 0) {
    if (!to || number == static_cast<int64_t>(to->dtype)) return std::nullopt;
    if (has_name) return Cat(told, told_of(to), "; expected the same.");
    // Who makes numbers up wants to see those that there are.
    return Cat(told, told_of(to), "; expected ", static_cast<int64_t>(to->dtype), ", which is ",
               NameOf(to->dtype), ", and of the dtypes that ", NameOf(contract, to), " may have ",
               NumbersText(contract.At(rule.other).dtypes[arguments.product()]), ".");
  }
  const GivenTensor from = TensorAt(contract, arguments, rule.third, 0);
  if (!to || !from) return std::nullopt;
  const DTypeMask mask = contract.At(rule.other).dtypes[arguments.product()];
  if (has_name && Has(mask, dtype) && ResultConverts(from->dtype, dtype) &&
      ResultConverts(dtype, to->dtype)) {
    return std::nullopt;
  }
  return Cat(told, told_of(from), " and ", told_of(to), "; expected one of ", Text(mask),
             " to which ", DTypeOf(from), " converts and which converts to ", DTypeOf(to), ".");
}

std::optional<std::string> NotReal(const Contract& contract, const Rule& rule,
                                   const Arguments& arguments) {
  const bool is_list = contract.At(rule.subject).kind == Kind::kScalarList;
  if (!arguments.Given(rule.subject)) return std::nullopt;
  const size_t count = is_list ? arguments.ElementCount(rule.subject) : 1;
  for (size_t i = 0; i < count; ++i) {
    const ScalarValue& scalar =
        is_list ? arguments.Scalar(rule.subject, i) : arguments.Scalar(rule.subject);
    if (ResultConverts(scalar.dtype, DType::kFloat32)) continue;
    return Cat(NameOf(contract, rule.subject, is_list ? static_cast<int>(i) : -1), ".dtype is ",
               NameOf(scalar.dtype),
               "; expected a dtype that converts to FLOAT (any integer, BOOL, FLOAT16, BFLOAT16, "
               "FLOAT or DOUBLE).");
  }
  return std::nullopt;
}

// ---- Texts

// Calls `each` with every choice, and whether it is the last, until it returns true; returns
// whether it did.
template <typename Each>
bool AnyChoice(const Rule& rule, Each&& each) {
  std::string_view rest = rule.choices;
  while (true) {
    const size_t bar = rest.find('|');
    const bool last = bar == std::string_view::npos;
    if (each(rest.substr(0, bar), last)) return true;
    if (last) return false;
    rest.remove_prefix(bar + 1);
  }
}

// "\"none\", \"mean\" or \"sum\""
std::string ChoicesText(const Rule& rule) {
  std::string text;
  AnyChoice(rule, [&](std::string_view choice, bool last) {
    text += Cat(text.empty() ? "" : last ? " or " : ", ", "\"", choice, "\"");
    return false;
  });
  return text;
}

std::optional<std::string> NoChoice(const Contract& contract, const Rule& rule,
                                    const Arguments& arguments) {
  if (!arguments.Given(rule.subject)) return std::nullopt;
  const std::string_view text = arguments.String(rule.subject, "");
  if (AnyChoice(rule, [&](std::string_view choice, bool) { return choice == text; })) {
    return std::nullopt;
  }
  return Cat(contract.At(rule.subject).name, " is \"", text, "\"; expected ", ChoicesText(rule),
             ".");
}

// ---- What documents do not support so far

std::optional<std::string> ReservedValue(const Contract& contract, const Rule& rule,
                                         const Arguments& arguments) {
  if (arguments.extensions()) return std::nullopt;
  if (contract.At(rule.subject).kind == Kind::kTensor) {
    const GivenTensor given = TensorAt(contract, arguments, rule.subject, 0);
    if (!given || given->IsEmpty()) return std::nullopt;
    return Cat(NameOf(contract, given), " is a tensor of shape ", ShapeOf(given),
               "; expected null or an empty tensor, since the operator's document does not support "
               "it so far (ACLIMB_EXTENSIONS=1 accepts it).");
  }
  const bool is_flag = contract.At(rule.subject).kind == Kind::kBool;
  const auto wrong = [](double value) { return value != 0; };
  if (!AnyNumber(contract, arguments, rule.subject, wrong)) return std::nullopt;
  return Cat(Told(contract, rule, arguments), "; expected ", is_flag ? "false" : "0",
             ", the only value that the operator's document supports so far (ACLIMB_EXTENSIONS=1 "
             "accepts ",
             is_flag ? "true)." : "the others).");
}

}  // namespace

std::string ToldAttribute(const Contract& contract, const Arguments& arguments, int parameter,
                          bool is_uint64) {
  const char* const name = contract.At(parameter).name;
  std::string list;
  const auto add = [&](const auto& value) { list += Cat(list.empty() ? "" : ", ", value); };
  switch (contract.At(parameter).kind) {
    case Kind::kInteger: {
      const int64_t value = arguments.Integer(parameter);
      return Cat(name, " is ", is_uint64 ? Cat(static_cast<uint64_t>(value)) : Cat(value));
    }
    case Kind::kReal:
      return Cat(name, " is ", arguments.Real(parameter));
    case Kind::kScalar:
      return Cat(name, " is ", arguments.Scalar(parameter).Text());
    case Kind::kIntArray:
      for (int64_t value : arguments.Ints(parameter)) add(value);
      return Cat(name, " is [", list, "]");
    case Kind::kFloatArray:
      for (float value : arguments.Floats(parameter)) add(value);
      return Cat(name, " is [", list, "]");
    case Kind::kScalarList:
      for (size_t i = 0; i < arguments.ElementCount(parameter); ++i) {
        add(arguments.Scalar(parameter, i).Text());
      }
      return Cat(name, " is [", list, "]");
    case Kind::kTensorList:
      return Cat(name, " has ", EntriesText(arguments.ElementCount(parameter)));
    case Kind::kBoolArray:
      return Cat(name, " has ", EntriesText(arguments.Bools(parameter).size()));
    case Kind::kBool:
      return Cat(name, " is ", arguments.Bool(parameter));
    case Kind::kTensor:
    case Kind::kString:
      break;
  }
  return name;
}

std::optional<std::string> AttributeViolation(const Contract& contract, const Rule& rule,
                                              const Arguments& arguments) {
  if (rule.kind == RuleKind::kNamesDType) return OtherDType(contract, rule, arguments);
  if (rule.kind == RuleKind::kConvertsToFloat) return NotReal(contract, rule, arguments);
  if (rule.kind == RuleKind::kInRange) {
    return rule.bounds.dimension_of >= 0 ? NoDimension(contract, rule, arguments)
                                         : OutOfBounds(contract, rule, arguments);
  }
  if (rule.kind == RuleKind::kOneOf) return NoChoice(contract, rule, arguments);
  return ReservedValue(contract, rule, arguments);
}

std::string AttributeStatement(const Contract& contract, const Rule& rule) {
  const Parameter& subject = contract.At(rule.subject);
  const char* const name = subject.name;
  const bool many = IsArray(subject.kind);
  switch (rule.kind) {
    case RuleKind::kConvertsToFloat:
      return Cat(name, many ? " has real entries" : " is real");
    case RuleKind::kInRange:
      if (rule.bounds.dimension_of < 0) {
        return Cat(name, many ? " has " : " is ", BoundsText(rule, many),
                   rule.third < 0 ? "" : Cat(" when ", contract.At(rule.third).name, " is true"));
      }
      return Cat(name, many ? " has dimensions of " : " is a dimension of ",
                 contract.At(rule.other).name, rule.bounds.more > 0 ? " with one more" : "",
                 ", from -rank to rank - 1", rule.bounds.distinct ? ", each once" : "");
    case RuleKind::kOneOf:
      return Cat(name, " is ", ChoicesText(rule));
    case RuleKind::kReserved:
      return Cat(name,
                 subject.kind == Kind::kTensor ? " is null or empty"
                 : subject.kind == Kind::kBool ? " is false"
                                               : " is 0",
                 ", unless ACLIMB_EXTENSIONS=1");
    case RuleKind::kSameDType:
    case RuleKind::kSameDTypeOr:
    case RuleKind::kNamesDType:
    case RuleKind::kConvertsTo:
    case RuleKind::kPromotes:
    case RuleKind::kScalarFits:
    case RuleKind::kInDType:
    case RuleKind::kCount:
    case RuleKind::kCountOf:
    case RuleKind::kWanted:
    case RuleKind::kAbsent:
    case RuleKind::kElements:
    case RuleKind::kSameRank:
    case RuleKind::kSameShape:
    case RuleKind::kBroadcasts:
    case RuleKind::kReduces:
    case RuleKind::kReducesLoss:
    case RuleKind::kCustom:
      break;
  }
  return rule.statement;
}

}  // namespace aclimb::contract
