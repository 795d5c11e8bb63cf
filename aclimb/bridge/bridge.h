#pragma once

// What libascendcl.so, which has all objects that programs hold handles of, offers to our other
// libraries. C linkage and plain types only: no C++ symbol crosses a library border, so programs of
// either string ABI and of any compiler can load us. Programs do not call these.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACLIMB_BRIDGE __attribute__((visibility("default")))

// ---- Handles -----------------------------------------------------------------------------------
// Every object a program holds (context, stream, event, tensor, executor, ...) is known to it by a
// handle: a slot number and a generation, never an address. A destroyed or invented handle resolves
// to null, also after its slot was used again. Thread-safe; resolving takes no lock.

enum AclimbHandleKind {
  ACLIMB_HANDLE_CONTEXT = 1,
  ACLIMB_HANDLE_STREAM,
  ACLIMB_HANDLE_EVENT,
  ACLIMB_HANDLE_STREAM_CONFIG,
  ACLIMB_HANDLE_TENSOR,
  ACLIMB_HANDLE_SCALAR,
  ACLIMB_HANDLE_INT_ARRAY,
  ACLIMB_HANDLE_FLOAT_ARRAY,
  ACLIMB_HANDLE_BOOL_ARRAY,
  ACLIMB_HANDLE_TENSOR_LIST,
  ACLIMB_HANDLE_SCALAR_LIST,
  ACLIMB_HANDLE_EXECUTOR,
  ACLIMB_HANDLE_DATA_BUFFER,
  ACLIMB_HANDLE_TENSOR_DESC,
  ACLIMB_HANDLE_OP_ATTR,
  ACLIMB_HANDLE_PHYSICAL_MEMORY,
  ACLIMB_HANDLE_GRAPH,
  ACLIMB_HANDLE_KINDS,  // one more than the last
};

// A new handle for `object`, or null when no slot or memory is left.
ACLIMB_BRIDGE void* aclimb_handle_create(int kind, void* object);
// The object, or null when the handle is not a live one of this kind.
ACLIMB_BRIDGE void* aclimb_handle_resolve(const void* handle, int kind);
// Ends the handle and returns its object; null when it was not live. Exactly one of two racing
// callers gets the object.
ACLIMB_BRIDGE void* aclimb_handle_release(const void* handle, int kind);
// What a handle is: the kind of a live object, the negative kind of a destroyed one,
// ACLIMB_HANDLE_FORGOTTEN for a destroyed one of unknown kind, 0 when it was never given out.
#define ACLIMB_HANDLE_FORGOTTEN (-127)
ACLIMB_BRIDGE int aclimb_handle_state(const void* handle);
// The state in words, for a message: "it is a destroyed stream". Static text.
ACLIMB_BRIDGE const char* aclimb_handle_state_text(const void* handle);
// What its user should do: `if_destroyed` when it was destroyed, else what its state suggests.
ACLIMB_BRIDGE const char* aclimb_handle_fix_text(const void* handle, const char* if_destroyed);

// Resolves a handle and holds it for a short while, for objects that another thread may release:
// who wants to hold or release it meanwhile waits. Null, and nothing is held, when the handle is
// not a live one of this kind. Not recursive; held over no call that waits.
ACLIMB_BRIDGE void* aclimb_handle_hold(const void* handle, int kind);
// Exactly one of these follows: the handle lives on, or it has ended and its object is the
// caller's.
ACLIMB_BRIDGE void aclimb_handle_give_back(const void* handle);
ACLIMB_BRIDGE void aclimb_handle_end(const void* handle);

// ---- Errors ------------------------------------------------------------------------------------

// Adds `text` to the calling thread's unread messages and makes `code` its last error.
ACLIMB_BRIDGE void aclimb_report(int code, const char* text);
// Reports that the collective `function` is not there.
ACLIMB_BRIDGE void aclimb_refuse_collective(const char* function);

// ---- Settings ----------------------------------------------------------------------------------

typedef struct AclimbSettings {
  int32_t product;          // aclimb::Product of ACLIMB_SOC; -1 when the name is unknown
  const char* soc_name;     // as given
  int32_t extensions;       // ACLIMB_EXTENSIONS: values that the documents reserve are accepted
  int32_t launch_blocking;  // ASCEND_LAUNCH_BLOCKING
  int32_t threads;          // ACLIMB_THREADS: size of the compute team; 0 = all usable cores
  int32_t log_plan;         // ACLIMB_LOG contains "plan"
  const char* problem;      // what is wrong with the environment, or null
} AclimbSettings;

// Read from the environment once, at first use. Never null, valid for the life of the process.
ACLIMB_BRIDGE const AclimbSettings* aclimb_settings(void);
// Reads the environment again; for tests that switch the product.
ACLIMB_BRIDGE void aclimb_settings_reload(void);
// ACL_OPT_DETERMINISTIC as it applies to the calling thread: the context's value, else the
// process's.
ACLIMB_BRIDGE int64_t aclimb_deterministic(void);
// One line of the log (levels of aclLogLevel); goes where the program asked the log to go.
ACLIMB_BRIDGE void aclimb_log(int level, const char* text);
// One line of the topic "plan": written when ACLIMB_LOG asks for the topic, whatever the level.
ACLIMB_BRIDGE void aclimb_log_plan(const char* text);

