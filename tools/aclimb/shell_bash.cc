#include <fmt/format.h>

#include "tools/aclimb/grammar.h"

namespace aclimb::cli {
namespace {

constexpr const char* kBashBegin =
    R"sh(# Completion of aclimb for bash, printed by `aclimb completion bash`.

# Puts those of the words $1 that begin like the current one into COMPREPLY.
_aclimb_offer() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

# Index of the program among the words of `aclimb run`; their count when there is none yet. $1: the
# options that take a value.
_aclimb_program() {
  local i=2
  while [ "$i" -lt "$COMP_CWORD" ]; do
    case ${COMP_WORDS[i]} in
      --) i=$((i + 1)) && break ;;
      -*) case " $1 " in *" ${COMP_WORDS[i]} "*) i=$((i + 1)) ;; esac ;;
      *) break ;;
    esac
    i=$((i + 1))
  done
  echo "$i"
}

_aclimb() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options='' rest='' program
  COMPREPLY=()
)sh";

constexpr const char* kBashEnd = R"sh(
  if [ "$rest" = program ]; then
    program=$(_aclimb_program "$valued")
    if [ "$program" -lt "$COMP_CWORD" ]; then
      # The program's own words.
      if declare -F _command_offset >/dev/null; then
        _command_offset "$program"
      else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
      fi
      return
    fi
  fi
  case $current in
    -*) _aclimb_offer "$options" ;;
    *)
      case $rest in
        program) mapfile -t COMPREPLY < <(compgen -c -f -- "$current") ;;
        files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
        explained) _aclimb_offer "$("${COMP_WORDS[0]}" explain --list 2>/dev/null)" ;;
        *) _aclimb_offer "$rest" ;;
      esac
      ;;
  esac
}

complete -o bashdefault -o default -F _aclimb aclimb
)sh";

std::string BashRest(const CommandWords& command) {
  switch (command.rest) {
    case Rest::kProgram:
      return "program";
    case Rest::kFiles:
      return "files";
    case Rest::kExplained:
      return "explained";
    default:
      return command.choices;
  }
}

}  // namespace

std::string BashCompletion(const std::vector<CommandWords>& commands) {
  std::string script = kBashBegin;
  script += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    _aclimb_offer '{} --help --version'\n    return\n  fi\n",
      NamesOf(commands));
  script += "  local valued=''\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandWords& command : commands) {
    std::vector<OptionWords> valued;
    for (const OptionWords& option : command.options) {
      if (option.takes_value) valued.push_back(option);
    }
    script +=
        fmt::format("    {})\n      options='{}'\n      rest='{}'\n      valued='{}'\n",
                    command.name, NamesOf(command.options), BashRest(command), NamesOf(valued));
    if (!valued.empty()) script += "      case $previous in\n";
    for (const OptionWords& option : valued) {
      script +=
          fmt::format("        {}) _aclimb_offer '{}' && return ;;\n", option.name, option.choices);
    }
    if (!valued.empty()) script += "      esac\n";
    script += "      ;;\n";
  }
  return script + "    *) return ;;\n  esac\n" + kBashEnd;
}

}  // namespace aclimb::cli
