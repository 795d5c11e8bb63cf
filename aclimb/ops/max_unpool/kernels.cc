#include "aclimb/ops/max_unpool/kernels.h"

#include <algorithm>
#include <atomic>

#include "aclimb/simd/parallel.h"

namespace aclimb::max_unpool {
namespace {

// Elements of a piece of a loop, about.
constexpr int64_t kPiece = 1 << 15;

// What is below 0 is very large without sign.
bool Inside(int64_t index, int64_t large) {
  return static_cast<uint64_t>(index) < static_cast<uint64_t>(large);
}

struct Scatter {
  static int64_t From(const UnpoolArgs& args) { return args.small; }
  static int64_t To(const UnpoolArgs& args) { return args.large; }

  // False where an index is outside of the plane, as below.
  template <typename T, typename Index>
  static bool Plane(const UnpoolArgs& args, const T* from, const Index* indices, T* to) {
    bool known = true;
    std::fill_n(to, args.large, T(0));
    for (int64_t i = 0; i < args.small; ++i) {
      if (Inside(indices[i], args.large)) {
        to[indices[i]] = from[i];
      } else {
        known = false;
      }
    }
    return known;
  }
};

struct Gather {
  static int64_t From(const UnpoolArgs& args) { return args.large; }
  static int64_t To(const UnpoolArgs& args) { return args.small; }

  template <typename T, typename Index>
  static bool Plane(const UnpoolArgs& args, const T* from, const Index* indices, T* to) {
    bool known = true;
    for (int64_t i = 0; i < args.small; ++i) {
      const bool inside = Inside(indices[i], args.large);
      to[i] = inside ? from[indices[i]] : T(0);
      known = known && inside;
    }
    return known;
  }
};

template <typename Way, typename T, typename Index>
Unpooled Planes(const UnpoolArgs& args) {
  std::atomic<bool> all_known = true;
  const int64_t work = std::max<int64_t>(1, args.small + args.large);
  const bool done = ParallelForAll(
      args.planes, std::max<int64_t>(1, kPiece / work), [&](int64_t first, int64_t last) {
        bool known = true;
        for (int64_t plane = first; plane < last; ++plane) {
          known &= Way::Plane(args, static_cast<const T*>(args.from) + plane * Way::From(args),
                              static_cast<const Index*>(args.indices) + plane * args.small,
                              static_cast<T*>(args.to) + plane * Way::To(args));
        }
        if (!known) all_known.store(false, std::memory_order_relaxed);
      });
  if (!done) return Unpooled::kCancelled;
  return all_known.load(std::memory_order_relaxed) ? Unpooled::kAll : Unpooled::kUnknownIndex;
}

template <typename Way, typename T>
Unpooled OfIndices(const UnpoolArgs& args) {
  return args.wide ? Planes<Way, T, int64_t>(args) : Planes<Way, T, int32_t>(args);
}

template <typename Way>
Unpooled OfElements(const UnpoolArgs& args) {
  switch (args.element) {
    case 1:
      return OfIndices<Way, uint8_t>(args);
    case 2:
      return OfIndices<Way, uint16_t>(args);
    case 4:
      return OfIndices<Way, uint32_t>(args);
    default:
      return OfIndices<Way, uint64_t>(args);
  }
}

}  // namespace

Unpooled Unpool(const UnpoolArgs& args) { return OfElements<Scatter>(args); }

Unpooled UnpoolGradient(const UnpoolArgs& args) { return OfElements<Gather>(args); }

}  // namespace aclimb::max_unpool
