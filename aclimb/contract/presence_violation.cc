#include <cstdint>
#include <string>

#include "aclimb/contract/given.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

// ---- Entries of arrays and lists

size_t EntriesOf(const Contract& contract, const Arguments& arguments, int parameter) {
  switch (contract.At(parameter).kind) {
    case Kind::kIntArray:
      return arguments.Ints(parameter).size();
    case Kind::kFloatArray:
      return arguments.Floats(parameter).size();
    case Kind::kBoolArray:
      return arguments.Bools(parameter).size();
    case Kind::kTensorList:
    case Kind::kScalarList:
      return arguments.ElementCount(parameter);
    case Kind::kTensor:
      return arguments.Tensor(parameter).shape.size();
    case Kind::kScalar:
    case Kind::kString:
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kReal:
      break;
  }
  return 0;
}

// "3 entries", "at least 1 entry"
std::string CountText(const Bounds& bounds) {
  if (bounds.least == bounds.most) return EntriesText(bounds.least);
  if (bounds.most == Bounds::kInfinity) return Cat("at least ", EntriesText(bounds.least));
  return Cat(bounds.least, " to ", EntriesText(bounds.most));
}

std::optional<std::string> OtherCount(const Contract& contract, const Rule& rule,
                                      const Arguments& arguments) {
  if (!arguments.Given(rule.subject)) return std::nullopt;
  const auto entries = static_cast<double>(EntriesOf(contract, arguments, rule.subject));
  if (entries >= rule.bounds.least && entries <= rule.bounds.most) return std::nullopt;
  return Cat(ToldAttribute(contract, arguments, rule.subject), "; expected ",
             CountText(rule.bounds), ".");
}

std::optional<std::string> OtherThanCountOf(const Contract& contract, const Rule& rule,
                                            const Arguments& arguments) {
  if (!arguments.Given(rule.subject) || !arguments.Given(rule.other)) return std::nullopt;
  const size_t expected = EntriesOf(contract, arguments, rule.other);
  if (EntriesOf(contract, arguments, rule.subject) == expected) return std::nullopt;
  const bool of_tensor = contract.At(rule.other).kind == Kind::kTensor;
  const std::string other = of_tensor ? Cat(contract.At(rule.other).name, ".shape is ",
                                            ShapeOf(TensorAt(contract, arguments, rule.other, 0)))
                                      : ToldAttribute(contract, arguments, rule.other);
  return Cat(ToldAttribute(contract, arguments, rule.subject), " but ", other, "; expected ",
             EntriesText(expected), of_tensor ? ", one for each dimension." : ".");
}

// ---- Elements of tensors

std::optional<std::string> OtherElements(const Contract& contract, const Rule& rule,
                                         const Arguments& arguments) {
  const bool in_list = contract.At(rule.subject).kind == Kind::kTensorList;
  int64_t expected = 1;
  bool fits = true;
  for (const int index : {rule.other, rule.third, rule.output}) {
    if (index < 0) continue;
    const bool is_tensor = contract.At(index).kind == Kind::kTensor;
    if (is_tensor && !arguments.Given(index)) return std::nullopt;
    const int64_t factor =
        is_tensor ? arguments.Tensor(index).ElementCount() : arguments.Integer(index);
    fits = fits && factor >= 0 && !__builtin_mul_overflow(expected, factor, &expected);
  }
  const auto factors = [&] {
    std::string text;
    for (const int index : {rule.other, rule.third, rule.output}) {
      if (index < 0) continue;
      text += Cat(text.empty() ? " but " : " and ",
                  contract.At(index).kind == Kind::kTensor
                      ? Cat(contract.At(index).name, ".shape is ",
                            ShapeOf(TensorAt(contract, arguments, index, 0)))
                      : ToldAttribute(contract, arguments, index));
    }
    return text;
  };
  for (size_t i = 0; i < TensorCount(contract, arguments, rule.subject); ++i) {
    const GivenTensor given = TensorAt(contract, arguments, rule.subject, in_list ? i : 0);
    if (!given || (fits && given->ElementCount() == expected)) continue;
    const bool one = rule.other < 0, flat = contract.At(rule.subject).max_rank <= 1;
    return Cat(NameOf(contract, given), ".shape is ", ShapeOf(given), factors(), "; expected ",
               !fits         ? std::string("a product below 2^63.")
               : one && flat ? std::string("[] or [1].")
               : one         ? std::string("one element.")
                             : Cat(expected, expected == 1 ? " element." : " elements."));
  }
  return std::nullopt;
}

