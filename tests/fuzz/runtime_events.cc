// Calls about events.

#include <iterator>

#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

namespace aclimb::fuzz {
void RuntimeProgram::CreateEvent() {
  if (model_.events.size() >= kMostObjects) return;
  const uint8_t byte = draw_.Byte();
  constexpr uint32_t kFlags[] = {ACL_EVENT_SYNC,
                                 ACL_EVENT_TIME_LINE,
                                 ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE,
                                 ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                                 0,
                                 0x80000000u};
  const uint32_t flag = kFlags[byte / 4 % std::size(kFlags)];
  std::vector<int> refusals = ContextRefusals();
  if (byte % 4 >= 2 && (flag == 0 || flag == 0x80000000u)) refusals.push_back(107000);
  aclrtEvent handle = nullptr;
  Call("aclrtCreateEvent", refusals, [&] {
    if (byte % 4 < 2) return aclrtCreateEvent(&handle);
    return byte % 4 == 2 ? aclrtCreateEventWithFlag(&handle, flag)
                         : aclrtCreateEventExWithFlag(&handle, flag);
  });
  if (!refusals.empty()) return;
  EventModel& event = model_.events.emplace_back();
  event.handle = handle;
  event.device = ContextAt(CurrentContext()).device;
  event.ex = byte % 4 == 3;
  event.waits = byte % 4 < 2 || (flag & ACL_EVENT_SYNC) != 0;
  event.stamped = byte % 4 < 2 || (flag & ACL_EVENT_TIME_LINE) != 0;
}

void RuntimeProgram::DestroyEvent() {
  const EventArgument event = AnyEvent();
  Call("aclrtDestroyEvent", event.refusals, [&] { return aclrtDestroyEvent(event.handle); });
  if (event.index >= 0) EventAt(event.index).alive = false;
}

void RuntimeProgram::RecordEvent() {
  const EventArgument event = AnyEvent();
  const StreamArgument stream = AnyStream();
  std::vector<int> refusals = event.refusals;
  Append(refusals, stream.refusals);
  if (event.index >= 0 && stream.index >= 0) {
    const int context = StreamAt(stream.index).context;
    const bool other = ContextAt(context).device != EventAt(event.index).device;
    if (other) refusals.push_back(107003);
  }
  Call("aclrtRecordEvent", refusals, [&] { return aclrtRecordEvent(event.handle, stream.handle); });
  if (refusals.empty()) model_.Record(event.index, stream.index);
}

void RuntimeProgram::WaitEvent() {
  const uint8_t byte = draw_.Byte();
  const EventArgument event = AnyEvent();
  const StreamArgument stream = AnyStream();
  std::vector<int> refusals = event.refusals;
  Append(refusals, stream.refusals);
  if (event.index >= 0 && !EventAt(event.index).waits) refusals.push_back(107000);
  const int32_t timeout = byte >= 240 ? -1 : byte % 2 * 1000;
  if (byte >= 128 && timeout < 0) refusals.push_back(107000);
  Call("aclrtStreamWaitEvent", refusals, [&] {
    return byte >= 128 ? aclrtStreamWaitEventWithTimeout(stream.handle, event.handle, timeout)
                       : aclrtStreamWaitEvent(stream.handle, event.handle);
  });
  if (refusals.empty()) model_.Wait(stream.index, event.index);
}

void RuntimeProgram::SynchronizeEvent() {
  const uint8_t byte = draw_.Byte();
  const EventArgument event = AnyEvent();
  std::vector<int> errors;
  int marker = -1;
  if (event.index >= 0) {
    const EventModel& found = EventAt(event.index);
    marker = found.marker;
    if (marker >= 0) {
      const int stream = MarkerAt(marker).stream;
      errors = SyncErrors(stream);
      if (model_.MayNeverCome(marker)) errors.push_back(kAborted);
    }
  }
  if (byte >= 128) errors.push_back(507047);
  const int code = Call("aclrtSynchronizeEvent", event.refusals, errors, [&] {
    return byte >= 128 ? aclrtSynchronizeEventWithTimeout(event.handle, 1 + byte % 3)
                       : aclrtSynchronizeEvent(event.handle);
  });
  if (marker < 0 || code == 507047) return;
  const int stream = MarkerAt(marker).stream;
  if (code != kAborted && !StreamAt(stream).errors.empty()) {
    AfterSync(stream, code, false);
  }
  // What stopped a context dropped what came behind it, the recording too.
  if (code != 0 && ContextAt(StreamAt(stream).context).may_stop) return;
  // With a reset under way there may have been nothing to wait for.
  if (code != kAborted && !EventAt(event.index).reset) model_.MarkerIsOver(marker);
}

void RuntimeProgram::QueryEvent() {
  const EventArgument event = AnyEvent();
  std::vector<int> refusals = event.refusals;
  aclrtEventStatus old_status = ACL_EVENT_STATUS_RESERVED;
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  aclrtEventWaitStatus wait_status = ACL_EVENT_WAIT_STATUS_RESERVED;
  Call("aclrtQueryEventStatus", refusals,
       [&] { return aclrtQueryEventStatus(event.handle, &status); });
  if (event.index >= 0 && EventAt(event.index).ex) refusals.push_back(107000);
  Call("aclrtQueryEvent", refusals, [&] { return aclrtQueryEvent(event.handle, &old_status); });
  Call("aclrtQueryEventWaitStatus", refusals,
       [&] { return aclrtQueryEventWaitStatus(event.handle, &wait_status); });
  if (event.index < 0) return;
  const EventModel& found = EventAt(event.index);
  const bool over =
      found.marker < 0 || (model_.IsOver(found.marker) && !MarkerAt(found.marker).may_be_dropped);
  const bool complete = status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  if (over && !complete) Finding("an event whose work is over is not complete");
  if (complete && found.marker >= 0 && !found.reset) model_.MarkerIsOver(found.marker);
}

void RuntimeProgram::ResetEvent() {
  const EventArgument event = AnyEvent();
  const StreamArgument stream = AnyStream();
  std::vector<int> refusals = event.refusals;
  Append(refusals, stream.refusals);
  // Only events of one maker and with one flag take it; the others are refused.
  const int code = Call("aclrtResetEvent", refusals, {107000, 107003},
                        [&] { return aclrtResetEvent(event.handle, stream.handle); });
  if (code != 0) return;
  model_.Queue(stream.index);
  EventAt(event.index).reset = true;
}

void RuntimeProgram::ElapsedTime() {
  const EventArgument start = AnyEvent();
  const EventArgument end = AnyEvent();
  std::vector<int> refusals = start.refusals;
  Append(refusals, end.refusals);
  float ms = -1;
  const std::vector<int> errors = {107006, 107007, 507006};
  if (!refusals.empty()) Append(refusals, errors);
  const int code = Call("aclrtEventElapsedTime", refusals, errors,
                        [&] { return aclrtEventElapsedTime(&ms, start.handle, end.handle); });
  if (code == 0 && !(ms >= 0)) Finding("the elapsed time is %g", static_cast<double>(ms));
}

}  // namespace aclimb::fuzz
