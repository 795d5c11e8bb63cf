#include "aclimb/contract/page.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/contract/check.h"
#include "aclimb/core/status.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

std::string RankColumn(const Parameter& parameter) {
  if (!HasTensors(parameter.kind)) return "";
  if (parameter.min_rank == parameter.max_rank) return Cat(parameter.min_rank);
  return Cat(parameter.min_rank, " to ", parameter.max_rank);
}

std::string ShapeColumn(const Parameter& parameter) {
  return parameter.HasShape() ? PatternText(parameter.Shape()) : "";
}

std::string FormatColumn(const Parameter& parameter) {
  if (!HasTensors(parameter.kind)) return "";
  return parameter.formats == kPlainFormats ? "any plain" : FormatsText(parameter.formats);
}

// A table without the columns that have nothing to say.
void AppendTable(const std::vector<std::vector<std::string>>& rows, std::string& out) {
  const size_t columns = rows.front().size();
  std::vector<size_t> told;
  for (size_t c = 0; c < columns; ++c) {
    const auto says = [&](const std::vector<std::string>& row) { return !row[c].empty(); };
    if (std::any_of(rows.begin() + 1, rows.end(), says)) told.push_back(c);
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    out += "|";
    for (const size_t c : told) out += Cat(" ", rows[r][c], " |");
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (size_t i = 0; i < told.size(); ++i) out += "---|";
    out += "\n";
  }
}

void AppendParameters(const Contract& contract, std::string& out) {
  out += "## Parameters\n\n";
  std::vector<std::vector<std::string>> rows = {
      {"name", "kind", "role", "rank", "shape", "format", "meaning"}};
  for (const Parameter& parameter : contract.parameters) {
    rows.push_back({parameter.name, std::string(KindName(parameter.kind)),
                    Cat(RoleName(parameter.role), parameter.optional ? ", may be null" : "",
                        InPlaceText(contract, parameter)),
                    RankColumn(parameter), ShapeColumn(parameter), FormatColumn(parameter),
                    parameter.doc});
  }
  AppendTable(rows, out);
}

// Products that take the same dtypes of everything share a column.
void AppendDTypes(const Contract& contract, std::string& out) {
  std::vector<std::vector<std::string>> rows = {{"tensor"}};
  for (const Parameter& parameter : contract.parameters) {
    if (HasTensors(parameter.kind)) rows.push_back({parameter.name});
  }
  if (rows.size() == 1) return;
  out += "\n## Dtypes per product\n\n";
  std::vector<std::vector<std::string>> columns;
  for (const Product product : kProducts) {
    std::vector<std::string> column;
    for (const Parameter& parameter : contract.parameters) {
      if (HasTensors(parameter.kind)) column.push_back(DTypesOn(contract, parameter, product));
    }
    const auto same = std::find(columns.begin(), columns.end(), column);
    if (same != columns.end()) {
      rows[0][static_cast<size_t>(same - columns.begin()) + 1] += Cat(", ", NameOf(product));
      continue;
    }
    rows[0].emplace_back(NameOf(product));
    for (size_t r = 1; r < rows.size(); ++r) rows[r].push_back(column[r - 1]);
    columns.push_back(std::move(column));
  }
  if (columns.size() == 1) rows[0][1] = "all products";
  AppendTable(rows, out);
}

void AppendRules(const Contract& contract, std::string& out) {
  out += Cat(
      "\n## Checks of phase 1\n\nAfter [those of every operator](../operators.md#checks-of-every-"
      "operator) (ranks: ",
      contract.rank_code, "):\n\n| rule | holds when | code | fix |\n|---|---|---|---|\n");
  for (const OwnRule& own : OwnRules(contract)) {
    out += Cat("| `", contract.folder, "/", own.id, "` | ", own.statement, " | ",
               CodeText(own.code), " | ", own.fix, " |\n");
  }
}

}  // namespace

std::string InPlaceText(const Contract& contract, const Parameter& parameter) {
  std::string text;
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    if (!parameter.MayBe(static_cast<int>(i))) continue;
    text += Cat(text.empty() ? ", may be " : " or ", contract.parameters[i].name);
  }
  return text;
}

std::string DTypesOn(const Contract& contract, const Parameter& parameter, Product product) {
  if ((contract.products & Bit(product)) == 0) return "not supported";
  return parameter.dtypes[product] == 0 ? "see the rules" : Text(parameter.dtypes[product]);
}

std::string Page(const Contract& contract, std::string_view header, std::string_view phase1) {
  std::string out = Cat("# ", contract.function, "\n\n", contract.summary,
                        "\n\nPrinted from its contract by "
                        "`make docs`; do not edit.\n\n```\n#include \"aclnnop/",
                        header, "\"\n\n", phase1, ";\n```\n\n");
  AppendParameters(contract, out);
  AppendDTypes(contract, out);
  AppendRules(contract, out);
  return out;
}

}  // namespace aclimb::contract
