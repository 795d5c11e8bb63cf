// aclimb env: every environment variable that the toolkit reads, and what it is now.

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

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

void PrintJson() {
  Json variables = Json::array();
  for (const EnvironmentVariable& row : kEnvironment) {
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

int Env(bool json) {
  if (json) {
    PrintJson();
  } else {
    for (const EnvironmentVariable& row : kEnvironment) PrintRow(row, ProblemOf(row.name));
    for (const std::string& text : UnknownVariableTexts()) Print(Alarm(text + "\n"));
  }
  return EnvironmentProblems().empty() ? kDone : kFailed;
}

}  // namespace

Command AddEnv(CLI::App& tool) {
  CLI::App* app =
      AddSubcommand(tool, "env", "[--json]", "List the environment variables and their values");
  app->footer(
      "Exit status 1 when a variable has a value that the runtime will refuse.\n\n"
      "Examples:\n"
      "  aclimb env\n"
      "  aclimb env --json");
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "print JSON");
  return {app, [json](const std::vector<std::string>&) { return Env(*json); }};
}

}  // namespace aclimb::cli
