#pragma once

namespace aclimb {

// Threads of the OpenMP runtime, which oneDNN works with. oneDNN cuts its work into as many parts
// as it is told that there are threads, and leaves parts undone, or waits for ever, when a region
// gets fewer. The runtime gives fewer by its own rules (OMP_THREAD_LIMIT, OMP_DYNAMIC,
// OMP_MAX_ACTIVE_LEVELS and what a program sets), and ends the process when the system refuses it a
// thread. So the size is found out first, and threads are asked of the system before the runtime
// asks.

// How many threads of `wanted` a region of an OpenMpScope will get, at least 1. For any thread of
// the process, inside a parallel region too.
int OpenMpThreads(int wanted);

// While it lives, this thread's OpenMP settings are those of a team of `threads`, a number that
// OpenMpThreads gave. For what only asks for the size, as the description of a primitive does.
class OpenMpSettings {
 public:
  explicit OpenMpSettings(int threads);
  ~OpenMpSettings();
  OpenMpSettings(const OpenMpSettings&) = delete;
  OpenMpSettings& operator=(const OpenMpSettings&) = delete;

 private:
  const int threads_, dynamic_, levels_;  // before
};

// OpenMpSettings, and the runtime has started that many threads, which stay with this thread: it
// must be one of ours where they are several. Each region that asks for all of them has them. A
// region that asks for fewer has the runtime end the others, and the next region starts them anew,
// which nobody can ask the system about in between. Throws std::system_error when the system has no
// thread left by now.
class OpenMpScope {
 public:
  explicit OpenMpScope(int threads);

 private:
  const OpenMpSettings settings_;
};

// Runs the body on this thread, as member 0, and on the others of its team, where there is none of
// OpenMpThreads(wanted); returns when all have ended. False, and nothing has run, when there is no
// team of several.
bool RunOnOpenMpTeam(int wanted, void (*body)(void* context, int member), void* context);

}  // namespace aclimb
