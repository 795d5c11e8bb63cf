// aclimb env: every environment variable that the toolkit reads, and what it is now.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aclimb/core/environment.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/settings_problems.h"

namespace aclimb::cli {
namespace {

using Json = nlohmann::ordered_json;

// The value now. A variable that is set and empty counts as unset, as everywhere.
std::optional<std::string_view> ValueOf(const EnvironmentVariable& row) {
  return ReadEnvironment(std::string(row.name).c_str());
}

void PrintRow(const EnvironmentVariable& row, const std::optional<std::string>& problem) {
  const auto value = ValueOf(row);
  Print(Bold(row.name));
  if (value) Print(fmt::format(" = {}", *value));
  Print("\n");
  PrintField("", row.meaning);
  if (problem) PrintField("", Alarm("not acceptable: " + *problem));
  PrintField("values", row.values);
  if (!row.default_value.empty()) PrintField("default", row.default_value);
}

// Those of these names; without names all.
std::vector<const EnvironmentVariable*> Wanted(const std::vector<std::string>& names) {
  std::vector<const EnvironmentVariable*> rows;
  for (const EnvironmentVariable& row : kEnvironment) {
    const bool named = std::find(names.begin(), names.end(), row.name) != names.end();
    if (names.empty() || named) rows.push_back(&row);
  }
  return rows;
}

void PrintJson(const std::vector<const EnvironmentVariable*>& rows) {
  Json variables = Json::array();
  for (const EnvironmentVariable* wanted : rows) {
    const EnvironmentVariable& row = *wanted;
    Json entry = {{"name", row.name},
                  {"values", row.values},
                  {"default", row.default_value},
                  {"meaning", row.meaning}};
    const auto value = ValueOf(row);
    const auto problem = ProblemOf(row.name);
    entry["value"] = value ? Json(*value) : Json();
    entry["problem"] = problem ? Json(*problem) : Json();
    variables.push_back(std::move(entry));
  }
  Json unknown = Json::array();
  for (const std::string& name : UnknownVariables()) {
    unknown.push_back({{"name", name}, {"meant", MeantVariable(name)}});
  }
  Print(Json{{"variables", variables}, {"unknown", unknown}}.dump(2, ' ', false,
                                                                  Json::error_handler_t::replace) +
        "\n");
}

int UnknownVariable(const std::string& name) {
  std::fprintf(stderr, "aclimb env: nothing reads a variable \"%s\"\n", name.c_str());
  const std::string meant = MeantVariable(name);
  if (meant.empty()) {
    std::fputs("`aclimb env` lists all of them\n", stderr);
  } else {
    std::fprintf(stderr, "did you mean %s?\n", meant.c_str());
  }
  return kWrongUse;
}

int Env(const std::vector<std::string>& names, bool json) {
  for (const std::string& name : names) {
    if (Wanted({name}).empty()) return UnknownVariable(name);
  }
  const std::vector<const EnvironmentVariable*> rows = Wanted(names);
  bool acceptable = true;
  for (const EnvironmentVariable* row : rows) acceptable = acceptable && !ProblemOf(row->name);
  if (json) {
    PrintJson(rows);
  } else {
    for (const EnvironmentVariable* row : rows) PrintRow(*row, ProblemOf(row->name));
    if (names.empty()) {
      for (const std::string& text : UnknownVariableTexts()) Print(Alarm(text + "\n"));
    }
  }
  return acceptable ? kDone : kFailed;
}

}  // namespace

Command AddEnv(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "env", "[NAME...] [--json]",
                                "List environment variables and their values");
  app->footer(
      "Exit status 1 when a variable has a value that will be refused.\n\n"
      "Examples:\n"
      "  aclimb env\n"
      "  aclimb env ACLIMB_THREADS\n"
      "  aclimb env --json");
  auto names = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  app->add_option("NAME", *names, "a variable; all without one");
  app->add_flag("--json", *json, "print JSON");
  return {app, [names, json](const std::vector<std::string>&) { return Env(*names, *json); }};
}

}  // namespace aclimb::cli
