#include "aclimb/core/cores.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "aclimb/core/control_groups.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/text.h"

namespace aclimb {
namespace {

// The mask may have more bits than cpu_set_t.
int MaskedCores() {
  for (int bits = CPU_SETSIZE; bits <= 1 << 20; bits *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(bits);
    if (mask == nullptr) return 1;
    const size_t bytes = CPU_ALLOC_SIZE(bits);
    CPU_ZERO_S(bytes, mask);
    const bool read = sched_getaffinity(getpid(), bytes, mask) == 0;
    const int count = read ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (read) return std::max(1, count);
  }
  return 1;
}

// Microseconds of time in a period; a quota of none is 0.
struct Quota {
  uint64_t time = 0, period = 0;
};

// Version 2 has "150000 100000" or "max 100000" in one file, version 1 two files and -1 for none.
Quota QuotaOf(const ControlGroup& group) {
  const auto number = [](std::string_view text) {
    text = text.substr(0, text.find('\n'));
    uint64_t value = 0;
    return ParseWhole(text, &value) ? value : 0;
  };
  if (group.version == 1) {
    return {number(ReadSmallFile(group.folder + "/cpu.cfs_quota_us")),
            number(ReadSmallFile(group.folder + "/cpu.cfs_period_us"))};
  }
  const std::string both = ReadSmallFile(group.folder + "/cpu.max");
  const size_t space = both.find(' ');
  if (space == std::string::npos) return {};
  return {number(std::string_view(both).substr(0, space)),
          number(std::string_view(both).substr(space + 1))};
}

CoreLimit Smaller(CoreLimit limit, uint64_t count, std::string reason) {
  if (count >= static_cast<uint64_t>(limit.count)) return limit;
  return {std::max(1, static_cast<int>(count)), std::move(reason)};
}

CoreLimit WithinOwnThreadLimit(CoreLimit cores) {
  const char* const limit = std::getenv("OMP_THREAD_LIMIT");
  return WithinThreadLimit(std::move(cores), limit == nullptr ? "" : limit);
}

}  // namespace

CoreLimit WithinQuota(CoreLimit cores, const std::string& root) {
  for (const ControlGroup& group : ControlGroupsOf("cpu", root)) {
    const Quota quota = QuotaOf(group);
    if (quota.time == 0 || quota.period == 0) continue;
    cores = Smaller(std::move(cores), quota.time / quota.period,
                    Cat("CPU quota of cgroup ", group.name));
  }
  return cores;
}

CoreLimit WithinThreadLimit(CoreLimit cores, std::string_view limit) {
  const size_t first = limit.find_first_not_of(" \t");
  if (first == std::string_view::npos) return cores;
  limit = limit.substr(first, limit.find_last_not_of(" \t") + 1 - first);
  uint64_t threads = 0;
  if (!ParseWhole(limit, &threads) || threads == 0) return cores;
  return Smaller(std::move(cores), threads, Cat("OMP_THREAD_LIMIT=", threads));
}

int MachineCores() { return static_cast<int>(std::max<long>(1, sysconf(_SC_NPROCESSORS_ONLN))); }

namespace {

// Without memory for texts the mask alone decides.
CoreLimit FindUsableCores() noexcept {
  const int masked = MaskedCores();
  try {
    return WithinQuota({masked, masked < MachineCores() ? "affinity mask" : ""}, "");
  } catch (...) {
    return {masked, ""};
  }
}

CoreLimit FindDefaultTeam() noexcept {
  try {
    return WithinOwnThreadLimit(UsableCores());
  } catch (...) {
    return {CoreCount(), ""};
  }
}

// Never destroyed: an engine may ask while the process exits. Takes no memory.
template <CoreLimit (*Find)()>
const CoreLimit& FoundOnce() {
  alignas(CoreLimit) static unsigned char place[sizeof(CoreLimit)];
  static const CoreLimit* const found = new (place) CoreLimit(Find());
  return *found;
}

}  // namespace

const CoreLimit& UsableCores() { return FoundOnce<FindUsableCores>(); }

int CoreCount() { return UsableCores().count; }

const CoreLimit& DefaultTeam() { return FoundOnce<FindDefaultTeam>(); }

CoreLimit TeamOf(int wanted) {
  if (wanted < 1) return DefaultTeam();
  return WithinOwnThreadLimit({wanted, "ACLIMB_THREADS"});
}

}  // namespace aclimb
