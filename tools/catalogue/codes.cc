#include "aclimb/core/codes.h"

#include <algorithm>
#include <string_view>

#include "tools/catalogue/code_entry.h"

namespace aclimb::catalogue {

std::vector<CodeEntry> AllCodeEntries() {
  std::vector<CodeEntry> all;
  for (const auto table :
       {GeneralCodes(), RuntimeUsageCodes(), GraphCodes(), OperatorCodes(), RuntimeResourceCodes(),
        RuntimeFaultCodes(), CollectiveCodes(), OtherCollectiveCodes()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const CodeEntry& a, const CodeEntry& b) { return a.code < b.code; });
  return all;
}

bool IsReturned(const CodeEntry& text) {
  const std::string_view name = text.name;
  if (IsCollective(text)) {
    return std::ranges::any_of(CollectiveCodes(),
                               [&](const CodeEntry& row) { return name == row.name; });
  }
  for (const CodeRow& row : AllCodes()) {
    // Another name of the number is not a code that messages show.
    if (row.code == text.code && row.name == name) return true;
  }
  return false;
}

bool IsNumberReturned(const CodeEntry& text) {
  return IsCollective(text) ? IsReturned(text) : CodeName(text.code)[0] != '\0';
}

bool IsCollective(const CodeEntry& text) {
  return std::string_view(text.name).starts_with("HCCL_");
}

}  // namespace aclimb::catalogue
