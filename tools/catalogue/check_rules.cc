#include "tools/catalogue/rule_entry.h"
#include "tools/check/rule.h"

namespace aclimb::catalogue {

std::vector<FixedRule> CheckRules() {
  std::vector<FixedRule> rows;
  for (const std::span<const check::Rule> rules : check::kAllRules) {
    for (const check::Rule& rule : rules) {
      rows.push_back({rule.id, 0, rule.holds, rule.causes, rule.fix});
    }
  }
  return rows;
}

}  // namespace aclimb::catalogue
