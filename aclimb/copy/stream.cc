#include "aclimb/copy/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/copy/stream.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace aclimb::copy {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// By stores that need aligned addresses.
template <class Store>
void Move(const void* from, int64_t bytes, void* to, const Store& store) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* source = static_cast<const uint8_t*>(from);
  auto* target = static_cast<uint8_t*>(to);
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % hn::Lanes(d));
  const int64_t head = std::min(bytes, past == 0 ? 0 : lanes - past);
  std::memcpy(target, source, static_cast<size_t>(head));
  int64_t i = head;
  for (; i + 4 * lanes <= bytes; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, source + i), v1 = hn::LoadU(d, source + i + lanes);
    const auto v2 = hn::LoadU(d, source + i + 2 * lanes), v3 = hn::LoadU(d, source + i + 3 * lanes);
    store(v0, target + i);
    store(v1, target + i + lanes);
    store(v2, target + i + 2 * lanes);
    store(v3, target + i + 3 * lanes);
  }
  for (; i + lanes <= bytes; i += lanes) store(hn::LoadU(d, source + i), target + i);
  std::memcpy(target + i, source + i, static_cast<size_t>(bytes - i));
}

void Stream(const void* from, int64_t bytes, void* to) {
  Move(from, bytes, to,
       [](auto v, uint8_t* at) HWY_ATTR { hn::Stream(v, hn::DFromV<decltype(v)>(), at); });
  hwy::FlushStream();
}

void CopyInVectors(const void* from, int64_t bytes, void* to) {
  Move(from, bytes, to,
       [](auto v, uint8_t* at) HWY_ATTR { hn::Store(v, hn::DFromV<decltype(v)>(), at); });
}

template <class D, class V, class Store>
void Repeat(D d, V value, const uint8_t* pattern, int64_t begin, int64_t bytes, uint8_t* to,
            const Store& store) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + lanes <= bytes; i += lanes) store(value, to + i);
  std::memcpy(to + i, pattern, static_cast<size_t>(bytes - i));
}

void RepeatPattern(const void* pattern, int64_t bytes, void* to, bool streams) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* source = static_cast<const uint8_t*>(pattern);
  auto* target = static_cast<uint8_t*>(to);
  // A vector that holds no element of 8 bytes.
  if (lanes < 8) {
    for (int64_t i = 0; i < bytes; ++i) target[i] = source[i % 8];
    return;
  }
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % hn::Lanes(d));
  const int64_t head = std::min(bytes, past == 0 ? 0 : lanes - past);
  std::memcpy(target, source, static_cast<size_t>(head));
  // What follows the head begins in the midst of an element, if the address does.
  const uint8_t* const rest = source + head;
  const auto value = hn::LoadU(d, rest);
  if (!streams) {
    return Repeat(d, value, rest, head, bytes, target,
                  [d](auto v, uint8_t* at) HWY_ATTR { hn::Store(v, d, at); });
  }
  Repeat(d, value, rest, head, bytes, target,
         [d](auto v, uint8_t* at) HWY_ATTR { hn::Stream(v, d, at); });
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::copy {

HWY_EXPORT(CopyInVectors);
HWY_EXPORT(Stream);
HWY_EXPORT(RepeatPattern);

void CopyBytes(const void* from, int64_t bytes, void* to) {
  constexpr int64_t kLong = 512;
  if (bytes < kLong) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  } else {
    HWY_DYNAMIC_DISPATCH(CopyInVectors)(from, bytes, to);
  }
}

void StreamBytes(const void* from, int64_t bytes, void* to) {
  HWY_DYNAMIC_DISPATCH(Stream)(from, bytes, to);
}

void RepeatBytes(const void* pattern, int64_t bytes, void* to, bool streams) {
  HWY_DYNAMIC_DISPATCH(RepeatPattern)(pattern, bytes, to, streams);
}

}  // namespace aclimb::copy
#endif
