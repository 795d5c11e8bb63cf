#include "aclimb/contract/page.h"

#include "aclimb/contract/check.h"
#include "aclimb/core/status.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

constexpr Product kProducts[] = {Product::kInference310P, Product::kTraining910, Product::kA2,
                                 Product::kA3, Product::k950};

const char* TypeText(Kind kind) {
  switch (kind) {
    case Kind::kTensor:
      return "tensor";
    case Kind::kScalar:
      return "scalar";
    case Kind::kIntArray:
      return "int array";
    case Kind::kBoolArray:
      return "bool array";
    case Kind::kString:
      return "string";
    case Kind::kBool:
      return "bool";
    case Kind::kInteger:
      return "integer";
    case Kind::kReal:
      return "real";
  }
  return "";
}

const char* RoleText(Role role) {
  switch (role) {
    case Role::kInput:
      return "in";
    case Role::kOutput:
      return "out";
    default:
      return "attribute";
  }
}

std::string RankText(const Parameter& parameter) {
  if (parameter.kind != Kind::kTensor) return "";
  if (parameter.min_rank == parameter.max_rank) return Cat(parameter.min_rank);
  return Cat(parameter.min_rank, " to ", parameter.max_rank);
}

std::string FormatColumn(const Parameter& parameter) {
  if (parameter.kind != Kind::kTensor) return "";
  return parameter.formats == kPlainFormats ? "any plain" : FormatsText(parameter.formats);
}

void AppendParameters(const Contract& contract, std::string& out) {
  out +=
      "## Parameters\n\n| name | kind | role | rank | format | meaning "
      "|\n|---|---|---|---|---|---|\n";
  for (const Parameter& parameter : contract.parameters) {
    out += Cat("| ", parameter.name, " | ", TypeText(parameter.kind), " | ",
               RoleText(parameter.role), parameter.optional ? ", may be null" : "", " | ",
               RankText(parameter), " | ", FormatColumn(parameter), " | ", parameter.doc, " |\n");
  }
}

void AppendDTypes(const Contract& contract, std::string& out) {
  out += "\n## Dtypes per product\n\n| tensor |";
  for (Product product : kProducts) out += Cat(" ", NameOf(product), " |");
  out += "\n|---|---|---|---|---|---|\n";
  for (const Parameter& parameter : contract.parameters) {
    if (parameter.kind != Kind::kTensor) continue;
    out += Cat("| ", parameter.name, " |");
    for (Product product : kProducts) {
      const bool exists = (contract.products & Bit(product)) != 0;
      out +=
          Cat(" ", exists ? Text(parameter.dtypes[product]) : std::string("not supported"), " |");
    }
    out += "\n";
  }
}

std::string Statement(const Contract& contract, const Rule& rule) {
  const auto name = [&](int index) { return contract.parameters[static_cast<size_t>(index)].name; };
  switch (rule.kind) {
    case RuleKind::kSameDType:
      return Cat(name(rule.subject), " has the dtype of ", name(rule.other));
    case RuleKind::kSameShape:
      return Cat(name(rule.subject), " has the shape of ", name(rule.other));
    case RuleKind::kConvertsToFloat:
      return Cat(name(rule.subject), " is real");
    case RuleKind::kConvertsTo:
      return Cat("the dtype of ", name(rule.subject), " converts to that of ", name(rule.other));
    case RuleKind::kCustom:
      break;
  }
  return rule.statement;
}

void AppendRules(const Contract& contract, std::string& out) {
  out +=
      Cat("\n## Checks of phase 1\n\nIn this order: nulls (161001), dead handles, product, dtypes, "
          "formats, ranks (",
          contract.rank_code,
          "), extents; then:\n\n| rule | holds when | code | fix |\n|---|---|---|---|\n");
  for (const Rule& rule : contract.rules) {
    out += Cat("| `", contract.folder, "/", rule.id, "` | ", Statement(contract, rule), " | ",
               CodeText(rule.code), " | ", rule.fix, " |\n");
  }
}

}  // namespace

std::string Page(const Contract& contract) {
  std::string out =
      Cat("# ", contract.function, "\n\n", contract.summary, "\n\nPrinted from `aclimb/ops/",
          contract.folder, "/contract.h` by `make docs`; do not edit.\n\n");
  AppendParameters(contract, out);
  AppendDTypes(contract, out);
  AppendRules(contract, out);
  return out;
}

}  // namespace aclimb::contract
