#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "acl/acl_rt.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

const char* PlaceName(Place place) {
  switch (place) {
    case Place::kDevice:
      return "device";
    case Place::kMapped:
      return "registered host";
    default:
      return "host";
  }
}

bool Fits(Place place, Place wanted) { return place == wanted || place == Place::kMapped; }

// Null addresses are fine only where nothing is copied and no room is claimed.
Status CheckAddresses(const void* dst, size_t dst_max, const void* src, size_t count) {
  const bool nothing = count == 0 && dst_max == 0;
  if (dst == nullptr && !nothing) return NullArgument("dst");
  if (src == nullptr && !nothing) return NullArgument("src");
  if (count <= dst_max) return Ok();
  return Refuse(
      kRtParamInvalid,
      Cat("count is ", count, " but destMax is ", dst_max, "; expected count <= destMax."),
      "copy less, or pass the real room at dst as destMax", "runtime/memcpy/count-over-destmax");
}

struct Places {
  Place dst;
  Place src;
};

Result<Places> CheckCopy(const CopyShape& shape, aclrtMemcpyKind kind) {
  Result<Place> dst = PlaceOf("dst", shape.dst, shape.dst_bytes());
  if (!dst.ok()) return dst.TakeStatus();
  Result<Place> src = PlaceOf("src", shape.src, shape.src_bytes());
  if (!src.ok()) return src.TakeStatus();
  ACLIMB_CHECK_OK(CheckKind(kind, dst.value(), src.value()));
  return Places{dst.value(), src.value()};
}

Status CopyNow(const CopyShape& shape, aclrtMemcpyKind kind) {
  Result<Places> places = CheckCopy(shape, kind);
  if (!places.ok()) return places.TakeStatus();
  const int code = Backend().memory_copy(shape.dst, shape.dst_pitch, shape.src, shape.src_pitch,
                                         shape.width, shape.height);
  if (code == 0) return Ok();
  return Refuse(code, "the backend failed to copy.", "look at its log", "runtime/memcpy/backend");
}

// Small pageable sources are copied aside, so that the call need not wait for the stream.
constexpr uint64_t kStagedBytes = uint64_t{1} << 20;

struct StagedCopy {
  void* dst;
  size_t dst_pitch;
  size_t width;
  size_t height;
  std::unique_ptr<char[]> bytes;
};

Status QueueStaged(Stream& stream, const CopyShape& shape) {
  auto staged = std::make_unique<StagedCopy>();
  staged->dst = shape.dst;
  staged->dst_pitch = shape.dst_pitch;
  staged->width = shape.width;
  staged->height = shape.height;
  staged->bytes.reset(new char[shape.width * shape.height]);
  for (size_t row = 0; row < shape.height; ++row) {
    std::memcpy(staged->bytes.get() + row * shape.width,
                static_cast<const char*>(shape.src) + row * shape.src_pitch, shape.width);
  }
  AclimbTask task = {};
  task.name = "copy from pageable memory";
  task.run = [](void* payload) {
    const auto* copy = static_cast<StagedCopy*>(payload);
    return Backend().memory_copy(copy->dst, copy->dst_pitch, copy->bytes.get(), copy->width,
                                 copy->width, copy->height);
  };
  task.release = [](void* payload) { delete static_cast<StagedCopy*>(payload); };
  task.payload = staged.release();
  task.cost_bytes = shape.width * shape.height;
  uint32_t id = 0;
  const int code = Backend().queue_submit(stream.queue, &task, &id);
  NoteTask(id);
  if (code == 0) return Ok();
  return Refuse(code, "the copy cannot be queued.", "look at the backend's log",
                "runtime/memcpy/queue");
}

// Returns when the work queued so far is done. Its errors stay with the stream.
void WaitWithoutTakingErrors(Stream& stream) {
  AclimbMarker* marker = nullptr;
  if (Backend().queue_record(stream.queue, &marker) != 0) return;
  Backend().marker_wait(marker, -1, /*take_error=*/0);
  Backend().marker_release(marker);
}

