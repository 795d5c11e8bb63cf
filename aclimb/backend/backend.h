#pragma once

// The one interface a device implements. The CPU backend is linked in; others are plug-ins
// (lib64/aclimb/libaclimb_<name>.so) that export `aclimb_backend_entry`. C linkage and plain types
// only, so that a plug-in may come from another compiler.
//
// Rules that hold for every entry:
//   - The caller (aclimb/runtime) has checked the arguments: handles are live, addresses lie inside
//     live allocations and do not run past them, sizes are not 0.
//   - The caller holds no lock unless the entry says so, and calls from any thread, concurrently on
//     different objects; on the same queue several threads may submit at once.
//   - Entries return 0 or a runtime code (aclimb/core/codes.h) and never throw. Without memory they
//     return 207001, without a thread that they need 207005, and change nothing: a later call may
//     find what this one lacked. Work that was taken over runs without needing any.
//   - "May block" means on the device's work; a short internal lock is always allowed.
//   - In a child of fork, queues and markers whose work was done at the fork are as they were. The
//     others are lost: the parent does their work, and here it is dropped.

#include <stddef.h>
#include <stdint.h>

#include "aclimb/bridge/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACLIMB_BACKEND_API_VERSION 6

// Device memory is handed out in multiples of so many bytes.
#define ACLIMB_MEMORY_GRANULE 512
// Memory is mapped in multiples of so many bytes.
#define ACLIMB_MAPPING_GRANULE (2 * 1024 * 1024)

typedef struct AclimbDevice AclimbDevice;          // an open device
typedef struct AclimbPhysical AclimbPhysical;      // device memory that ranges are mapped onto
typedef struct AclimbQueue AclimbQueue;            // the device side of one stream
typedef struct AclimbMarker AclimbMarker;          // one recording of an event
typedef struct AclimbSuspension AclimbSuspension;  // a queue that waits for a host callback

typedef struct AclimbDeviceProperties {
  const char* name;  // "cpu", "NVIDIA H100"; static text
  uint64_t memory_bytes;
  int64_t cores;  // at least 1
  int64_t l2_bytes;
} AclimbDeviceProperties;

// What the runtime read from the environment, once, before the first device is opened.
typedef struct AclimbBackendConfig {
  int32_t devices;        // ACLIMB_DEVICES
  int32_t host_access;    // ACLIMB_HOST_ACCESS
  uint64_t memory_bytes;  // ACLIMB_MEMORY per device; 0 = the backend's default
  int32_t threads;        // ACLIMB_THREADS
} AclimbBackendConfig;

typedef struct AclimbQueueOptions {
  uint64_t group;     // queues of one context share it: a stop-on-failure stops the group
  uint32_t priority;  // 0 is the highest: it runs first; equal ones take turns
  uint32_t flags;     // ACL_STREAM_*
} AclimbQueueOptions;

typedef struct AclimbTaskFailure {
  const char* task;  // static text
  int32_t code;
  uint32_t task_id;    // number of the task in its queue, from 1
  uint32_t thread_id;  // of the thread that submitted it
  char* why;           // what `explain` was told, or null; who takes the failure frees it by free()
} AclimbTaskFailure;

enum AclimbRefusedResource { ACLIMB_REFUSED_MEMORY = 0, ACLIMB_REFUSED_THREAD = 1 };

// What the operating system refused an entry.
typedef struct AclimbRefusal {
  const char* whose;  // static text: "the memory of the allocation"
  const char* call;   // static text: the system or library call that failed, "mprotect"
  uint64_t bytes;     // that it asked for; 0 where nobody knows
  int32_t error;      // errno
  int32_t resource;   // AclimbRefusedResource
} AclimbRefusal;

// ---- The call of an operator, as its kernel is told ----

// How `values` of an argument are to be read.
enum AclimbArgumentKind {
  ACLIMB_ARGUMENT_TENSORS = 0,   // AclimbTensorArgument: one tensor, or those of a list
  ACLIMB_ARGUMENT_SCALARS = 1,   // AclimbScalarArgument: one aclScalar, or those of a list
  ACLIMB_ARGUMENT_INTEGERS = 2,  // int64_t: an integer, a bool, an int array or a bool array
  ACLIMB_ARGUMENT_REALS = 3,     // double: a float, a double or a float array
  ACLIMB_ARGUMENT_TEXT = 4,      // char, terminated
};

