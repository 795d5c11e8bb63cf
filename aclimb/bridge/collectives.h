#pragma once

// What libascendcl.so offers to libhccl.so alone, beside bridge.h. C linkage and plain types only.

#include "aclimb/bridge/bridge.h"

struct AclimbSuspension;  // backend.h

#ifdef __cplusplus
extern "C" {
#endif

// The kind of a communicator's handle, behind those of bridge.h, which every operator's code sees.
#define ACLIMB_HANDLE_COMMUNICATOR ACLIMB_HANDLE_KINDS

// One operation of a communicator on its way through a stream. When the stream gets there it stands
// still, without keeping a thread, until aclimb_collective_done(); then it goes on, with the error
// that `finish` returned, if any.
typedef struct AclimbCollective {
  const char* name;  // static text: the public function, for errors and traces
  // The stream has come to the operation. Returns at once. With a null `stop` the operation was
  // dropped: its stream was aborted or destroyed, or nothing was queued. Where it was reached
  // before, nobody gets its result any more; the stream still stands until it is done.
  void (*reached)(void* payload, struct AclimbSuspension* stop);
  // A thread that would wait for the stream offers to do the operation itself, which saves waking
  // others. Returns when it is done, or at once when it is not its turn or somebody does it: 0, or
  // 1 when it was dropped meanwhile.
  int (*help)(void* payload);
  // The program does not wait for the stream now. If the operation was left to a thread that would
  // wait, the communicator's own thread begins it. Returns at once.
  void (*hurry)(void* payload);
  // After aclimb_collective_done, on a thread of the runtime: 0 or the aclError of the task, which
  // may call aclimb_explain.
  int (*finish)(void* payload);
  // Exactly once, after the last of the other two; also when the launch fails.
  void (*release)(void* payload);
  void* payload;
  const AclimbOperation* operation;  // null when no tool listens
} AclimbCollective;

// Queues the operation on the stream (null: default stream of the current context), and does not
// wait for it. Otherwise as aclimb_launch.
ACLIMB_BRIDGE int aclimb_launch_collective(void* stream, const AclimbCollective* collective,
                                           AclimbReason* reason);
// With ASCEND_LAUNCH_BLOCKING=1 waits for the stream, behind what others of the group are queued on
// theirs. 0, or the error of what it ran.
ACLIMB_BRIDGE int aclimb_await_collective(void* stream, AclimbReason* reason);
// The stream goes on. From any thread, exactly once.
ACLIMB_BRIDGE void aclimb_collective_done(struct AclimbSuspension* stop);

// The calling thread's current context; null when it has none, which is no message.
ACLIMB_BRIDGE void* aclimb_current_context(void);
// Makes the context the calling thread's current one; null leaves the thread without one. 0, or
// without a message 1 when the context has been destroyed; then nothing changes.
ACLIMB_BRIDGE int aclimb_make_context_current(void* context);

// Where the program makes the call that the calling thread is in, as a number of this process; 0
// when no tool keeps that (ACLIMB_CHECK=1 has one that does).
ACLIMB_BRIDGE uint32_t aclimb_call_site(void);
// The place in words, "main (train.cc:12)", cut to the bytes; empty when it is not known. May take
// long. From any thread.
ACLIMB_BRIDGE void aclimb_call_site_text(uint32_t site, char* text, size_t bytes);

#ifdef __cplusplus
}
#endif
