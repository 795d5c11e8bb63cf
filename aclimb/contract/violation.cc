#include "aclimb/contract/violation.h"

#include "aclimb/core/text.h"

namespace aclimb::contract {

std::optional<std::string> Violation(const Contract& contract, const Rule& rule,
                                     const Arguments& arguments) {
  switch (rule.kind) {
    case RuleKind::kSameDType:
    case RuleKind::kSameDTypeOr:
    case RuleKind::kConvertsTo:
    case RuleKind::kSameRank:
    case RuleKind::kSameShape:
      return PairViolation(contract, rule, arguments);
    case RuleKind::kPromotes:
      return PromotionViolation(contract, rule, arguments);
    case RuleKind::kScalarFits:
    case RuleKind::kInDType:
      return ScalarViolation(contract, rule, arguments);
    case RuleKind::kBroadcasts:
      return BroadcastViolation(contract, rule, arguments);
    case RuleKind::kReduces:
      return ReductionViolation(contract, rule, arguments);
    case RuleKind::kReducesLoss:
      return LossViolation(contract, rule, arguments);
    case RuleKind::kNamesDType:
    case RuleKind::kConvertsToFloat:
    case RuleKind::kInRange:
    case RuleKind::kOneOf:
    case RuleKind::kReserved:
      return AttributeViolation(contract, rule, arguments);
    case RuleKind::kCount:
    case RuleKind::kCountOf:
    case RuleKind::kWanted:
    case RuleKind::kAbsent:
    case RuleKind::kElements:
      return PresenceViolation(contract, rule, arguments);
    case RuleKind::kCustom:
      break;
  }
  return rule.violated(arguments);
}

std::string StatementOf(const Contract& contract, const Rule& rule) {
  const auto name = [&](int index) { return contract.At(index).name; };
  const auto inputs = [&] {
    std::string text = name(rule.subject);
    if (rule.other >= 0) text += Cat(rule.third >= 0 ? ", " : " and ", name(rule.other));
    return rule.third >= 0 ? Cat(text, " and ", name(rule.third)) : text;
  };
  switch (rule.kind) {
    case RuleKind::kSameDType:
      return Cat(name(rule.subject), " has the dtype of ", name(rule.other));
    case RuleKind::kSameDTypeOr:
      return Cat(name(rule.subject), " has the dtype of ", name(rule.other), ", or ",
                 Text(rule.dtypes));
    case RuleKind::kSameRank:
      return Cat(name(rule.subject), " has the rank of ", name(rule.other));
    case RuleKind::kSameShape:
      return Cat(name(rule.subject), " has the shape of ", name(rule.other));
    case RuleKind::kConvertsTo:
      return Cat("the dtype of ", name(rule.subject), " converts to that of ", name(rule.other));
    case RuleKind::kPromotes:
      return Cat(inputs(), " have a common dtype",
                 rule.output < 0 ? "" : Cat(", which converts to that of ", name(rule.output)));
    case RuleKind::kScalarFits:
      return Cat(name(rule.subject), " is an integer or a BOOL, unless ", name(rule.other),
                 rule.third < 0 ? " has" : Cat(" and ", name(rule.third), " promote to"),
                 " a floating dtype");
    case RuleKind::kInDType:
      if (rule.third == rule.subject) {
        return Cat(name(rule.subject), " is within the dtype of ", name(rule.other),
                   ", where both are integers");
      }
      if (rule.third < 0) {
        return Cat(name(rule.subject), " is within the dtype of ", name(rule.other),
                   ", where that is of integers");
      }
      return Cat(name(rule.subject), " is within the dtype that ", name(rule.other),
                 rule.output < 0 ? " and " : ", ", name(rule.third),
                 rule.output < 0 ? std::string() : Cat(" and ", name(rule.output)),
                 " promote to, where that is of integers");
    case RuleKind::kBroadcasts:
      if (rule.output != rule.subject) {
        return Cat(name(rule.output), " has the shape that ", inputs(), " broadcast to");
      }
      return Cat(name(rule.other), rule.third < 0 ? "" : Cat(" and ", name(rule.third)),
                 rule.third < 0 ? " broadcasts" : " broadcast", " to the shape of ",
                 name(rule.output));
    case RuleKind::kReduces:
      if (rule.third < 0)
        return Cat(name(rule.subject), " is a single element, of shape [] or [1]");
      return Cat(name(rule.subject), " has the shape of ", name(rule.other),
                 " without the dimensions in ", name(rule.third),
                 rule.output < 0
                     ? ""
                     : Cat(", or with 1 in their place when ", name(rule.output), " is true"));
    case RuleKind::kReducesLoss:
      return Cat(name(rule.subject), " has the shape ",
                 rule.third < 0
                     ? Cat("of ", name(rule.other))
                     : Cat("that ", name(rule.other), " and ", name(rule.third), " broadcast to"),
                 " where ", name(rule.output), " is ",
                 contract.At(rule.output).kind == Kind::kString ? "\"none\"" : "0",
                 ", else it is a single element, of shape [] or [1]");
    case RuleKind::kNamesDType:
      if (rule.third < 0) return Cat(name(rule.subject), " is the dtype of ", name(rule.other));
      return Cat(name(rule.subject), " is a dtype that ", name(rule.third),
                 " converts to and that converts to the one of ", name(rule.other));
    case RuleKind::kConvertsToFloat:
    case RuleKind::kInRange:
    case RuleKind::kOneOf:
    case RuleKind::kReserved:
      return AttributeStatement(contract, rule);
    case RuleKind::kCount:
    case RuleKind::kCountOf:
    case RuleKind::kWanted:
    case RuleKind::kAbsent:
    case RuleKind::kElements:
      return PresenceStatement(contract, rule);
    case RuleKind::kCustom:
      break;
  }
  return rule.statement;
}

}  // namespace aclimb::contract
