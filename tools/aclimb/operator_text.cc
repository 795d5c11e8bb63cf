#include "tools/aclimb/operator_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "aclimb/contract/check.h"
#include "aclimb/contract/page.h"
#include "aclimb/truth/all_operators.h"

namespace aclimb::cli {
namespace {

using Json = nlohmann::ordered_json;
using contract::Parameter;

bool Exists(const contract::Contract& contract, Product product) {
  return (contract.products & Bit(product)) != 0;
}

Json DTypesJson(const contract::Contract& contract, const Parameter& parameter, Product product) {
  Json names = Json::array();
  for (int i = 0; i < 64 && Exists(contract, product); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (contract::Has(parameter.dtypes[product], dtype)) names.push_back(NameOf(dtype));
  }
  return names;
}

// What a rule that relates shapes or dtypes is called, or one about what is given; null of others,
// which tell nothing about an output before the call.
const char* RelationName(contract::RuleKind kind) {
  switch (kind) {
    case contract::RuleKind::kSameDType:
      return "same dtype";
    case contract::RuleKind::kNamesDType:
      return "names dtype";
    case contract::RuleKind::kConvertsTo:
      return "converts";
    case contract::RuleKind::kPromotes:
      return "promotes";
    case contract::RuleKind::kWanted:
      return "wanted";
    case contract::RuleKind::kSameShape:
      return "same shape";
    case contract::RuleKind::kBroadcasts:
      return "broadcasts";
    case contract::RuleKind::kReduces:
      return "reduces";
    case contract::RuleKind::kSameDTypeOr:
    case contract::RuleKind::kConvertsToFloat:
    case contract::RuleKind::kScalarFits:
    case contract::RuleKind::kInDType:
    case contract::RuleKind::kInRange:
    case contract::RuleKind::kOneOf:
    case contract::RuleKind::kReserved:
    case contract::RuleKind::kCount:
    case contract::RuleKind::kCountOf:
    case contract::RuleKind::kAbsent:
    case contract::RuleKind::kElements:
    case contract::RuleKind::kSameRank:
    case contract::RuleKind::kReducesLoss:
    case contract::RuleKind::kCustom:
      break;
  }
  return nullptr;
}

// By the names of their parameters.
Json RelationsJson(const contract::Contract& contract) {
  Json relations = Json::array();
  for (const contract::Rule& rule : contract.rules) {
    const char* const kind = RelationName(rule.kind);
    if (kind == nullptr) continue;
    const bool wanted = rule.kind == contract::RuleKind::kWanted;
    // An entry of an array is what callers look at.
    if (wanted && contract.At(rule.other).kind != contract::Kind::kBoolArray) continue;
    Json relation = {{"kind", kind}};
    const std::pair<const char*, int> places[] = {{"subject", rule.subject},
                                                  {"other", rule.other},
                                                  {"third", rule.third},
                                                  {"output", rule.output}};
    for (const auto& [place, index] : places) {
      if (index >= 0) relation[place] = contract.At(index).name;
    }
    if (wanted) relation["entry"] = rule.entry;
    relations.push_back(std::move(relation));
  }
  return relations;
}

Json Describe(const contract::Contract& contract, std::optional<Product> product, bool rules) {
  const truth::OperatorEntry& entry_of = OperatorOf(contract);
  Json parameters = Json::array();
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    Json entry = {{"name", parameter.name},         {"kind", contract::KindName(parameter.kind)},
                  {"c_type", entry_of.c_types[i]},  {"role", contract::RoleName(parameter.role)},
                  {"optional", parameter.optional}, {"doc", parameter.doc}};
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
      Json may_be = Json::array();
      for (size_t k = 0; k < contract.parameters.size(); ++k) {
        if (parameter.MayBe(static_cast<int>(k))) may_be.push_back(contract.parameters[k].name);
      }
      if (!may_be.empty()) entry["may_be"] = may_be;
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
  all["relations"] = RelationsJson(contract);
  // The run finds the output's shape: the program's tensor has room for the largest.
  all["sizes_output"] = entry_of.sizes_output;
  return all;
}

}  // namespace

std::string KindText(const contract::Contract& contract, const Parameter& parameter) {
  std::string text = fmt::format(
      "{}, {}{}{}", contract::KindName(parameter.kind), contract::RoleName(parameter.role),
      contract::InPlaceText(contract, parameter), parameter.optional ? ", may be null" : "");
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
  if (product) return contract::DTypesOn(contract, parameter, *product);
  std::string text;
  std::string before;
  for (Product each : kProducts) {
    const std::string dtypes = contract::DTypesOn(contract, parameter, each);
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

std::string OperatorsJson(const std::vector<const contract::Contract*>& contracts,
                          std::optional<Product> product) {
  Json all = Json::array();
  for (const contract::Contract* contract : contracts) {
    all.push_back(Describe(*contract, product, false));
  }
  return all.dump(2) + "\n";
}

}  // namespace aclimb::cli
