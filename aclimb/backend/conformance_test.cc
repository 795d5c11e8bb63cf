// What every backend must do, whoever wrote it. Runs for each backend that can be loaded; the names
// come from ACLIMB_CONFORMANCE (a comma list), by default the processor alone.
#include "aclimb/backend/conformance.h"

#include <cstdlib>
#include <sstream>

namespace aclimb {
namespace {

TEST_P(Conformance, TheTableIsComplete) {
  EXPECT_EQ(backend_->api_version, uint32_t{ACLIMB_BACKEND_API_VERSION});
  EXPECT_EQ(backend_->struct_size, sizeof(AclimbBackend));
  EXPECT_EQ(GetParam(), backend_->name);
  // Behind the header there are only function pointers, all of them required but the kernels'.
  const auto* entries = reinterpret_cast<void* const*>(&backend_->configure);
  const size_t count = (sizeof(AclimbBackend) - offsetof(AclimbBackend, configure)) / sizeof(void*);
  const auto* kernels = reinterpret_cast<void* const*>(&backend_->kernel_make);
  for (size_t i = 0; i < count; ++i) {
    const bool optional = entries + i >= kernels && entries + i < kernels + 3;
    EXPECT_TRUE(optional || entries[i] != nullptr) << "entry " << i;
  }
  EXPECT_EQ(kernels[0] == nullptr, kernels[1] == nullptr);
  EXPECT_EQ(kernels[0] == nullptr, kernels[2] == nullptr);
}

TEST_P(Conformance, Properties) {
  AclimbDeviceProperties properties = {};
  ASSERT_EQ(backend_->device_properties(0, &properties), 0);
  EXPECT_NE(properties.name, nullptr);
  EXPECT_GE(properties.cores, 1);
  EXPECT_GT(properties.memory_bytes, 0u);
}

TEST_P(Conformance, TasksRunOnceInOrderAndAreReleased) {
  std::vector<Counted> tasks(300);
  uint32_t first = 0, last = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    ASSERT_EQ(Submit(queue_, &tasks[i], i == 0 ? &first : &last), 0);
  }
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  for (const Counted& task : tasks) {
    EXPECT_EQ(task.runs.load(), 1);
    EXPECT_EQ(task.releases.load(), 1);
  }
  EXPECT_EQ(last - first, tasks.size() - 1);
  int idle = 0;
  ASSERT_EQ(backend_->queue_query(queue_, &idle), 0);
  EXPECT_EQ(idle, 1);
}

TEST_P(Conformance, SuspensionHoldsOneQueueOnly) {
  Hold hold;
  Counted behind, beside;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  ASSERT_EQ(Submit(queue_, &behind), 0);
  ASSERT_EQ(Submit(other_, &beside), 0);
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  AclimbSuspension* suspension = hold.Reached();
  EXPECT_EQ(backend_->queue_wait(queue_, 5), kRtStreamSyncTimeout);
  int idle = 1;
  ASSERT_EQ(backend_->queue_query(queue_, &idle), 0);
  EXPECT_EQ(idle, 0);
  EXPECT_EQ(behind.runs.load(), 0);
  EXPECT_EQ(beside.runs.load(), 1);
  backend_->queue_resume(suspension);
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(behind.runs.load(), 1);
}

// `start` may be called within queue_suspend or later, but without locks, and may use the backend.
TEST_P(Conformance, StartOfAHaltMayUseTheBackend) {
  struct Halt {
    const AclimbBackend* backend;
    AclimbQueue* queue;
    const Counted* before;
    int runs_before = -1, idle = -1, starts = 0;
  };
  const auto start = [](void* payload, AclimbSuspension* suspension) {
    auto* const halt = static_cast<Halt*>(payload);
    halt->runs_before = halt->before->runs;
    EXPECT_EQ(halt->backend->queue_query(halt->queue, &halt->idle), 0);
    ++halt->starts;
    halt->backend->queue_resume(suspension);
  };
  // With nothing in front of the halt, and with a task.
  for (const int tasks : {0, 1}) {
    Counted before, behind;
    Halt halt = {backend_, queue_, &before};
    for (int i = 0; i < tasks; ++i) ASSERT_EQ(Submit(queue_, &before), 0);
    ASSERT_EQ(backend_->queue_suspend(queue_, start, &halt, 0, nullptr), 0);
    ASSERT_EQ(Submit(queue_, &behind), 0);
    ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
    EXPECT_EQ(halt.starts, 1);
    EXPECT_EQ(halt.runs_before, tasks);
    EXPECT_EQ(halt.idle, 0);
    EXPECT_EQ(behind.runs.load(), 1);
  }
}

TEST_P(Conformance, MarkersOrderQueuesAndCarryTime) {
  Hold hold;
  Counted before, after;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  ASSERT_EQ(Submit(queue_, &before), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  ASSERT_EQ(Submit(other_, &after), 0);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_PENDING);
  EXPECT_EQ(backend_->marker_time(marker), 0u);
  EXPECT_EQ(backend_->marker_wait(marker, 5, 1), kRtEventSyncTimeout);
  EXPECT_EQ(backend_->queue_wait(other_, 5), kRtStreamSyncTimeout);
  backend_->marker_retain(marker);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->marker_wait(marker, -1, 1), 0);
  backend_->marker_release(marker);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_DONE);
  EXPECT_GT(backend_->marker_time(marker), 0u);
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  EXPECT_EQ(before.runs.load(), 1);
  EXPECT_EQ(after.runs.load(), 1);
  AclimbMarker* later = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &later), 0);
  ASSERT_EQ(backend_->marker_wait(later, -1, 1), 0);
  EXPECT_GE(backend_->marker_time(later), backend_->marker_time(marker));
  backend_->marker_release(marker);
  backend_->marker_release(later);
}

