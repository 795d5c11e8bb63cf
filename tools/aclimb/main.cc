// aclimb: runs and builds programs against this toolkit, and explains what they get from it.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>

#include "aclimb/version.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/near.h"

namespace aclimb::cli {
namespace {

// Index of the first word of the program that a subcommand runs: what follows "--", or the first
// word that is neither one of its options nor an option's value. Those words are not ours to parse.
size_t ProgramBegin(const CLI::App& command, const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--") return i + 1;
    if (words[i].size() < 2 || words[i][0] != '-') return i;
    const std::string name = words[i].substr(0, words[i].find('='));
    const CLI::Option* option = command.get_option_no_throw(name);
    // The compiler's options come without a "--" before them; a typing mistake of ours is an error.
    if (option == nullptr && command.get_name() == "c++") return i;
    if (option == nullptr || name.size() != words[i].size()) continue;
    if (option->get_items_expected_min() > 0) ++i;
  }
  return words.size();
}

// "--check" of "--check=all", "-o" of "-ofile".
std::string OptionName(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

// What is wrong with the options themselves, where CLI11 has only words of its own for it.
std::optional<std::string> OptionProblem(const CLI::App& app,
                                         const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() < 2 || words[i][0] != '-' || words[i] == "--") continue;
    const std::string name = OptionName(words[i]);
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr) {
      std::vector<std::string> names;
      for (const CLI::Option* known : app.get_options()) {
        for (const std::string& lname : known->get_lnames()) names.push_back("--" + lname);
      }
      const std::vector<std::string> near = NearMatches(name, names, 1);
      return "there is no option " + name + (near.empty() ? "" : "; " + near[0] + " is meant?");
    }
    const bool attached = name.size() != words[i].size();
    if (attached && option->get_items_expected_max() == 0) {
      const size_t value = name.size() + (name.starts_with("--") ? 1 : 0);
      return name + " takes no value, got \"" + words[i].substr(value) + "\"";
    }
    if (!attached && option->get_items_expected_min() > 0) ++i;
  }
  return std::nullopt;
}

int WrongUse(const CLI::App& tool, const std::vector<Command>& commands,
             const CLI::ParseError& error) {
  std::string name = tool.get_name();
  for (const Command& command : commands) {
    if (command.app->parsed()) name += " " + command.app->get_name();
  }
  std::fprintf(stderr, "aclimb: %s\nTry: %s --help\n", error.what(), name.c_str());
  return kWrongUse;
}

// A first word that is no subcommand gets a better answer than CLI11's.
bool IsUnknownCommand(const std::vector<std::string>& words, const std::vector<Command>& commands) {
  if (words.empty() || words[0].starts_with("-")) return false;
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.app->get_name());
  if (std::find(names.begin(), names.end(), words[0]) != names.end()) return false;
  const std::vector<std::string> near = NearMatches(words[0], names, 1);
  std::fprintf(stderr, "aclimb: there is no command \"%s\"%s\nTry: aclimb --help\n",
               words[0].c_str(), near.empty() ? "" : ("; " + near[0] + " is meant?").c_str());
  return true;
}

int Main(int argc, char** argv) {
  CLI::App tool(
      "Runs programs for Ascend NPUs with this toolkit, builds them, and explains what it tells.",
      "aclimb");
  tool.set_version_flag(
      "--version", "aclimb " ACLIMB_VERSION_STRING " (toolkit " ACLIMB_TOOLKIT_VERSION_STRING ")");
  tool.require_subcommand(0, 1);
  tool.footer(
      "Examples:\n"
      "  aclimb c++ elu.cpp -o elu && aclimb run ./elu\n"
      "  aclimb explain 107002\n"
      "Help for one command: aclimb COMMAND --help\n"
      "Exit status: 0 done, 1 failed, 2 wrong use; run and c++: that of the program.");
  const std::vector<Command> commands = {
      AddRun(tool),     AddCompile(tool), AddReport(tool), AddExplore(tool), AddReplay(tool),
      AddExplain(tool), AddOps(tool),     AddInfo(tool),   AddEnv(tool),     AddCompletion(tool)};

  std::vector<std::string> words(argv + 1, argv + argc);
  if (IsUnknownCommand(words, commands)) return kWrongUse;
  std::vector<std::string> program;
  for (const Command& command : commands) {
    if (!command.runs_program || words.empty() || words[0] != command.app->get_name()) continue;
    const size_t begin = ProgramBegin(*command.app, words);
    program.assign(words.begin() + static_cast<ptrdiff_t>(begin), words.end());
    words.resize(begin);
    if (words.back() == "--") words.pop_back();
  }
  const CLI::App* addressed = &tool;
  for (const Command& command : commands) {
    if (!words.empty() && words[0] == command.app->get_name()) addressed = command.app;
  }
  // The options of c++ are the compiler's.
  const auto problem =
      addressed->get_name() == "c++" ? std::nullopt : OptionProblem(*addressed, words);
  if (problem) {
    const std::string name = addressed == &tool ? "aclimb" : "aclimb " + addressed->get_name();
    std::fprintf(stderr, "%s: %s\nTry: %s --help\n", name.c_str(), problem->c_str(), name.c_str());
    return kWrongUse;
  }
  try {
    // CLI11 takes the words from the back.
    tool.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return tool.exit(error);
    return WrongUse(tool, commands, error);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run(program);
  }
  std::fputs("aclimb: a command is needed\nTry: aclimb --help\n", stderr);
  return kWrongUse;
}

}  // namespace
}  // namespace aclimb::cli

int main(int argc, char** argv) {
  try {
    const int status = aclimb::cli::Main(argc, argv);
    // A full disk or a closed pipe is a failure too.
    return std::fflush(stdout) == 0 ? status : aclimb::cli::kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aclimb: %s\n", error.what());
    return aclimb::cli::kFailed;
  }
}
