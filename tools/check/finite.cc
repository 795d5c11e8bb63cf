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

// Exponent all ones: NaN when the fraction is not 0, else infinite. `value` says which.
template <typename Bits, int kFraction, int kExponent>
bool IsNotFinite(const char* at, double* value) {
  Bits bits;
  std::memcpy(&bits, at, sizeof(bits));
  constexpr Bits kAllOnes = (Bits{1} << kExponent) - 1;
  if (((bits >> kFraction) & kAllOnes) != kAllOnes) return false;
  const bool nan = (bits & ((Bits{1} << kFraction) - 1)) != 0;
  const bool negative = (bits >> (kFraction + kExponent)) != 0;
  *value = nan        ? std::numeric_limits<double>::quiet_NaN()
           : negative ? -std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::infinity();
  return true;
}

using Test = bool (*)(const char* at, double* value);

Test TestOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return &IsNotFinite<uint16_t, 10, 5>;
    case DType::kBFloat16:
      return &IsNotFinite<uint16_t, 7, 8>;
    case DType::kFloat32:
      return &IsNotFinite<uint32_t, 23, 8>;
    case DType::kFloat64:
      return &IsNotFinite<uint64_t, 52, 11>;
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<NotFinite> FirstNotFinite(const AclimbAccess& view, const void* data) {
  const Test test = TestOf(static_cast<DType>(view.dtype));
  if (test == nullptr || data == nullptr) return std::nullopt;
  const auto rank = static_cast<size_t>(view.rank);
  std::vector<int64_t> at(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    if (view.shape[i] == 0) return std::nullopt;
  }
  int64_t offset = 0;  // in elements
  for (;;) {
    double value = 0;
    if (test(static_cast<const char*>(data) + offset * view.element_bytes, &value)) {
      return NotFinite{ShapeText(at.data(), rank), value};
    }
    size_t dimension = rank;
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