TEST_P(Conformance, WaitOutlivesTheMarkersOwner) {
  Hold hold;
  Counted after;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  backend_->marker_release(marker);
  ASSERT_EQ(Submit(other_, &after), 0);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(other_, -1), 0);
  EXPECT_EQ(after.runs.load(), 1);
}

TEST_P(Conformance, WaitTimeoutIsTheQueuesError) {
  Hold hold;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 30), 0);
  EXPECT_EQ(backend_->queue_wait(other_, -1), kRtEventSyncTimeout);
  backend_->queue_resume(hold.Reached());
  ASSERT_EQ(backend_->queue_wait(queue_, -1), 0);
  backend_->marker_release(marker);
}

TEST_P(Conformance, FirstErrorIsReturnedOnceAndFailuresAreListed) {
  Counted one, two, three;
  one.code = kRtAicoreException;
  one.texts = {"it was not told to", "it was told to"};
  two.code = kRtAicpuException;
  three.texts = {"nobody asks one that succeeds"};
  ASSERT_EQ(Submit(queue_, &one), 0);
  ASSERT_EQ(Submit(queue_, &two), 0);
  ASSERT_EQ(Submit(queue_, &three), 0);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), kRtAicoreException);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(three.runs.load(), 1);
  AclimbTaskFailure failure = {};
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicoreException);
  EXPECT_STREQ(failure.task, "counted");
  EXPECT_STREQ(failure.why, "it was told to");
  std::free(failure.why);
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicpuException);
  EXPECT_EQ(failure.why, nullptr);
  EXPECT_EQ(backend_->queue_take_failure(queue_, &failure), 0);
}

TEST_P(Conformance, AFailureBehindAMarkerIsOfTheNextWait) {
  Counted one, two;
  one.code = kRtAicoreException;
  two.code = kRtAicpuException;
  AclimbMarker *marker = nullptr, *behind = nullptr;
  ASSERT_EQ(Submit(queue_, &one), 0);
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(Submit(queue_, &two), 0);
  ASSERT_EQ(backend_->queue_record(queue_, &behind), 0);
  EXPECT_EQ(backend_->marker_wait(behind, -1, /*take_error=*/0), 0);
  EXPECT_EQ(backend_->marker_wait(marker, -1, 1), kRtAicoreException);
  AclimbTaskFailure failure = {};
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicoreException);
  std::free(failure.why);
  EXPECT_EQ(backend_->queue_take_failure(queue_, &failure), 0) << "nobody was told of it yet";
  EXPECT_EQ(backend_->queue_wait(queue_, -1), kRtAicpuException);
  ASSERT_EQ(backend_->queue_take_failure(queue_, &failure), 1);
  EXPECT_EQ(failure.code, kRtAicpuException);
  std::free(failure.why);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  backend_->marker_release(marker);
  backend_->marker_release(behind);
}

TEST_P(Conformance, StopOnFailureStopsTheGroup) {
  AclimbQueue* stopping = MakeQueue(77);
  AclimbQueue* beside = MakeQueue(77);
  ASSERT_EQ(backend_->queue_stop_on_failure(stopping), 0);
  Counted bad, behind, other, outside;
  bad.code = kRtAicoreException;
  ASSERT_EQ(Submit(stopping, &bad), 0);
  ASSERT_EQ(Submit(stopping, &behind), 0);
  EXPECT_EQ(backend_->queue_wait(stopping, -1), kRtAicoreException);
  EXPECT_EQ(backend_->queue_wait(stopping, -1), kRtAicoreException);
  ASSERT_EQ(Submit(beside, &other), 0);
  EXPECT_EQ(backend_->queue_wait(beside, -1), kRtAicoreException);
  ASSERT_EQ(Submit(queue_, &outside), 0);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(behind.runs + other.runs, 0);
  EXPECT_EQ(behind.releases + other.releases, 2) << "dropped tasks are released";
  EXPECT_EQ(outside.runs.load(), 1);
  EXPECT_EQ(backend_->queue_destroy(stopping, 1), 0);
  EXPECT_EQ(backend_->queue_destroy(beside, 1), 0);
}

