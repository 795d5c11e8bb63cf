// Phase 1 keeps oneDNN, which reads and depends on OpenMP's settings, off the calling thread.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/ops/convolution_backward/test_operands.h"

extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);

namespace {

thread_local bool watched = false;
std::atomic<int> calls_when_watched{0};
std::atomic<int> calls{0};
std::atomic<int> calls_open_to_signals{0};
std::atomic<int> questions{0};
std::atomic<int> answer{0};  // what oneDNN says instead of looking; 0: it looks

// oneDNN's dnnl_status_t.
constexpr int kOutOfMemory = 1, kInvalidArguments = 2, kUnimplemented = 3, kRuntimeError = 5;

template <typename Function>
Function Next(const char* name) {
  ++calls;
  if (watched) ++calls_when_watched;
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// In front of the OpenMP runtime's own: oneDNN asks for the team before it describes anything.
extern "C" int omp_get_max_threads() { return Next<int (*)()>("omp_get_max_threads")(); }
extern "C" void omp_set_num_threads(int threads) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (!watched && sigismember(&blocked, SIGALRM) == 0) ++calls_open_to_signals;
  Next<void (*)(int)>("omp_set_num_threads")(threads);
}
// In front of oneDNN's own, which every primitive is looked up with.
extern "C" int dnnl_primitive_desc_iterator_create(void** iterator, const void* desc,
                                                   const void* attr, void* engine,
                                                   const void* hint) {
  ++questions;
  if (answer != 0) return answer;
  using Create = int (*)(void**, const void*, const void*, void*, const void*);
  return reinterpret_cast<Create>(dlsym(RTLD_NEXT, "dnnl_primitive_desc_iterator_create"))(
      iterator, desc, attr, engine, hint);
}

namespace aclimb::convolution_backward {
namespace {

// A dense convolution `width` wide.
Geometry NewGeometry(int64_t width) {
  return GeometryOf(2, 32, 32, {{}, {16, 3, 1, 1, 1, 1}, {width, 3, 1, 1, 1, 1}});
}

// Plans its gradients; the width is new to the caches.
void PlanNew(int64_t width) {
  const Geometry g = NewGeometry(width);
  const Triple<Place> places = DensePlaces(g, DType::kFloat32);
  Planner planner(false);
  PlanBuilder builder(planner, g, false, places.y, places.x, places.weight);
  builder.AddGradients(places.x, places.weight);
  EXPECT_NE(builder.Take(), nullptr);
}

int MaxThreads() {
  const bool before = watched;
  watched = false;
  const int threads = omp_get_max_threads();
  watched = before;
  return threads;
}

// Plans on this thread and expects that OpenMP heard nothing from it.
void PlanWatched(int64_t width) {
  const int before = MaxThreads();
  watched = true;
  PlanNew(width);
  watched = false;
  EXPECT_EQ(MaxThreads(), before);
}

TEST(ConvolutionPhase1, AsksOpenMpNothingOnTheCallersThread) {
  const int before = MaxThreads();
  omp_set_num_threads(3);
  const int calls_before = calls.load();
  PlanWatched(61);
  EXPECT_GT(calls.load(), calls_before + 2) << "oneDNN asks through another symbol";
  EXPECT_EQ(calls_when_watched.load(), 0);
  EXPECT_EQ(MaxThreads(), 3);
  omp_set_num_threads(before);
}

TEST(ConvolutionPhase1, OneDnnRunsWhereNoSignalArrives) {
  const int calls_before = calls.load();
  const int open_before = calls_open_to_signals.load();
  PlanNew(60);
  EXPECT_GT(calls.load(), calls_before);
  EXPECT_EQ(calls_open_to_signals.load(), open_before);
}

TEST(ConvolutionPhase1, OnlyRefusalsOfOneDnnAreRemembered) {
  const onednn::Request passing = {NewGeometry(90)};
  answer = kOutOfMemory;
  EXPECT_THROW(onednn::MakePrimitive(passing), std::bad_alloc);
  answer = kRuntimeError;
  EXPECT_ANY_THROW(onednn::MakePrimitive(passing));
  answer = 0;
  EXPECT_NE(onednn::MakePrimitive(passing), nullptr) << "a passing error was remembered";
  for (const int refusal : {kInvalidArguments, kUnimplemented}) {
    const onednn::Request refused = {NewGeometry(90 + refusal)};
    answer = refusal;
    EXPECT_EQ(onednn::MakePrimitive(refused), nullptr);
    answer = 0;
    const int questions_before = questions.load();
    EXPECT_EQ(onednn::MakePrimitive(refused), nullptr) << "a refusal was asked for again";
    EXPECT_EQ(questions.load(), questions_before);
  }
}

// oneDNN divides by a count that wraps to 0 there, which ends the process.
TEST(ConvolutionPhase1, OneDnnIsNotAskedAboutMoreElementsThanItCounts) {
  for (const int64_t width : {1 << 12, 1 << 13, 1 << 15}) {
    const Geometry g = GeometryOf(1 << 20, 1, 1, {{}, {}, {width}});
    const Triple<Place> places = DensePlaces(g, DType::kFloat32);
    const int questions_before = questions.load();
    for (const bool of_input : {true, false}) {
      Planner planner(false);
      PlanBuilder builder(planner, g, false, places.y, places.x, places.weight);
      builder.AddGradients(of_input ? places.x : Place(), of_input ? Place() : places.weight);
      EXPECT_NE(builder.Take(), nullptr);
    }
    EXPECT_EQ(questions.load() == questions_before, width >= 1 << 13) << width;
  }
}

TEST(ConvolutionPhase1, WorksInsideAParallelRegion) {
  std::atomic<int64_t> width{62};
  GOMP_parallel([](void* data) { PlanWatched((*static_cast<std::atomic<int64_t>*>(data))++); },
                &width, 4, 0);
  EXPECT_EQ(width.load(), 66);
  EXPECT_EQ(calls_when_watched.load(), 0);
}

TEST(ConvolutionPhase1, WorksFromEightThreads) {
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      // One shape of their own and one in common.
      PlanWatched(66 + t);
      PlanWatched(80);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls_when_watched.load(), 0);
}

}  // namespace
}  // namespace aclimb::convolution_backward
