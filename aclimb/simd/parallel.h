#pragma once

#include <cstdint>
#include <type_traits>

namespace aclimb {

// The one place where compute threads are made. Team work runs on the OpenMP runtime that oneDNN
// uses, and only an engine's own thread may start it.

// Threads of the compute team: ACLIMB_THREADS, else all cores of the process's affinity mask.
int TeamSize();
// Called once by the runtime and by tests; values below 1 mean all cores.
void SetTeamSize(int threads);

// Long loops ask this between pieces and stop early when it answers true (stream abort).
// Null, the default, means never. It is called on the thread that called ParallelFor.
void SetCancelQuery(int (*query)());
// What the query answers now, for work between two loops.
bool IsCancelled();

// As aclimb_run_shared (aclimb/bridge); null, the default, where there is nobody to share with.
using SharedRun = void (*)(void (*body)(void* context, int part), void* context);
void SetSharedRun(SharedRun run);

// While one lives, loops of this thread open no team. They are still shared with another thread of
// the runtime that has nothing to do.
class SerialScope {
 public:
  explicit SerialScope(bool serial);
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;

 private:
  bool before_;
};

namespace parallel_internal {
using Body = void (*)(void* context, int64_t begin, int64_t end);
// False when the cancel query stopped it.
bool Run(int64_t count, int64_t grain, Body body, void* context);
}  // namespace parallel_internal

// Calls body(begin, end) on disjoint pieces that cover [0, count) in no particular order. A piece
// is at most `grain` long; one fork-join per call, none when a single piece covers everything.
// Results must not depend on the split: write disjoint outputs, or reduce over fixed blocks. What
// the body throws on any thread ends the loop, and the first of it leaves the call.
//
// ParallelForAll says whether every piece ran: after a cancelled loop the next one would read what
// was never written.
template <typename F>
[[nodiscard]] bool ParallelForAll(int64_t count, int64_t grain, F&& body) {
  return parallel_internal::Run(
      count, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<std::remove_reference_t<F>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}
template <typename F>
void ParallelFor(int64_t count, int64_t grain, F&& body) {
  (void)ParallelForAll(count, grain, body);
}

}  // namespace aclimb
