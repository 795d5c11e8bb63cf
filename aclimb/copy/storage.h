#pragma once

#include <cstdint>

#include "aclimb/core/dtype.h"
#include "aclimb/core/half.h"

namespace aclimb {

// A BOOL as it lies in memory, where a program may have put any byte: what is not 0 is true.
struct Bool {
  uint8_t byte = 0;
};

// The dtypes that copies and elementwise operators know, numbered for tables of functions.
inline constexpr int kStorageCount = 13;
constexpr int StorageIndex(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 0;
    case DType::kUInt8:
      return 1;
    case DType::kInt8:
      return 2;
    case DType::kInt16:
      return 3;
    case DType::kInt32:
      return 4;
    case DType::kInt64:
      return 5;
    case DType::kFloat32:
      return 6;
    case DType::kFloat64:
      return 7;
    case DType::kFloat16:
      return 8;
    case DType::kBFloat16:
      return 9;
    case DType::kUInt16:
      return 10;
    case DType::kUInt32:
      return 11;
    case DType::kUInt64:
      return 12;
    default:
      return -1;
  }
}

// The dtype whose elements a C++ type holds.
template <typename T>
constexpr DType kStorageDType = DType::kUndefined;
template <>
inline constexpr DType kStorageDType<Bool> = DType::kBool;
template <>
inline constexpr DType kStorageDType<uint8_t> = DType::kUInt8;
template <>
inline constexpr DType kStorageDType<int8_t> = DType::kInt8;
template <>
inline constexpr DType kStorageDType<int16_t> = DType::kInt16;
template <>
inline constexpr DType kStorageDType<int32_t> = DType::kInt32;
template <>
inline constexpr DType kStorageDType<int64_t> = DType::kInt64;
template <>
inline constexpr DType kStorageDType<float> = DType::kFloat32;
template <>
inline constexpr DType kStorageDType<double> = DType::kFloat64;
template <>
inline constexpr DType kStorageDType<Float16> = DType::kFloat16;
template <>
inline constexpr DType kStorageDType<uint16_t> = DType::kUInt16;
template <>
inline constexpr DType kStorageDType<uint32_t> = DType::kUInt32;
template <>
inline constexpr DType kStorageDType<uint64_t> = DType::kUInt64;
template <>
inline constexpr DType kStorageDType<BFloat16> = DType::kBFloat16;

}  // namespace aclimb
