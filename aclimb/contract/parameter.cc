#include "aclimb/contract/parameter.h"

#include <bit>

#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

struct FormatName {
  int32_t format;
  const char* name;
};

constexpr FormatName kFormatNames[] = {
    {-1, "UNDEFINED"},
    {kNchw, "NCHW"},
    {kNhwc, "NHWC"},
    {kNd, "ND"},
    {3, "NC1HWC0"},
    {4, "FRACTAL_Z"},
    {12, "NC1HWC0_C04"},
    {kHwcn, "HWCN"},
    {kNdhwc, "NDHWC"},
    {29, "FRACTAL_NZ"},
    {kNcdhw, "NCDHW"},
    {32, "NDC1HWC0"},
    {33, "FRACTAL_Z_3D"},
    {kNc, "NC"},
    {kNcl, "NCL"},
    {50, "FRACTAL_NZ_C0_16"},
    {51, "FRACTAL_NZ_C0_32"},
    {52, "FRACTAL_NZ_C0_2"},
    {53, "FRACTAL_NZ_C0_4"},
    {54, "FRACTAL_NZ_C0_8"},
};

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

std::string FormatText(int32_t format) {
  for (const FormatName& row : kFormatNames) {
    if (row.format == format) return row.name;
  }
  return Cat("number ", format);
}

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
