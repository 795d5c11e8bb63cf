#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aclimb::catalogue {

// A rule outside of the operators' contracts. An id that ends in "/*" stands for every last part:
// the name of an argument, or the kind of an object.
struct FixedRule {
  const char* id;
  int code;  // 0: the code of what failed below
  const char* meaning;
  const char* causes;
  const char* fix;
};
std::span<const FixedRule> RuntimeRules();     // runtime/..., backend/...
std::span<const FixedRule> CollectiveRules();  // collective/..., with HcclResults as codes
std::span<const FixedRule> ObjectRules();      // tensor/..., executor/..., phase2/... and the like
std::vector<FixedRule> CheckRules();           // check/..., of the checker; they have no code

// One rule as it is explained, whatever table it comes from.
struct RuleEntry {
  std::string id;
  int code = 0;
  std::string meaning;
  std::string causes;
  std::string fix;
  std::string context;         // the operator and its parameters that the rule is about; or empty
  std::string code_text = {};  // number and name of the code; empty for none
};

// Every rule: of each operator in the order of its checks, then the fixed ones.
std::vector<RuleEntry> AllRules();

// True when `id` is `pattern`, or `pattern` ends in "/*" and `id` begins as it does.
bool Matches(std::string_view pattern, std::string_view id);

}  // namespace aclimb::catalogue
