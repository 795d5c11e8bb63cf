#include <exception>
#include <string>
#include <utility>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/describe.h"
#include "aclimb/executor/executor.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/report.h"
#include "aclimb/executor/team.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {
namespace {

// One run on its way through the stream: everything it needs, and nothing of the program's objects.
struct Launch : Recycled {
  std::unique_ptr<Executor> executor;  // its views have the addresses of this run
  char* workspace = nullptr;
  uint64_t cost_bytes = 0;
  std::unique_ptr<const Description> description;  // null unless a tool listens

  RunContext Context() const { return RunContext(executor->uses, workspace); }
  static int Run(void* payload) {
    ConfigureTeam();
    auto* launch = static_cast<Launch*>(payload);
    const SerialScope serial(launch->cost_bytes <= ACLIMB_INLINE_BYTES);
    try {
      launch->executor->plan->Run(launch->Context());
      return kSuccess;
    } catch (...) {
      return kRtAicoreException;
    }
  }
  static void Inspect(const void* run, AclimbFound found, void* into) {
    const auto* launch = static_cast<const Launch*>(run);
    try {
      launch->executor->plan->Inspect(launch->Context(), Inspector(found, into));
    } catch (...) {
      // No memory for the text.
    }
  }
  static void Release(void* payload) { delete static_cast<Launch*>(payload); }
};

Status RefusePhase2(int code, std::string what, const char* fix, const char* rule) {
  return Refuse(code, std::move(what), fix, Cat("phase2/", rule));
}

// Kernel address of [address + begin, address + end), all of it inside one live allocation.
Result<char*> Translate(const char* name, const void* address, int64_t begin, int64_t end) {
  AclimbAllocation found;
  const char* first = static_cast<const char*>(address) + begin;
  if (aclimb_memory_find(first, &found) == 0) {
    return RefusePhase2(
        kAclnnInvalid,
        Cat(name, " starts at ", AddressText(first),
            ", which is in no live device allocation; expected memory from "
            "aclrtMalloc that was not freed."),
        "allocate it with aclrtMalloc, copy host data with aclrtMemcpy, and free it after the "
        "synchronise (ACLIMB_CHECK=1 tells where it was freed)",
        "not-device-memory");
  }
  const auto* base = static_cast<const char*>(found.base);
  const uint64_t needed = static_cast<uint64_t>(first - base) + static_cast<uint64_t>(end - begin);
  if (needed > found.usable) {
    return RefusePhase2(
        kAclnnInvalid,
        Cat(name, " ends ", needed, " bytes into the allocation at ", AddressText(found.base),
            " of ", found.requested, " bytes; expected it to end within ", found.usable,
            " bytes (the request rounded up to 32, plus 32)."),
        "allocate more, or correct shape, strides and offset of the view", "past-allocation");
  }
  return static_cast<char*>(found.kernel_base) + (first - base);
}

Status CheckWorkspace(const Executor& executor, const void* workspace, uint64_t size) {
  if (workspace == nullptr && size > 0) {
    return RefusePhase2(kAclnnNullptr,
                        Cat("workspace is null but workspaceSize is ", size,
                            "; expected device memory of that size."),
                        "allocate workspaceSize bytes with aclrtMalloc", "null-workspace");
  }
  if (size >= executor.workspace_size) return Ok();
  return RefusePhase2(kAclnnInvalid,
                      Cat("workspaceSize is ", size, "; expected at least ",
                          executor.workspace_size, ", which phase 1 returned."),
                      "pass the size that phase 1 returned", "small-workspace");
}

const char* NameOf(const Executor& executor, const TensorUse& use) {
  return executor.contract->parameters[static_cast<size_t>(use.parameter)].name;
}

Status CheckData(const Executor& executor) {
  for (const TensorUse& use : executor.uses) {
    if (!use.touched || use.data != nullptr) continue;
    return RefusePhase2(kAclnnNullptr,
                        Cat(NameOf(executor, use),
                            "'s data is null; expected device memory, since the tensor is not "
                            "empty."),
                        "give aclCreateTensor an address, or set one before phase 2", "null-data");
  }
  return Ok();
}

Status PlaceWorkspace(const Executor& executor, const void* workspace, Launch& launch) {
  if (executor.workspace_size == 0) return Ok();
  Result<char*> at =
      Translate("workspace", workspace, 0, static_cast<int64_t>(executor.workspace_size));
  if (!at.ok()) return at.TakeStatus();
  const auto address = reinterpret_cast<uintptr_t>(at.value());
  constexpr uintptr_t kMask = WorkspaceLedger::kAlignment - 1;
  launch.workspace = at.value() + (((address + kMask) & ~kMask) - address);
  return Ok();
}

Status PlaceTensors(Executor& executor) {
  for (TensorUse& use : executor.uses) {
    if (!use.touched) continue;
    Result<char*> at =
        Translate(NameOf(executor, use), use.data, use.footprint.begin, use.footprint.end);
    if (!at.ok()) return at.TakeStatus();
    use.view.data = at.value();
  }
  return Ok();
}

// Alone, a compute thread on the engine gains nothing but its overlap with the program: larger
// tasks then count as small.
uint64_t CostOf(const Executor& executor) {
  return executor.needs_no_team || TeamSize() == 1 ? (executor.cost_bytes + 7) / 8
                                                   : executor.cost_bytes;
}

// All checks of phase 2 but the stream's, in the order that the interface gives them; then the run
// has what it needs.
Status Prepare(const void* workspace, uint64_t size, Launch& launch) {
  Executor& executor = *launch.executor;
  if (Status status = CheckWorkspace(executor, workspace, size); !status.ok()) return status;
  if (Status status = CheckData(executor); !status.ok()) return status;
  if (Status status = PlaceWorkspace(executor, workspace, launch); !status.ok()) return status;
  if (Status status = PlaceTensors(executor); !status.ok()) return status;
  launch.cost_bytes = CostOf(executor);
  if (aclimb_observing() != 0) {
    auto description = std::make_unique<Description>(executor, workspace);
    if (executor.plan) description->InspectBy(&Launch::Inspect, &launch);
    launch.description = std::move(description);
  }
  return Ok();
}

Status Submit(const contract::Contract& contract, std::unique_ptr<Launch> launch,
              aclrtStream stream) {
  const AclimbTask task{
      .name = contract.function,
      .run = launch->executor->plan ? &Launch::Run : [](void*) { return 0; },
      .release = &Launch::Release,
      .payload = launch.get(),
      .cost_bytes = launch->cost_bytes,
      .operation = launch->description ? launch->description->operation() : nullptr};
  launch.release();
  AclimbReason reason = {"", ""};
  const int code = aclimb_launch(stream, &task, &reason);
  if (code == kSuccess) return Ok();
  return RefusePhase2(kAclnnRuntime,
                      Cat("the runtime answered ", CodeText(code), ": ", reason.what), reason.fix,
                      "runtime");
}

Status ConsumedExecutor(const aclOpExecutor* executor) {
  return RefusePhase2(
      kAclnnInnerNullptr,
      Cat("executor is ", AddressText(executor), ", which is not a live aclOpExecutor (",
          aclimb_handle_state_text(executor), "); expected a live one."),
      "call phase 1 again, or make the executor repeatable with "
      "aclSetAclOpExecutorRepeatable",
      "consumed-executor");
}

// To the tools. `executor` is null when it is not known, or another operator's.
void TellCall(const contract::Contract& contract, const Executor* executor) {
  if (aclimb_observing() == 0) return;
  AclimbOperatorCall call = {.function = contract.function,
                             .phase = 2,
                             .arguments = nullptr,
                             .workspace_size = 0,
                             .deterministic = 0};
  if (executor != nullptr) {
    call.arguments = executor->arguments.c_str();
    call.workspace_size = executor->workspace_size;
    call.deterministic = executor->deterministic ? 1 : 0;
  }
  aclimb_call_details(&call);
}

Status RunPhase2(const contract::Contract& contract, void* workspace, uint64_t size,
                 aclOpExecutor* handle, aclrtStream stream) {
  TellCall(contract, nullptr);
  if (handle == nullptr) {
    return RefusePhase2(kAclnnNullptr, "executor is null; expected the one that phase 1 made.",
                        "check that phase 1 returned 0", "null-executor");
  }
  std::unique_ptr<Executor> mine;
  {
    const HandleLock lock(handle);
    auto* executor = static_cast<Executor*>(aclimb_handle_resolve(handle, ACLIMB_HANDLE_EXECUTOR));
    if (executor == nullptr) return ConsumedExecutor(handle);
    if (executor->contract != &contract) {
      return RefusePhase2(kAclnnInvalid,
                          Cat("executor was made by ", executor->contract->function,
                              "GetWorkspaceSize but passed to ", contract.function,
                              "; expected phase 1 and phase 2 of one operator."),
                          "pass each executor to its own operator", "other-operator");
    }
    TellCall(contract, executor);
    // Consumed by success and by failure alike, unless it is repeatable.
    mine.reset(executor->repeatable
                   ? new Executor(*executor)
                   : static_cast<Executor*>(aclimb_handle_release(handle, ACLIMB_HANDLE_EXECUTOR)));
  }
  auto launch = std::make_unique<Launch>();
  launch->executor = std::move(mine);
  if (Status status = Prepare(workspace, size, *launch); !status.ok()) return status;
  return Submit(contract, std::move(launch), stream);
}

}  // namespace

aclnnStatus Phase2(const contract::Contract& contract, void* workspace, uint64_t workspace_size,
                   aclOpExecutor* executor, aclrtStream stream) noexcept {
  return Guarded(contract.function,
                 [&] { return RunPhase2(contract, workspace, workspace_size, executor, stream); });
}

}  // namespace aclimb
