// aclimb explain: what a code or a rule means, what usually causes it, and what to do.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <unordered_map>

#include "aclimb/core/codes.h"
#include "aclimb/core/status.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/near.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/toolkit.h"
#include "tools/catalogue/code_entry.h"
#include "tools/catalogue/rule_entry.h"

namespace aclimb::cli {
namespace {

using catalogue::CodeEntry;
using catalogue::RuleEntry;

// The rows that `what` names: by number every name of it, by name that one.
std::vector<CodeEntry> FindCodes(const std::string& what) {
  std::vector<CodeEntry> found;
  // A rule's: no number and no name has one.
  if (what.find('/') != std::string::npos) return found;
  const std::string wanted = Lower(what);
  for (const CodeEntry& row : catalogue::AllCodeEntries()) {
    if (std::to_string(row.code) == what || Lower(row.name) == wanted) found.push_back(row);
  }
  // The name that messages show comes first.
  std::stable_partition(found.begin(), found.end(), catalogue::IsReturned);
  return found;
}

// Every rule, to be found by its id.
class RuleBook {
 public:
  RuleBook() : rules_(catalogue::AllRules()) {
    for (const RuleEntry& rule : rules_) {
      by_id_.emplace(rule.id, &rule);
      if (rule.id.ends_with("/*")) patterns_.push_back(&rule);
    }
  }
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;

  // A rule for one name goes before one that stands for every name.
  const RuleEntry* Find(const std::string& what) const {
    if (const auto found = by_id_.find(what); found != by_id_.end()) return found->second;
    const auto pattern = std::ranges::find_if(
        patterns_, [&](const RuleEntry* rule) { return catalogue::Matches(rule->id, what); });
    return pattern == patterns_.end() ? nullptr : *pattern;
  }
  const std::vector<RuleEntry>& rules() const { return rules_; }

 private:
  const std::vector<RuleEntry> rules_;
  std::unordered_map<std::string_view, const RuleEntry*> by_id_;
  std::vector<const RuleEntry*> patterns_;
};

void PrintCode(const std::vector<CodeEntry>& rows) {
  const CodeEntry& row = rows.front();
  Print(Bold(fmt::format("{} {}", row.code, row.name)) + "\n");
  PrintField("meaning", row.meaning);
  PrintField("causes", row.causes);
  PrintField("fix", row.fix);
  std::string others;
  for (size_t i = 1; i < rows.size(); ++i) {
    others += fmt::format("{}{}", i == 1 ? "" : ", ", rows[i].name);
  }
  if (!others.empty()) PrintField("also", others);
  if (std::ranges::none_of(rows, catalogue::IsNumberReturned))
    PrintField("note", "Aclimb never returns this code; it occurs on an NPU");
}

void PrintRule(const RuleEntry& rule, const std::string& what) {
  Print(Bold(what) + "\n");
  PrintField("holds when", rule.meaning);
  if (!rule.causes.empty()) PrintField("causes", rule.causes);
  PrintField("fix", rule.fix);
  const bool refuses = !rule.id.starts_with("check/");
  PrintField("code", !refuses         ? "none of its own: the checker tells it"
                     : rule.code == 0 ? "that of what failed"
                                      : rule.code_text);
  if (!rule.context.empty()) PrintField("about", rule.context);
}

std::vector<std::string> EveryName(const std::vector<RuleEntry>& rules) {
  std::vector<std::string> names;
  for (const CodeEntry& row : catalogue::AllCodeEntries()) {
    names.push_back(std::to_string(row.code));
    names.emplace_back(row.name);
  }
  for (const RuleEntry& rule : rules) names.push_back(rule.id);
  std::vector<std::string> unique;
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) unique.push_back(name);
  }
  return unique;
}

// The toolkit's header that declares a function of the runtime; empty when there is none.
std::string HeaderOf(const std::string& function) {
  if (!function.starts_with("acl") && !function.starts_with("Hccl")) return "";
  const std::filesystem::path include = std::filesystem::path(ToolkitRoot()) / "include";
  for (const char* folder : {"acl", "aclnn", "hccl"}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(include / folder, ignored)) {
      if (!entry.is_regular_file(ignored)) continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (text.find(" " + function + "(") != std::string::npos) return entry.path().string();
    }
  }
  return "";
}

