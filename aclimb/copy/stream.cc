#include "aclimb/copy/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/copy/stream.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "aclimb/simd/cache.h"

HWY_BEFORE_NAMESPACE();
namespace aclimb::copy {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<uint8_t, 64>;

int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(Bytes())); }

// Bytes that lie behind the last address that stores of whole vectors need.
int64_t PastAligned(const void* to) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % hn::Lanes(Bytes()));
}

// Four vectors from the byte `i` on, all loaded before the first is stored.
template <class Store>
HWY_INLINE void MoveFour(const uint8_t* from, int64_t i, uint8_t* to, const Store& store) {
  const Bytes d;
  const int64_t lanes = Lanes();
  const auto v0 = hn::LoadU(d, from + i), v1 = hn::LoadU(d, from + i + lanes);
  const auto v2 = hn::LoadU(d, from + i + 2 * lanes), v3 = hn::LoadU(d, from + i + 3 * lanes);
  store(v0, to + i);
  store(v1, to + i + lanes);
  store(v2, to + i + 2 * lanes);
  store(v3, to + i + 3 * lanes);
}

// From the byte `i` on, whose address is aligned, by whole vectors. Returns where they end.
template <class Store>
int64_t MoveAligned(const uint8_t* from, int64_t i, int64_t bytes, uint8_t* to,
                    const Store& store) {
  const Bytes d;
  const int64_t lanes = Lanes();
  for (; i + 4 * lanes <= bytes; i += 4 * lanes) MoveFour(from, i, to, store);
  for (; i + lanes <= bytes; i += lanes) store(hn::LoadU(d, from + i), to + i);
  return i;
}

// Calls use(store) with the store of a vector, to an aligned address, that suits an output which no
// cache holds.
template <class Use>
HWY_INLINE void WithPastCaches(const Use& use) {
  if (PrefetchesOutputs()) {
    return use([](auto v, uint8_t* at) HWY_ATTR {
      hwy::Prefetch(at + kBytesAhead);
      hn::Store(v, Bytes(), at);
    });
  }
  use([](auto v, uint8_t* at) HWY_ATTR { hn::Stream(v, Bytes(), at); });
  hwy::FlushStream();
}

// No byte is written twice: a line that is stored into a cache and streamed is slow in both.
void Stream(const void* source, int64_t bytes, void* target) {
  const auto* const from = static_cast<const uint8_t*>(source);
  auto* const to = static_cast<uint8_t*>(target);
  const int64_t past = PastAligned(to);
  int64_t i = std::min(bytes, past == 0 ? 0 : Lanes() - past);
  std::memcpy(to, from, static_cast<size_t>(i));
  WithPastCaches([&](const auto& store) HWY_ATTR { i = MoveAligned(from, i, bytes, to, store); });
  std::memcpy(to + i, from + i, static_cast<size_t>(bytes - i));
}

// A vector or more. Of four or more the first and the last four overlap their neighbours: no branch
// depends on where rows of one length lie.
HWY_INLINE void CopyVectors(const uint8_t* from, int64_t bytes, uint8_t* to) {
  const Bytes d;
  const int64_t lanes = Lanes(), last = bytes - 4 * lanes;
  if (last < 0) {
    for (int64_t i = 0; i < bytes - lanes; i += lanes)
      hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    hn::StoreU(hn::LoadU(d, from + bytes - lanes), d, to + bytes - lanes);
    return;
  }
  hn::StoreU(hn::LoadU(d, from), d, to);
  for (int64_t i = lanes - PastAligned(to); i < last; i += 4 * lanes) {
    MoveFour(from, i, to, [d](auto v, uint8_t* at) HWY_ATTR { hn::Store(v, d, at); });
  }
  MoveFour(from, last, to, [d](auto v, uint8_t* at) HWY_ATTR { hn::StoreU(v, d, at); });
}

void CopyInVectors(const void* from, int64_t bytes, void* to) {
  CopyVectors(static_cast<const uint8_t*>(from), bytes, static_cast<uint8_t*>(to));
}

// Rows of a vector or more. All of a short one is loaded before any of it is stored, without a
// branch: the vectors overlap.
void CopyRowsInVectors(const void* source, int64_t from_step, int64_t bytes, int64_t rows,
                       void* target, int64_t to_step) {
  const Bytes d;
  const auto* from = static_cast<const uint8_t*>(source);
  auto* to = static_cast<uint8_t*>(target);
  const int64_t lanes = Lanes(), last = bytes - lanes;
  const auto each = [&](const auto& copy) HWY_ATTR {
    for (int64_t r = 0; r < rows; ++r, from += from_step, to += to_step) copy();
  };
  if (bytes <= 2 * lanes) {
    return each([&]() HWY_ATTR {
      const auto v0 = hn::LoadU(d, from), v1 = hn::LoadU(d, from + last);
      hn::StoreU(v0, d, to);
      hn::StoreU(v1, d, to + last);
    });
  }
  if (bytes <= 4 * lanes) {
    return each([&]() HWY_ATTR {
      const auto v0 = hn::LoadU(d, from), v1 = hn::LoadU(d, from + lanes);
      const auto v2 = hn::LoadU(d, from + last - lanes), v3 = hn::LoadU(d, from + last);
      hn::StoreU(v0, d, to);
      hn::StoreU(v1, d, to + lanes);
      hn::StoreU(v2, d, to + last - lanes);
      hn::StoreU(v3, d, to + last);
    });
  }
  each([&]() HWY_ATTR { CopyVectors(from, bytes, to); });
}

