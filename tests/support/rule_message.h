#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aclimb/contract/arguments.h"

namespace aclimb::testing {

// Whether `word` stands in `text` with no letter, digit or underscore beside it.
bool HasWord(std::string_view text, std::string_view word);

// How a message may show an argument: shape, dtype, format, strides, number, list, "null", ...
std::vector<std::string> ValueTexts(contract::Kind kind, const contract::Argument& argument);

// What aclGetRecentErrMsg said about one refusal, in parts.
class RuleMessage {
 public:
  explicit RuleMessage(std::string text);

  // From the function's name to the expectation.
  const std::string& what() const { return what_; }

  // Exactly one message, with all four parts: what it is and what was expected, the fix, the rule
  // and the code.
  void ExpectWhole(const std::string& function, const std::string& rule, int code) const;

  // The id that it ends with.
  std::string rule() const;

  bool Names(std::string_view argument) const { return HasWord(what_, argument); }
  bool ShowsOneOf(const std::vector<std::string>& values) const;

 private:
  std::string text_;
  std::string what_;
};

}  // namespace aclimb::testing
