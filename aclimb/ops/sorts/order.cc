#include "aclimb/ops/sorts/order.h"

#include <cstring>
#include <type_traits>

namespace aclimb::sorts {
namespace {

// Keys of numbers in ascending order. Bits is the unsigned integer of the same size.
template <typename Bits>
struct Unsigned {
  using Stored = Bits;
  Bits operator()(Bits x) const { return x; }
};
template <typename Bits>
struct Signed {
  using Stored = Bits;
  Bits operator()(Bits x) const {
    return static_cast<Bits>(x ^ (Bits{1} << (8 * sizeof(Bits) - 1)));
  }
};
struct Truth {
  using Stored = uint8_t;
  uint8_t operator()(uint8_t x) const { return x != 0 ? 1 : 0; }
};
// kInfinity is the pattern of infinity, above which NaNs are.
template <typename Bits, Bits kInfinity>
struct Floating {
  using Stored = Bits;
  static constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));

  Bits nan;  // their key

  Bits operator()(Bits x) const {
    const Bits size = static_cast<Bits>(x & ~kSign);
    if (size > kInfinity) return nan;
    if (size == 0) return kSign;
    return static_cast<Bits>(x == size ? x | kSign : ~x);
  }
};

template <typename Entry, typename Key>
void Fill(Key key, bool descending, const void* line, int64_t stride, int64_t begin, int64_t count,
          Entry* entries) {
  using T = typename Key::Stored;
  const T flipped = static_cast<T>(descending ? ~T{0} : T{0});
  const T* const from = static_cast<const T*>(line) + begin * stride;
  for (int64_t i = 0; i < count; ++i) {
    entries[i] = Entry::Of(static_cast<T>(key(from[i * stride]) ^ flipped), begin + i);
  }
}

}  // namespace

template <typename Entry>
void FillEntries(const Order& order, const void* line, int64_t stride, int64_t begin, int64_t count,
                 Entry* entries) {
  const auto fill = [&](auto key) {
    Fill(key, order.descending, line, stride, begin, count, entries);
  };
  // What it is before a descending order flips it.
  const uint64_t nan = order.nan_is_least ? 0 : ~uint64_t{0};
  if constexpr (std::is_same_v<Entry, WideEntry>) {
    switch (order.dtype) {
      case DType::kInt64:
        return fill(Signed<uint64_t>());
      case DType::kUInt64:
        return fill(Unsigned<uint64_t>());
      case DType::kFloat64:
        return fill(Floating<uint64_t, 0x7FF0000000000000u>{nan});
      default:
        break;
    }
  }
  switch (order.dtype) {
    case DType::kFloat32:
      return fill(Floating<uint32_t, 0x7F800000u>{static_cast<uint32_t>(nan)});
    case DType::kFloat16:
      return fill(Floating<uint16_t, 0x7C00u>{static_cast<uint16_t>(nan)});
    case DType::kBFloat16:
      return fill(Floating<uint16_t, 0x7F80u>{static_cast<uint16_t>(nan)});
    case DType::kInt32:
      return fill(Signed<uint32_t>());
    case DType::kInt16:
      return fill(Signed<uint16_t>());
    case DType::kInt8:
      return fill(Signed<uint8_t>());
    case DType::kUInt32:
      return fill(Unsigned<uint32_t>());
    case DType::kUInt16:
      return fill(Unsigned<uint16_t>());
    case DType::kUInt8:
      return fill(Unsigned<uint8_t>());
    default:
      return fill(Truth());
  }
}

template void FillEntries<NarrowEntry>(const Order&, const void*, int64_t, int64_t, int64_t,
                                       NarrowEntry*);
template void FillEntries<WideEntry>(const Order&, const void*, int64_t, int64_t, int64_t,
                                     WideEntry*);

}  // namespace aclimb::sorts
