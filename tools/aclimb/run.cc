// aclimb run: runs a program with this toolkit's libraries.

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tools/aclimb/command.h"
#include "tools/aclimb/switches.h"
#include "tools/aclimb/toolkit.h"

namespace aclimb::cli {
namespace {

// The values of the switches, by their place in the table.
struct Given {
  std::vector<std::string> values = std::vector<std::string>(Switches().size());
  std::vector<CLI::Option*> options;
};

int Run(const Given& given, const std::vector<std::string>& program) {
  if (program.empty()) {
    std::fputs("aclimb run: no program is given\nTry: aclimb run --help\n", stderr);
    return kWrongUse;
  }
  for (size_t i = 0; i < given.options.size(); ++i) {
    if (given.options[i]->count() == 0) continue;
    const Switch& row = Switches()[i];
    const char* value = row.value == nullptr ? "1" : given.values[i].c_str();
    setenv(row.variable, value, 1);
    if (const auto problem = row.problem(row)) {
      std::fprintf(stderr, "aclimb run: %s %s: %s\n", row.name, value, problem->c_str());
      return kWrongUse;
    }
  }
  ExportToolkit(ToolkitRoot());
  return Become(program);
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
  for (size_t i = 0; i < Switches().size(); ++i) {
    const Switch& row = Switches()[i];
    const std::string help = std::string(row.help) + " [" + row.variable + "]";
    CLI::Option* option =
        row.value == nullptr
            ? app->add_flag(row.name, help)->disable_flag_override()
            : app->add_option(row.name, given->values[i], help)->type_name(row.value);
    given->options.push_back(option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast));
  }
  return {app, [given](const std::vector<std::string>& program) { return Run(*given, program); },
          true};
}

}  // namespace aclimb::cli
