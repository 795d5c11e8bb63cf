#include "aclimb/core/format.h"

#include "aclimb/core/text.h"

namespace aclimb {
namespace {

struct FormatName {
  int32_t format;
  const char* name;
};

constexpr FormatName kFormatNames[] = {
    {-1, "UNDEFINED"},
    {0, "NCHW"},
    {1, "NHWC"},
    {2, "ND"},
    {3, "NC1HWC0"},
    {4, "FRACTAL_Z"},
    {12, "NC1HWC0_C04"},
    {16, "HWCN"},
    {27, "NDHWC"},
    {29, "FRACTAL_NZ"},
    {30, "NCDHW"},
    {32, "NDC1HWC0"},
    {33, "FRACTAL_Z_3D"},
    {35, "NC"},
    {47, "NCL"},
    {50, "FRACTAL_NZ_C0_16"},
    {51, "FRACTAL_NZ_C0_32"},
    {52, "FRACTAL_NZ_C0_2"},
    {53, "FRACTAL_NZ_C0_4"},
    {54, "FRACTAL_NZ_C0_8"},
};

}  // namespace

std::string FormatText(int32_t format) {
  for (const FormatName& row : kFormatNames) {
    if (row.format == format) return row.name;
  }
  return Cat("number ", format);
}

}  // namespace aclimb
