#include "tools/aclimb/operator_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "aclimb/contract/check.h"
#include "aclimb/truth/all_operators.h"

namespace aclimb::cli {
namespace {

using Json = nlohmann::ordered_json;
using contract::Parameter;

bool Exists(const contract::Contract& contract, Product product) {
  return (contract.products & Bit(product)) != 0;
}

// Dtypes that depend on other arguments are checked by a rule.
std::string DTypesOn(const contract::Contract& contract, const Parameter& parameter,
                     Product product) {
  if (!Exists(contract, product)) return "not supported";
  return parameter.dtypes[product] == 0 ? "see the rules"
                                        : contract::Text(parameter.dtypes[product]);
}

Json DTypesJson(const contract::Contract& contract, const Parameter& parameter, Product product) {
  Json names = Json::array();
  for (int i = 0; i < 64 && Exists(contract, product); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (contract::Has(parameter.dtypes[product], dtype)) names.push_back(NameOf(dtype));
  }
  return names;
}

Json Describe(const contract::Contract& contract, std::optional<Product> product, bool rules) {
  Json parameters = Json::array();
  for (const Parameter& parameter : contract.parameters) {
    Json entry = {{"name", parameter.name},
                  {"kind", contract::KindName(parameter.kind)},
                  {"role", contract::RoleName(parameter.role)},
                  {"optional", parameter.optional},
                  {"doc", parameter.doc}};
    if (parameter.HasShape()) entry["shape"] = contract::PatternText(parameter.Shape());
    if (contract::HasTensors(parameter.kind)) {
      entry["min_rank"] = parameter.min_rank;
      entry["max_rank"] = parameter.max_rank;
      entry["formats"] = contract::FormatsText(parameter.formats);
      Json dtypes = Json::object();
      for (Product each : kProducts) {
        if (product && each != *product) continue;
        dtypes[std::string(NameOf(each))] = DTypesJson(contract, parameter, each);
      }
      entry["dtypes"] = dtypes;
    }
    parameters.push_back(std::move(entry));
  }
  Json all = {{"function", contract.function},
              {"folder", contract.folder},
              {"summary", contract.summary},
              {"parameters", parameters}};
  if (!rules) return all;
  Json lines = Json::array();
  for (const RuleLine& rule : RuleLines(contract)) {
    lines.push_back({{"rule", rule.id},
                     {"code", rule.code},
                     {"holds_when", rule.statement},
                     {"fix", rule.fix}});
  }
  all["rules"] = lines;
  return all;
}

}  // namespace

std::string KindText(const Parameter& parameter) {
  std::string text =
      fmt::format("{}, {}{}", contract::KindName(parameter.kind),
                  contract::RoleName(parameter.role), parameter.optional ? ", may be null" : "");
  if (parameter.HasShape()) text += ", shape " + contract::PatternText(parameter.Shape());
  if (!contract::HasTensors(parameter.kind)) return text;
  text += parameter.min_rank == parameter.max_rank
              ? fmt::format(", rank {}", parameter.min_rank)
              : fmt::format(", rank {} to {}", parameter.min_rank, parameter.max_rank);
  if (parameter.formats == contract::kPlainFormats) return text + ", any plain format";
  return text + ", format " + contract::FormatsText(parameter.formats);
}

const Parameter& MainTensor(const contract::Contract& contract) {
  for (const Parameter& parameter : contract.parameters) {
    if (contract::HasTensors(parameter.kind)) return parameter;
  }
  return contract.parameters.front();
}

std::string DTypeText(const contract::Contract& contract, const Parameter& parameter,
                      std::optional<Product> product) {
  if (product) return DTypesOn(contract, parameter, *product);
  std::string text;
  std::string before;
  for (Product each : kProducts) {
    const std::string dtypes = DTypesOn(contract, parameter, each);
    if (dtypes == before) {
      text += fmt::format(", {}", NameOf(each));
    } else {
      text += fmt::format("{}{} on {}", text.empty() ? "" : "\n", dtypes, NameOf(each));
    }
    before = dtypes;
  }
  return text;
}

std::vector<RuleLine> RuleLines(const contract::Contract& contract) {
  std::vector<RuleLine> lines;
  for (const contract::OwnRule& own : contract::OwnRules(contract)) {
    lines.push_back(
        {fmt::format("{}/{}", contract.folder, own.id), own.code, own.statement, own.fix});
  }
  return lines;
}

std::string OperatorJson(const contract::Contract& contract, std::optional<Product> product) {
  return Describe(contract, product, true).dump(2) + "\n";
}

std::string OperatorsJson(std::optional<Product> product) {
  Json all = Json::array();
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    all.push_back(Describe(*contract, product, false));
  }
  return all.dump(2) + "\n";
}

}  // namespace aclimb::cli