TEST_P(Conformance, AbortDropsAndReleases) {
  Hold hold, never;
  Counted dropped, later;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  AclimbSuspension* suspension = hold.Reached();
  ASSERT_EQ(Submit(queue_, &dropped), 0);
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &never, 0, nullptr), 0);
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &marker), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, marker, 0), 0);
  ASSERT_EQ(backend_->queue_abort(queue_), 0);
  EXPECT_EQ(dropped.runs.load(), 0);
  EXPECT_EQ(dropped.releases.load(), 1);
  EXPECT_EQ(never.dropped.load(), 1);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_DROPPED);
  EXPECT_EQ(backend_->marker_wait(marker, -1, 1), kRtStreamAbort);
  EXPECT_EQ(backend_->queue_wait(other_, -1), kRtStreamAbort);
  int idle = 0;
  EXPECT_EQ(backend_->queue_query(other_, &idle), kRtStreamAbort);
  backend_->marker_release(marker);
  backend_->queue_resume(suspension);
  ASSERT_EQ(Submit(queue_, &later), 0);
  EXPECT_EQ(backend_->queue_wait(queue_, -1), 0);
  EXPECT_EQ(later.runs.load(), 1);
}

TEST_P(Conformance, DestroyWithoutDrainReleases) {
  AclimbQueue* queue = MakeQueue(5);
  Hold hold;
  Counted dropped;
  ASSERT_EQ(backend_->queue_suspend(queue, Hold::Start, &hold, 0, nullptr), 0);
  AclimbSuspension* suspension = hold.Reached();
  AclimbMarker* done = nullptr;
  AclimbMarker* marker = nullptr;
  ASSERT_EQ(backend_->queue_record(other_, &done), 0);
  ASSERT_EQ(Submit(queue, &dropped), 0);
  ASSERT_EQ(backend_->queue_record(queue, &marker), 0);
  EXPECT_EQ(backend_->queue_destroy(queue, 0), 0);
  EXPECT_EQ(dropped.runs.load(), 0);
  EXPECT_EQ(dropped.releases.load(), 1);
  EXPECT_EQ(backend_->marker_state(marker), ACLIMB_MARKER_DROPPED);
  EXPECT_EQ(backend_->marker_wait(marker, -1, 1), kRtStreamAbort);
  EXPECT_EQ(backend_->marker_state(done), ACLIMB_MARKER_DONE);
  backend_->marker_release(marker);
  backend_->marker_release(done);
  backend_->queue_resume(suspension);
}

// Draining ends at work that can never run, and what is behind it is dropped, not done.
TEST_P(Conformance, DestroyWithDrainDropsWhatDependsOnDroppedWork) {
  AclimbQueue* queue = MakeQueue(5);
  Hold hold;
  Counted dropped;
  ASSERT_EQ(backend_->queue_suspend(queue_, Hold::Start, &hold, 0, nullptr), 0);
  AclimbSuspension* suspension = hold.Reached();
  AclimbMarker* before = nullptr;
  AclimbMarker* behind = nullptr;
  ASSERT_EQ(backend_->queue_record(queue_, &before), 0);
  ASSERT_EQ(backend_->queue_wait_marker(queue, before, 0), 0);
  ASSERT_EQ(Submit(queue, &dropped), 0);
  ASSERT_EQ(backend_->queue_record(queue, &behind), 0);
  ASSERT_EQ(backend_->queue_wait_marker(other_, behind, 0), 0);
  ASSERT_EQ(backend_->queue_abort(queue_), 0);
  EXPECT_EQ(backend_->queue_destroy(queue, 1), 0);
  EXPECT_EQ(dropped.runs.load(), 0);
  EXPECT_EQ(dropped.releases.load(), 1);
  EXPECT_EQ(backend_->marker_state(behind), ACLIMB_MARKER_DROPPED);
  EXPECT_EQ(backend_->queue_wait(other_, -1), kRtStreamAbort);
  backend_->marker_release(before);
  backend_->marker_release(behind);
  backend_->queue_resume(suspension);
}

std::vector<std::string> Names() {
  const char* list = std::getenv("ACLIMB_CONFORMANCE");
  std::istringstream stream(list != nullptr ? list : "cpu");
  std::vector<std::string> names;
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, testing::ValuesIn(Names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace aclimb
