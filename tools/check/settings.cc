#include "tools/check/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

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

void Complain(const char* variable, const std::string& word, const char* expected) {
  std::fprintf(stderr, "aclimb: %s has \"%s\"; expected %s.\n", variable, word.c_str(), expected);
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

std::optional<Settings> ReadSettings() {
  Settings settings;
  bool on = false;
  for (const std::string& word : Words("ACLIMB_CHECK")) {
    if (word == "0") continue;
    if (word != "1" && word != "nan" && word != "all") {
      Complain("ACLIMB_CHECK", word, "0, or a comma list of 1, nan and all; nothing is checked");
      return std::nullopt;
    }
    on = true;
    if (word == "nan") settings.not_finite = true;
    if (word == "all") settings.all = true;
  }
  if (!on) return std::nullopt;
  for (std::string& word : Words("ACLIMB_MUTE")) {
    if (IsRule(word)) {
      settings.muted.push_back(std::move(word));
    } else {
      Complain("ACLIMB_MUTE", word, "a comma list of the checker's rules, such as check/leak");
    }
  }
  for (const std::string& word : Words("ACLIMB_CHECK_EXIT")) {
    const char* const end = word.data() + word.size();
    int status = 0;
    const auto [stop, error] = std::from_chars(word.data(), end, status);
    if (error == std::errc() && stop == end && status >= 0 && status <= 255) {
      settings.exit_status = status;
    } else {
      Complain("ACLIMB_CHECK_EXIT", word, "an exit status, 0 to 255");
    }
  }
  return settings;
}

}  // namespace aclimb::check
