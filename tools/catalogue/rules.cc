#include "aclimb/collectives/errors.h"
#include "aclimb/contract/check.h"
#include "aclimb/core/text.h"
#include "aclimb/truth/all_operators.h"
#include "tools/catalogue/rule_entry.h"

namespace aclimb::catalogue {
namespace {

// The checks that every contract has, by the second part of their ids.
struct GenericRule {
  std::string_view kind;
  const char* meaning;
  const char* causes;
  const char* fix;
};

constexpr GenericRule kGeneric[] = {
    {"null", "this argument is not null", "its creation failed and was not checked",
     "check that its creation succeeded and that the arguments are in the right order"},
    {"handle", "this argument is a live object of its kind",
     "it was destroyed before phase 1, or two arguments are exchanged",
     "destroy it only after phase 2 has returned"},
    {"product", "the chip has the operator", "ACLIMB_SOC names an older chip",
     "choose another chip with ACLIMB_SOC, for example Ascend910B3"},
    {"dtype", "the dtype is one that the chip accepts",
     "bfloat16 on an older chip; float64 or an integer where the operator has none",
     "convert the data before it is copied to the device, or create an output with another dtype; "
     "`aclimb ops` lists what each chip accepts"},
    {"format", "the format is one of the accepted layouts",
     "a blocked format such as NC1HWC0 in aclCreateTensor, or channels last",
     "lay the data out so (or describe them with strides), and pass that format"},
    {"rank", "the number of dimensions is in range", "a batch dimension that is missing or extra",
     "reshape the tensor"},
    {"extent", "shape, strides and offset stay within 2^63 bytes",
     "strides in bytes, or an overflow in the shape's arithmetic",
     "check the strides: they count elements"},
    {"overlap", "each element of an output has a place of its own in memory",
     "an expanded tensor (stride 0) as output, or windows that overlap",
     "write to a tensor that is not expanded, and copy or expand that one"},
    {"environment", "every environment variable has an acceptable value",
     "a misspelled value; `aclimb env` marks it", "correct the variable, or unset it"},
    {"workspace-overflow", "the workspace fits in 2^63 bytes", "shapes that no memory can hold",
     "split the tensors"},
    {"thread", "where phase 1 plans the call on a thread of its own, the system gives it one",
     "the process or its control group has as many threads as it may have, or no memory for the "
     "stack of another; the message names the limits",
     "raise the limit, or end threads, and call again"},
};

const char* CauseOf(const contract::Rule& rule) {
  switch (rule.kind) {
    case contract::RuleKind::kSameDType:
      return "one of the two was converted and the other was not";
    case contract::RuleKind::kSameDTypeOr:
      return "a tensor that was converted to a third dtype";
    case contract::RuleKind::kSameShape:
      return "a tensor of another layer or another step, or one that was reshaped";
    case contract::RuleKind::kConvertsToFloat:
      return "a complex scalar";
    case contract::RuleKind::kConvertsTo:
      return "an output of a narrower kind of number than its inputs";
    case contract::RuleKind::kPromotes:
      return "unsigned integers beside other numbers, or an output of a narrower kind of number";
    case contract::RuleKind::kScalarFits:
      return "a factor with a fraction for integers";
    case contract::RuleKind::kInDType:
      return "a number for another dtype, an infinity or a NaN, for a tensor of integers";
    case contract::RuleKind::kInRange:
      return rule.bounds.dimension_of >= 0
                 ? "a dimension counted for a tensor of another rank"
                 : "arguments in another order, or a number that was computed for another call";
    case contract::RuleKind::kOneOf:
      return "a misspelled word";
    case contract::RuleKind::kReserved:
      return "a value that PyTorch has and the operator's document does not support so far";
    case contract::RuleKind::kCount:
    case contract::RuleKind::kCountOf:
      return "an array of another operator, or a missing entry";
    case contract::RuleKind::kWanted:
      return "a flag or a number that asks for more than the caller passes";
    case contract::RuleKind::kAbsent:
      return "a tensor for what the operator does not do";
    case contract::RuleKind::kElements:
      return "a tensor that was sliced, repeated or made for another call";
    case contract::RuleKind::kReducesLoss:
      return "a loss of each element where one number is asked for, or one number for all";
    case contract::RuleKind::kSameRank:
      return "a dimension that is missing or extra";
    case contract::RuleKind::kBroadcasts:
      return "an output with the shape of one input only, or a missing dimension of 1";
    case contract::RuleKind::kNamesDType:
      return "a dtype that was passed as its name says, and an output made for another one";
    case contract::RuleKind::kReduces:
      return "an output that kept, or lost, the dimensions that are reduced";
    case contract::RuleKind::kCustom:
      break;
  }
  return "";
}

const char* CauseOf(const contract::OwnRule& own) {
  if (own.rule != nullptr) return CauseOf(*own.rule);
  return "a tensor of another layer or another step, or two arguments that are exchanged";
}

void AddParameter(const contract::Contract& contract, int index, std::string& out) {
  if (index < 0) return;
  const contract::Parameter& parameter = contract.parameters[static_cast<size_t>(index)];
  out += Cat("\n  ", parameter.name, ": ", parameter.doc);
}

std::string ContextOf(const contract::Contract& contract, std::string_view parameter) {
  std::string out = contract.function;
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    if (contract.parameters[i].name == parameter) {
      AddParameter(contract, static_cast<int>(i), out);
    }
  }
  return out;
}

void AddGeneric(const contract::Contract& contract, std::string id, std::vector<RuleEntry>& out) {
  const std::string_view rest = std::string_view(id).substr(id.find('/') + 1);
  const std::string_view kind = rest.substr(0, rest.find('/'));
  const std::string_view parameter =
      kind.size() == rest.size() ? std::string_view() : rest.substr(kind.size() + 1);
  for (const GenericRule& row : kGeneric) {
    if (row.kind != kind) continue;
    const int code = kind == "null"     ? static_cast<int>(kAclnnNullptr)
                     : kind == "rank"   ? contract.rank_code
                     : kind == "thread" ? static_cast<int>(kAclnnRuntime)
                                        : static_cast<int>(kAclnnInvalid);
    std::string context = ContextOf(contract, parameter);
    out.push_back({std::move(id), code, row.meaning, row.causes, row.fix, std::move(context)});
    return;
  }
}

void AddOperator(const contract::Contract& contract, std::vector<RuleEntry>& out) {
  const std::vector<contract::OwnRule> own_rules = contract::OwnRules(contract);
  std::vector<std::string> ids = contract::RuleIds(contract);
  ids.resize(ids.size() - own_rules.size());  // its own rules are the last
  // Before the table is looked at.
  for (const char* first : {"null/workspaceSize", "null/executor", "environment"}) {
    AddGeneric(contract, Cat(contract.folder, "/", first), out);
  }
  for (std::string& id : ids) AddGeneric(contract, std::move(id), out);
  for (const contract::OwnRule& own : own_rules) {
    RuleEntry text{Cat(contract.folder, "/", own.id),
                   own.code,
                   own.statement,
                   CauseOf(own),
                   own.fix,
                   contract.function};
    if (own.rule == nullptr) {
      AddParameter(contract, own.parameter, text.context);
    } else {
      for (int index : contract::ParametersOf(*own.rule)) {
        AddParameter(contract, index, text.context);
      }
    }
    out.push_back(std::move(text));
  }
  for (const char* last : {"workspace-overflow", "thread"}) {
    AddGeneric(contract, Cat(contract.folder, "/", last), out);
  }
}

}  // namespace

std::vector<RuleEntry> AllRules() {
  std::vector<RuleEntry> rules;
  for (const truth::OperatorEntry* entry : AllOperators()) AddOperator(*entry->contract, rules);
  for (const std::span<const FixedRule> table :
       {ObjectRules(), RuntimeRules(), CollectiveRules()}) {
    for (const FixedRule& row : table) {
      rules.push_back({row.id, row.code, row.meaning, row.causes, row.fix, "", ""});
    }
  }
  for (const FixedRule& row : CheckRules()) {
    rules.push_back({row.id, row.code, row.meaning, row.causes, row.fix, "", ""});
  }
  for (RuleEntry& rule : rules) {
    if (rule.code == 0) continue;
    // The numbers of an HcclResult are codes of their own.
    rule.code_text =
        rule.id.starts_with("collective/")
            ? Cat(rule.code, " ", collectives::NameOf(static_cast<HcclResult>(rule.code)))
            : CodeText(rule.code);
  }
  return rules;
}

bool Matches(std::string_view pattern, std::string_view id) {
  if (!pattern.ends_with("/*")) return pattern == id;
  pattern.remove_suffix(1);
  return id.size() > pattern.size() && id.starts_with(pattern);
}

}  // namespace aclimb::catalogue
