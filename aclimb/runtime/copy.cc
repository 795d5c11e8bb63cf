#include "aclimb/runtime/copy.h"

#include "acl/acl_rt.h"
#include "aclimb/runtime/capture.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/pageable_copy.h"
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

Status Copy(const CopyShape& shape, size_t dst_max, aclrtMemcpyKind kind) {
  ACLIMB_CHECK_OK(CheckAddresses(shape.dst, dst_max, shape.src, shape.width));
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  return shape.width == 0 ? Ok() : CopyNow(shape, kind);
}

Status CopyAsync(const CopyShape& shape, size_t dst_max, aclrtMemcpyKind kind, aclrtStream stream,
                 bool may_wait) {
  ACLIMB_CHECK_OK(CheckAddresses(shape.dst, dst_max, shape.src, shape.width));
  if (shape.width == 0) {
    Result<StreamRef> found = ResolveStreamForWork(stream);
    return found.ok() ? Ok() : found.TakeStatus();
  }
  return CopyLater(shape, kind, stream, may_wait);
}

}  // namespace

Status CopyNow(const CopyShape& shape, aclrtMemcpyKind kind) {
  Result<Places> places = CheckCopy(shape, kind);
  if (!places.ok()) return places.TakeStatus();
  ACLIMB_CHECK_OK(CheckUncaptured("the copy is made at once"));
  const int code = Backend().memory_copy(shape.dst, shape.dst_pitch, shape.src, shape.src_pitch,
                                         shape.width, shape.height);
  if (code == 0) return Ok();
  return Refuse(code, "the backend failed to copy.", "look at its log", "runtime/memcpy/backend");
}

Status CopyLater(const CopyShape& shape, aclrtMemcpyKind kind, aclrtStream handle, bool may_wait) {
  Result<StreamRef> found = ResolveStreamForWork(handle);
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
  const bool captured = stream.capture.load(std::memory_order_acquire) != nullptr;
  if (pageable && captured) {
    return Refuse(
        ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
        Cat(dst == Place::kHost ? "dst" : "src",
            " is host memory that is not page-locked, and stream is ", AddressText(stream.handle),
            ", which records work; expected page-locked memory."),
        "use memory of aclrtMallocHost, which lives as long as the graph",
        "runtime/capture/pageable");
  }
  if (pageable) {
    const bool staged = src == Place::kHost && shape.width * shape.height <= kStagedBytes;
    if (!staged) return CopyInStreamOrder(stream, shape);
    ACLIMB_CHECK_OK(QueueStagedCopy(stream, shape));
    return FinishLaunch(stream);
  }
  const auto again = [=](aclrtStream later) { return CopyLater(shape, kind, later, false); };
  if (CaptureCall(stream, again)) return Ok();
  uint32_t id = 0;
  const int code = Backend().queue_copy(stream.queue, shape.dst, shape.dst_pitch, shape.src,
                                        shape.src_pitch, shape.width, shape.height, &id);
  NoteTask(id);
  if (code != 0) return CannotQueue(code, "copy", "runtime/memcpy/queue");
  return FinishLaunch(stream);
}

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

}  // extern "C"
