// Calls about streams, and what waiting for them brings.

#include "aclimb/bridge/bridge.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/runtime_calls.h"

namespace aclimb::fuzz {
namespace {

// What failing tasks return.
constexpr int kFailures[] = {507015, 507018};

}  // namespace

void RuntimeProgram::CreateStream() {
  if (model_.streams.size() >= kMostObjects) return;
  const uint8_t byte = draw_.Byte();
  aclrtStream handle = nullptr;
  aclrtStream* const to = byte >= 250 ? nullptr : &handle;
  std::vector<int> refusals = ContextRefusals();
  if (to == nullptr) refusals.push_back(100000);
  Call("aclrtCreateStream", refusals, [&] {
    return byte % 4 == 0 ? aclrtCreateStreamWithConfig(to, byte, ACL_STREAM_FAST_LAUNCH)
                         : aclrtCreateStream(to);
  });
  if (!refusals.empty()) return;
  StreamAt(model_.AddStream(CurrentContext(), false)).handle = handle;
}

void RuntimeProgram::DestroyStream() {
  const bool force = draw_.Byte() >= 192;
  StreamArgument stream = AnyStream();
  if (stream.handle == nullptr) stream.refusals.push_back(100000);
  const bool is_default = stream.index >= 0 && StreamAt(stream.index).is_default;
  if (is_default && stream.handle != nullptr) stream.refusals.push_back(107000);
  Call("aclrtDestroyStream", stream.refusals, [&] {
    return force ? aclrtDestroyStreamForce(stream.handle) : aclrtDestroyStream(stream.handle);
  });
  if (stream.refusals.empty()) model_.EndStream(stream.index, !force);
}

// The codes of work that a call which waits for this stream may bring.
std::vector<int> RuntimeProgram::SyncErrors(int stream) {
  if (ContextAt(StreamAt(stream).context).may_stop) return {kAborted, kFailures[0], kFailures[1]};
  std::vector<int> errors = StreamAt(stream).errors;
  if (model_.MayBeAborted(stream)) errors.push_back(kAborted);
  return errors;
}

// `whole`: the call waited for all of the stream and takes its first error.
void RuntimeProgram::AfterSync(int index, int code, bool whole) {
  StreamModel& stream = StreamAt(index);
  if (ContextAt(stream.context).may_stop) {
    // An error stays there, and what came behind it was dropped.
    if (code != 0) model_.ForgetPending();
    if (code == 0 && whole) model_.StreamIsOver(index);
    return;
  }
  if (code == kAborted) {
    model_.ForgetPending();
    stream.first_error_certain = false;
    return;
  }
  if (!whole) {
    stream.first_error_certain = false;
    return;
  }
  if (stream.first_error_certain && !stream.errors.empty() && code != stream.errors[0]) {
    Finding("synchronising gives %d; expected the first error, %d", code, stream.errors[0]);
  }
  stream.errors.clear();
  stream.first_error_certain = true;
  model_.StreamIsOver(index);
}

void RuntimeProgram::SynchronizeStream() {
  const uint8_t byte = draw_.Byte();
  StreamArgument stream = AnyStream();
  std::vector<int> errors;
  if (stream.index >= 0) errors = SyncErrors(stream.index);
  int32_t timeout = -1;
  if (byte >= 128) {
    timeout = byte >= 250 ? static_cast<int32_t>(byte) - 253 : byte % 3 + 1;
    if (timeout < -1 || timeout == 0) stream.refusals.push_back(107000);
    errors.push_back(507046);
  }
  const int code = Call("aclrtSynchronizeStream", stream.refusals, errors, [&] {
    return byte >= 128 ? aclrtSynchronizeStreamWithTimeout(stream.handle, timeout)
                       : aclrtSynchronizeStream(stream.handle);
  });
  if (!stream.refusals.empty() || code == 507046) return;
  AfterSync(stream.index, code, true);
}

void RuntimeProgram::QueryStream() {
  const StreamArgument stream = AnyStream();
  std::vector<int> errors;
  if (stream.index >= 0) errors = SyncErrors(stream.index);
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  const int code = Call("aclrtStreamQuery", stream.refusals, errors,
                        [&] { return aclrtStreamQuery(stream.handle, &status); });
  if (!stream.refusals.empty()) return;
  if (!errors.empty()) AfterSync(stream.index, code, false);
  if (code != 0) return;
  if (status == ACL_STREAM_STATUS_COMPLETE) {
    model_.StreamIsOver(stream.index);
  } else if (status != ACL_STREAM_STATUS_NOT_READY || model_.IsIdle(stream.index)) {
    Finding("aclrtStreamQuery of a stream whose work is over says %d", status);
  }
}

void RuntimeProgram::AbortStream() {
  const StreamArgument stream = AnyStream();
  Call("aclrtStreamAbort", stream.refusals, [&] { return aclrtStreamAbort(stream.handle); });
  if (stream.refusals.empty()) model_.Abort(stream.index);
}

void RuntimeProgram::SynchronizeDevice() {
  const std::vector<int> refusals = ContextRefusals();
  std::vector<int> errors;
  std::vector<int> concerned;
  if (refusals.empty()) {
    const int device = ContextAt(CurrentContext()).device;
    for (size_t i = 0; i < model_.streams.size(); ++i) {
      const StreamModel& stream = model_.streams[i];
      if (!stream.alive || ContextAt(stream.context).device != device) continue;
      concerned.push_back(static_cast<int>(i));
      Append(errors, SyncErrors(static_cast<int>(i)));
    }
  }
  const int code =
      Call("aclrtSynchronizeDevice", refusals, errors, [] { return aclrtSynchronizeDevice(); });
  for (const int stream : concerned) {
    // Only the first of several errors is told, and which one of an earlier query took is unknown.
    AfterSync(stream, code == 0 ? 0 : kAborted, code == 0 && errors.empty());
    if (code == 0) model_.StreamIsOver(stream);
  }
}

void RuntimeProgram::LaunchFailure() {
  const StreamArgument stream = AnyStream();
  if (!stream.refusals.empty()) return;
  const int code = kFailures[draw_.Below(2)];
  AclimbTask task = {};
  task.name = "failing task";
  task.run = [](void* payload) { return static_cast<int>(reinterpret_cast<intptr_t>(payload)); };
  task.release = [](void*) {};
  task.payload = reinterpret_cast<void*>(static_cast<intptr_t>(code));
  task.cost_bytes = draw_.Flip() ? 1 : 1 << 24;
  Call("aclimb_launch", {}, [&] { return aclimb_launch(stream.handle, &task, nullptr); });
  model_.Queue(stream.index);
  StreamAt(stream.index).errors.push_back(code);
}

// From here on a failure stops all streams of the context.
void RuntimeProgram::StopOnFailure() {
  const uint64_t mode = draw_.Byte() >= 240 ? 2 : ACL_STOP_ON_FAILURE;
  StreamArgument stream = AnyStream();
  if (mode == 2) stream.refusals.push_back(107000);
  // It may be set once per stream, and not for the default stream.
  const int code = Call("aclrtSetStreamFailureMode", stream.refusals, {107000},
                        [&] { return aclrtSetStreamFailureMode(stream.handle, mode); });
  if (code == 0) ContextAt(StreamAt(stream.index).context).may_stop = true;
}

void RuntimeProgram::GetAttributes() {
  const StreamArgument stream = AnyStream();
  int32_t id = -1;
  uint32_t priority = 99;
  uint32_t flags = 0;
  Call("aclrtStreamGetId", stream.refusals, [&] { return aclrtStreamGetId(stream.handle, &id); });
  Call("aclrtStreamGetPriority", stream.refusals,
       [&] { return aclrtStreamGetPriority(stream.handle, &priority); });
  Call("aclrtStreamGetFlags", stream.refusals,
       [&] { return aclrtStreamGetFlags(stream.handle, &flags); });
  if (stream.refusals.empty() && (id < 0 || priority > 7)) {
    Finding("a stream has the number %d and the priority %u", id, priority);
  }
}

}  // namespace aclimb::fuzz