template <class D, class V, class Store>
void Repeat(D d, V value, const uint8_t* pattern, int64_t begin, int64_t bytes, uint8_t* to,
            const Store& store) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  // Stores that fill a cache line one right after the other are faster than one in each turn.
  for (; i + 4 * lanes <= bytes; i += 4 * lanes) {
    store(value, to + i);
    store(value, to + i + lanes);
    store(value, to + i + 2 * lanes);
    store(value, to + i + 3 * lanes);
  }
  for (; i + lanes <= bytes; i += lanes) store(value, to + i);
  std::memcpy(to + i, pattern, static_cast<size_t>(bytes - i));
}

void RepeatPattern(const uint8_t* pattern, int64_t bytes, uint8_t* to, bool streams) {
  const Bytes d;
  // A vector that holds no element of 8 bytes.
  if (Lanes() < 8) {
    for (int64_t i = 0; i < bytes; ++i) to[i] = pattern[i % 8];
    return;
  }
  const int64_t past = PastAligned(to);
  const int64_t head = std::min(bytes, past == 0 ? 0 : Lanes() - past);
  std::memcpy(to, pattern, static_cast<size_t>(head));
  // What follows the head begins in the midst of an element, if the address does.
  const uint8_t* const rest = pattern + head % 8;
  const auto value = hn::LoadU(d, rest);
  if (!streams) {
    return Repeat(d, value, rest, head, bytes, to,
                  [d](auto v, uint8_t* at) HWY_ATTR { hn::Store(v, d, at); });
  }
  WithPastCaches([&](const auto& store)
                     HWY_ATTR { Repeat(d, value, rest, head, bytes, to, store); });
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::copy {

HWY_EXPORT(CopyInVectors);
HWY_EXPORT(CopyRowsInVectors);
HWY_EXPORT(Stream);
HWY_EXPORT(RepeatPattern);

namespace {

// kChunk bytes at a time, of which the last may overlap those before.
template <int64_t kChunk>
void CopyInChunks(const uint8_t* from, int64_t bytes, uint8_t* to) {
  for (int64_t i = 0; i < bytes - kChunk; i += kChunk) std::memcpy(to + i, from + i, kChunk);
  std::memcpy(to + bytes - kChunk, from + bytes - kChunk, kChunk);
}

}  // namespace

RowCopier::RowCopier(bool streams)
    : vectors_(HWY_DYNAMIC_DISPATCH(CopyInVectors)),
      stream_(HWY_DYNAMIC_DISPATCH(Stream)),
      streamed_(streams ? kStreamedRow : std::numeric_limits<int64_t>::max()) {}

void RowCopier::CopyRows(const void* from, int64_t from_step, int64_t bytes, int64_t rows, void* to,
                         int64_t to_step) const {
  if (bytes >= kVector && bytes < streamed_) {
    return HWY_DYNAMIC_DISPATCH(CopyRowsInVectors)(from, from_step, bytes, rows, to, to_step);
  }
  const auto* const source = static_cast<const uint8_t*>(from);
  auto* const target = static_cast<uint8_t*>(to);
  for (int64_t r = 0; r < rows; ++r) Copy(source + r * from_step, bytes, target + r * to_step);
}

// Of memcpy the compiler, which knows that the bytes are few, would make an instruction that takes
// longer to start than all of these.
void RowCopier::CopyShort(const void* from, int64_t bytes, void* to) {
  const auto* const source = static_cast<const uint8_t*>(from);
  auto* const target = static_cast<uint8_t*>(to);
  if (bytes >= 32) return CopyInChunks<32>(source, bytes, target);
  if (bytes >= 8) return CopyInChunks<8>(source, bytes, target);
  for (int64_t i = 0; i < bytes; ++i) target[i] = source[i];
}

void StreamBytes(const void* from, int64_t bytes, void* to) {
  HWY_DYNAMIC_DISPATCH(Stream)(from, bytes, to);
}

void RepeatBytes(const void* pattern, int64_t bytes, void* to, bool streams) {
  HWY_DYNAMIC_DISPATCH(RepeatPattern)
  (static_cast<const uint8_t*>(pattern), bytes, static_cast<uint8_t*>(to), streams);
}

}  // namespace aclimb::copy
#endif
