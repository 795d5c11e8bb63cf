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

void Stream(const void* from, int64_t bytes, void* to) {
  const hn::ScalableTag<uint8_t> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto* source = static_cast<const uint8_t*>(from);
  auto* target = static_cast<uint8_t*>(to);
  // Such stores need aligned addresses.
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % hn::Lanes(d));
  const int64_t head = std::min(bytes, past == 0 ? 0 : lanes - past);
  std::memcpy(target, source, static_cast<size_t>(head));
  int64_t i = head;
  for (; i + lanes <= bytes; i += lanes) hn::Stream(hn::LoadU(d, source + i), d, target + i);
  std::memcpy(target + i, source + i, static_cast<size_t>(bytes - i));
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::copy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::copy {

HWY_EXPORT(Stream);

void StreamBytes(const void* from, int64_t bytes, void* to) {
  HWY_DYNAMIC_DISPATCH(Stream)(from, bytes, to);
}

}  // namespace aclimb::copy
#endif
