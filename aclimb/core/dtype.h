#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aclimb {

// Element types, numbered as aclDataType, so that a conversion is a cast.
enum class DType : int32_t {
  kUndefined = -1,
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 6,
  kUInt16 = 7,
  kUInt32 = 8,
  kInt64 = 9,
  kUInt64 = 10,
  kFloat64 = 11,
  kBool = 12,
  kString = 13,
  kComplex64 = 16,
  kComplex128 = 17,
  kBFloat16 = 27,
  kInt4 = 29,
  kUInt1 = 30,
  kComplex32 = 33,
  kHiFloat8 = 34,
  kFloat8E5M2 = 35,
  kFloat8E4M3FN = 36,
  kFloat8E8M0 = 37,
  kFloat6E3M2 = 38,
  kFloat6E2M3 = 39,
  kFloat4E2M1 = 40,
  kFloat4E1M2 = 41,
};

// Bytes of one element; 1 for the packed sub-byte types, 0 for undefined and unknown ones.
size_t SizeOf(DType dtype);

// The name the documents use: "FLOAT", "BFLOAT16", "INT64"; "dtype 99" style names are the
// caller's.
std::string_view NameOf(DType dtype);

// True for every enumerator except kUndefined; false for numbers between them.
bool IsKnown(DType dtype);

bool IsFloating(DType dtype);  // FLOAT16, BFLOAT16, FLOAT, DOUBLE
bool IsComplex(DType dtype);   // COMPLEX32, COMPLEX64, COMPLEX128
bool IsInteger(DType dtype);   // the eight widths, not BOOL
bool IsUnsigned(DType dtype);  // of those, the four without sign

constexpr bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

}  // namespace aclimb
