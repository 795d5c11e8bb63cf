// aclimb_pages: prints the documents that are made from the library's own tables, as Markdown.
//   aclimb_pages operator FOLDER    one operator, from its contract
//   aclimb_pages environment        every environment variable
//   aclimb_pages errors             every code and every rule
//   aclimb_pages checker            every rule of the checker, with an example

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "aclimb/contract/check.h"
#include "aclimb/contract/page.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/environment.h"
#include "aclimb/core/text.h"
#include "aclimb/truth/all_operators.h"
#include "tools/catalogue/code_entry.h"
#include "tools/catalogue/rule_entry.h"
#include "tools/pages/checker_page.h"

namespace aclimb {
namespace {

constexpr const char* kNotice = "\n\nPrinted by `make docs` from ";

std::string EnvironmentPage() {
  std::string out =
      Cat("# Environment variables", kNotice,
          "`aclimb/core/environment.h`; do not edit.\n\n"
          "A value that is not allowed is refused: with one of a variable of the runtime `aclInit` "
          "and `aclrtSetDevice` fail, with one of a variable `HCCL_*` no communicator is made "
          "(`HCCL_E_PARA`), and one of a tool's variable is named on stderr. `aclimb env` checks "
          "all of them before; it cannot tell whether an address or an interface exists. "
          "No value of `ASCEND_RT_VISIBLE_DEVICES` is refused.\n\n"
          "By default the log goes nowhere. `ACLIMB_LOG` or `ASCEND_LOG_PRINT_TO_STDOUT` says "
          "where it goes, `ASCEND_GLOBAL_LOG_LEVEL` what is in it.\n\n"
          "| variable | values | default | meaning |\n|---|---|---|---|\n");
  for (const EnvironmentVariable& row : kEnvironment) {
    out += Cat("| `", row.name, "` | ", row.values, " | ", row.default_value, " | ", row.meaning,
               " |\n");
  }
  out += "\n## Variables of others\n\n| variable | what Aclimb takes from it |\n|---|---|\n";
  for (const OtherVariable& row : kOtherEnvironment) {
    std::string names(row.name);
    for (size_t comma = 0; (comma = names.find(", ", comma)) != std::string::npos; comma += 4) {
      names.replace(comma, 2, "`, `");
    }
    out += Cat("| `", names, "` | ", row.meaning, " |\n");
  }
  out +=
      "\n## What `set_env.sh` sets\n\n`set_env.sh`, and `aclimb run` for the program that it runs, "
      "set `ASCEND_TOOLKIT_HOME`, `ASCEND_HOME_PATH` and `ASCEND_AICPU_PATH` to the toolkit's "
      "root, `ASCEND_OPP_PATH` to its `opp/`, `TOOLCHAIN_HOME` to its `toolkit/`, and put its "
      "`lib64/` first in `LD_LIBRARY_PATH` and its `bin/` first in `PATH`.\n\n"
      "## The file of `aclInit`\n\nOf the JSON file that `aclInit` is given these keys count; "
      "others "
      "have no effect.\n\n"
      "| key | values | effect |\n|---|---|---|\n"
      "| `defaultDevice` | `{\"default_device\": \"0\"}` | the device of threads that call the "
      "runtime without having set one |\n"
      "| `err_msg_mode` | `\"0\"`, `\"1\"` | `aclGetRecentErrMsg` returns the texts of the calling "
      "thread, or with 1 those of all threads |\n"
      "| `dump`, `profiler` | an object | none |\n";
  return out;
}

void AppendCodes(bool returned, bool collective, std::string& out) {
  out += "\n| code | name | meaning | usual causes | what to do |\n|---|---|---|---|---|\n";
  for (const catalogue::CodeEntry& row : catalogue::AllCodeEntries()) {
    if (catalogue::IsCollective(row) != collective) continue;
    // Other names of a number that is returned belong to neither table.
    if (returned ? !catalogue::IsReturned(row) : catalogue::IsNumberReturned(row)) continue;
    out += Cat("| ", row.code, " | `", row.name, "` | ", row.meaning, " | ", row.causes, " | ",
               row.fix, " |\n");
  }
}

void AppendRules(std::span<const catalogue::FixedRule> rules, std::string& out) {
  out += "\n| rule | code | holds when | usual causes | what to do |\n|---|---|---|---|---|\n";
  for (const catalogue::FixedRule& row : rules) {
    out += Cat("| `", row.id, "` | ", row.code == 0 ? std::string() : Cat(row.code), " | ",
               row.meaning, " | ", row.causes, " | ", row.fix, " |\n");
  }
}

std::string ErrorsPage() {
  std::string out =
      Cat("# Error catalogue", kNotice,
          "`tools/catalogue/` and the operators' contracts; do not edit. "
          "`aclimb explain WHAT` shows single entries.\n\n",
          "Every refusal leaves a text that `aclGetRecentErrMsg` returns: the value and what was "
          "expected, a `fix:` line, and the rule's id with the code.\n\n## Codes\n");
  AppendCodes(true, false, out);
  out +=
      "\n## Codes of collectives\n\nThe functions of HCCL return an HcclResult, a number of its "
      "own.\n";
  AppendCodes(true, true, out);
  out +=
      "\n## Rules of the operators\n\nThese are each operator's own. Beside them every operator "
      "has "
      "the checks of [operators.md](operators.md#checks-of-every-operator), whose rules are "
      "called after the operator, the check and the parameter, as `abs/dtype/self`.\n\n"
      "| rule | code | fix |\n|---|---|---|\n";
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    for (const contract::OwnRule& own : contract::OwnRules(*contract)) {
      out += Cat("| `", contract->folder, "/", own.id, "` | ", own.code, " | ", own.fix, " |\n");
    }
  }
  out +=
      "\n## Rules of tensors, executors and the second phase\n\nA `*` stands for the name of an "
      "argument or a kind of object. A rule without a code passes on that of what failed.\n";
  AppendRules(catalogue::ObjectRules(), out);
  out += "\n## Rules of the runtime\n";
  AppendRules(catalogue::RuntimeRules(), out);
  out +=
      "\n## Rules of collectives\n\nTheir codes are those of HcclResult, "
      "[above](#codes-of-collectives).\n";
  AppendRules(catalogue::CollectiveRules(), out);
  out +=
      "\n## Codes that Aclimb never returns\n\nThey are in the headers so that programs compile, "
      "and "
      "occur on an NPU.\n";
  AppendCodes(false, false, out);
  out += "\nOf HcclResult:\n";
  AppendCodes(false, true, out);
  return out;
}

// "Gather rows" of gather_rows.
std::string TitleOf(const Family& family) {
  std::string title = family.folder;
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::string Checks() {
  std::string out =
      "\n## Checks of every operator\n\n"
      "Phase 1 checks the arguments in this order, and tells what it finds first:\n\n";
  int number = 0;
  for (const char* const what : contract::ChecksInOrder()) out += Cat(++number, ". ", what, "\n");
  return out;
}

// Every operator, by its page, family by family.
std::string OperatorsPage() {
  std::string out =
      Cat("# Operators", kNotice,
          "the operators' contracts; do not edit. `aclimb ops NAME` shows an operator's page, "
          "`aclimb ops` lists all.\n\nThe ",
          AllOperators().size(),
          " operators by family, each of which is a folder of `aclimb/ops/`:\n\n");
  std::vector<Family> families(Families().begin(), Families().end());
  std::sort(families.begin(), families.end(),
            [](const Family& a, const Family& b) { return std::strcmp(a.folder, b.folder) < 0; });
  for (const Family& family : families) {
    std::string anchor = family.folder;
    std::replace(anchor.begin(), anchor.end(), '_', '-');
    out += Cat("- [", TitleOf(family), "](#", anchor, "): ", family.operators.size(), "\n");
  }
  out += Checks();
  for (const Family& family : families) {
    out += Cat("\n## ", TitleOf(family), "\n\n| operator | what it computes |\n|---|---|\n");
    for (const truth::OperatorEntry& entry : family.operators) {
      const contract::Contract& contract = *entry.contract;
      out += Cat("| [`", contract.function, "`](ops/", contract.folder, ".md) | ", contract.summary,
                 " |\n");
    }
  }
  return out;
}

int Usage() {
  std::fputs("usage: aclimb_pages operator FOLDER | operators | environment | errors | checker\n",
             stderr);
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    std::fprintf(stderr, "  %s\n", contract->folder);
  }
  return 2;
}

int Main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  std::string page;
  if (what == "environment") page = EnvironmentPage();
  if (what == "errors") page = ErrorsPage();
  if (what == "operators") page = OperatorsPage();
  if (what == "checker") page = CheckerPage();
  if (what == "operator" && argc == 3) {
    for (const truth::OperatorEntry* entry : AllOperators()) {
      const contract::Contract* contract = entry->contract;
      if (std::strcmp(contract->folder, argv[2]) != 0) continue;
      const Declaration& declaration = DeclarationOf(*contract);
      page = contract::Page(*contract, declaration.header, declaration.phase1);
    }
  }
  if (page.empty()) return Usage();
  std::fputs(page.c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace aclimb

int main(int argc, char** argv) { return aclimb::Main(argc, argv); }