typedef struct AclimbTensorArgument {
  int32_t dtype;    // aclDataType
  int32_t format;   // aclFormat
  int32_t rank;     // -1: null was passed
  int32_t written;  // 0 read, 1 written, 2 both
  const int64_t* shape;
  const int64_t* strides;  // in elements, none negative
} AclimbTensorArgument;

typedef struct AclimbScalarArgument {
  int32_t dtype;  // aclDataType
  unsigned char bytes[16];
} AclimbScalarArgument;

typedef struct AclimbArgument {
  const char* name;    // the parameter's, as the document has it
  int32_t kind;        // AclimbArgumentKind
  uint64_t count;      // of values
  const void* values;  // null: null was passed
} AclimbArgument;

typedef struct AclimbOperatorArguments {
  const char* function;  // "aclnnAdd"
  const AclimbArgument* arguments;
  uint64_t count;
  int32_t deterministic;  // ACL_OPT_DETERMINISTIC
} AclimbOperatorArguments;

typedef struct AclimbKernel AclimbKernel;  // what a backend made for one call, and for equal ones

enum AclimbMarkerState {
  ACLIMB_MARKER_PENDING = 0,
  ACLIMB_MARKER_DONE = 1,
  ACLIMB_MARKER_DROPPED = 2,  // its work was dropped: it will never be done
  ACLIMB_MARKER_LOST = 3,     // as dropped, by a fork: its work goes on in the parent alone
};