// ---- Memory ------------------------------------------------------------------------------------

typedef struct AclimbAllocation {
  const void* base;    // the address the program got
  uint64_t requested;  // bytes it asked for
  uint64_t usable;     // round_up(requested, 32) + 32
  int32_t device;
  void* kernel_base;  // where kernels on the host see `base`
  uint64_t serial;    // another one for a later allocation at the same address
} AclimbAllocation;

// The live device allocation that contains `address` (any interior address); 0 when there is none.
ACLIMB_BRIDGE int aclimb_memory_find(const void* address, AclimbAllocation* allocation);
// What an address is that is in none: "which is host memory". Writes that with its final 0 into the
// `size` bytes at `text`, and returns what to do about it. Static text.
ACLIMB_BRIDGE const char* aclimb_memory_absent_text(const void* address, char* text, size_t size);

// ---- Backend ----

// The backend of the process, which is loaded when it is first needed; null when it cannot be.
ACLIMB_BRIDGE const struct AclimbBackend* aclimb_backend(void);

// ---- Launch ------------------------------------------------------------------------------------

// A view of memory that a task touches, as the program described it.
typedef struct AclimbAccess {
  const char* name;     // static text: the argument, or "workspace"
  const void* address;  // of the first element, as the program knows it
  int32_t dtype;        // aclDataType
  int32_t element_bytes;
  int32_t rank;
  int32_t writes;          // 0 read, 1 written
  const int64_t* shape;    // rank values
  const int64_t* strides;  // in elements
  int64_t offset;          // of the first element from the start of the storage, in elements
  uint64_t moved;          // bytes that the task reads of it, or writes: an index chooses some
} AclimbAccess;

// What an operator finds wrong in the data of a run: a rule of the checker, and a text.
typedef void (*AclimbFound)(void* into, const char* rule, const char* text);

// What a task does, for tools; made only while aclimb_observing(). Lives until the task's release.
typedef struct AclimbOperation {
  const char* function;   // the public function that queued it
  const char* arguments;  // its other arguments as a JSON object; null when there are none
  const AclimbAccess* accesses;
  int32_t access_count;
  // Floating-point operations of a run, a multiplication with its addition as two and those on
  // padding left out; 0 when traffic bounds it, not arithmetic.
  double flops;
  // Looks at the inputs and calls `found` for what is wrong with them; right before the task runs,
  // on its thread. Null when there is nothing to look at.
  void (*inspect)(const void* run, AclimbFound found, void* into);
  const void* run;
} AclimbOperation;

// A task of at most this traffic may run inside a synchronise, on the thread that waits.
#define ACLIMB_INLINE_BYTES (256 * 1024)

typedef struct AclimbTask {
  const char* name;                // static text: the operator, for errors and traces
  int (*run)(void* payload);       // returns 0, or the error that the stream gets
  void (*release)(void* payload);  // exactly once, after run or when the task is dropped
  void* payload;
  // Whether the memory that a run uses is still there; null when nobody can tell. A task that a
  // stream records runs many times, several of them at once perhaps, and is asked before each.
  int (*recheck)(const void* payload);
  uint64_t cost_bytes;  // estimated traffic; see ACLIMB_INLINE_BYTES
  // It may run inside a synchronise whatever its traffic: it opens no OpenMP team.
  int32_t any_thread;
  // It uses no device memory: memory that is freed does not wait for it.
  int32_t no_memory;
  const AclimbOperation* operation;  // null when no tool listens
} AclimbTask;

// Why a launch was refused, as a message has it. Valid until the thread's next launch.
typedef struct AclimbReason {
  const char* what;  // what was found, and what was expected
  const char* fix;
} AclimbReason;

// Queues the task on the stream (null: default stream of the current context). Takes the payload
// over in every case: on failure it was released, and `reason` (may be null) tells why. Returns 0
// or a runtime code; with ASCEND_LAUNCH_BLOCKING also the task's own, else nothing runs on failure.
ACLIMB_BRIDGE int aclimb_launch(void* stream, const AclimbTask* task, AclimbReason* reason);
// True on a worker whose stream was aborted: long kernels ask once per chunk and return early.
ACLIMB_BRIDGE int aclimb_cancelled(void);
// Gives `count` allocations of device memory to the graph that the stream records, which frees them
// when it ends; returns 1 then, and 0 when the stream records nothing and nothing has happened.
ACLIMB_BRIDGE int aclimb_capture_keep(const void* stream, void* const* memory, size_t count);
// Within a task's `run` that will fail, on its thread: what it found and what it expected, as a
// sentence. The failure keeps a copy of the last such text, which the program is told with the
// code.
ACLIMB_BRIDGE void aclimb_explain(const char* text);

