#include "aclimb/core/codes.h"

#include <algorithm>
#include <string_view>

#include "tools/catalogue/code_entry.h"

namespace aclimb::catalogue {

std::vector<CodeEntry> AllCodeEntries() {
  std::vector<CodeEntry> all;
  for (const auto table : {GeneralCodes(), RuntimeUsageCodes(), GraphCodes(), OperatorCodes(),
                           RuntimeResourceCodes(), RuntimeFaultCodes()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const CodeEntry& a, const CodeEntry& b) { return a.code < b.code; });
  return all;
}

bool IsReturned(const CodeEntry& text) {
  const std::string_view name = text.name;
  for (const CodeRow& row : AllCodes()) {
    // Another name of the number is not a code that messages show.
    if (row.code == text.code && row.name == name) return true;
  }
  return false;
}

}  // namespace aclimb::catalogue
