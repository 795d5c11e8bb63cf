#include "aclimb/simd/parallel.h"

#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "aclimb/core/cores.h"
#include "aclimb/core/cpu_target.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/openmp_team.h"
#include "aclimb/simd/team.h"

namespace aclimb {
namespace {

// Keeps Highway's dispatch to what ACLIMB_CPU_TARGET allows, before the first kernel is chosen. All
// libraries with kernels have this file, and share Highway's.
[[maybe_unused]] const bool has_pinned_target = [] {
#if HWY_ARCH_X86
  // Better instruction sets have lower bits.
  switch (MostCpuTarget()) {
    case CpuTarget::kAvx2:
      hwy::DisableTargets(HWY_AVX2 - 1);
      break;
    case CpuTarget::kAvx512:
      hwy::DisableTargets(HWY_AVX3 - 1);
      break;
    case CpuTarget::kAvx512BFloat16:
      // Highway's sets with AVX512_BF16 are newer than version 1.0.
#ifdef HWY_AVX3_ZEN4
      hwy::DisableTargets(HWY_AVX3_ZEN4 - 1);
#endif
      break;
    case CpuTarget::kAll:
      break;
  }
#endif
  return true;
}();

std::atomic<int> team_size{0};
std::atomic<int (*)()> cancel_query{nullptr};
// Found without a call, as every thread-local variable that each run reads.
[[gnu::tls_model("initial-exec")]] thread_local Helpers helpers = Helpers::kTeam;

struct Job {
  int64_t count;
  int64_t grain;
  parallel_internal::Body body;
  void* context;
  // A run of consecutive pieces for each member of a team.
  static constexpr int kMostShares = 64;
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;
  };
  Share* shares = nullptr;
  int share_count = 0;
  std::atomic<bool> stop{false};
  std::atomic<bool> failed{false};
  std::exception_ptr error = nullptr;  // the first one

  int64_t Pieces() const { return CeilDivide(count, grain); }

  void RunAlone() noexcept {
    Guarded([&] {
      const int64_t pieces = Pieces();
      for (int64_t piece = 0; piece < pieces && RunPiece(piece, true); ++piece) {
      }
    });
  }

  // A member takes the pieces of its own share first, so that it streams through its own memory,
  // which repeated loops find in the cache of its core; then those that late or missing members
  // have not taken.
  void RunAsMember(int member) noexcept {
    Guarded([&] {
      const bool asks = member == 0;
      for (int i = 0; i < share_count; ++i) {
        Share& share = shares[(member + i) % share_count];
        // A share that has ended is only read: its line stays where it is.
        while (share.next.load(std::memory_order_relaxed) < share.end) {
          const int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
          if (piece >= share.end) break;
          if (!RunPiece(piece, asks)) return;
        }
      }
    });
  }

 private:
  // An exception must not leave the team's region.
  template <typename F>
  void Guarded(F&& run) noexcept {
    try {
      run();
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
      stop.store(true, std::memory_order_relaxed);
    }
  }

  // False when the loop stops.
  bool RunPiece(int64_t piece, bool asks) {
    if (stop.load(std::memory_order_relaxed)) return false;
    if (asks && IsCancelled()) {
      stop.store(true, std::memory_order_relaxed);
      return false;
    }
    const int64_t begin = piece * grain;
    body(context, begin, std::min(count, begin + grain));
    return true;
  }
};

void RunOnTeam(Job& job, int members) {
  Job::Share shares[Job::kMostShares];
  job.shares = shares;
  job.share_count = std::min(members, Job::kMostShares);
  const int64_t pieces = job.Pieces();
  for (int i = 0; i < job.share_count; ++i) {
    shares[i].next.store(pieces * i / job.share_count, std::memory_order_relaxed);
    shares[i].end = pieces * (i + 1) / job.share_count;
  }
  const auto run = [](void* data, int member) {
    const HelpersScope alone(Helpers::kNone);  // loops inside this one
    static_cast<Job*>(data)->RunAsMember(member);
  };
  if (helpers == Helpers::kOpenMp && RunOnOpenMpTeam(TeamSize(), run, &job)) return;
  Team::Get().Run(members, helpers == Helpers::kAwake ? Team::Length::kShort : Team::Length::kLong,
                  run, &job);
}

}  // namespace

int TeamSize() {
  int size = team_size.load(std::memory_order_relaxed);
  if (size == 0) {
    size = CoreCount();
    team_size.store(size, std::memory_order_relaxed);
  }
  return size;
}

void SetTeamSize(int threads) {
  team_size.store(threads < 1 ? CoreCount() : threads, std::memory_order_relaxed);
}

void SetCancelQuery(int (*query)()) { cancel_query.store(query, std::memory_order_release); }

bool IsCancelled() {
  const auto query = cancel_query.load(std::memory_order_acquire);
  return query != nullptr && query() != 0;
}

HelpersScope::HelpersScope(Helpers most) : before_(helpers) { helpers = std::min(helpers, most); }

HelpersScope::~HelpersScope() { helpers = before_; }

namespace parallel_internal {

bool Run(int64_t count, int64_t grain, Body body, void* context) {
  if (count <= 0) return true;
  if (count <= grain) {
    if (IsCancelled()) return false;
    body(context, 0, count);
    return true;
  }
  Job job{count, std::max<int64_t>(1, grain), body, context};
  const auto members = static_cast<int>(std::min<int64_t>(TeamSize(), job.Pieces()));
  if (members > 1 && helpers != Helpers::kNone) {
    RunOnTeam(job, members);
  } else {
    job.RunAlone();
  }
  if (job.error != nullptr) std::rethrow_exception(job.error);
  return !job.stop.load(std::memory_order_relaxed);
}

}  // namespace parallel_internal
}  // namespace aclimb
