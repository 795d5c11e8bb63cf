#include "aclimb/core/status.h"

#include "aclimb/core/codes.h"

namespace aclimb {

std::string CodeText(int code) {
  std::string text = std::to_string(code);
  const char* name = CodeName(code);
  if (name[0] != '\0') {
    text += ' ';
    text += name;
  }
  return text;
}

std::string MessageOf(std::string_view function, const Refusal& refusal) {
  std::string text(function);
  text += ": ";
  text += refusal.what;
  if (!refusal.fix.empty()) {
    text += "\n  fix: ";
    text += refusal.fix;
  }
  text += "\n  rule: ";
  text += refusal.rule;
  text += "   code: ";
  text += CodeText(refusal.code);
  return text;
}

}  // namespace aclimb