Status CopyLater(const CopyShape& shape, aclrtMemcpyKind kind, aclrtStream handle, bool may_wait) {
  Result<Stream*> found = ResolveStream(handle);
  if (!found.ok()) return found.TakeStatus();
  Stream& stream = *found.value();
  Result<Places> places = CheckCopy(shape, kind);
  if (!places.ok()) return places.TakeStatus();
  const auto [dst, src] = places.value();
  if (dst == Place::kHost && src == Place::kHost) {
    return NotSupported("dst and src are host addresses; expected device memory on one side.",
                        "use aclrtMemcpy or memcpy", "runtime/memcpy/async-host-to-host");
  }
  const bool pageable = (dst == Place::kHost && !IsPinnedHost(shape.dst, shape.dst_bytes())) ||
                        (src == Place::kHost && !IsPinnedHost(shape.src, shape.src_bytes()));
  if (pageable && !may_wait) {
    return Refuse(kRtParamInvalid,
                  Cat(dst == Place::kHost ? "dst" : "src",
                      " is host memory that is not page-locked; expected page-locked memory."),
                  "use memory of aclrtMallocHost, or call aclrtMemcpyAsync",
                  "runtime/memcpy/pageable");
  }
  if (pageable && src == Place::kHost && shape.width * shape.height <= kStagedBytes) {
    ACLIMB_CHECK_OK(QueueStaged(stream, shape));
    return FinishLaunch(stream);
  }
  uint32_t id = 0;
  const int code = Backend().queue_copy(stream.queue, shape.dst, shape.dst_pitch, shape.src,
                                        shape.src_pitch, shape.width, shape.height, &id);
  NoteTask(id);
  if (code != 0) {
    return Refuse(code, "the copy cannot be queued.", "look at the backend's log",
                  "runtime/memcpy/queue");
  }
  if (pageable) WaitWithoutTakingErrors(stream);
  return FinishLaunch(stream);
}

Status Copy(const CopyShape& shape, size_t dst_max, aclrtMemcpyKind kind) {
  ACLIMB_CHECK_OK(CheckAddresses(shape.dst, dst_max, shape.src, shape.width));
  Result<Context*> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  return shape.width == 0 ? Ok() : CopyNow(shape, kind);
}

Status CopyAsync(const CopyShape& shape, size_t dst_max, aclrtMemcpyKind kind, aclrtStream stream,
                 bool may_wait) {
  ACLIMB_CHECK_OK(CheckAddresses(shape.dst, dst_max, shape.src, shape.width));
  if (shape.width == 0) {
    Result<Stream*> found = ResolveStream(stream);
    return found.ok() ? Ok() : found.TakeStatus();
  }
  return CopyLater(shape, kind, stream, may_wait);
}

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

Status CheckKind(aclrtMemcpyKind kind, Place dst, Place src) {
  Place want_dst = Place::kDevice;
  Place want_src = Place::kDevice;
  switch (kind) {
    case ACL_MEMCPY_DEFAULT:
      return Ok();
    case ACL_MEMCPY_HOST_TO_HOST:
      want_dst = want_src = Place::kHost;
      break;
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
      want_src = Place::kHost;
      break;
    case ACL_MEMCPY_DEVICE_TO_HOST:
      want_dst = Place::kHost;
      break;
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
      break;
    default:
      return BadValue("kind", kind, "an aclrtMemcpyKind", "memcpy/kind-range");
  }
  if (Fits(dst, want_dst) && Fits(src, want_src)) return Ok();
  return Refuse(
      kRtParamInvalid,
      Cat("kind is ", static_cast<int>(kind), " (", PlaceName(want_src), " to ",
          PlaceName(want_dst), ") but src is a ", PlaceName(src), " address and dst is a ",
          PlaceName(dst), " address; expected a kind that says so."),
      "exchange dst and src, or pass the kind of this copy", "runtime/memcpy/kind");
}

}  // namespace aclimb

extern "C" {

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  return aclimb::Enter("aclrtMemcpy", [&] {
    return aclimb::Copy(aclimb::CopyShape{dst, count, src, count, count, 1}, destMax, kind);
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  return aclimb::Enter("aclrtMemcpyAsync", [&] {
    return aclimb::CopyAsync(aclimb::CopyShape{dst, count, src, count, count, 1}, destMax, kind,
                             stream, /*may_wait=*/true);
  });
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream) {
  return aclimb::Enter("aclrtMemcpyAsyncWithCondition", [&] {
    return aclimb::CopyAsync(aclimb::CopyShape{dst, count, src, count, count, 1}, destMax, kind,
                             stream, /*may_wait=*/false);
  });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind) {
  return aclimb::Enter("aclrtMemcpy2d", [&]() -> aclimb::Status {
    const aclimb::CopyShape shape = {dst, dpitch, src, spitch, width, height};
    ACLIMB_CHECK_OK(aclimb::Check2d(shape, kind, /*device_to_device=*/false));
    aclimb::Result<aclimb::Context*> context = aclimb::CurrentContext();
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
