#include "tools/check/finite.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/core/text.h"

namespace aclimb::check {
namespace {

// The first of `count` elements whose exponent is all ones; -1 when there is none. It is NaN when
// the fraction is not 0, else infinite, which `value` says.
template <typename Bits, int kFraction, int kExponent>
int64_t FirstOf(const char* elements, int64_t count, double* value) {
  constexpr Bits kExponents = ((Bits{1} << kExponent) - 1) << kFraction;
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + static_cast<size_t>(i) * sizeof(bits), sizeof(bits));
    if ((bits & kExponents) != kExponents) continue;
    const bool nan = (bits & ((Bits{1} << kFraction) - 1)) != 0;
    const bool negative = (bits >> (kFraction + kExponent)) != 0;
    *value = nan        ? std::numeric_limits<double>::quiet_NaN()
             : negative ? -std::numeric_limits<double>::infinity()
                        : std::numeric_limits<double>::infinity();
    return i;
  }
  return -1;
}

using Search = int64_t (*)(const char* elements, int64_t count, double* value);

Search SearchOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return &FirstOf<uint16_t, 10, 5>;
    case DType::kBFloat16:
      return &FirstOf<uint16_t, 7, 8>;
    case DType::kFloat32:
      return &FirstOf<uint32_t, 23, 8>;
    case DType::kFloat64:
      return &FirstOf<uint64_t, 52, 11>;
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<NotFinite> FirstNotFinite(const AclimbAccess& view, const void* data) {
  const Search search = SearchOf(static_cast<DType>(view.dtype));
  if (search == nullptr || data == nullptr) return std::nullopt;
  const auto rank = static_cast<size_t>(view.rank);
  std::vector<int64_t> at(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    if (view.shape[i] == 0) return std::nullopt;
  }
  // The last dimensions, as long as they have no gaps, are one range.
  size_t outer = rank;
  int64_t range = 1;
  while (outer > 0 && view.strides[outer - 1] == range) range *= view.shape[--outer];
  int64_t offset = 0;  // in elements
  for (;;) {
    double value = 0;
    int64_t found =
        search(static_cast<const char*>(data) + offset * view.element_bytes, range, &value);
    if (found >= 0) {
      for (size_t i = rank; i-- > outer; found /= view.shape[i]) at[i] = found % view.shape[i];
      return NotFinite{ShapeText(at.data(), rank), value};
    }
    size_t dimension = outer;
    for (;;) {
      if (dimension == 0) return std::nullopt;
      --dimension;
      offset += view.strides[dimension];
      if (++at[dimension] < view.shape[dimension]) break;
      offset -= view.strides[dimension] * view.shape[dimension];
      at[dimension] = 0;
    }
  }
}

}  // namespace aclimb::check
