#pragma once

#include <cstdint>
#include <type_traits>

namespace aclimb {

// Threads of the compute team: ACLIMB_THREADS, else those of DefaultTeam() (cores.h).
int TeamSize();
// Called once by the runtime and by tests; values below 1 mean the default.
void SetTeamSize(int threads);

// At the end of a region OpenMP's threads, the program's own among them, spin for milliseconds.
// Where they are as many as the processors, that is on the cores that our threads need, and where a
// neighbour has taken a core from one of them, the others spin through its whole absence. This has
// them sleep at once, unless the program chose how they wait (OMP_WAIT_POLICY, GOMP_SPINCOUNT) or
// the system has threads for little else.
void ShortenOpenMpWaits() noexcept;

// Long loops ask this between pieces and stop early when it answers true (stream abort).
// Null, the default, means never. It is called on the thread that called ParallelFor.
void SetCancelQuery(int (*query)());
// What the query answers now, for work between two loops.
bool IsCancelled();

// Who takes part in the loops of a thread.
enum class Helpers : uint8_t {
  kNone,    // nobody: there is too little to share out
  kAwake,   // threads of the team that are awake: for work of at most a hundred microseconds or so
  kOpenMp,  // OpenMP's threads, where oneDNN works too: two teams would take turns on the cores
  kTeam,    // all of the team
};
// While one lives, the loops of this thread have those helpers at most. Without one, all.
class HelpersScope {
 public:
  explicit HelpersScope(Helpers helpers);
  ~HelpersScope();
  HelpersScope(const HelpersScope&) = delete;
  HelpersScope& operator=(const HelpersScope&) = delete;

 private:
  Helpers before_;
};

namespace parallel_internal {
using Body = void (*)(void* context, int64_t begin, int64_t end);
// False when the cancel query stopped it.
bool Run(int64_t count, int64_t grain, Body body, void* context);
}  // namespace parallel_internal

// Calls body(begin, end) on disjoint pieces that cover [0, count) in no particular order, here and
// on those threads of the team (team.h) that come in time; with Helpers::kOpenMp, on all of them. A
// piece is at most `grain` long. Results must not depend on the split: write disjoint outputs, or
// reduce over fixed blocks. What the body throws on any thread ends the loop, and the first of it
// leaves the call.
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
