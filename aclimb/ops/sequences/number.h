#pragma once

#include <cstdint>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/storage.h"
#include "aclimb/core/descriptor.h"

namespace aclimb::sequences {

// A scalar of a real dtype as another one.
template <typename T>
T NumberOf(const ScalarValue& scalar) {
  T number = 0;
  const copy::Converter converter(scalar.dtype, kStorageDType<T>);
  // Equal dtypes are not converted.
  const auto* const same = reinterpret_cast<const T*>(scalar.bytes);
  if (!converter.Changes()) return *same;
  converter.Run(scalar.bytes, 1, &number);
  return number;
}

inline bool IsReal(const ScalarValue& scalar) { return StorageIndex(scalar.dtype) >= 0; }

}  // namespace aclimb::sequences
