#include <cstdint>

#include "acl/acl_base.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/half.h"

extern "C" {

size_t aclDataTypeSize(aclDataType dataType) {
  return aclimb::SizeOf(static_cast<aclimb::DType>(dataType));
}

// The documented helper saturates instead of giving infinity, and has no NaN.
aclFloat16 aclFloatToFloat16(float value) {
  constexpr uint16_t kLargest = 0x7BFF;  // 65504
  constexpr uint16_t kSign = 0x8000;
  if ((aclimb::BitsOf(value) & 0x7FFFFFFFu) > 0x7F800000u) return kLargest;
  const uint16_t bits = aclimb::ToFloat16(value).bits;
  if ((bits & 0x7C00) != 0x7C00) return bits;
  return static_cast<uint16_t>((bits & kSign) | kLargest);
}

// The documented helper reads the exponent 31 as an ordinary one.
float aclFloat16ToFloat(aclFloat16 value) {
  if ((value & 0x7C00) != 0x7C00) return aclimb::ToFloat(aclimb::Float16{value});
  constexpr uint32_t kExponent = 127 + 16;
  const uint32_t sign = uint32_t{value & 0x8000u} << 16;
  return aclimb::FloatOfBits(sign | kExponent << 23 | uint32_t{value & 0x3FFu} << 13);
}

}  // extern "C"
