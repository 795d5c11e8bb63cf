#include "aclimb/contract/promotion.h"

#include <algorithm>

namespace aclimb::contract {
namespace {

bool IsWideUnsigned(DType dtype) {
  return dtype == DType::kUInt16 || dtype == DType::kUInt32 || dtype == DType::kUInt64;
}

bool Promotes(DType dtype) {
  return dtype == DType::kBool || IsInteger(dtype) || IsFloating(dtype) || IsComplex(dtype);
}

// Of integers that promote: the wider one, signed as soon as the signs differ.
DType WiderInteger(DType a, DType b) {
  if (SizeOf(a) == SizeOf(b)) return DType::kInt16;  // INT8 and UINT8
  return SizeOf(a) > SizeOf(b) ? a : b;
}

DType WiderFloating(DType a, DType b) {
  if (SizeOf(a) == SizeOf(b)) return DType::kFloat32;  // FLOAT16 and BFLOAT16
  return SizeOf(a) > SizeOf(b) ? a : b;
}

DType ComplexOfSize(size_t bytes) {
  return bytes == 4 ? DType::kComplex32 : bytes == 8 ? DType::kComplex64 : DType::kComplex128;
}

}  // namespace

std::optional<DType> PromoteTensors(DType a, DType b) {
  if (a == b) return a;
  if (!Promotes(a) || !Promotes(b) || IsWideUnsigned(a) || IsWideUnsigned(b)) return std::nullopt;
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (IsInteger(a) && IsInteger(b)) return WiderInteger(a, b);
  if (IsInteger(a)) return b;
  if (IsInteger(b)) return a;
  if (IsFloating(a) && IsFloating(b)) return WiderFloating(a, b);
  // A real part as wide as the wider of the two.
  const size_t size_a = IsComplex(a) ? SizeOf(a) : 2 * SizeOf(a);
  const size_t size_b = IsComplex(b) ? SizeOf(b) : 2 * SizeOf(b);
  return ComplexOfSize(std::max(size_a, size_b));
}

std::optional<DType> PromoteTensorAndScalar(DType tensor, DType scalar) {
  if (!Promotes(tensor) || !Promotes(scalar)) {
    if (tensor == scalar) return tensor;
    return std::nullopt;
  }
  if (scalar == DType::kBool) return tensor;
  if (IsInteger(scalar)) {
    if (tensor != DType::kBool) return tensor;
    if (IsWideUnsigned(scalar)) return std::nullopt;
    return scalar;
  }
  if (IsFloating(scalar)) {
    if (IsFloating(tensor)) return tensor;
    if (IsComplex(tensor)) return scalar == DType::kFloat64 ? DType::kComplex128 : tensor;
    if (IsWideUnsigned(tensor)) return std::nullopt;
    return DType::kFloat32;
  }
  if (IsComplex(tensor)) return tensor;
  if (tensor == DType::kFloat16) return DType::kComplex32;
  return tensor == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

bool ResultConverts(DType from, DType to) {
  if (from == to) return true;
  const auto is_complex = [](DType dtype) {
    return dtype == DType::kComplex64 || dtype == DType::kComplex128;
  };
  if (is_complex(from)) return is_complex(to);
  if (IsFloating(from)) return IsFloating(to) || is_complex(to);
  if (IsInteger(from) || from == DType::kBool) {
    return IsInteger(to) || IsFloating(to) || is_complex(to);
  }
  return false;
}

}  // namespace aclimb::contract
