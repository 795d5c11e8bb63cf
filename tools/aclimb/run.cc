// aclimb run: runs a program with this toolkit's libraries.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "aclimb/core/environment.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/number.h"
#include "tools/aclimb/settings_problems.h"
#include "tools/aclimb/switches.h"
#include "tools/aclimb/toolkit.h"

namespace aclimb::cli {
namespace {

// The values of the switches, by their place in the table.
struct Given {
  std::vector<std::string> values = std::vector<std::string>(Switches().size());
  std::vector<CLI::Option*> options;
  const CLI::App* app = nullptr;
};

// "; --trace took "./elu" as its FILE" where the program may be the last switch's value.
std::string TakenProgram(const Given& given) {
  const std::vector<CLI::Option*>& order = given.app->parse_order();
  for (size_t i = 0; i < given.options.size(); ++i) {
    const std::string& value = given.values[i];
    if (order.empty() || given.options[i] != order.back() || access(value.c_str(), X_OK) != 0) {
      continue;
    }
    const Switch& row = Switches()[i];
    return std::string("; ") + row.name + " took \"" + value + "\" as its " + row.value;
  }
  return "";
}

// What cannot be, as one line; nothing when all is well. Sets the variables.
std::optional<std::string> Apply(const Given& given) {
  std::vector<const Switch*> rows;
  for (size_t i = 0; i < given.options.size(); ++i) {
    if (given.options[i]->count() == 0) continue;
    const Switch& row = Switches()[i];
    const bool takes_none = row.value == nullptr || row.value[0] == '[';
    setenv(row.variable, takes_none && given.values[i].empty() ? "1" : given.values[i].c_str(), 1);
    rows.push_back(&row);
  }
  // One may decide what another may be: --force.
  for (const Switch* row : rows) {
    if (const auto problem = row->problem(*row)) {
      return std::string(row->name) + " " + std::getenv(row->variable) + ": " + *problem;
    }
  }
  return std::nullopt;
}

// What was asked of the program does not hold for this command, which does not become it.
void Forget() {
  for (const Switch& row : Switches()) unsetenv(row.variable);
}

int Run(const Given& given, const std::vector<std::string>& program) {
  const auto refuse = [](const std::string& text) {
    std::fprintf(stderr, "aclimb run: %s\n", text.c_str());
    Forget();
    return kWrongUse;
  };
  for (size_t i = 0; i < given.options.size(); ++i) {
    const Switch& row = Switches()[i];
    if (given.options[i]->count() == 0 || row.value == nullptr) continue;
    if (row.value != std::string_view("N")) continue;
    const auto problem =
        NoNumber(row.name, given.values[i], FindEnvironmentVariable(row.variable)->values);
    if (problem) return refuse(*problem);
  }
  if (program.empty()) {
    return refuse("no program is given" + TakenProgram(given) + "\nTry: aclimb run --help");
  }
  if (const auto problem = Apply(given)) return refuse(*problem);
  TellUnknownVariables();
  ExportToolkit(ToolkitRoot());
  setenv("ACLIMB_MISSING", "1", 0);
  const int status = Become(program);
  Forget();
  return status;
}

}  // namespace

Command AddRun(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "run", "[SWITCHES] [--] PROGRAM [ARGUMENTS]",
                                "Run a program with this toolkit's libraries");
  app->footer(
      "Each switch sets the environment variable in brackets; see `aclimb env`.\n"
      "The exit status is the program's; 127 when there is no such program, 126 when it cannot be\n"
      "run.\n\n"
      "Examples:\n"
      "  aclimb run ./elu\n"
      "  aclimb run --soc Ascend310P3 --devices 2 -- ./train --epochs 3\n"
      "  aclimb run --memory 512M --launch-blocking python3 train.py\n"
      "  aclimb run --trace train.json ./train");
  auto given = std::make_shared<Given>();
  given->app = app;
  for (size_t i = 0; i < Switches().size(); ++i) {
    const Switch& row = Switches()[i];
    const std::string help = std::string(row.help) + " [" + row.variable + "]";
    CLI::Option* option =
        row.value == nullptr
            ? app->add_flag(row.name, help)->disable_flag_override()
            : app->add_option(row.name, given->values[i], help)->type_name(row.value);
    if (row.value != nullptr && row.value[0] == '[') option->expected(0, 1);
    given->options.push_back(option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast));
  }
  return {app, [given](const std::vector<std::string>& program) { return Run(*given, program); },
          true};
}

}  // namespace aclimb::cli