int Unknown(const std::string& what, const std::vector<std::string>& names) {
  if (const std::string header = HeaderOf(what); !header.empty()) {
    std::fprintf(stderr,
                 "aclimb explain: %s is a function, no code and no rule; for what it takes and "
                 "returns see %s\n",
                 what.c_str(), header.c_str());
    return kWrongUse;
  }
  std::fprintf(stderr, "aclimb explain: nothing is called \"%s\"\n", what.c_str());
  if (what.starts_with("ACLIMB_") || what.starts_with("ASCEND_")) {
    std::fputs("Environment variables: aclimb env\n", stderr);
    return kWrongUse;
  }
  if (what.starts_with("aclnn")) {
    std::fprintf(stderr, "Operators: aclimb ops %s\n", what.c_str());
    return kWrongUse;
  }
  const std::vector<std::string> near = NearMatches(what, names);
  if (!near.empty()) std::fputs("Near matches:\n", stderr);
  for (const std::string& name : near) std::fprintf(stderr, "  %s\n", name.c_str());
  if (near.empty()) std::fputs("Every name: aclimb explain --list\n", stderr);
  return kWrongUse;
}

// One WHAT; a status.
int ExplainOne(const std::string& what, const RuleBook& book, bool first) {
  const std::vector<CodeEntry> codes = FindCodes(what);
  const RuleEntry* rule = book.Find(what);
  if (codes.empty() && rule == nullptr) return Unknown(what, EveryName(book.rules()));
  if (!first) Print("\n");
  if (!codes.empty()) {
    PrintCode(codes);
  } else {
    PrintRule(*rule, what);
  }
  return kDone;
}

// The names in what was given. The last line of a message, "rule: a/b   code: 161002 NAME", may
// come as one word or as many.
std::vector<std::string> NamesIn(const std::vector<std::string>& whats) {
  const auto is_label = [](std::string_view word) { return word == "rule:" || word == "code:"; };
  std::vector<std::string> names;
  for (const std::string& what : whats) {
    std::istringstream text(what);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (std::none_of(words.begin(), words.end(), is_label)) {
      names.push_back(what);
    } else {
      std::remove_copy_if(words.begin(), words.end(), std::back_inserter(names), is_label);
    }
  }
  return names;
}

int Explain(const std::vector<std::string>& given, bool list) {
  const RuleBook book;
  if (list) {
    for (const std::string& name : EveryName(book.rules())) Print(name + "\n");
    return kDone;
  }
  const std::vector<std::string> whats = NamesIn(given);
  if (whats.empty()) {
    std::fputs("aclimb explain: a code or a rule is needed\nTry: aclimb explain --help\n", stderr);
    return kWrongUse;
  }
  int status = kDone;
  for (const std::string& what : whats) {
    status = std::max(status, ExplainOne(what, book, &what == &whats.front()));
  }
  return status;
}

}  // namespace

Command AddExplain(CLI::App& tool) {
  CLI::App* app =
      AddSubcommand(tool, "explain", "WHAT...", "Explain a code or a rule of a message");
  app->footer(
      "WHAT is a code's number or name, the rule that a message names, or that line of the "
      "message.\n"
      "Exit status 2 and near matches when there is no such thing.\n\n"
      "Examples:\n"
      "  aclimb explain 107002\n"
      "  aclimb explain ACLNN_ERR_PARAM_INVALID\n"
      "  aclimb explain elu_backward/same-shape/selfOrResult\n"
      "  aclimb explain runtime/memcpy/kind");
  auto whats = std::make_shared<std::vector<std::string>>();
  auto list = std::make_shared<bool>(false);
  app->add_option("WHAT", *whats, "number, name or rule");
  app->add_flag("--list", *list, "print every code, name and rule, one a line");
  return {app, [whats, list](const std::vector<std::string>&) { return Explain(*whats, *list); }};
}

}  // namespace aclimb::cli