typedef struct AclimbBackend {
  uint32_t api_version;  // ACLIMB_BACKEND_API_VERSION
  uint32_t struct_size;  // sizeof(AclimbBackend) when the backend was compiled
  const char* name;      // "cpu"

  // ---- Devices ----

  // Called once, before anything else, under the runtime's process lock.
  int (*configure)(const AclimbBackendConfig* config);
  // Number of devices; needs no open device. Never fails: 0 means none.
  int (*device_count)(void);
  // Called under the runtime's process lock. May take long (reserves memory, makes a context). A
  // device that was closed is opened again with the same handle.
  int (*device_open)(int index, AclimbDevice** device);
  // Called under the runtime's process lock, after its queues have drained or were aborted. Frees
  // what is still allocated on it. The handle stays valid: a memory call of another thread may be
  // under way, and a queue that such a thread used may be destroyed a little later.
  int (*device_close)(AclimbDevice* device);
  int (*device_properties)(int index, AclimbDeviceProperties* properties);

  // After an entry failed on the calling thread: 1 and *refusal where the operating system was the
  // reason; else 0. Tells it once.
  int (*take_refusal)(AclimbRefusal* refusal);

  // ---- Memory ----

  // `usable` bytes at a multiple of 512; the bytes [requested, usable) are zero. Takes `usable`
  // rounded up to ACLIMB_MEMORY_GRANULE from what memory_info calls free. 207001 when the device
  // has not that much left. Does not wait for work.
  int (*memory_allocate)(AclimbDevice* device, uint64_t requested, uint64_t usable, void** address);
  // `address` is one that memory_allocate gave. Must not wait: tasks, copies and fills queued so
  // far may go on using the memory, so it is handed out again only when they are done. Tasks with
  // no_memory and halts without `uses_memory` do not count.
  int (*memory_free)(AclimbDevice* device, void* address);
  // Stands for the work queued so far, in all queues.
  uint64_t (*memory_ticket)(void);
  // memory_free, for which only the work counts that was queued before memory_ticket gave `ticket`.
  int (*memory_free_as_of)(AclimbDevice* device, void* address, uint64_t ticket);
  // Where kernels that run on the host see a device address; null when they cannot.
  void* (*memory_kernel_address)(AclimbDevice* device, const void* address);
  // 1 when the address lies in a range that device memory comes from, allocated or not: it cannot
  // be a host address then.
  int (*memory_is_device)(const void* address);
  // Copies between host and device addresses, of one or of two devices, and returns when done. Not
  // ordered against queues. May block.
  int (*memory_copy)(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
                     size_t height);
  // Writes `count` elements of `element_bytes` (1 or 4) and returns when done; host or device.
  int (*memory_fill)(void* address, uint32_t value, int element_bytes, size_t count);
  int (*memory_info)(AclimbDevice* device, uint64_t* free, uint64_t* total);
  // Bytes that were freed and that memory_info does not call free yet, because queued work may go
  // on using them.
  uint64_t (*memory_waiting)(AclimbDevice* device);
  // Page-locked host memory at a multiple of 4096. 207001 when there is none.
  int (*host_allocate)(uint64_t bytes, void** address);
  int (*host_free)(void* address);

  // ---- Mapped memory ----
  // Bytes, addresses and offsets are multiples of ACLIMB_MAPPING_GRANULE.

  // A range of device addresses, of all devices, that nothing is mapped into. 207001 when there is
  // none.
  int (*range_reserve)(uint64_t bytes, void** address);
  // `address` is one that range_reserve gave; nothing is mapped into the range. Must not wait.
  int (*range_release)(void* address);
  // Memory of the device, all zeros. Takes `bytes` from what memory_info calls free; 207001 when
  // the device has not that much left.
  int (*physical_allocate)(AclimbDevice* device, uint64_t bytes, AclimbPhysical** memory);
  // It is mapped nowhere. As memory_free it must not wait, and its bytes may count as used until
  // the work queued so far is done.
  int (*physical_free)(AclimbPhysical* memory);
  // Bytes of a range, into which nothing is mapped, become the memory's from `offset` on, also for
  // work that was queued before an unmapping of them. One piece of memory may be mapped at several
  // addresses. memory_kernel_address knows them, and says the same distance for all addresses of a
  // range.
  int (*range_map)(void* address, uint64_t bytes, AclimbPhysical* memory, uint64_t offset);
  // Of one mapping as it was made. Must not wait: work queued so far may go on using the memory.
  int (*range_unmap)(void* address, uint64_t bytes);

  // ---- Queues ----

  int (*queue_create)(AclimbDevice* device, const AclimbQueueOptions* options, AclimbQueue** queue);
  // With `drain` waits for the queued work (may block) and drops only what depends on dropped work;
  // without, drops what has not started. Markers behind unfinished work are dropped too. The queue
  // must not be used afterwards; a task that still runs finishes on its own.
  int (*queue_destroy)(AclimbQueue* queue, int drain);
  // Takes the task over: release is called exactly once, whatever the result. Never waits for
  // execution. `task_id` may be null.
  int (*queue_submit)(AclimbQueue* queue, const AclimbTask* task, uint32_t* task_id);
  // queue_submit for a copy and a fill; addresses as in memory_copy. The host memory stays valid
  // until the work is done.
  int (*queue_copy)(AclimbQueue* queue, void* dst, size_t dst_pitch, const void* src,
                    size_t src_pitch, size_t width, size_t height, uint32_t* task_id);
  int (*queue_fill)(AclimbQueue* queue, void* address, uint32_t value, int element_bytes,
                    size_t count, uint32_t* task_id);
  // When the queue gets there, calls start(payload, suspension) without locks, and runs nothing
  // more of this queue until queue_resume(suspension). `start` returns at once. When the work is
  // dropped instead, start(payload, null) is called so that it can clean up. `start` may be called
  // within queue_suspend, on the caller's thread: where nothing is in front of the halt, or where
  // the queue drops it at once. So the caller holds no lock that `start` takes.
  // `uses_memory` tells whether device memory is used until queue_resume: memory that is freed
  // waits for that. It does not wait for other halts, which may last as long as the program likes.
  int (*queue_suspend)(AclimbQueue* queue, void (*start)(void* payload, AclimbSuspension*),
                       void* payload, int uses_memory, uint32_t* task_id);
  // From any thread, exactly once per suspension.
  void (*queue_resume)(AclimbSuspension* suspension);
  // Waits until everything submitted before the call is done; timeout in milliseconds, -1 for ever.
  // Returns 507046 when time is up, 107023 when the queue was aborted meanwhile (or depends on
  // aborted work), or the queue's first pending error, which is then cleared. May block. Without a
  // time limit the calling thread may do the queue's work: copies, fills, and the tasks that
  // ACLIMB_INLINE_BYTES and any_thread of AclimbTask allow; it calls no `start` of a halt.
  // Here and in marker_wait the calling thread may be cancelled (pthread_cancel), in no other
  // entry: a backend puts that off (pthread_setcancelstate) but where it sleeps.
  int (*queue_wait)(AclimbQueue* queue, int64_t timeout_ms);
  // Does not block: *idle tells whether everything is done. Returns a pending error, or 107023 of a
  // queue that depends on aborted work, like queue_wait.
  int (*queue_query)(AclimbQueue* queue, int* idle);
  // Drops queued tasks, sets the cancel flag of the running one and waits until it ended. A lost
  // queue is as good as new then.
  int (*queue_abort)(AclimbQueue* queue);
  // 1 when the process was forked off while the queue had work, 0 else. A lost queue answers 107023
  // to what queues, waits or asks, and is destroyed like any other.
  int (*queue_is_lost)(AclimbQueue* queue);
  // From now on a failure in this queue stops all queues of its group, and stays.
  int (*queue_stop_on_failure)(AclimbQueue* queue);
  // The oldest failed task that was not taken yet, of those whose failure a wait or a query has
  // returned or passed: 1 and *failure, or 0.
  int (*queue_take_failure)(AclimbQueue* queue, AclimbTaskFailure* failure);

  // ---- Markers ----

  // A marker behind everything queued so far. The caller owns one reference.
  int (*queue_record)(AclimbQueue* queue, AclimbMarker** marker);
  // Later work of the queue waits for the marker, of this or of another device; a wait of more than
  // `timeout_ms` (0: unlimited) becomes the queue's error 507047. Never blocks the caller.
  int (*queue_wait_marker)(AclimbQueue* queue, AclimbMarker* marker, int64_t timeout_ms);
  void (*marker_retain)(AclimbMarker* marker);
  void (*marker_release)(AclimbMarker* marker);
  int (*marker_state)(AclimbMarker* marker);  // AclimbMarkerState
  // As queue_wait, for the work before the marker; 507047 when time is up. Without `take_error` a
  // pending error stays with its queue and 0 is returned. May block.
  int (*marker_wait)(AclimbMarker* marker, int64_t timeout_ms, int take_error);
  // Monotonic nanoseconds at which the marker was done; 0 before that.
  uint64_t (*marker_time)(AclimbMarker* marker);

  // ---- Kernels ----

  // A backend without kernels of its own leaves these three null: the kernels for the host run in
  // its tasks then, and need memory_kernel_address.

  // Makes what runs this call, whose arguments obey the operator's contract. 0 with *kernel null
  // where the backend has no kernel: that for the host runs. `workspace_bytes` is what a run needs.
  // Nothing of `call` may be looked at later. Needs no open device. A kernel for an operator whose
  // output has a shape that depends on the data, as aclnnNonzero's has, is released unused: a
  // kernel cannot tell the shape, and the one for the host runs.
  int (*kernel_make)(const AclimbOperatorArguments* call, AclimbKernel** kernel,
                     uint64_t* workspace_bytes);
  // Within a task of a queue of this backend, from several threads at once. `addresses` has the
  // first element of every tensor in the order of the arguments, null for one that is not given or
  // empty or that the operator does not touch, as memory_kernel_address tells them, or where that
  // is null as the program knows them. Returns 0 or the task's error.
  int (*kernel_run)(const AclimbKernel* kernel, void* const* addresses, uint64_t count,
                    void* workspace);
  // Once no run is under way and none will come.
  void (*kernel_release)(AclimbKernel* kernel);

  // True on a thread that runs a task whose queue was aborted.
  int (*cancelled)(void);
  // On a thread that runs a task: if it fails, its failure owns a copy of the last text. Without
  // memory for it, and on other threads, nothing happens.
  void (*explain)(const char* text);
} AclimbBackend;

// What a plug-in exports.
typedef const AclimbBackend* (*AclimbBackendEntry)(void);

#ifdef __cplusplus
}
#endif
