// The transport over Gloo: libaclimb_gloo.so.

#include "aclimb/collectives/transport.h"

#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>
#include <gloo/transport/unbound_buffer.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "aclimb/collectives/gloo/connections.h"
#include "aclimb/collectives/gloo/mesh.h"

namespace aclimb::collectives {
namespace {

// Of Gloo's 64 bits it has 32 for the caller.
uint32_t GlooTag(uint64_t tag) { return static_cast<uint32_t>(tag ^ tag >> 32); }

// Apart from the slots of Gloo's own collectives, whose upper bits are 0.
uint64_t Slot(uint64_t tag) { return tag | uint64_t{1} << 63; }

template <typename Options>
void Prepare(Mesh& mesh, const AclimbTransportCall& call, Options* options) {
  mesh.connections().Begin(DeadlineOf(call.deadline_ns));
  options->setTag(GlooTag(call.tag));
  options->setTimeout(mesh.connections().Left());
}

}  // namespace
}  // namespace aclimb::collectives

struct AclimbMesh {
  std::shared_ptr<aclimb::collectives::Mesh> gloo;
};

namespace aclimb::collectives {
namespace {

// Runs the body; an exception becomes a cause and a text.
template <typename Body>
int Guarded(AclimbTransportError* error, Body&& body) noexcept {
  error->cause = ACLIMB_TRANSPORT_BUG;
  try {
    body();
    return 0;
  } catch (const std::exception& failure) {
    error->cause = CauseOf(failure);
    std::snprintf(error->text, sizeof(error->text), "%s", WithoutPlace(failure.what()));
  } catch (...) {
    std::snprintf(error->text, sizeof(error->text), "an unknown failure");
  }
  return 1;
}

int MakeMesh(const AclimbMeshConfig* config, AclimbMesh** mesh, AclimbTransportError* error) {
  Sockets sockets(*config);
  return Guarded(error, [&] {
    auto made = std::make_unique<AclimbMesh>();
    made->gloo = std::make_shared<Mesh>(*config, sockets);
    *mesh = made.release();
  });
}

void DestroyMesh(AclimbMesh* mesh) {
  AclimbTransportError ignored;
  Guarded(&ignored, [&] { delete mesh; });
}

void AbortMesh(AclimbMesh* mesh) {
  AclimbTransportError ignored;
  Guarded(&ignored, [&] { mesh->gloo->connections().Abort(); });
}

uint64_t CountWaits(AclimbMesh* mesh) { return mesh->gloo->connections().waits(); }

// Gloo's buffers have an element type; these stand for its size.
template <size_t kBytes>
struct Element {
  char bytes[kBytes];
};

template <typename Body>
void WithElement(uint32_t bytes, Body&& body) {
  switch (bytes) {
    case 1:
      return body(Element<1>());
    case 2:
      return body(Element<2>());
    case 4:
      return body(Element<4>());
    case 8:
      return body(Element<8>());
    default:
      return body(Element<16>());
  }
}

// Whether ranks exchange halves of the data, then halves of those, and so on, instead of handing
// blocks around a ring. With 2^k ranks that is 2 k messages one behind the other where the ring has
// 2 (2^k - 1), but it adds only when all of a half is there. An odd factor of the number of ranks
// is left for the last exchange, in which so many ranks send to each other at once. One element
// alone takes the fewest messages in all by a ring, if that is short. docs/hccl.md names both
// borders.
bool ByHalves(const Mesh& mesh, uint64_t count, uint32_t element_bytes) {
  constexpr uint64_t kLittleBytesOfRank = uint64_t{128} << 10;
  constexpr int kRanksOfShortRing = 8;
  const bool little =
      count * element_bytes <= kLittleBytesOfRank * static_cast<uint64_t>(mesh.size);
  return little && (count > 1 || mesh.size > kRanksOfShortRing);
}

int AllReduce(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
              uint64_t count, uint32_t element_bytes, AclimbCombine combine) {
  return Guarded(call->error, [&] {
    WithElement(element_bytes, [&](auto element) {
      using T = decltype(element);
      gloo::AllreduceOptions options(mesh->gloo);
      Prepare(*mesh->gloo, *call, &options);
      if (in != out) options.setInput(static_cast<T*>(const_cast<void*>(in)), count);
      options.setOutput(static_cast<T*>(out), count);
      options.setReduceFunction(combine);
      if (ByHalves(*mesh->gloo, count, element_bytes)) {
        options.setAlgorithm(gloo::AllreduceOptions::Algorithm::BCUBE);
      }
      gloo::allreduce(options);
    });
  });
}

int Reduce(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
           uint64_t count, uint32_t element_bytes, AclimbCombine combine, uint32_t root) {
  return Guarded(call->error, [&] {
    WithElement(element_bytes, [&](auto element) {
      using T = decltype(element);
      gloo::ReduceOptions options(mesh->gloo);
      Prepare(*mesh->gloo, *call, &options);
      if (in != out) options.setInput(static_cast<T*>(const_cast<void*>(in)), count);
      options.setOutput(static_cast<T*>(out), count);
      options.setReduceFunction(combine);
      options.setRoot(static_cast<int>(root));
      gloo::reduce(options);
    });
  });
}

int Broadcast(AclimbMesh* mesh, const AclimbTransportCall* call, void* data, uint64_t bytes,
              uint32_t root) {
  return Guarded(call->error, [&] {
    gloo::BroadcastOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    options.setOutput(static_cast<char*>(data), bytes);
    options.setRoot(static_cast<int>(root));
    gloo::broadcast(options);
  });
}

int AllGather(AclimbMesh* mesh, const AclimbTransportCall* call, const void* in, void* out,
              const uint64_t* bytes) {
  return Guarded(call->error, [&] {
    const auto rank = static_cast<size_t>(mesh->gloo->rank);
    std::vector<size_t> all(bytes, bytes + mesh->gloo->size);
    size_t place = 0;
    for (size_t i = 0; i < rank; ++i) place += all[i];
    gloo::AllgathervOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    if (in != static_cast<char*>(out) + place) {
      options.setInput(static_cast<char*>(const_cast<void*>(in)), all[rank]);
    }
    options.setOutput(static_cast<char*>(out), std::move(all));
    gloo::allgatherv(options);
  });
}

int Scatter(AclimbMesh* mesh, const AclimbTransportCall* call, void* const* blocks, void* out,
            uint64_t bytes, uint32_t root) {
  return Guarded(call->error, [&] {
    gloo::ScatterOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    if (blocks != nullptr) {
      std::vector<char*> inputs;
      for (int i = 0; i < mesh->gloo->size; ++i) inputs.push_back(static_cast<char*>(blocks[i]));
      options.setInputs(std::move(inputs), bytes);
    }
    options.setOutput(static_cast<char*>(out), bytes);
    options.setRoot(static_cast<int>(root));
    gloo::scatter(options);
  });
}

int TransferAll(AclimbMesh* mesh, const AclimbTransportCall* call, const AclimbPiece* sends,
                size_t send_count, const AclimbPiece* receives, size_t receive_count) {
  return Guarded(call->error, [&] {
    mesh->gloo->connections().Begin(DeadlineOf(call->deadline_ns));
    std::vector<std::unique_ptr<gloo::transport::UnboundBuffer>> buffers;
    const auto add = [&](const AclimbPiece& piece) {
      buffers.push_back(mesh->gloo->createUnboundBuffer(piece.data, piece.bytes));
      return buffers.back().get();
    };
    for (size_t i = 0; i < receive_count; ++i) {
      add(receives[i])->recv(static_cast<int>(receives[i].peer), Slot(receives[i].tag));
    }
    for (size_t i = 0; i < send_count; ++i) {
      add(sends[i])->send(static_cast<int>(sends[i].peer), Slot(sends[i].tag));
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (i < receive_count) {
        buffers[i]->waitRecv();
      } else {
        buffers[i]->waitSend();
      }
    }
  });
}

int Barrier(AclimbMesh* mesh, const AclimbTransportCall* call) {
  return Guarded(call->error, [&] {
    gloo::BarrierOptions options(mesh->gloo);
    Prepare(*mesh->gloo, *call, &options);
    gloo::barrier(options);
  });
}

constexpr AclimbTransport kTransport = {
    .api_version = ACLIMB_TRANSPORT_API_VERSION,
    .struct_size = sizeof(AclimbTransport),
    .make = &MakeMesh,
    .destroy = &DestroyMesh,
    .abort = &AbortMesh,
    .progress = &CountWaits,
    .all_reduce = &AllReduce,
    .reduce = &Reduce,
    .broadcast = &Broadcast,
    .all_gather = &AllGather,
    .scatter = &Scatter,
    .transfer = &TransferAll,
    .barrier = &Barrier,
};

}  // namespace
}  // namespace aclimb::collectives

extern "C" __attribute__((visibility("default"))) const AclimbTransport* aclimb_transport_entry() {
  return &aclimb::collectives::kTransport;
}
