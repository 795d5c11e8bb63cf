// aclimb ops: the operators and what each accepts, read from their contracts.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "aclimb/core/product.h"
#include "aclimb/truth/all_operators.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/near.h"
#include "tools/aclimb/operator_text.h"
#include "tools/aclimb/output.h"

namespace aclimb::cli {
namespace {

struct OpsOptions {
  std::string name;
  std::string soc;
  bool json = false;
};

// By the function's name with or without "aclnn", or by the folder's.
const contract::Contract* FindOperator(const std::string& name) {
  std::string wanted = Lower(name);
  // As messages begin.
  constexpr std::string_view kPhase1 = "getworkspacesize";
  if (wanted.ends_with(kPhase1)) wanted.resize(wanted.size() - kPhase1.size());
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    const std::string function = Lower(contract->function);
    if (wanted == function || "aclnn" + wanted == function || wanted == contract->folder) {
      return contract;
    }
  }
  return nullptr;
}

int UnknownOperator(const std::string& name) {
  std::vector<std::string> names;
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    names.emplace_back(contract->function);
    names.emplace_back(contract->folder);
  }
  std::fprintf(stderr, "aclimb ops: there is no operator \"%s\"\n", name.c_str());
  const std::vector<std::string> near = NearMatches(name, names);
  if (!near.empty()) std::fputs("Near matches:\n", stderr);
  for (const std::string& match : near) std::fprintf(stderr, "  %s\n", match.c_str());
  if (near.empty()) std::fputs("All of them: aclimb ops\n", stderr);
  return kWrongUse;
}

void PrintOperator(const contract::Contract& contract, std::optional<Product> product) {
  Print(Bold(contract.function) + "\n");
  PrintField("", contract.summary);
  const Declaration& declaration = DeclarationOf(contract);
  PrintField("header", fmt::format("aclnnop/{}", declaration.header));
  PrintField("phase 1", std::string(declaration.phase1));
  Print(Bold("Parameters") + "\n");
  for (const contract::Parameter& parameter : contract.parameters) {
    Print(fmt::format("{}  {}\n", parameter.name, KindText(parameter)));
    PrintField("", parameter.doc);
    if (parameter.kind != contract::Kind::kTensor) continue;
    PrintField("dtypes", DTypeText(contract, parameter, product));
  }
  Print(Bold("Rules") + "  (more on each: aclimb explain RULE)\n");
  for (const RuleLine& rule : RuleLines(contract)) {
    Print(fmt::format("{}  {}\n", rule.id, rule.code));
    PrintField("holds when", rule.statement);
    PrintField("fix", rule.fix);
  }
}

int Ops(const OpsOptions& wanted) {
  std::optional<Product> product;
  if (!wanted.soc.empty()) {
    product = ProductOfSoc(wanted.soc);
    if (!product) {
      std::fprintf(stderr, "aclimb ops: --soc %s: expected one of %s\n", wanted.soc.c_str(),
                   std::string(SocNamesText()).c_str());
      return kWrongUse;
    }
  }
  const contract::Contract* only = wanted.name.empty() ? nullptr : FindOperator(wanted.name);
  if (only == nullptr && !wanted.name.empty()) return UnknownOperator(wanted.name);
  if (wanted.json) {
    Print(only != nullptr ? OperatorJson(*only, product) : OperatorsJson(product));
  } else if (only != nullptr) {
    PrintOperator(*only, product);
  } else {
    for (const truth::OperatorEntry* entry : AllOperators()) {
      const contract::Contract* contract = entry->contract;
      Print(Bold(contract->function) + "\n");
      PrintField("", contract->summary);
      PrintField("dtypes", DTypeText(*contract, MainTensor(*contract), product));
    }
  }
  return kDone;
}

}  // namespace

Command AddOps(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "ops", "[NAME] [--soc NAME] [--json]",
                                "List the operators, or what one of them accepts");
  app->footer(
      "The list gives the dtypes of each operator's first tensor; with NAME come all parameters "
      "and\n"
      "the rules that relate them. NAME is that of the function or of its header.\n\n"
      "Examples:\n"
      "  aclimb ops\n"
      "  aclimb ops --soc Ascend310P3\n"
      "  aclimb ops aclnnEluBackward\n"
      "  aclimb ops elu_backward --json");
  auto wanted = std::make_shared<OpsOptions>();
  app->add_option("NAME", wanted->name, "an operator");
  app->add_option("--soc", wanted->soc, "only what this chip accepts")->type_name("NAME");
  app->add_flag("--json", wanted->json, "print JSON");
  return {app, [wanted](const std::vector<std::string>&) { return Ops(*wanted); }};
}

}  // namespace aclimb::cli
