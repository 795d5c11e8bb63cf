#include "tools/check/settings.h"

#include <cstdlib>
#include <string_view>

#include "aclimb/core/parse.h"
#include "aclimb/core/text.h"
#include "tools/check/rule.h"

namespace aclimb::check {
namespace {

std::vector<std::string> Words(const char* variable) {
  const char* text = secure_getenv(variable);
  std::vector<std::string> words;
  std::string_view rest = text == nullptr ? std::string_view() : text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (comma != 0) words.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return words;
}

void Complain(std::vector<tools::Problem>* problems, const char* variable, const std::string& word,
              const char* expected, const char* effect) {
  if (problems == nullptr) return;
  problems->push_back({Cat(variable, " has \"", word, "\"; expected ", expected, "."), effect});
}

// Also the beginning of an id, such as check/leak.
bool IsRule(std::string_view id) {
  for (const auto rules : kAllRules) {
    for (const Rule& rule : rules) {
      const std::string_view known = rule.id;
      if (known.starts_with(id) && (known.size() == id.size() || known[id.size()] == '/')) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<Settings> ReadSettings(std::vector<tools::Problem>* problems) {
  Settings settings;
  bool on = false;
  for (const std::string& word : Words("ACLIMB_CHECK")) {
    if (word == "0") continue;
    on = word == "1" || word == "nan" || word == "all";
    if (!on) {
      Complain(problems, "ACLIMB_CHECK", word, "0, or a comma list of 1, nan and all",
               "Nothing is checked; correct it, or unset it.");
      break;
    }
    if (word == "nan") settings.not_finite = true;
    if (word == "all") settings.all = true;
  }
  bool told = false;
  for (std::string& word : Words("ACLIMB_MUTE")) {
    if (IsRule(word)) {
      settings.muted.push_back(std::move(word));
    } else if (!told) {
      told = true;
      Complain(problems, "ACLIMB_MUTE", word,
               "a comma list of the checker's rules or their beginnings, such as check/leak",
               "It mutes nothing; correct it by the list in `aclimb explain --list`.");
    }
  }
  for (const std::string& word : Words("ACLIMB_CHECK_EXIT")) {
    int status = 0;
    if (ParseWhole(std::string_view(word), &status) && status >= 0 && status <= 255) {
      settings.exit_status = status;
    } else {
      Complain(problems, "ACLIMB_CHECK_EXIT", word, "an exit status, 0 to 255",
               "The status stays as it is; correct it, or unset it.");
      break;
    }
  }
  if (!on) return std::nullopt;
  return settings;
}

}  // namespace aclimb::check
