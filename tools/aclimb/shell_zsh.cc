#include <fmt/format.h>

#include "tools/aclimb/grammar.h"

namespace aclimb::cli {
namespace {

constexpr const char* kZshEnd = R"sh(  esac
}

# Read by compinit from a folder of functions, or by eval.
if [ "$funcstack[1]" = _aclimb ]; then
  _aclimb "$@"
else
  compdef _aclimb aclimb
fi
)sh";

// In descriptions, brackets and colons have a meaning.
std::string ZshHelp(const std::string& help) { return Escaped(help, "[]:\\", "'\\''"); }

std::string ZshRest(const CommandWords& command) {
  switch (command.rest) {
    case Rest::kProgram:
      return " '(-)1:program:_command_names -e' '*::arguments:_normal'";
    case Rest::kFiles:
      return " '*:file:_files'";
    case Rest::kExplained:
      return " '1:code or rule:_aclimb_explained'";
    case Rest::kChoices:
      return fmt::format(" '1:name:({})'", command.choices);
    case Rest::kNothing:
      break;
  }
  return "";
}

}  // namespace

std::string ZshCompletion(const std::vector<CommandWords>& commands) {
  std::string script =
      "#compdef aclimb\n"
      "# Completion of aclimb for zsh, printed by `aclimb completion zsh`.\n\n"
      "_aclimb_explained() {\n"
      "  compadd -- ${(f)\"$(aclimb explain --list 2>/dev/null)\"}\n"
      "}\n\n"
      "_aclimb() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a commands\n"
      "    commands=(\n";
  for (const CommandWords& command : commands) {
    script += fmt::format("      '{}:{}'\n", command.name, ZshHelp(command.help));
  }
  script +=
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandWords& command : commands) {
    script += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionWords& option : command.options) {
      const std::string value = !option.takes_value      ? ""
                                : option.choices.empty() ? ":value: "
                                                         : ":value:(" + option.choices + ")";
      script += fmt::format(" \\\n        '{}[{}]{}'", option.name, ZshHelp(option.help), value);
    }
    const std::string rest = ZshRest(command);
    if (!rest.empty()) script += " \\\n       " + rest;
    script += "\n      ;;\n";
  }
  return script + kZshEnd;
}

}  // namespace aclimb::cli
