#include "acl/acl_rt.h"
#include "aclimb/runtime/capture.h"
#include "aclimb/runtime/entry.h"
#include "aclimb/runtime/memory.h"
#include "aclimb/runtime/refusals.h"
#include "aclimb/runtime/stream.h"
#include "aclimb/runtime/synchronize.h"

namespace aclimb {
namespace {

struct Fill {
  const char* argument;  // the address's name
  void* address;
  uint32_t value;
  int element_bytes;
  size_t count;  // elements
  const char* room_name;
  size_t room;  // bytes
  const char* count_name;
};

Status CheckFill(const Fill& fill) {
  if (fill.address == nullptr) return NullArgument(fill.argument);
  const size_t element = static_cast<size_t>(fill.element_bytes);
  if (fill.count > fill.room / element) {
    return Refuse(
        kRtParamInvalid,
        Cat(fill.count_name, " is ", fill.count, " (", fill.element_bytes, " bytes each) but ",
            fill.room_name, " is ", fill.room, "; expected ", fill.room_name, " to hold them."),
        Cat("fill less, or pass the real room as ", fill.room_name),
        "runtime/memset/count-over-room");
  }
  Result<Place> place = PlaceOf(fill.argument, fill.address, fill.count * element);
  if (!place.ok()) return place.TakeStatus();
  if (place.value() == Place::kHost && !IsPinnedHost(fill.address, fill.count * element)) {
    return Refuse(kRtParamInvalid,
                  Cat(fill.argument, " is ", AddressText(fill.address),
                      ", pageable host memory; expected memory of aclrtMalloc or aclrtMallocHost."),
                  "use memset for the program's own memory", "runtime/memset/pageable");
  }
  return Ok();
}

Status FillNow(const Fill& fill) {
  Result<ContextRef> context = CurrentContext();
  if (!context.ok()) return context.TakeStatus();
  ACLIMB_CHECK_OK(CheckFill(fill));
  if (fill.count == 0) return Ok();
  ACLIMB_CHECK_OK(CheckUncaptured("the fill is made at once"));
  const int code = Backend().memory_fill(fill.address, fill.value, fill.element_bytes, fill.count);
  if (code == 0) return Ok();
  return Refuse(code, "the backend failed to fill.", "look at its log", "runtime/memset/backend");
}

Status FillLater(const Fill& fill, aclrtStream handle) {
  Result<StreamRef> stream = ResolveStreamForWork(handle);
  if (!stream.ok()) return stream.TakeStatus();
  ACLIMB_CHECK_OK(CheckFill(fill));
  if (fill.count == 0) return Ok();
  const auto again = [=](aclrtStream later) { return FillLater(fill, later); };
  if (CaptureCall(*stream.value(), again)) return Ok();
  uint32_t id = 0;
  const int code = Backend().queue_fill(stream.value()->queue, fill.address, fill.value,
                                        fill.element_bytes, fill.count, &id);
  NoteTask(id);
  if (code != 0) return CannotQueue(code, "fill", "runtime/memset/queue");
  return FinishLaunch(*stream.value());
}

Fill Bytes(void* address, size_t room, int32_t value, size_t count) {
  return Fill{"devPtr", address, static_cast<uint32_t>(value) & 0xFF, 1, count, "maxCount",
              room,     "count"};
}
Fill Words(void* address, size_t room, uint32_t value, size_t count) {
  return Fill{"ptr", address, value, 4, count, "memSize", room, "N"};
}

}  // namespace
}  // namespace aclimb

extern "C" {

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return aclimb::Enter("aclrtMemset", [&] {
    return aclimb::FillNow(aclimb::Bytes(devPtr, maxCount, value, count));
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  return aclimb::Enter("aclrtMemsetAsync", [&] {
    return aclimb::FillLater(aclimb::Bytes(devPtr, maxCount, value, count), stream);
  });
}

aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N) {
  return aclimb::Enter("aclrtMemsetD32",
                       [&] { return aclimb::FillNow(aclimb::Words(ptr, memSize, value, N)); });
}

aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N,
                             aclrtStream stream) {
  return aclimb::Enter("aclrtMemsetD32Async", [&] {
    return aclimb::FillLater(aclimb::Words(ptr, memSize, value, N), stream);
  });
}

}  // extern "C"
