#include "aclimb/contract/parameter.h"

#include <bit>

#include "aclimb/core/format.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

// "A", "A or B", "A, B or C" from the set bits of a mask.
template <typename Name>
std::string ListText(uint64_t mask, Name name) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const uint64_t rest = i == 63 ? 0 : mask >> (i + 1);
    if (!text.empty()) text += rest == 0 ? " or " : ", ";
    text += name(i);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string Text(DTypeMask mask) {
  return ListText(mask, [](int i) { return std::string(NameOf(static_cast<DType>(i))); });
}

std::string FormatText(int32_t format) { return aclimb::FormatText(format); }

std::string FormatsText(FormatMask mask) {
  return ListText(mask, [](int i) { return FormatText(i); });
}

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kTensor:
      return "tensor";
    case Kind::kScalar:
      return "scalar";
    case Kind::kIntArray:
      return "int array";
    case Kind::kFloatArray:
      return "float array";
    case Kind::kBoolArray:
      return "bool array";
    case Kind::kTensorList:
      return "tensor list";
    case Kind::kScalarList:
      return "scalar list";
    case Kind::kString:
      return "string";
    case Kind::kBool:
      return "bool";
    case Kind::kInteger:
      return "integer";
    case Kind::kReal:
      return "real";
  }
  return "";
}

const char* RoleName(Role role) {
  switch (role) {
    case Role::kInput:
      return "in";
    case Role::kOutput:
      return "out";
    case Role::kInOut:
      return "in and out";
    case Role::kAttribute:
      return "attribute";
  }
  return "";
}

}  // namespace aclimb::contract
