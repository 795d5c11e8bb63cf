#include "aclimb/reduction/search.h"

#include <cmath>
#include <type_traits>

#include "aclimb/copy/storage.h"

namespace aclimb::reduction {
namespace {

template <typename T>
int64_t Find(const void* from, int64_t stride, int64_t count, Slot& slot) {
  const T* const x = static_cast<const T*>(from);
  int64_t i = 0;
  if constexpr (std::is_integral_v<T>) {
    while (i + 1 < count && x[i * stride] != slot.whole) ++i;
  } else if constexpr (std::is_same_v<T, Bool>) {
    while (i + 1 < count && (x[i * stride].byte != 0) != (slot.whole != 0)) ++i;
  } else {
    const auto value = [&](int64_t at) {
      if constexpr (std::is_same_v<T, double>) {
        return x[at * stride];
      } else {
        return static_cast<double>(ToFloat(x[at * stride]));
      }
    };
    if (std::isnan(slot.real)) {
      while (i + 1 < count && !std::isnan(value(i))) ++i;
    } else {
      while (i + 1 < count && value(i) != slot.real) ++i;
    }
    slot.real = value(i);
  }
  return i;
}

constexpr Search kSearches[kStorageCount] = {
    &Find<Bool>,    &Find<uint8_t>, &Find<int8_t>, &Find<int16_t>, &Find<int32_t>,
    &Find<int64_t>, &Find<float>,   &Find<double>, &Find<Float16>, &Find<BFloat16>};

}  // namespace

Search SearchOf(DType dtype) { return kSearches[StorageIndex(dtype)]; }

}  // namespace aclimb::reduction
