#include "aclimb/core/dtype.h"

#include <array>
#include <cstdint>

namespace aclimb {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  size_t size;
};

constexpr Row kRows[] = {
    {DType::kFloat32, "FLOAT", 4},
    {DType::kFloat16, "FLOAT16", 2},
    {DType::kInt8, "INT8", 1},
    {DType::kInt32, "INT32", 4},
    {DType::kUInt8, "UINT8", 1},
    {DType::kInt16, "INT16", 2},
    {DType::kUInt16, "UINT16", 2},
    {DType::kUInt32, "UINT32", 4},
    {DType::kInt64, "INT64", 8},
    {DType::kUInt64, "UINT64", 8},
    {DType::kFloat64, "DOUBLE", 8},
    {DType::kBool, "BOOL", 1},
    {DType::kString, "STRING", sizeof(void*)},
    {DType::kComplex64, "COMPLEX64", 8},
    {DType::kComplex128, "COMPLEX128", 16},
    {DType::kBFloat16, "BFLOAT16", 2},
    {DType::kInt4, "INT4", 1},
    {DType::kUInt1, "UINT1", 1},
    {DType::kComplex32, "COMPLEX32", 4},
    {DType::kHiFloat8, "HIFLOAT8", 1},
    {DType::kFloat8E5M2, "FLOAT8_E5M2", 1},
    {DType::kFloat8E4M3FN, "FLOAT8_E4M3FN", 1},
    {DType::kFloat8E8M0, "FLOAT8_E8M0", 1},
    {DType::kFloat6E3M2, "FLOAT6_E3M2", 1},
    {DType::kFloat6E2M3, "FLOAT6_E2M3", 1},
    {DType::kFloat4E2M1, "FLOAT4_E2M1", 1},
    {DType::kFloat4E1M2, "FLOAT4_E1M2", 1},
};

constexpr size_t kNumbers = 64;  // more than the greatest enumerator

// Row numbers from 1, by enumerator; 0 for numbers that are none.
constexpr std::array<uint8_t, kNumbers> kRowOf = [] {
  std::array<uint8_t, kNumbers> rows = {};
  uint8_t number = 0;
  for (const Row& row : kRows) rows[static_cast<size_t>(row.dtype)] = ++number;
  return rows;
}();

const Row* Find(DType dtype) {
  const auto number = static_cast<size_t>(dtype);
  const size_t row = number < kNumbers ? kRowOf[number] : 0;
  return row != 0 ? &kRows[row - 1] : nullptr;
}

}  // namespace

size_t SizeOf(DType dtype) {
  const Row* row = Find(dtype);
  return row ? row->size : 0;
}

std::string_view NameOf(DType dtype) {
  const Row* row = Find(dtype);
  return row ? row->name : "UNDEFINED";
}

bool IsKnown(DType dtype) { return Find(dtype) != nullptr; }

bool IsFloating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || IsHalf(dtype);
}

bool IsComplex(DType dtype) {
  return dtype == DType::kComplex32 || dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

bool IsInteger(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
      return true;
    default:
      return false;
  }
}

bool IsUnsigned(DType dtype) {
  return dtype == DType::kUInt8 || dtype == DType::kUInt16 || dtype == DType::kUInt32 ||
         dtype == DType::kUInt64;
}

}  // namespace aclimb
