// aclimb completion: the script by which a shell completes aclimb's words.

#include <fmt/format.h>

#include <memory>

#include "aclimb/truth/all_operators.h"
#include "tools/aclimb/command.h"
#include "tools/aclimb/grammar.h"
#include "tools/aclimb/output.h"
#include "tools/aclimb/switches.h"

namespace aclimb::cli {
namespace {

// Help without the variable in brackets.
std::string PlainHelp(const std::string& help) { return help.substr(0, help.find(" [")); }

std::string ChoicesOf(const std::string& option) {
  for (const Switch& row : Switches()) {
    if (option == row.name) return row.choices;
  }
  return "";
}

std::string OperatorNames() {
  std::string names;
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    names += fmt::format("{}{}", names.empty() ? "" : " ", contract->function);
  }
  return names;
}

constexpr const char* kShells = "bash zsh fish";

void AddRest(CommandWords& words) {
  if (words.name == "run" || words.name == "explore") words.rest = Rest::kProgram;
  if (words.name == "c++" || words.name == "report" || words.name == "replay")
    words.rest = Rest::kFiles;
  if (words.name == "explain") words.rest = Rest::kExplained;
  if (words.name == "ops") words.choices = OperatorNames();
  if (words.name == "completion") words.choices = kShells;
  if (!words.choices.empty()) words.rest = Rest::kChoices;
}

std::string Joined(std::string list, const std::string& name) {
  return list.empty() ? name : list + " " + name;
}

}  // namespace

std::vector<CommandWords> GrammarOf(const CLI::App& tool) {
  std::vector<CommandWords> commands;
  for (const CLI::App* app : tool.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words;
    words.name = app->get_name();
    words.help = PlainHelp(app->get_description());
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_lnames().empty()) continue;
      const std::string name = "--" + option->get_lnames().front();
      words.options.push_back({name, PlainHelp(option->get_description()),
                               option->get_items_expected_min() > 0, ChoicesOf(name)});
    }
    AddRest(words);
    commands.push_back(std::move(words));
  }
  return commands;
}

std::string Escaped(std::string_view text, std::string_view special, std::string_view quote) {
  std::string escaped;
  for (char c : text) {
    if (c == '\'') {
      escaped += quote;
      continue;
    }
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string NamesOf(const std::vector<OptionWords>& options) {
  std::string names;
  for (const OptionWords& option : options) names = Joined(std::move(names), option.name);
  return names;
}

std::string NamesOf(const std::vector<CommandWords>& commands) {
  std::string names;
  for (const CommandWords& command : commands) names = Joined(std::move(names), command.name);
  return names;
}

Command AddCompletion(CLI::App& tool) {
  CLI::App* app =
      AddSubcommand(tool, "completion", "bash|zsh|fish", "Print the completion script of a shell");
  app->footer(
      "For bash it is installed as share/bash-completion/completions/aclimb too.\n\n"
      "Examples:\n"
      "  eval \"$(aclimb completion bash)\"        # in ~/.bashrc, likewise with zsh in ~/.zshrc\n"
      "  aclimb completion fish > ~/.config/fish/completions/aclimb.fish");
  auto shell = std::make_shared<std::string>();
  app->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  const CLI::App* whole = &tool;
  return {app, [shell, whole](const std::vector<std::string>&) {
            const std::vector<CommandWords> commands = GrammarOf(*whole);
            Print(*shell == "bash"  ? BashCompletion(commands)
                  : *shell == "zsh" ? ZshCompletion(commands)
                                    : FishCompletion(commands));
            return kDone;
          }};
}

}  // namespace aclimb::cli
