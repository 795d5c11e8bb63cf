// aclimb_pages: prints the documents that are made from the library's own tables, as Markdown.
//   aclimb_pages operator FOLDER    one operator, from its contract
//   aclimb_pages environment        every environment variable
//   aclimb_pages errors             every code, and every rule of every operator

#include <cstdio>
#include <cstring>
#include <string>

#include "aclimb/contract/page.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/environment.h"
#include "aclimb/core/text.h"
#include "all_contracts.h"

namespace aclimb {
namespace {

constexpr const char* kNotice = "\n\nPrinted by `make docs` from ";

std::string EnvironmentPage() {
  std::string out =
      Cat("# Environment variables", kNotice,
          "`aclimb/core/environment.h`; do not edit.\n\n"
          "An unknown value is an error text at first use, never a silent default.\n\n"
          "| variable | values | default | meaning |\n|---|---|---|---|\n");
  for (const EnvironmentVariable& row : kEnvironment) {
    out += Cat("| `", row.name, "` | ", row.values, " | ", row.default_value, " | ", row.meaning,
               " |\n");
  }
  return out;
}

std::string ErrorsPage() {
  std::string out =
      Cat("# Error catalogue", kNotice,
          "`aclimb/core/codes.cc` and the operators' contracts; do not edit.\n\n",
          "Every refusal leaves a text that `aclGetRecentErrMsg` returns: the value and what was "
          "expected, a `fix:` line, and the rule's id with the code.\n\n## Codes\n\n"
          "| code | name | meaning | what to do |\n|---|---|---|---|\n");
  for (const CodeRow& row : AllCodes()) {
    out += Cat("| ", static_cast<int>(row.code), " | `", row.name, "` | ", row.meaning, " | ",
               row.remedy, " |\n");
  }
  out +=
      "\n## Rules of the operators\n\nBeside the generic rules (null, handle, dtype, format, rank, "
      "extent of each parameter), which each operator's page explains.\n\n"
      "| rule | code | fix |\n|---|---|---|\n";
  for (const contract::Contract* contract : kAllContracts) {
    for (const contract::Rule& rule : contract->rules) {
      out += Cat("| `", contract->folder, "/", rule.id, "` | ", rule.code, " | ", rule.fix, " |\n");
    }
  }
  return out;
}

int Usage() {
  std::fputs("usage: aclimb_pages operator FOLDER | environment | errors\n", stderr);
  for (const contract::Contract* contract : kAllContracts) {
    std::fprintf(stderr, "  %s\n", contract->folder);
  }
  return 2;
}

int Main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::string page;
  if (what == "environment") page = EnvironmentPage();
  if (what == "errors") page = ErrorsPage();
  if (what == "operator" && argc == 3) {
    for (const contract::Contract* contract : kAllContracts) {
      if (std::strcmp(contract->folder, argv[2]) == 0) page = contract::Page(*contract);
    }
  }
  if (page.empty()) return Usage();
  std::fputs(page.c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace aclimb

int main(int argc, char** argv) { return aclimb::Main(argc, argv); }
