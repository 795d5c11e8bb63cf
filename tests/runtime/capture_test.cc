// Work that a stream records, and that runs later with what is then in memory.
#include <string>
#include <thread>
#include <vector>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "tests/runtime/support.h"

namespace {

using Values = std::vector<float>;

constexpr size_t kCount = 4;
constexpr size_t kBytes = kCount * sizeof(float);

class CaptureTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    const int64_t shape[] = {kCount};
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_ACL(aclrtMalloc(&memory_[i], kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
      tensors_[i] =
          aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory_[i]);
    }
  }
  void TearDown() override {
    for (const aclTensor* tensor : tensors_) EXPECT_EQ(aclDestroyTensor(tensor), 0);
    RuntimeTest::TearDown();
  }

  void Write(size_t tensor, const Values& values) {
    EXPECT_ACL(
        aclrtMemcpy(memory_[tensor], kBytes, values.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  Values Read(size_t tensor) {
    Values values(kCount);
    EXPECT_ACL(
        aclrtMemcpy(values.data(), kBytes, memory_[tensor], kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

  // Tensor 2 becomes 0 + 1, and then its product with 0.
  void QueueBoth() {
    const float one = 1;
    aclScalar* const alpha = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(
        aclnnAddGetWorkspaceSize(tensors_[0], tensors_[1], alpha, tensors_[2], &size, &executor),
        0);
    EXPECT_EQ(aclnnAdd(nullptr, size, executor, stream_), 0) << aclGetRecentErrMsg();
    EXPECT_EQ(aclDestroyScalar(alpha), 0);
    EXPECT_EQ(aclnnInplaceMulGetWorkspaceSize(tensors_[2], tensors_[0], &size, &executor), 0);
    EXPECT_EQ(aclnnInplaceMul(nullptr, size, executor, stream_), 0) << aclGetRecentErrMsg();
  }
  aclmdlRI Recorded() {
    aclmdlRI graph = nullptr;
    EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    QueueBoth();
    EXPECT_ACL(aclmdlRICaptureEnd(stream_, &graph));
    return graph;
  }

  void* memory_[3] = {};
  aclTensor* tensors_[3] = {};
};

TEST_F(CaptureTest, RunsWithNewDataAtTheSameAddresses) {
  Write(0, {1, 2, 3, 4});
  Write(1, {1, 1, 1, 1});
  const Values before = {9, 9, 9, 9};
  Write(2, before);
  const aclmdlRI graph = Recorded();
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(2), before) << "recording runs nothing";
  EXPECT_ACL(aclmdlRIExecuteAsync(graph, stream_));
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(2), (Values{2, 6, 12, 20}));
  Write(0, {10, 10, 10, 10});
  // On any stream of the context, and again before the first run has ended.
  EXPECT_ACL(aclmdlRIExecuteAsync(graph, nullptr));
  EXPECT_ACL(aclmdlRIExecuteAsync(graph, nullptr));
  EXPECT_ACL(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(Read(2), (Values{110, 110, 110, 110}));
  Write(1, {0, 0, 0, 1});
  EXPECT_ACL(aclmdlRIExecute(graph, -1));
  EXPECT_EQ(Read(2), (Values{100, 100, 100, 110}));
  EXPECT_ACL(aclmdlRIDestroy(graph));
}

// A run holds what it runs.
TEST_F(CaptureTest, QueuedRunsOutliveTheGraph) {
  Write(0, {1, 2, 3, 4});
  Write(1, {0, 0, 0, 0});
  const aclmdlRI graph = Recorded();
  runtime_test::Gate gate;
  gate.Close(stream_);
  EXPECT_ACL(aclmdlRIExecuteAsync(graph, stream_));
  EXPECT_ACL(aclmdlRIDestroy(graph));
  gate.Open();
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(2), (Values{1, 4, 9, 16}));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live graph", aclmdlRIDestroy, graph);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live graph", aclmdlRIExecuteAsync, graph,
                 stream_);
}

TEST_F(CaptureTest, CopiesAndFills) {
  void* pinned = nullptr;
  EXPECT_ACL(aclrtMallocHost(&pinned, kBytes));
  auto* const values = static_cast<float*>(pinned);
  values[0] = values[1] = values[2] = values[3] = 5;
  aclmdlRI graph = nullptr;
  EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_ACL(
      aclrtMemcpyAsync(memory_[0], kBytes, pinned, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  EXPECT_ACL(aclrtMemcpyAsync(memory_[1], kBytes, memory_[0], kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                              stream_));
  EXPECT_ACL(aclrtMemsetAsync(memory_[0], kBytes, 0, kBytes, stream_));
  EXPECT_ACL(aclmdlRICaptureEnd(stream_, &graph));
  values[2] = 7;
  EXPECT_ACL(aclmdlRIExecute(graph, 60'000));
  EXPECT_EQ(Read(0), (Values{0, 0, 0, 0}));
  EXPECT_EQ(Read(1), (Values{5, 5, 7, 5}));
  EXPECT_ACL(aclmdlRIDestroy(graph));
  EXPECT_ACL(aclrtFreeHost(pinned));
}

TEST_F(CaptureTest, TellsWhatItDoes) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
  aclmdlRI graph = &status, ended = nullptr;
  EXPECT_ACL(aclmdlRICaptureGetInfo(stream_, &status, &graph));
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  EXPECT_EQ(graph, nullptr);
  EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  EXPECT_ACL(aclmdlRICaptureGetInfo(stream_, &status, nullptr));
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  EXPECT_ACL(aclmdlRICaptureGetInfo(stream_, &status, &graph));
  EXPECT_REFUSED(ACL_ERROR_RT_MODEL_CAPTURED, "still records", aclmdlRIExecuteAsync, graph,
                 nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_MODEL_CAPTURED, "still records", aclmdlRIDestroy, graph);
  EXPECT_ACL(aclmdlRICaptureEnd(stream_, &ended));
  EXPECT_EQ(ended, graph);
  // Of nothing.
  EXPECT_ACL(aclmdlRIExecute(ended, -1));
  EXPECT_ACL(aclmdlRIDestroy(ended));
}

TEST_F(CaptureTest, RefusesWhatItCannotRecord) {
  aclmdlRI graph = nullptr;
  const auto global = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "default stream", aclmdlRICaptureBegin,
                 nullptr, global);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "mode is 3", aclmdlRICaptureBegin, stream_,
                 static_cast<aclmdlRICaptureMode>(3));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "records nothing", aclmdlRICaptureEnd, stream_,
                 &graph);
  aclrtEvent event = nullptr;
  EXPECT_ACL(aclrtCreateEvent(&event));
  EXPECT_ACL(aclmdlRICaptureBegin(stream_, global));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CAPTURED, "records already", aclmdlRICaptureBegin, stream_,
                 global);
  constexpr int kNot = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
  EXPECT_REFUSED(kNot, "which records work", aclrtSynchronizeStream, stream_);
  EXPECT_REFUSED(kNot, "which records work", aclrtRecordEvent, event, stream_);
  EXPECT_REFUSED(kNot, "which records work", aclrtStreamWaitEvent, stream_, event);
  aclrtStreamStatus state;
  EXPECT_REFUSED(kNot, "which records work", aclrtStreamQuery, stream_, &state);
  EXPECT_REFUSED(kNot, "records work", aclrtSynchronizeDevice);
  float host[kCount] = {};
  EXPECT_REFUSED(kNot, "this thread records", aclrtMemcpy, memory_[0], kBytes, host, kBytes,
                 ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(kNot, "this thread records", aclrtMemset, memory_[0], kBytes, 0, kBytes);
  EXPECT_REFUSED(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, "not page-locked", aclrtMemcpyAsync,
                 memory_[0], kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream_);
  EXPECT_ACL(aclmdlRICaptureEnd(stream_, &graph));
  EXPECT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_ACL(aclmdlRIDestroy(graph));
  EXPECT_ACL(aclrtDestroyEvent(event));
}

// What a thread allows itself, and what another one's capture forbids it.
TEST_F(CaptureTest, Modes) {
  float host[kCount] = {};
  const auto copy = [&] {
    return aclrtMemcpy(memory_[0], kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
  };
  const auto elsewhere = [&](aclmdlRICaptureMode mode) {
    int code = -1;
    std::thread([&] {
      EXPECT_ACL(aclrtSetDevice(0));
      EXPECT_ACL(aclmdlRICaptureThreadExchangeMode(&mode));
      EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
      code = copy();
      EXPECT_ACL(aclrtResetDevice(0));
    }).join();
    return code;
  };
  constexpr int kNot = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
  const struct {
    aclmdlRICaptureMode mode;
    int here, there_global, there_local;
  } kCases[] = {{ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, kNot, kNot, 0},
                {ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, kNot, 0, 0},
                {ACL_MODEL_RI_CAPTURE_MODE_RELAXED, 0, 0, 0}};
  for (const auto& each : kCases) {
    aclmdlRI graph = nullptr;
    EXPECT_ACL(aclmdlRICaptureBegin(stream_, each.mode));
    EXPECT_EQ(copy(), each.here) << each.mode;
    EXPECT_EQ(elsewhere(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), each.there_global) << each.mode;
    EXPECT_EQ(elsewhere(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL), each.there_local) << each.mode;
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    EXPECT_ACL(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT_EQ(copy(), 0) << each.mode;
    EXPECT_ACL(aclmdlRICaptureThreadExchangeMode(&mode));
    EXPECT_ACL(aclmdlRICaptureEnd(stream_, &graph));
    EXPECT_EQ(copy(), 0);
    EXPECT_ACL(aclmdlRIDestroy(graph));
  }
}

TEST_F(CaptureTest, EndsWhereItBegan) {
  const auto end = [&](int expected) {
    std::thread([&] {
      EXPECT_ACL(aclrtSetDevice(0));
      aclmdlRI graph = nullptr;
      EXPECT_EQ(aclmdlRICaptureEnd(stream_, &graph), expected);
      if (graph != nullptr) EXPECT_ACL(aclmdlRIDestroy(graph));
      EXPECT_ACL(aclrtResetDevice(0));
    }).join();
  };
  EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  end(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
  aclmdlRI graph = nullptr;
  EXPECT_ACL(aclmdlRICaptureEnd(stream_, &graph));
  EXPECT_ACL(aclmdlRIDestroy(graph));
  EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  end(0);
}

// A later thread, which may get the memory of the one that has ended, is another one.
TEST_F(CaptureTest, AThreadThatHasEndedKeepsItsCapture) {
  std::thread([&] {
    EXPECT_ACL(aclrtSetDevice(0));
    EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    EXPECT_ACL(aclrtResetDevice(0));
  }).join();
  for (int i = 0; i < 4; ++i) {
    std::thread([&] {
      EXPECT_ACL(aclrtSetDevice(0));
      EXPECT_ACL(aclrtMemset(memory_[0], kBytes, 0, kBytes));
      aclmdlRI graph = nullptr;
      EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "another thread began",
                     aclmdlRICaptureEnd, stream_, &graph);
      EXPECT_ACL(aclrtResetDevice(0));
    }).join();
  }
}

// Host functions share threads, but not what they set for theirs.
TEST_F(CaptureTest, EveryHostFunctionHasTheModeOfANewThread) {
  const auto exchange = [](void* data) {
    EXPECT_ACL(aclmdlRICaptureThreadExchangeMode(static_cast<aclmdlRICaptureMode*>(data)));
  };
  for (int i = 0; i < 3; ++i) {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    EXPECT_ACL(aclrtLaunchHostFunc(stream_, exchange, &mode));
    EXPECT_ACL(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
  }
}

TEST_F(CaptureTest, RefusesFreedMemoryAndOtherContexts) {
  Write(0, {1, 2, 3, 4});
  const aclmdlRI graph = Recorded();
  aclrtContext other = nullptr, own = nullptr;
  EXPECT_ACL(aclrtGetCurrentContext(&own));
  EXPECT_ACL(aclrtCreateContext(&other, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, "in another context", aclmdlRIExecuteAsync, graph,
                 nullptr);
  EXPECT_ACL(aclrtDestroyContext(other));
  EXPECT_ACL(aclrtSetCurrentContext(own));
  EXPECT_ACL(aclrtFree(memory_[1]));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "step 0 of modelRI, aclnnAdd, uses device memory",
                 aclmdlRIExecuteAsync, graph, stream_);
  EXPECT_ACL(aclmdlRIDestroy(graph));
}

// What is recorded goes with its stream.
TEST_F(CaptureTest, AStreamThatRecordsCanBeDestroyed) {
  aclmdlRI graph = nullptr;
  aclmdlRICaptureStatus status;
  EXPECT_ACL(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  EXPECT_ACL(aclmdlRICaptureGetInfo(stream_, &status, &graph));
  QueueBoth();
  EXPECT_ACL(aclrtDestroyStream(stream_));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live graph", aclmdlRIDestroy, graph);
  // Nothing is forbidden any more.
  Write(0, {1, 1, 1, 1});
}

}  // namespace
