#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;  // whose header takes ten seconds to compile
}

namespace aclimb::cli {

// What the shells complete, taken from the tool's own description of its options.

struct OptionWords {
  std::string name;  // "--soc"
  std::string help;  // one line
  bool takes_value = false;
  std::string choices;  // separated by spaces; empty when anything goes
};

// What follows the options of a subcommand.
enum class Rest { kNothing, kProgram, kFiles, kChoices, kExplained };

struct CommandWords {
  std::string name;
  std::string help;
  std::vector<OptionWords> options;
  Rest rest = Rest::kNothing;
  std::string choices;  // of kChoices
};

std::vector<CommandWords> GrammarOf(const CLI::App& tool);

// The names of the options, or of the subcommands, separated by spaces.
std::string NamesOf(const std::vector<OptionWords>& options);
std::string NamesOf(const std::vector<CommandWords>& commands);

// The text for use within single quotes: a backslash before each special character, and `quote` in
// place of a single quote.
std::string Escaped(std::string_view text, std::string_view special, std::string_view quote);

// The scripts.
std::string BashCompletion(const std::vector<CommandWords>& commands);
std::string ZshCompletion(const std::vector<CommandWords>& commands);
std::string FishCompletion(const std::vector<CommandWords>& commands);

}  // namespace aclimb::cli
