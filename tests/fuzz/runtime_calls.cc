#include "tests/fuzz/runtime_calls.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/fuzz/finding.h"
#include "tests/fuzz/host_threads.h"

namespace aclimb::fuzz {
namespace {

constexpr int kMostCalls = 80;

// Detached threads use them until the process ends.
HostThread& Thread(int number) {
  static auto* const threads = new HostThread[3];
  return threads[number];
}

bool Contains(const std::vector<int>& codes, int code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// ACLIMB_FUZZ_TRACE=1 tells each call: what a finding's input does.
bool Traces() {
  static const bool traces = std::getenv("ACLIMB_FUZZ_TRACE") != nullptr;
  return traces;
}

}  // namespace

int RuntimeProgram::Call(const char* name, const std::vector<int>& refusals,
                         const std::vector<int>& errors, const std::function<int()>& call) {
  int code = 0;
  int last = 0;
  std::string message;
  Thread(thread_).Do([&] {
    code = call();
    last = aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    message = aclGetRecentErrMsg();
  });
  if (Traces()) std::fprintf(stderr, "thread %d: %s: %d\n", thread_, name, code);
  if (!refusals.empty() ? !Contains(refusals, code) : code != 0 && !Contains(errors, code)) {
    std::string expected;
    for (const int each : refusals.empty() ? errors : refusals)
      expected += " " + std::to_string(each);
    Finding("%s gives %d; expected%s%s: %s", name, code, refusals.empty() ? " 0" : "",
            expected.c_str(), message.c_str());
  }
  if (last != code) Finding("%s gives %d but the last error is %d", name, code, last);
  const bool told = message.find("code: " + std::to_string(code)) != std::string::npos;
  if (code == 0 ? !message.empty() : !told) {
    Finding("%s gives %d with the message \"%s\"", name, code, message.c_str());
  }
  return code;
}

std::vector<int> RuntimeProgram::ContextRefusals() {
  const int context = CurrentContext();
  const bool live = context >= 0 && ContextAt(context).alive;
  return live ? std::vector<int>{} : std::vector<int>{107002};
}

RuntimeProgram::StreamArgument RuntimeProgram::AnyStream() {
  StreamArgument argument;
  const uint8_t byte = draw_.Byte();
  argument.refusals = ContextRefusals();
  if (byte >= 240) {
    const bool event = byte % 4 == 0 && !model_.events.empty();
    argument.handle = event ? model_.events[0].handle : Invented(byte);
    argument.refusals.push_back(107017);
    return argument;
  }
  const bool has_context = argument.refusals.empty();
  int chosen = has_context ? ContextAt(CurrentContext()).default_stream : -1;
  if (byte % 4 != 0 && !model_.streams.empty()) {
    chosen = static_cast<int>(byte / 4 % model_.streams.size());
  }
  if (chosen < 0) return argument;
  const StreamModel& stream = StreamAt(chosen);
  if (stream.is_default && stream.handle == nullptr) {
    // Only a null handle stands for it, and for the current context's.
    if (!has_context) return argument;
    argument.index = ContextAt(CurrentContext()).default_stream;
    return argument;
  }
  argument.handle = stream.handle;
  if (!stream.alive) argument.refusals.push_back(107017);
  if (stream.alive && stream.context != CurrentContext()) argument.refusals.push_back(107003);
  if (argument.refusals.empty()) argument.index = chosen;
  return argument;
}

RuntimeProgram::EventArgument RuntimeProgram::AnyEvent() {
  EventArgument argument;
  const uint8_t byte = draw_.Byte();
  if (byte >= 240 || model_.events.empty()) {
    argument.handle = byte % 4 == 0 ? nullptr : Invented(byte);
    argument.refusals.push_back(argument.handle == nullptr ? 100000 : 107017);
    return argument;
  }
  const int chosen = static_cast<int>(byte % model_.events.size());
  const EventModel& event = EventAt(chosen);
  argument.handle = event.handle;
  if (!event.alive) {
    argument.refusals.push_back(107017);
  } else {
    argument.index = chosen;
  }
  return argument;
}

BlockModel* RuntimeProgram::AnyBlock(bool device) {
  std::vector<BlockModel*> live;
  for (BlockModel& block : model_.blocks) {
    if (block.alive && (block.device >= 0) == device) live.push_back(&block);
  }
  return live.empty() ? nullptr : live[draw_.Byte() % live.size()];
}

bool RuntimeProgram::AnyRange(bool device, Range* range) {
  range->block = AnyBlock(device);
  if (range->block == nullptr) return false;
  const size_t size = range->block->size;
  range->begin = draw_.Byte() * size / 256;
  range->size = 1 + draw_.Byte() * (size - range->begin) / 256;
  range->size = std::min(range->size, size - range->begin);
  return true;
}

void RuntimeProgram::TearDown() {
  // Every stream, from its own context.
  for (size_t i = 0; i < model_.streams.size(); ++i) {
    const StreamModel& stream = model_.streams[i];
    if (!stream.alive) continue;
    const ContextModel& context = ContextAt(stream.context);
    Call("aclrtSetCurrentContext", {}, [&] { return aclrtSetCurrentContext(context.handle); });
    const int code = Call("aclrtSynchronizeStream", {}, SyncErrors(static_cast<int>(i)),
                          [&] { return aclrtSynchronizeStream(stream.handle); });
    AfterSync(static_cast<int>(i), code, true);
  }
  CheckBlock();
  for (const EventModel& event : model_.events) {
    if (event.alive) Call("aclrtDestroyEvent", {}, [&] { return aclrtDestroyEvent(event.handle); });
  }
  for (int device = 0; device < kDevices; ++device) {
    Call("aclrtSetDevice", {}, [&] { return aclrtSetDevice(device); });
    Call("aclrtResetDeviceForce", {}, [&] { return aclrtResetDeviceForce(device); });
  }
  // After all of them: work that another device still holds may use this one's memory.
  for (int device = 0; device < kDevices; ++device) {
    size_t free = 0;
    size_t total = 0;
    Call("aclrtSetDevice", {}, [&] { return aclrtSetDevice(device); });
    // Memory stays taken while a callback runs on a stream that a forced release has ended.
    for (int tries = 0; tries == 0 || (free != total && tries < 2000); ++tries) {
      if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      Call("aclrtGetMemInfo", {}, [&] { return aclrtGetMemInfo(ACL_HBM_MEM, &free, &total); });
    }
    if (free != total) Finding("%zu of %zu bytes are free on a device that was reset", free, total);
    Call("aclrtResetDevice", {}, [&] { return aclrtResetDevice(device); });
  }
  for (const BlockModel& block : model_.blocks) {
    if (block.alive && block.device < 0) {
      Call("aclrtFreeHost", {107002, 0}, [&] { return aclrtFreeHost(block.address); });
    }
  }
}

void RuntimeProgram::Run() {
  using Step = void (RuntimeProgram::*)();
  // The commoner a call, the more places it has.
  constexpr Step kSteps[64] = {
      &RuntimeProgram::SetDevice,
      &RuntimeProgram::CreateStream,
      &RuntimeProgram::Allocate,
      &RuntimeProgram::Fill,
      &RuntimeProgram::CopyFromHost,
      &RuntimeProgram::CopyToHost,
      &RuntimeProgram::CopyWithin,
      &RuntimeProgram::LaunchCallback,
      &RuntimeProgram::CreateEvent,
      &RuntimeProgram::RecordEvent,
      &RuntimeProgram::WaitEvent,
      &RuntimeProgram::SynchronizeStream,
      &RuntimeProgram::SynchronizeEvent,
      &RuntimeProgram::QueryEvent,
      &RuntimeProgram::QueryStream,
      &RuntimeProgram::AbortStream,
      &RuntimeProgram::DestroyStream,
      &RuntimeProgram::DestroyEvent,
      &RuntimeProgram::Free,
      &RuntimeProgram::WrongCopy,
      &RuntimeProgram::CreateContext,
      &RuntimeProgram::SetContext,
      &RuntimeProgram::GetContext,
      &RuntimeProgram::DestroyContext,
      &RuntimeProgram::SynchronizeDevice,
      &RuntimeProgram::ResetDevice,
      &RuntimeProgram::ResetEvent,
      &RuntimeProgram::ElapsedTime,
      &RuntimeProgram::LaunchFailure,
      &RuntimeProgram::CheckBlock,
      &RuntimeProgram::SubscribeReport,
      &RuntimeProgram::LaunchReported,
      &RuntimeProgram::StopOnFailure,
      &RuntimeProgram::GetAttributes,
      &RuntimeProgram::CopyRows,
      &RuntimeProgram::LookUp,
      &RuntimeProgram::CopyWithin,
      &RuntimeProgram::CopyWithin,
      &RuntimeProgram::CopyWithin,
      &RuntimeProgram::CopyWithin,
      &RuntimeProgram::Fill,
      &RuntimeProgram::Fill,
      &RuntimeProgram::Fill,
      &RuntimeProgram::CopyFromHost,
      &RuntimeProgram::CopyFromHost,
      &RuntimeProgram::CopyToHost,
      &RuntimeProgram::CopyToHost,
      &RuntimeProgram::RecordEvent,
      &RuntimeProgram::RecordEvent,
      &RuntimeProgram::RecordEvent,
      &RuntimeProgram::WaitEvent,
      &RuntimeProgram::WaitEvent,
      &RuntimeProgram::WaitEvent,
      &RuntimeProgram::LaunchCallback,
      &RuntimeProgram::LaunchCallback,
      &RuntimeProgram::CreateStream,
      &RuntimeProgram::CreateStream,
      &RuntimeProgram::Allocate,
      &RuntimeProgram::Allocate,
      &RuntimeProgram::SetDevice,
      &RuntimeProgram::SetDevice,
      &RuntimeProgram::CheckBlock,
      &RuntimeProgram::CheckBlock,
      &RuntimeProgram::SynchronizeStream,
  };
  for (int i = 0; i < kMostCalls && !draw_.AtEnd(); ++i) {
    const uint8_t byte = draw_.Byte();
    thread_ = byte / 64 % kThreads;
    (this->*kSteps[byte % 64])();
  }
  thread_ = 0;
  TearDown();
}

}  // namespace aclimb::fuzz
