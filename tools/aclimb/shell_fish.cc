#include <fmt/format.h>

#include "tools/aclimb/grammar.h"

namespace aclimb::cli {
namespace {

std::string FishHelp(const std::string& help) { return Escaped(help, "\\", "\\'"); }

std::string FishRest(const CommandWords& command) {
  switch (command.rest) {
    case Rest::kProgram:
      return "-a '(__fish_complete_subcommand --fcs-skip=2)'";
    case Rest::kFiles:
      return "-F";
    case Rest::kExplained:
      return "-f -a '(aclimb explain --list 2>/dev/null)'";
    case Rest::kChoices:
      return fmt::format("-f -a '{}'", command.choices);
    case Rest::kNothing:
      break;
  }
  return "-f";
}

}  // namespace

std::string FishCompletion(const std::vector<CommandWords>& commands) {
  std::string script =
      "# Completion of aclimb for fish, printed by `aclimb completion fish`.\n\n"
      "complete -c aclimb -n __fish_use_subcommand -f -l help -d 'Help'\n"
      "complete -c aclimb -n __fish_use_subcommand -f -l version -d 'Version'\n";
  for (const CommandWords& command : commands) {
    script += fmt::format("complete -c aclimb -n __fish_use_subcommand -f -a {} -d '{}'\n",
                          command.name, FishHelp(command.help));
  }
  for (const CommandWords& command : commands) {
    const std::string begin =
        fmt::format("complete -c aclimb -n '__fish_seen_subcommand_from {}'", command.name);
    script += fmt::format("\n{} {}\n", begin, FishRest(command));
    for (const OptionWords& option : command.options) {
      const std::string value = !option.takes_value      ? ""
                                : option.choices.empty() ? " -x"
                                                         : " -x -a '" + option.choices + "'";
      script += fmt::format("{} -l {}{} -d '{}'\n", begin, option.name.substr(2), value,
                            FishHelp(option.help));
    }
  }
  return script;
}

}  // namespace aclimb::cli
