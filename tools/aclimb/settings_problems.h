#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aclimb::cli {

// What the runtime, the collectives and the tools will say about the value that a variable has in
// this process's environment; nothing when they accept it. Asks their own readers of the
// environment.
std::optional<std::string> ProblemOf(std::string_view variable);

// The same for the whole environment, one text for each bad value.
std::vector<std::string> EnvironmentProblems();

// Variables that are set and begin with ACLIMB_ but do not exist: misspelled, most likely.
std::vector<std::string> UnknownVariables();
// The known name that such a one may mean; or empty.
std::string MeantVariable(const std::string& name);
// "ACLIMB_CHEK is set, but nothing reads it; ACLIMB_CHECK is meant?", one text for each of them.
std::vector<std::string> UnknownVariableTexts();
// The same on stderr, a line each.
void TellUnknownVariables();

}  // namespace aclimb::cli
