#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/backend/backend.h"
#include "aclimb/core/status.h"
#include "aclimb/runtime/device.h"

namespace aclimb {

enum class EventMaker { kPlain, kWithFlag, kExWithFlag };

// A marker's reference, given back at the end.
class MarkerRef {
 public:
  MarkerRef() = default;
  explicit MarkerRef(AclimbMarker* owned) : marker_(owned) {}
  MarkerRef(const MarkerRef& other) : marker_(other.marker_) {
    if (marker_ != nullptr) Backend().marker_retain(marker_);
  }
  MarkerRef(MarkerRef&& other) noexcept : marker_(std::exchange(other.marker_, nullptr)) {}
  MarkerRef& operator=(MarkerRef other) noexcept {
    std::swap(marker_, other.marker_);
    return *this;
  }
  ~MarkerRef() {
    if (marker_ != nullptr) Backend().marker_release(marker_);
  }
  AclimbMarker* get() const { return marker_; }
  explicit operator bool() const { return marker_ != nullptr; }

 private:
  AclimbMarker* marker_ = nullptr;
};

// Whether the process was forked off before the recording was reached: its work goes on in the
// parent alone.
bool IsLost(const MarkerRef& marker);

// Of all events, for sections of a few instructions: a fork has to have every lock.
std::mutex& EventsMutex();

// Shared with the tasks that a reset and counted waits put on a stream: the program may destroy the
// event before they run.
struct Event {
  EventMaker maker = EventMaker::kPlain;
  uint32_t flags = 0;
  Device* device = nullptr;
  std::atomic<int> open_waits{0};
  // Guarded by EventsMutex():
  MarkerRef marker;        // the latest recording; empty when never recorded, or reset
  void* stream = nullptr;  // handle of the stream it was recorded on

  bool Has(uint32_t flag) const { return maker == EventMaker::kPlain || (flags & flag) != 0; }
  MarkerRef Latest() {
    std::lock_guard<std::mutex> lock(EventsMutex());
    return marker;
  }
};
using EventRef = std::shared_ptr<Event>;

// The event of a handle; `argument` is the parameter's name. 107017 for a handle that is not live.
Result<EventRef> ResolveEvent(const char* argument, aclrtEvent handle);

// 107000: the event was made by a function, or with flags, that do not go with this use.
Status WrongMaker(const char* argument, aclrtEvent handle, std::string_view use,
                  std::string_view makers, std::string_view rule);

}  // namespace aclimb
