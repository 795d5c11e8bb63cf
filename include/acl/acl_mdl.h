// Graphs of captured work, and the names of offline models.
//
// Aclimb cannot load offline models; none of their functions is declared, so that the compiler
// names the one that a program needs. The types of graph capture are in acl_rt.h.
#ifndef ACL_ACL_MDL_H_
#define ACL_ACL_MDL_H_

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlDataset aclmdlDataset;

// ==== Graph capture ====
// Between aclmdlRICaptureBegin and aclmdlRICaptureEnd a stream records work instead of running it:
// second phases of operators, and asynchronous copies and fills. The graph that comes of it runs as
// often as the program likes, each time with what is then in memory at the same addresses: tensors,
// workspaces and page-locked host memory have to live as long as it. Other calls that use the
// stream, events and callbacks among them, give 107030; so does aclrtSynchronizeDevice. A capture
// follows no events to other streams.
//
// What streams do not order (aclrtMemcpy, aclrtMemset and their kin) gives 107030 while a capture
// forbids it: in mode GLOBAL to all threads, in mode THREAD_LOCAL to the one that captures, in mode
// RELAXED to none; aclrtMemcpyAsync of host memory that is not page-locked gives 107041 then.

// `stream` begins to record. Not the default stream.
//   errors  107000 another mode, 107027 it records already, 107031 the default stream
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

// Whether `stream` records (NONE or ACTIVE), and into which graph, else null; `modelRI` may be
// null.
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                                    aclmdlRICaptureStatus* status,
                                                    aclmdlRI* modelRI);

// Ends the capture and gives the graph, which may be empty.
//   errors  107029 `stream` does not record, 107038 another thread began, unless in mode RELAXED
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI);

// What captures forbid the calling thread: RELAXED nothing, THREAD_LOCAL only its own, GLOBAL, as
// at the start, also those of others in mode GLOBAL. `mode` gets what it was.
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);

// Queues the graph's work on a stream of the context in which it was recorded, in its order.
//   errors  107000 memory of an operator was freed since, 107003 another context, 107017 no live
//           graph, 107026 it is still recorded. A part may be queued then.
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

// The same on the context's default stream, and waits up to `timeout` milliseconds; -1 is for ever.
//   errors  also those of aclrtSynchronizeStreamWithTimeout
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

// Ends the graph. Runs that are queued go on.
//   errors  107017 no live graph, 107026 it is still recorded
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

#ifdef __cplusplus
}
#endif

#endif  // ACL_ACL_MDL_H_
