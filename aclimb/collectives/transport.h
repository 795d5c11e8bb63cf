#pragma once

// What moves data between processes and hosts: lib64/aclimb/libaclimb_gloo.so, over Gloo. C linkage
// and plain types only, in a library of its own that is opened when a communicator first needs it:
// programs of one process need no Gloo, and one that has a Gloo of its own inside, as PyTorch's
// libraries do, keeps it apart from ours.
//
// Every entry returns 0, or 1 with a cause and a text in `error`, and never throws. One operation
// of a mesh runs at a time; abort may come from any thread.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACLIMB_TRANSPORT_API_VERSION 5

typedef struct AclimbMesh AclimbMesh;  // one rank's connections to all others

// What a failure comes from, which decides the code that a program gets.
enum AclimbTransportCause {
  ACLIMB_TRANSPORT_BUG = 0,     // none of the others: a mistake of ours or of Gloo's
  ACLIMB_TRANSPORT_CONNECTION,  // a connection was closed, refused, or brought what is no message
  ACLIMB_TRANSPORT_TIME,        // the deadline has passed
  ACLIMB_TRANSPORT_ENDED,       // by abort
  ACLIMB_TRANSPORT_MEMORY,
  ACLIMB_TRANSPORT_SYSTEM,  // it refused a thread, a descriptor, ...
};

typedef struct AclimbTransportError {
  int cause;
  char text[1024];
} AclimbTransportError;

// A rank and its connections.
typedef struct AclimbMeshConfig {
  uint32_t rank;
  uint32_t size;
  // Of each rank a TCP socket that is connected with it, whose bytes come from nobody else; of this
  // rank itself, -1. They become the mesh's, when it cannot be made too.
  const int* sockets;
  // Of this host, numeric; nobody has to reach it.
  const char* address;
} AclimbMeshConfig;

// What is the same on all ranks that take part in an operation, and nowhere else: data of calls
// that do not belong together never meets.
typedef struct AclimbTransportCall {
  uint64_t tag;
  int64_t deadline_ns;  // of the monotonic clock; one for all calls of an operation
  AclimbTransportError* error;
} AclimbTransportCall;

// out[i] = a[i] op b[i]; `out` may be `a` or `b`.
typedef void (*AclimbCombine)(void* out, const void* a, const void* b, size_t count);

// Bytes that go to a rank, or come from it.
typedef struct AclimbPiece {
  uint32_t peer;
  void* data;
  uint64_t bytes;  // not 0
  uint64_t tag;    // as AclimbTransportCall's, for this piece
} AclimbPiece;

typedef struct AclimbTransport {
  uint32_t api_version;  // ACLIMB_TRANSPORT_API_VERSION
  uint32_t struct_size;

  int (*make)(const AclimbMeshConfig* config, AclimbMesh** mesh, AclimbTransportError* error);
  void (*destroy)(AclimbMesh* mesh);
  // What runs fails soon, here and on the ranks that wait for this one; nothing more can be run.
  void (*abort)(AclimbMesh* mesh);
  // A number that grows while an operation gets on, with every few MiB. From any thread.
  uint64_t (*progress)(AclimbMesh* mesh);

  // `in` may be `out`.
  int (*all_reduce)(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
                    uint64_t count, uint32_t element_bytes, AclimbCombine combine);
  // `out` is scratch of the same size on the other ranks.
  int (*reduce)(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
                uint64_t count, uint32_t element_bytes, AclimbCombine combine, uint32_t root);
  int (*broadcast)(AclimbMesh* mesh, const AclimbTransportCall* call, void* data, uint64_t bytes,
                   uint32_t root);
  // Blocks of bytes[i], one behind the other, in `out`; that of this rank comes from `in`, which
  // may be its place there.
  int (*all_gather)(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
                    const uint64_t* bytes);
  // `blocks` has one address for each rank, on the root alone.
  int (*scatter)(AclimbMesh* mesh, const AclimbTransportCall* call, void* const* blocks, void* out,
                 uint64_t bytes, uint32_t root);
  // All at once; none of this rank with itself.
  int (*transfer)(AclimbMesh* mesh, const AclimbTransportCall* call, const AclimbPiece* sends,
                  size_t send_count, const AclimbPiece* receives, size_t receive_count);
  int (*barrier)(AclimbMesh* mesh, const AclimbTransportCall* call);
} AclimbTransport;

// What the library exports.
typedef const AclimbTransport* (*AclimbTransportEntry)(void);

#ifdef __cplusplus
}
#endif
