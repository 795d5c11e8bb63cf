#include "aclimb/truth/cast.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "aclimb/truth/elements.h"

namespace aclimb::truth {

double CastValue(double value, DType from, DType to) {
  if (from == DType::kBool) value = value != 0 ? 1 : 0;
  if (to == DType::kBool) return value != 0 ? 1 : 0;
  if (!IsInteger(to)) return Rounded(value, to);
  const double limit = to == DType::kInt64 || IsUnsigned(to) ? 0x1p63 : 0x1p31;
  value = std::trunc(value);
  if (IsFloating(from) && !(value >= -limit && value < limit)) {
    const bool fits = to == DType::kUInt64 && value >= 0 && value < 0x1p64;
    if (!fits) value = -limit;
  }
  const uint64_t bits = value < 0x1p63 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                                       : static_cast<uint64_t>(value);
  unsigned char bytes[sizeof(bits)];
  std::memcpy(bytes, &bits, sizeof(bits));
  return ReadElement(bytes, to);  // the lowest bytes come first
}

int64_t CastInteger(int64_t value, DType to) {
  if (to == DType::kBool) return value != 0 ? 1 : 0;
  unsigned char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  return ReadInteger(bytes, to);  // the lowest bytes come first
}

double CastScalar(const Call& call, Slot scalar, DType to) {
  const Given& given = call.At(scalar);
  if (given.integers.empty() || !IsInteger(to)) return CastValue(given.real, given.dtype, to);
  unsigned char bytes[sizeof(int64_t)];
  WriteInteger(bytes, DType::kInt64, given.integers[0]);
  return ReadElement(bytes, to);  // the lowest bytes come first
}

}  // namespace aclimb::truth
