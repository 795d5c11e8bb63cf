#include "aclimb/contract/shape_pattern.h"

#include "aclimb/core/text.h"

namespace aclimb::contract {

std::string EntryText(const Dimension& dimension) {
  switch (dimension.kind) {
    case Dimension::Kind::kNumber:
      return Cat(dimension.number);
    case Dimension::Kind::kExtent:
    case Dimension::Kind::kAttribute:
      return std::string(dimension.name);
    case Dimension::Kind::kRun:
    case Dimension::Kind::kArray:
      return Cat(dimension.name, "...");
    case Dimension::Kind::kBroadcast:
      return Cat("*", dimension.name);
  }
  return "";
}

std::string PatternText(const ShapePattern& pattern) {
  std::string text;
  for (const Dimension& each : pattern) {
    text += Cat(text.empty() ? "" : ", ", EntryText(each));
  }
  return Cat("[", text, "]");
}

}  // namespace aclimb::contract
