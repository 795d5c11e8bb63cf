#include "tools/pages/checker_page.h"

#include "aclimb/core/text.h"
#include "tools/check/rule.h"

namespace aclimb {
namespace {

constexpr const char* kIntroduction = R"(# The checker

Printed by `make docs` from `tools/check/rule.h`; do not edit.

    ACLIMB_CHECK=1 ./program

runs an unchanged program and tells, on stderr, where it misuses memory, streams or objects: what was found, the
calls that are involved and where the program makes them, what to change, and the rule. Each place is told once. A
program with findings ends with status 86. Debug information (`-g`) and libdw give file and line of each call;
without, there are the names of functions.

    aclimb check: aclrtMemcpy: reads 256 bytes at 0x7f2000000200, which aclnnEluBackward, queued on stream 1, writes as
    gradInput; expected the stream to be waited for before its result is copied.
      called
        at main (train.cc:48)
      aclnnEluBackward, queued on stream 1
        at main (train.cc:47)
      the device memory at 0x7f2000000200 of 256 bytes, from aclrtMalloc
        at main (train.cc:31)
      fix: call aclrtSynchronizeStream first, or use aclrtMemcpyAsync on that stream
      rule: check/race/copy-before-sync

| variable | effect |
|---|---|
| `ACLIMB_CHECK=nan` | also looks for the first operator that makes NaN or infinity from finite inputs: reads every tensor |
| `ACLIMB_CHECK=all` | also notes what is legal but unclean, leaks of programs that do not call `aclFinalize` and of shared libraries, and unread refusals of calls that shared libraries make |
| `ACLIMB_MUTE=check/leak,check/memory/slack` | counts findings of these rules, and does not tell them |
| `ACLIMB_CHECK_OUT=file` | also writes the findings as JSON |
| `ACLIMB_CHECK_EXIT=0` | keeps the program's own exit status |

A call that is refused is a finding when the refusal is about the use of memory, streams or objects: an address that
is freed, past the end or not allocated; the wrong kind of memory or of copy; a handle or an executor that has ended; a
stream of another context; a callback that no thread would make.

Other refusals are not findings: those of a null pointer, a shape, a handle that never was one, or a workspace that is
too small. The call's code and aclGetRecentErrMsg tell about them. If the program ends and never asked for either, the
first such refusal is noted (`check/call/unread`):

- The note leaves the exit status alone, since the program may have looked at the code.
- Only calls that the executable itself makes are noted. With `ACLIMB_CHECK=all` so are those that shared libraries
  make, such as the modules of Python.
- Codes with which programs usually go on, such as 207001 (no memory) and those of timeouts, are never noted.

Races and frees under running work are found by what is ordered with what, not by what happens to run first: a missing
synchronise is told even when the work was over in time. What the checker does not see, or only in part:

- The threads of the host count as one, since the checker does not see what orders them.
- The host's own reads and writes, outside calls, are not seen: a buffer of aclrtMallocHost that is read before
  aclrtMemcpyAsync has filled it is no finding, and `aclimb explore` tells no more than that results differ.
- Views with gaps in more than one dimension, which are no regular sequence of rows, are known by their first and their
  last element alone.
- For check/memory/unwritten-read, a write through a view with gaps counts as one of the gaps too, and a read through one
  is told only if nothing at all from its first to its last byte was written.
- Of mapped memory (aclrtMapMem) it is not known what was written, nor that two addresses are of the same memory.

Freed memory is given back late, so that its use finds its own old data: up to an eighth of each device, and 64 MiB of
aclrtMallocHost. A program that needs almost all of either gets it back at once, and for host memory that is given back
there is no check/memory/use-after-free.

What a shared library keeps until the device is reset is no finding by itself: frameworks leave their memory, streams
and events to the end of the process, which gives them back.

A forked child is checked too; the sum of the findings and the exit status are the parent's. What a child alone is
refused is not noted by `check/call/unread`.

Small calls take some 20 microseconds more, since each notes where the program makes it; what takes longer hardly
changes ([performance.md](performance.md)).

`aclimb explain check/race/streams` shows single rules.
)";

struct Chapter {
  const char* title;
  std::span<const check::Rule> rules;
};

}  // namespace

std::string CheckerPage() {
  std::string out = kIntroduction;
  for (const Chapter& chapter :
       {Chapter{"Memory", check::kMemoryRules}, Chapter{"Races", check::kRaceRules},
        Chapter{"Streams, events and callbacks", check::kStreamRules},
        Chapter{"Objects", check::kObjectRules}, Chapter{"Leaks", check::kLeakRules},
        Chapter{"Data", check::kDataRules}, Chapter{"Calls", check::kCallRules}}) {
    out += Cat("\n## ", chapter.title, "\n");
    for (const check::Rule& rule : chapter.rules) {
      out +=
          Cat("\n### `", rule.id, "`\n\nExpected: ", rule.holds, ".\nUsual causes: ", rule.causes,
              ".\nWhat to do: ", rule.fix, ".\n\n```cpp\n", rule.example, "\n```\n");
    }
  }
  return out;
}

}  // namespace aclimb
