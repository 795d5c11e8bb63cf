#include "aclimb/contract/page.h"

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

// ", may be self or other".
std::string InPlaceText(const Contract& contract, const Parameter& parameter) {
  std::string text;
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    if (!parameter.MayBe(static_cast<int>(i))) continue;
    text += Cat(text.empty() ? ", may be " : " or ", contract.parameters[i].name);
  }
  return text;
}

std::string ShapeColumn(const Parameter& parameter) {
  return parameter.HasShape() ? PatternText(parameter.Shape()) : "";
}

std::string FormatColumn(const Parameter& parameter) {
  if (!HasTensors(parameter.kind)) return "";
  return parameter.formats == kPlainFormats ? "any plain" : FormatsText(parameter.formats);
}

void AppendParameters(const Contract& contract, std::string& out) {
  out +=
      "## Parameters\n\n| name | kind | role | rank | shape | format | meaning "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const Parameter& parameter : contract.parameters) {
    out +=
        Cat("| ", parameter.name, " | ", KindName(parameter.kind), " | ", RoleName(parameter.role),
            parameter.optional ? ", may be null" : "", InPlaceText(contract, parameter), " | ",
            RankColumn(parameter), " | ", ShapeColumn(parameter), " | ", FormatColumn(parameter),
            " | ", parameter.doc, " |\n");
  }
}

void AppendDTypes(const Contract& contract, std::string& out) {
  out += "\n## Dtypes per product\n\n| tensor |";
  for (Product product : kProducts) out += Cat(" ", NameOf(product), " |");
  out += "\n|---|---|---|---|---|---|\n";
  for (const Parameter& parameter : contract.parameters) {
    if (!HasTensors(parameter.kind)) continue;
    out += Cat("| ", parameter.name, " |");
    for (Product product : kProducts) {
      const bool exists = (contract.products & Bit(product)) != 0;
      out +=
          Cat(" ", exists ? Text(parameter.dtypes[product]) : std::string("not supported"), " |");
    }
    out += "\n";
  }
}

void AppendRules(const Contract& contract, std::string& out) {
  out +=
      Cat("\n## Checks of phase 1\n\nIn this order: nulls (161001), dead handles, product, dtypes, "
          "formats, ranks (",
          contract.rank_code,
          "), extents; then these, but what is missing is told with the nulls, and dtypes that do "
          "not go together with the dtypes; at last that no two elements of an output are one in "
          "memory:\n\n| rule | holds when | code | fix "
          "|\n|---|---|---|---|\n");
  for (const OwnRule& own : OwnRules(contract)) {
    out += Cat("| `", contract.folder, "/", own.id, "` | ", own.statement, " | ",
               CodeText(own.code), " | ", own.fix, " |\n");
  }
}

}  // namespace

std::string Page(const Contract& contract) {
  std::string out = Cat("# ", contract.function, "\n\n", contract.summary,
                        "\n\nPrinted from its contract by "
                        "`make docs`; do not edit.\n\n");
  AppendParameters(contract, out);
  AppendDTypes(contract, out);
  AppendRules(contract, out);
  return out;
}

}  // namespace aclimb::contract