// ---- Forks -------------------------------------------------------------------------------------

// All parts of a library as one, which has static storage; see aclimb/core/fork.h.
typedef struct AclimbForkPart {
  int (*try_lock)(int late);  // 1 when everything is locked, 0 when nothing is
  void (*unlock)(void);
  void (*give_up)(void);
  void (*renew)(int locked);
  void (*resume)(void);
} AclimbForkPart;

// While a library is loaded: from now on every fork of the process goes through its parts.
ACLIMB_BRIDGE void aclimb_fork_part(const AclimbForkPart* part);

// ---- Tools -------------------------------------------------------------------------------------
// Traces, the checker and their kin listen to calls and work (aclimb/observe).

// 1 while a tool listens. The answer never changes; ask once for each call.
ACLIMB_BRIDGE int aclimb_observing(void);
// What is known of the operator's call that the thread is in, told before anything can refuse it
// and again when more is known. The texts live until aclimb_call_details returns.
typedef struct AclimbOperatorCall {
  const char* function;     // the second phase's name, in both phases
  int32_t phase;            // 1 or 2
  const char* arguments;    // of phase 1, as a JSON object; null when they are not known
  uint64_t workspace_size;  // that phase 1 answered; 0 within phase 1
  int32_t deterministic;    // whether phase 1 found ACL_OPT_DETERMINISTIC on
} AclimbOperatorCall;

// Only while a tool listens.
ACLIMB_BRIDGE void aclimb_call_details(const AclimbOperatorCall* call);
// Around the body of a public function, only while a tool listens. An answer other than 0 is the
// code with which the function has to fail, whose message is there already; aclimb_call_end follows
// in every case. `function` lives until then.
ACLIMB_BRIDGE int aclimb_call_begin(const char* function);
ACLIMB_BRIDGE void aclimb_call_end(const char* function, int code);

// ---- Single operators --------------------------------------------------------------------------
// The functions of libacl_op_compiler.so, whose state is kept here. Errors are reported.

ACLIMB_BRIDGE int aclimb_compile_option_set(int option, const char* value);
ACLIMB_BRIDGE size_t aclimb_compile_option_size(int option);
ACLIMB_BRIDGE int aclimb_compile_option_get(int option, char* value, size_t length);
ACLIMB_BRIDGE int aclimb_compile_flag_set(int flag);
// What aclopCompileAndExecute and its kin are about; the arrays as the program gave them.
typedef struct AclimbOpRequest {
  const char* function;  // that the program called
  const char* type;
  int inputs;
  const void* const* input_descs;  // of aclTensorDesc
  const void* const* input_buffers;
  int outputs;
  const void* const* output_descs;
  const void* const* output_buffers;
  const void* attributes;  // aclopAttr; may be null
  void* stream;
} AclimbOpRequest;
ACLIMB_BRIDGE int aclimb_op_compile_and_execute(const AclimbOpRequest* request);

// An AclimbOpRequest with its objects resolved; all of it lives until the answer returns.
typedef struct AclimbOpTensor {
  const char* name;  // "" without
  int32_t dtype;     // aclDataType; -1 of an input that is left out
  int32_t format;    // aclFormat, as the next
  int32_t storage_format;
  int32_t rank;
  const int64_t* dims;
  int32_t storage_rank;
  const int64_t* storage_dims;
  int32_t on_host;
  void* data;
  uint64_t bytes;
} AclimbOpTensor;

enum AclimbOpAttributeKind {
  ACLIMB_OP_ATTRIBUTE_OTHER = 0,  // without a value here
  ACLIMB_OP_ATTRIBUTE_BOOL,
  ACLIMB_OP_ATTRIBUTE_INTEGER,
  ACLIMB_OP_ATTRIBUTE_TEXT,
  ACLIMB_OP_ATTRIBUTE_INTEGERS,
};
typedef struct AclimbOpAttribute {
  const char* name;
  int32_t kind;
  int64_t integer;  // also of a flag
  const char* text;
  int32_t count;
  const int64_t* integers;
} AclimbOpAttribute;

typedef struct AclimbOpCall {
  const char* function;  // that the program called
  const char* type;
  const char* text;  // all of the call in words, without a full stop
  int32_t input_count;
  const AclimbOpTensor* inputs;
  int32_t output_count;
  const AclimbOpTensor* outputs;
  int32_t attribute_count;
  const AclimbOpAttribute* attributes;
  void* stream;
} AclimbOpCall;

// Whoever has operators tells, when it is loaded, who answers to their type names: 0 or a code
// whose message is reported, or ACLIMB_OP_UNKNOWN where it has no such type.
#define ACLIMB_OP_UNKNOWN (-1)
typedef int (*AclimbOpAnswer)(const AclimbOpCall* call);
ACLIMB_BRIDGE void aclimb_op_answers(AclimbOpAnswer answer);

#ifdef __cplusplus
}
#endif