// "as many elements as indices", "N * C elements", "1 element"
std::string ElementsText(const Contract& contract, const Rule& rule) {
  std::string factors;
  for (const int index : {rule.other, rule.third, rule.output}) {
    if (index >= 0) factors += Cat(factors.empty() ? "" : " * ", contract.At(index).name);
  }
  if (factors.empty()) return "one element";
  const bool of_tensor = rule.third < 0 && contract.At(rule.other).kind == Kind::kTensor;
  return of_tensor ? Cat("as many elements as ", factors) : Cat(factors, " elements");
}

// ---- What is given

std::optional<std::string> WantedButMissing(const Contract& contract, const Rule& rule,
                                            const Arguments& arguments) {
  if (arguments.Given(rule.subject)) return std::nullopt;
  const Parameter& flag = contract.At(rule.other);
  bool wanted = false;
  std::string told;
  if (flag.kind == Kind::kBoolArray) {
    if (!arguments.Given(rule.other)) return std::nullopt;
    const BoolArrayValue& mask = arguments.Bools(rule.other);
    const auto entry = static_cast<size_t>(rule.entry);
    wanted = entry < mask.size() && mask[entry] != 0;
    told = Cat(flag.name, "[", entry, "] is true");
  } else if (flag.kind == Kind::kBool) {
    wanted = arguments.Bool(rule.other);
  } else {
    // A NaN differs from all numbers.
    wanted = rule.unless != (flag.kind == Kind::kReal
                                 ? arguments.Real(rule.other)
                                 : static_cast<double>(arguments.Integer(rule.other)));
  }
  if (!wanted) return std::nullopt;
  if (told.empty()) told = ToldAttribute(contract, arguments, rule.other);
  return Cat(contract.At(rule.subject).name, " is null and ", told, "; expected an aclTensor.");
}

std::string WantedText(const Contract& contract, const Rule& rule) {
  const Parameter& flag = contract.At(rule.other);
  const std::string text = Cat(contract.At(rule.subject).name, " is given ");
  if (flag.kind == Kind::kBoolArray) {
    return Cat(text, "when ", flag.name, "[", rule.entry, "] is true");
  }
  if (flag.kind == Kind::kBool) return Cat(text, "when ", flag.name, " is true");
  return Cat(text, "unless ", flag.name, " is ", rule.unless);
}

std::optional<std::string> NotAbsent(const Contract& contract, const Rule& rule,
                                     const Arguments& arguments) {
  for (int p = 0; p < static_cast<int>(contract.parameters.size()); ++p) {
    if (!rule.IsAbout(p)) continue;
    for (size_t i = 0; i < TensorCount(contract, arguments, p); ++i) {
      const GivenTensor given = TensorAt(contract, arguments, p, i);
      if (!given || given->IsEmpty()) continue;
      return Cat(NameOf(contract, given), " is a tensor of shape ", ShapeOf(given),
                 "; expected null, or a tensor without elements.");
    }
  }
  return std::nullopt;
}

// "a, b and c are null or empty"
std::string AbsentText(const Contract& contract, const Rule& rule) {
  std::vector<std::string> names;
  for (int p = 0; p < static_cast<int>(contract.parameters.size()); ++p) {
    if (rule.IsAbout(p)) names.emplace_back(contract.At(p).name);
  }
  return Cat(Joined(names), names.size() == 1 ? " is" : " are", " null or empty");
}

}  // namespace

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += Cat(i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ", parts[i]);
  }
  return text;
}

std::optional<std::string> PresenceViolation(const Contract& contract, const Rule& rule,
                                             const Arguments& arguments) {
  if (rule.kind == RuleKind::kCount) return OtherCount(contract, rule, arguments);
  if (rule.kind == RuleKind::kCountOf) return OtherThanCountOf(contract, rule, arguments);
  if (rule.kind == RuleKind::kElements) return OtherElements(contract, rule, arguments);
  if (rule.kind == RuleKind::kWanted) return WantedButMissing(contract, rule, arguments);
  return NotAbsent(contract, rule, arguments);
}

std::string PresenceStatement(const Contract& contract, const Rule& rule) {
  if (rule.kind == RuleKind::kWanted) return WantedText(contract, rule);
  if (rule.kind == RuleKind::kAbsent) return AbsentText(contract, rule);
  const char* const name = contract.At(rule.subject).name;
  if (rule.kind == RuleKind::kCount) return Cat(name, " has ", CountText(rule.bounds));
  if (rule.kind == RuleKind::kElements) return Cat(name, " has ", ElementsText(contract, rule));
  const Parameter& other = contract.At(rule.other);
  return Cat(name, " has an entry for each ",
             other.kind == Kind::kTensor ? "dimension of " : "entry of ", other.name);
}

}  // namespace aclimb::contract
