#include "aclimb/core/system_refusal.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "aclimb/core/control_groups.h"
#include "aclimb/core/parse.h"

namespace aclimb {
namespace {

// Adds to a text of fixed size; what does not fit is cut off.
template <size_t kSize>
[[gnu::format(printf, 2, 3)]] void Add(char (&text)[kSize], const char* format, ...) {
  const size_t used = std::strlen(text);
  va_list values;
  va_start(values, format);
  std::vsnprintf(text + used, kSize - used, format, values);
  va_end(values);
}

// The limits that can be behind a refusal, and how each is raised.
class Limits {
 public:
  explicit Limits(SystemRefusal& refusal) : refusal_(refusal) {}

  // `how` begins with a verb.
  void Found(const char* name, uint64_t value, const char* unit, const char* how) {
    Add(refusal_.what, "%s%s is %" PRIu64 "%s", any_ ? " and " : " while ", name, value, unit);
    Add(refusal_.fix, "%s%s", any_ ? ", " : "", how);
    any_ = true;
  }
  void OfProcess(decltype(RLIMIT_AS) resource, const char* name, const char* unit,
                 const char* how) {
    rlimit limit = {};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    Found(name, limit.rlim_cur, unit, how);
  }
  // Each group bounds all that is in it; the smallest number counts.
  void OfThreads() noexcept {
    try {
      uint64_t least = ~uint64_t{0};
      std::string name;
      for (const ControlGroup& group : ControlGroupsOf("pids")) {
        const std::string text = ReadSmallFile(group.folder + "/pids.max");
        uint64_t value = 0;
        if (!ParseWhole(std::string_view(text).substr(0, text.find('\n')), &value)) continue;
        if (value >= least) continue;
        least = value;
        name = "pids.max of cgroup " + group.name;
      }
      if (!name.empty()) Found(name.c_str(), least, "", "raise pids.max of that cgroup");
    } catch (...) {  // No memory: the message has one limit fewer.
    }
  }
  void OverCommit() noexcept {
    try {
      if (ReadSmallFile("/proc/sys/vm/overcommit_memory") == "2\n") {
        Found("vm.overcommit_memory", 2, "", "set vm.overcommit_memory to 0 (sysctl)");
      }
    } catch (...) {
    }
  }
  bool any() const { return any_; }

 private:
  SystemRefusal& refusal_;
  bool any_ = false;
};

void AddMemoryLimits(Limits& limits) {
  limits.OfProcess(RLIMIT_DATA, "RLIMIT_DATA", " bytes", "raise RLIMIT_DATA (ulimit -d)");
  limits.OfProcess(RLIMIT_AS, "RLIMIT_AS", " bytes", "raise RLIMIT_AS (ulimit -v)");
  limits.OverCommit();
}

void AddError(SystemRefusal& refusal, const char* call, uint64_t bytes, int error) {
  Add(refusal.what, ": %s", call);
  if (bytes != 0) Add(refusal.what, " of %" PRIu64 " bytes", bytes);
  char buffer[128];
  Add(refusal.what, " failed (%s)", strerror_r(error, buffer, sizeof(buffer)));
}

}  // namespace

SystemRefusal RefusedMemory(const char* whose, const char* call, uint64_t bytes,
                            int error) noexcept {
  SystemRefusal refusal;
  Add(refusal.what, "the system refused %s", whose);
  AddError(refusal, call, bytes, error);
  Limits limits(refusal);
  if (error == EFBIG) {  // of a file that is memory; less memory in use would not help
    limits.OfProcess(RLIMIT_FSIZE, "RLIMIT_FSIZE", " bytes", "raise RLIMIT_FSIZE (ulimit -f)");
  } else {
    AddMemoryLimits(limits);
    Add(refusal.fix, limits.any() ? ", or free memory" : "free memory, or end other programs");
  }
  Add(refusal.what, "; expected it to give the memory.");
  return refusal;
}

SystemRefusal RefusedThread(const char* whose, int error) noexcept {
  SystemRefusal refusal;
  Add(refusal.what, "the system refused %s", whose);
  AddError(refusal, "pthread_create", 0, error);
  Limits limits(refusal);
  // The superuser is not counted.
  if (geteuid() != 0) {
    limits.OfProcess(RLIMIT_NPROC, "RLIMIT_NPROC", " processes and threads of the user",
                     "raise RLIMIT_NPROC (ulimit -u)");
  }
  limits.OfThreads();
  // Its stack is memory.
  AddMemoryLimits(limits);
  Add(refusal.what, "; expected one more thread to be possible.");
  Add(refusal.fix, limits.any() ? ", or end threads, and call again"
                                : "end threads or free memory, and call again");
  return refusal;
}

}  // namespace aclimb
