#include "aclimb/ops/sorts/order.h"

#include "aclimb/simd/order_key.h"

namespace aclimb::sorts {

template <typename Entry>
void FillEntries(const Order& order, const void* line, int64_t stride, int64_t begin, int64_t count,
                 Entry* entries) {
  // What the key of NaN is before a descending order flips it.
  const uint64_t nan = order.nan_is_least ? 0 : ~uint64_t{0};
  order_key::Of(order.dtype, nan, [&](auto key) {
    using T = typename decltype(key)::Stored;
    const T flipped = static_cast<T>(order.descending ? ~T{0} : T{0});
    const T* const from = static_cast<const T*>(line) + begin * stride;
    for (int64_t i = 0; i < count; ++i) {
      entries[i] = Entry::Of(static_cast<T>(key(from[i * stride]) ^ flipped), begin + i);
    }
  });
}

template void FillEntries<NarrowEntry>(const Order&, const void*, int64_t, int64_t, int64_t,
                                       NarrowEntry*);
template void FillEntries<WideEntry>(const Order&, const void*, int64_t, int64_t, int64_t,
                                     WideEntry*);

}  // namespace aclimb::sorts
