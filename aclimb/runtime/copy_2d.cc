#include <algorithm>

#include "acl/acl_rt.h"
#include "aclimb/runtime/copy.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/refusals.h"

namespace aclimb {
namespace {

// Limits of two-dimensional copies.
constexpr size_t kWidest = 5000000;
constexpr size_t kHighest = 5 * 1024 * 1024;

Status Check2d(const CopyShape& shape, aclrtMemcpyKind kind, bool device_to_device) {
  if (shape.dst == nullptr) return NullArgument("dst");
  if (shape.src == nullptr) return NullArgument("src");
  const bool allowed = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST ||
                       kind == ACL_MEMCPY_DEFAULT ||
                       (device_to_device && kind == ACL_MEMCPY_DEVICE_TO_DEVICE);
  if (!allowed) {
    return Refuse(kInvalidParam,
                  Cat("kind is ", static_cast<int>(kind),
                      "; expected ACL_MEMCPY_HOST_TO_DEVICE or "
                      "ACL_MEMCPY_DEVICE_TO_HOST."),
                  "copy row by row with aclrtMemcpy", "runtime/memcpy2d/kind");
  }
  if (shape.width == 0) return ZeroSize("width");
  if (shape.height == 0) return ZeroSize("height");
  if (shape.width > kWidest) {
    return BadValue("width", static_cast<int64_t>(shape.width), "at most 5000000",
                    "memcpy2d/width");
  }
  if (shape.height > kHighest) {
    return BadValue("height", static_cast<int64_t>(shape.height), "at most 5242880",
                    "memcpy2d/height");
  }
  if (shape.width > shape.dst_pitch || shape.width > shape.src_pitch) {
    return Refuse(kRtParamInvalid,
                  Cat("width is ", shape.width, " but dpitch is ", shape.dst_pitch,
                      " and spitch is ", shape.src_pitch, "; expected width <= both pitches."),
                  "pass the distances between rows in bytes", "runtime/memcpy2d/pitch");
  }
  constexpr size_t kLargestPitch = size_t{1} << 40;
  if (shape.dst_pitch > kLargestPitch || shape.src_pitch > kLargestPitch) {
    return BadValue(shape.dst_pitch > kLargestPitch ? "dpitch" : "spitch",
                    static_cast<int64_t>(std::max(shape.dst_pitch, shape.src_pitch)),
                    "the distance between rows in bytes", "memcpy2d/pitch-range");
  }
  return Ok();
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind) {
  return aclimb::Enter("aclrtMemcpy2d", [&]() -> aclimb::Status {
    const aclimb::CopyShape shape = {dst, dpitch, src, spitch, width, height};
    ACLIMB_CHECK_OK(aclimb::Check2d(shape, kind, /*device_to_device=*/false));
    aclimb::Result<aclimb::ContextRef> context = aclimb::CurrentContext();
    if (!context.ok()) return context.TakeStatus();
    return aclimb::CopyNow(shape, kind);
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return aclimb::Enter("aclrtMemcpy2dAsync", [&]() -> aclimb::Status {
    const aclimb::CopyShape shape = {dst, dpitch, src, spitch, width, height};
    ACLIMB_CHECK_OK(aclimb::Check2d(shape, kind, /*device_to_device=*/true));
    return aclimb::CopyLater(shape, kind, stream, /*may_wait=*/true);
  });
}

}  // extern "C"
