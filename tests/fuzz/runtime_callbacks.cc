// Callbacks, on threads of the library and on a report thread.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

namespace aclimb::fuzz {
namespace {

// Work queued behind a callback is under way for so many microseconds.
void Sleep(void* data) {
  std::this_thread::sleep_for(std::chrono::microseconds(reinterpret_cast<uintptr_t>(data)));
}
void* Microseconds(uint8_t byte) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(byte) * 2);
}

// Serves whoever is subscribed, until the process ends. Asking without a subscription is refused,
// which is no finding.
uint64_t ReportThreadId() {
  static const uint64_t id = [] {
    std::atomic<uint64_t> started{0};
    std::thread([&started] {
      started = static_cast<uint64_t>(pthread_self());
      for (;;) {
        const int code = aclrtProcessReport(2);
        if (code != 0 && code != 107012 && code != 507012)
          Finding("aclrtProcessReport gives %d", code);
        if (code == 107012) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }).detach();
    while (started == 0) std::this_thread::yield();
    return started.load();
  }();
  return id;
}

}  // namespace

void RuntimeProgram::LaunchCallback() {
  const uint8_t byte = draw_.Byte();
  const StreamArgument stream = AnyStream();
  std::vector<int> refusals = stream.refusals;
  const bool null = byte >= 250;
  if (null) refusals.push_back(100000);
  Call("aclrtLaunchHostFunc", refusals, [&] {
    return aclrtLaunchHostFunc(stream.handle, null ? nullptr : &Sleep, Microseconds(byte));
  });
  if (refusals.empty()) model_.Queue(stream.index);
}

// One thread serves the callbacks of all subscribed streams; `threadId` is its number.
void RuntimeProgram::SubscribeReport() {
  const uint8_t byte = draw_.Byte();
  StreamArgument stream = AnyStream();
  const uint64_t id = byte >= 240 ? 0 : ReportThreadId();
  bool other_device = false;
  for (const StreamModel& other : model_.streams) {
    if (stream.index < 0 || !other.reported) continue;
    const int device = ContextAt(StreamAt(stream.index).context).device;
    other_device = other_device || ContextAt(other.context).device != device;
  }
  const bool reported = stream.index >= 0 && StreamAt(stream.index).reported;
  if (byte % 4 == 3) {
    if (!reported) stream.refusals.push_back(107011);
    if (reported && id == 0) stream.refusals.push_back(107012);
    Call("aclrtUnSubscribeReport", stream.refusals,
         [&] { return aclrtUnSubscribeReport(id, stream.handle); });
    if (stream.refusals.empty()) StreamAt(stream.index).reported = false;
    return;
  }
  if (id == 0) stream.refusals.push_back(107000);
  if (reported) stream.refusals.push_back(107011);
  // Destroyed streams may still hold the thread for their device.
  const int code = Call("aclrtSubscribeReport", stream.refusals,
                        other_device ? std::vector<int>{107012} : std::vector<int>{},
                        [&] { return aclrtSubscribeReport(id, stream.handle); });
  if (code == 0) StreamAt(stream.index).reported = true;
}

void RuntimeProgram::LaunchReported() {
  const uint8_t byte = draw_.Byte();
  StreamArgument stream = AnyStream();
  if (stream.index >= 0 && !StreamAt(stream.index).reported) stream.refusals.push_back(107015);
  if (byte >= 240) stream.refusals.push_back(107000);
  const auto block = byte >= 240     ? static_cast<aclrtCallbackBlockType>(7)
                     : byte % 2 == 0 ? ACL_CALLBACK_NO_BLOCK
                                     : ACL_CALLBACK_BLOCK;
  Call("aclrtLaunchCallback", stream.refusals,
       [&] { return aclrtLaunchCallback(&Sleep, Microseconds(byte), block, stream.handle); });
  if (stream.refusals.empty()) model_.Queue(stream.index);
}

}  // namespace aclimb::fuzz
