#pragma once

#include <functional>
#include <iterator>
#include <vector>

#include "tests/fuzz/draw.h"
#include "tests/fuzz/runtime_model.h"

namespace aclimb::fuzz {

constexpr int kDevices = 2;
constexpr size_t kMostObjects = 24;
constexpr int kAborted = 107023;  // ACL_ERROR_RT_STREAM_ABORT

inline void Append(std::vector<int>& to, const std::vector<int>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Numbers that no object has.
inline void* Invented(uint8_t byte) {
  constexpr uintptr_t kHandles[] = {0x10, ~uintptr_t{0},      0x7fff00000000,
                                    1,    uintptr_t{1} << 63, 0x1000};
  return reinterpret_cast<void*>(kHandles[byte % std::size(kHandles)]);
}

// The program that a byte string describes: calls of three host threads in a fixed order. Every
// code is one that the model allows, and so is what memory holds.
class RuntimeProgram {
 public:
  explicit RuntimeProgram(Draw& draw) : draw_(draw) {}
  void Run();

 private:
  static constexpr int kThreads = 3;

  // A handle argument, with what the model says about it.
  struct StreamArgument {
    aclrtStream handle = nullptr;
    int index = -1;  // -1: one of the codes below
    std::vector<int> refusals;
  };
  struct EventArgument {
    aclrtEvent handle = nullptr;
    int index = -1;
    std::vector<int> refusals;
  };
  // A range of device or page-locked memory.
  struct Range {
    BlockModel* block = nullptr;
    size_t begin = 0;
    size_t size = 0;
    void* address() const { return block->address + begin; }
  };

  // Runs a call on the current thread; its code is 0, or one of `errors` that the stream may have,
  // when there is no reason for a refusal. Checks message and last error.
  int Call(const char* name, const std::vector<int>& refusals, const std::vector<int>& errors,
           const std::function<int()>& call);
  int Call(const char* name, const std::vector<int>& refusals, const std::function<int()>& call) {
    return Call(name, refusals, {}, call);
  }

  StreamArgument AnyStream();
  EventArgument AnyEvent();
  BlockModel* AnyBlock(bool device);
  bool AnyRange(bool device, Range* range);
  std::vector<int> ContextRefusals();
  ContextModel& ContextAt(int index) { return model_.contexts[static_cast<size_t>(index)]; }
  StreamModel& StreamAt(int index) { return model_.streams[static_cast<size_t>(index)]; }
  EventModel& EventAt(int index) { return model_.events[static_cast<size_t>(index)]; }
  MarkerModel& MarkerAt(int index) { return model_.markers[static_cast<size_t>(index)]; }
  int CurrentContext() const { return context_[thread_]; }

  void SetDevice();
  void ResetDevice();
  void CreateContext();
  void DestroyContext();
  void SetContext();
  void GetContext();
  void CreateStream();
  void DestroyStream();
  void SynchronizeStream();
  void QueryStream();
  void AbortStream();
  void SynchronizeDevice();
  void CreateEvent();
  void DestroyEvent();
  void RecordEvent();
  void WaitEvent();
  void SynchronizeEvent();
  void QueryEvent();
  void ResetEvent();
  void ElapsedTime();
  void Allocate();
  void Free();
  void Fill();
  void CopyFromHost();
  void CopyToHost();
  void CopyWithin();
  void WrongCopy();
  void LaunchCallback();
  void SubscribeReport();
  void LaunchReported();
  void LaunchFailure();
  void StopOnFailure();
  void GetAttributes();
  void CopyRows();
  void LookUp();
  void CheckBlock();
  void TearDown();

  std::vector<int> SyncErrors(int stream);
  void AfterSync(int stream, int code, bool whole);
  void Compare(const char* what, const unsigned char* got, const Bytes& expected);

  Draw& draw_;
  RuntimeModel model_;
  int thread_ = 0;
  int context_[kThreads] = {-1, -1, -1};
  uint8_t pattern_ = 1;
};

}  // namespace aclimb::fuzz
