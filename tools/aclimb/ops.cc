// aclimb ops: the operators and what each accepts, read from their contracts.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  bool list = false;
  bool json = false;
};

using Contracts = std::vector<const contract::Contract*>;

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

// In lower case, without blanks and underscores: "cross entropy" is in aclnnCrossEntropyLoss.
std::string Joined(std::string_view text) {
  std::string joined = Lower(text);
  std::erase_if(joined, [](char c) { return c == ' ' || c == '_'; });
  return joined;
}

// Those that have the word in their name, their folder's or their summary; all for an empty one.
Contracts OperatorsWith(const std::string& word) {
  const std::string wanted = Joined(word);
  Contracts found;
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    for (const std::string_view text :
         {std::string_view(contract->function), std::string_view(contract->folder),
          std::string_view(contract->summary)}) {
      if (Joined(text).find(wanted) == std::string::npos) continue;
      found.push_back(contract);
      break;
    }
  }
  return found;
}

int UnknownOperator(const std::string& name) {
  std::vector<std::string> names;
  for (const contract::Contract* contract : OperatorsWith("")) {
    names.emplace_back(contract->function);
    names.emplace_back(contract->folder);
  }
  std::fprintf(stderr, "aclimb ops: there is no operator \"%s\"\n", name.c_str());
  const std::vector<std::string> near = NearMatches(name, names);
  if (!near.empty()) std::fputs("Near matches:\n", stderr);
  for (const std::string& match : near) std::fprintf(stderr, "  %s\n", match.c_str());
  if (near.empty()) std::fputs("All of them: aclimb ops --list\n", stderr);
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
    Print(fmt::format("{}  {}\n", parameter.name, KindText(contract, parameter)));
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

// Names and summaries, a line each by name, of what the product has.
void PrintNames(Contracts contracts, std::optional<Product> product) {
  if (product) {
    std::erase_if(contracts, [&](const contract::Contract* contract) {
      return (contract->products & Bit(*product)) == 0;
    });
  }
  std::sort(contracts.begin(), contracts.end(),
            [](const contract::Contract* a, const contract::Contract* b) {
              return std::string_view(a->function) < b->function;
            });
  size_t width = 0;
  for (const contract::Contract* contract : contracts) {
    width = std::max(width, std::string_view(contract->function).size());
  }
  for (const contract::Contract* contract : contracts) {
    const std::string name = fmt::format("{:<{}}", contract->function, width);
    Print(fmt::format("{}  {}\n", Bold(name), contract->summary));
  }
}

void PrintDTypes(const Contracts& contracts, std::optional<Product> product) {
  for (const contract::Contract* contract : contracts) {
    Print(Bold(contract->function) + "\n");
    PrintField("", contract->summary);
    PrintField("dtypes", DTypeText(*contract, MainTensor(*contract), product));
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
  const Contracts found = OperatorsWith(wanted.name);
  if (const contract::Contract* only = wanted.list ? nullptr : FindOperator(wanted.name)) {
    if (wanted.json) {
      Print(OperatorJson(*only, product));
      return kDone;
    }
    PrintOperator(*only, product);
    if (found.size() > 1) {
      Print(fmt::format("{} more have this word: aclimb ops --list {}\n", found.size() - 1,
                        wanted.name));
    }
    return kDone;
  }
  if (found.empty()) return UnknownOperator(wanted.name);
  if (wanted.json) {
    Print(OperatorsJson(found, product));
  } else if (wanted.list || !wanted.name.empty()) {
    PrintNames(found, product);
  } else {
    PrintDTypes(found, product);
  }
  return kDone;
}

}  // namespace

Command AddOps(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "ops", "[--list] [WORD] [--soc NAME] [--json]",
                                "List the operators, or what one of them accepts");
  app->footer(
      "The list gives the dtypes of each operator's first tensor; with the name of a function or "
      "of its\n"
      "header come all parameters and the rules that relate them. Any other WORD lists the "
      "operators\n"
      "that have it in their name or summary.\n\n"
      "Examples:\n"
      "  aclimb ops --list\n"
      "  aclimb ops pool\n"
      "  aclimb ops --soc Ascend310P3\n"
      "  aclimb ops aclnnEluBackward\n"
      "  aclimb ops elu_backward --json");
  auto wanted = std::make_shared<OpsOptions>();
  app->add_option("WORD", wanted->name, "an operator, or a part of its name or summary");
  app->add_option("--soc", wanted->soc, "only what this chip accepts")->type_name("NAME");
  app->add_flag("--list", wanted->list, "names and summaries alone, a line each");
  app->add_flag("--json", wanted->json, "print JSON");
  return {app, [wanted](const std::vector<std::string>&) { return Ops(*wanted); }};
}

}  // namespace aclimb::cli
