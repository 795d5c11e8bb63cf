#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace aclimb::cli {

// What the tool ends with, unless it becomes the program that it runs.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUse = 2;

// One subcommand. `words` are those that belong to the program that it runs, else empty.
struct Command {
  CLI::App* app = nullptr;
  std::function<int(const std::vector<std::string>& words)> run;
  bool runs_program = false;
};

// A subcommand of the tool. `usage` is what follows its name on the help's first line.
CLI::App* AddSubcommand(CLI::App& tool, const std::string& name, const std::string& usage,
                        const std::string& description);

// Each adds its subcommand to the tool: help, options, and what it does.
Command AddRun(CLI::App& tool);
Command AddExplore(CLI::App& tool);
Command AddEnv(CLI::App& tool);
Command AddCompile(CLI::App& tool);
Command AddReplay(CLI::App& tool);
Command AddInfo(CLI::App& tool);
Command AddReport(CLI::App& tool);
Command AddExplain(CLI::App& tool);
Command AddOps(CLI::App& tool);
Command AddCompletion(CLI::App& tool);

}  // namespace aclimb::cli
