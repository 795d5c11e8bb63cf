#include "tools/aclimb/near.h"

#include <algorithm>
#include <cctype>

namespace aclimb::cli {
namespace {

// Insertions, deletions, replacements and exchanges of neighbours that turn one text into the
// other.
size_t Distance(std::string_view a, std::string_view b) {
  // Of beginnings: of this length of `a` and of those one and two shorter.
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  std::vector<size_t> above(row);
  std::vector<size_t> second(row);
  for (size_t i = 1; i <= a.size(); ++i) {
    second.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], second[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::vector<std::string> NearMatches(std::string_view text,
                                     const std::vector<std::string>& candidates, size_t count) {
  struct Match {
    size_t cost;
    const std::string* name;
  };
  const std::string wanted = Lower(text);
  // Longer texts may have more mistakes in them.
  const size_t limit = std::max<size_t>(1, wanted.size() / 3);
  std::vector<Match> matches;
  for (const std::string& candidate : candidates) {
    const std::string name = Lower(candidate);
    if (wanted.size() > 2 && name.find(wanted) != std::string::npos) {
      matches.push_back({name.size() - wanted.size(), &candidate});
      continue;
    }
    // The difference of the lengths is part of the distance.
    if (std::max(wanted.size(), name.size()) > std::min(wanted.size(), name.size()) + limit)
      continue;
    const size_t distance = Distance(wanted, name);
    // Behind every one that contains the text.
    if (distance <= limit) matches.push_back({1000 + distance, &candidate});
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.cost < b.cost; });
  std::vector<std::string> names;
  for (const Match& match : matches) {
    if (names.size() == count) break;
    if (std::find(names.begin(), names.end(), *match.name) == names.end()) {
      names.push_back(*match.name);
    }
  }
  return names;
}

}  // namespace aclimb::cli
