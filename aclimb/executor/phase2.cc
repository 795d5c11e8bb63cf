#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/overlap.h"
#include "aclimb/core/recycler.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/describe.h"
#include "aclimb/executor/device_kernel.h"
#include "aclimb/executor/executor.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/report.h"
#include "aclimb/executor/team.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {
namespace {

// The shape becomes that of the program's tensor, unless it was destroyed meanwhile.
class TensorShapes final : public ShapeTeller {
 public:
  explicit TensorShapes(const Executor& executor) : executor_(executor) {}

  void Tell(int parameter, std::span<const int64_t> shape) const override {
    const auto& uses = executor_.call->uses;
    const auto use = std::find_if(uses.begin(), uses.end(), [=](const TensorUse& each) {
      return each.parameter == parameter;
    });
    const BoundTensor* const bound = executor_.tensors.data() + (use - uses.begin());
    // Nothing throws while the handle is held.
    const std::vector<int64_t> without_gaps = ContiguousStrides({shape.begin(), shape.end()});
    auto* const tensor =
        static_cast<TensorDescriptor*>(aclimb_handle_hold(bound->handle, ACLIMB_HANDLE_TENSOR));
    if (tensor == nullptr) return;
    // aclInitTensor may have made another one of it.
    if (tensor->shape.size() == shape.size()) {
      // Fewer rows of a length keep their distance. An earlier run of the executor may have told
      // the tensor other strides.
      const TensorView& view = use->view;
      const bool has_fewer_rows =
          shape.empty() || std::equal(shape.begin() + 1, shape.end(), view.shape + 1);
      // In place: a thread that did not wait for the run may read them.
      std::copy(shape.begin(), shape.end(), tensor->shape.begin());
      std::copy_n(has_fewer_rows ? view.stride : without_gaps.data(), shape.size(),
                  tensor->stride.begin());
      tensor->SetKey();
    }
    aclimb_handle_give_back(bound->handle);
  }

 private:
  const Executor& executor_;
};

int RunOnEngine(void* payload) {
  ConfigureTeam();
  auto* const executor = static_cast<Executor*>(payload);
  const PlannedCall& call = *executor->call;
  const HelpersScope scope(call.helpers);
  try {
    if (call.sized != nullptr) {
      call.sized->Run(executor->Context(), TensorShapes(*executor));
    } else {
      call.plan->Run(executor->Context());
    }
    return kSuccess;
  } catch (const RunFailure& failure) {
    if (!failure.why.empty()) aclimb_explain(failure.why.c_str());
    return failure.code;
  } catch (const std::bad_alloc&) {
    return kRtMemoryAllocation;
  } catch (const std::system_error&) {  // a library's thread that could not be started
    return kRtResourceAllocFail;
  } catch (...) {
    return kRtAicoreException;
  }
}

void InspectRun(const void* run, AclimbFound found, void* into) {
  const auto* executor = static_cast<const Executor*>(run);
  try {
    executor->call->plan->Inspect(executor->Context(), Inspector(found, into));
  } catch (...) {
    // No memory for the text.
  }
}

Status RefusePhase2(int code, std::string what, std::string fix, const char* rule) {
  return Refuse(code, std::move(what), std::move(fix), Cat("phase2/", rule));
}

constexpr const char* kWorkspaceFix = "pass device memory of the size that phase 1 returned";

// Kernel address of [address + begin, address + end), all of it inside one live allocation: on the
// host where it sees the device's memory, else the device's own.
//   size_fix  what to do where the allocation is too small
Result<char*> Translate(const PlannedCall& call, const char* name, const void* address,
                        int64_t begin, int64_t end, const char* size_fix) {
  AclimbAllocation found;
  const char* first = static_cast<const char*>(address) + begin;
  if (aclimb_memory_find(first, &found) == 0) {
    char what[160];
    const char* const fix = aclimb_memory_absent_text(first, what, sizeof(what));
    return RefusePhase2(kAclnnInvalid,
                        Cat(name, " starts at ", AddressText(first), ", ", what,
                            "; expected memory from aclrtMalloc that was not freed."),
                        fix, "not-device-memory");
  }
  const auto* base = static_cast<const char*>(found.base);
  const uint64_t needed = static_cast<uint64_t>(first - base) + static_cast<uint64_t>(end - begin);
  if (needed > found.usable) {
    return RefusePhase2(
        kAclnnInvalid,
        Cat(name, " ends ", needed, " bytes into the allocation at ", AddressText(found.base),
            "; expected it to end within the ", found.requested, " bytes asked for."),
        size_fix, "past-allocation");
  }
  if (found.kernel_base != nullptr) {
    return static_cast<char*>(found.kernel_base) + (first - base);
  }
  if (!call.on_device) {
    return RefusePhase2(
        kAclnnRuntime,
        Cat(name, " is in the device's own memory, but the device has no kernel for ",
            call.contract->function,
            ", and that of the host cannot reach it; "
            "expected a device with that kernel."),
        "unset ACLIMB_DEVICE to use the processor", "no-device-kernel");
  }
  return const_cast<char*>(first);
}

Result<char*> TranslateWorkspace(const PlannedCall& call, const void* workspace) {
  return Translate(call, "workspace", workspace, 0, static_cast<int64_t>(call.workspace_size),
                   kWorkspaceFix);
}
Result<char*> TranslateTensor(const PlannedCall& call, const TensorUse& use, const void* data) {
  return Translate(call, call.NameOf(use), data, use.footprint.begin, use.footprint.end,
                   "allocate more, or correct shape, strides and offset of the view");
}

Status CheckWorkspace(const Executor& executor, const void* workspace, uint64_t size) {
  if (workspace == nullptr && size > 0) {
    return RefusePhase2(kAclnnNullptr,
                        Cat("workspace is null but workspaceSize is ", size,
                            "; expected device memory of that size."),
                        "allocate workspaceSize bytes with aclrtMalloc, and pass them as workspace",
                        "null-workspace");
  }
  if (size >= executor.call->workspace_size) return Ok();
  return RefusePhase2(kAclnnInvalid,
                      Cat("workspaceSize is ", size, "; expected at least ",
                          executor.call->workspace_size, ", which phase 1 returned."),
                      kWorkspaceFix, "small-workspace");
}

Status CheckData(const Executor& executor) {
  const BoundTensor* tensor = executor.tensors.data();
  for (const TensorUse& use : executor.call->uses) {
    if ((tensor++)->data != nullptr || !use.touched) continue;
    return RefusePhase2(kAclnnNullptr,
                        Cat(executor.call->NameOf(use),
                            "'s data is null; expected device memory, since the tensor is not "
                            "empty."),
                        "give aclCreateTensor an address, or set one before phase 2; check that "
                        "aclrtMalloc succeeded",
                        "null-data");
  }
  return Ok();
}

Status PlaceWorkspace(Executor& executor, const void* workspace) {
  const uint64_t size = executor.call->workspace_size;
  if (size == 0) return Ok();
  Result<char*> at = TranslateWorkspace(*executor.call, workspace);
  if (!at.ok()) return at.TakeStatus();
  const auto address = reinterpret_cast<uintptr_t>(at.value());
  constexpr uintptr_t kMask = WorkspaceLedger::kAlignment - 1;
  executor.workspace = at.value() + (((address + kMask) & ~kMask) - address);
  executor.given_workspace = workspace;
  return Ok();
}

Status PlaceTensors(Executor& executor) {
  BoundTensor* tensor = executor.tensors.data();
  for (const TensorUse& use : executor.call->uses) {
    BoundTensor& placed = *tensor++;
    if (!use.touched) continue;
    Result<char*> at = TranslateTensor(*executor.call, use, placed.data);
    if (!at.ok()) return at.TakeStatus();
    placed.kernel_data = at.value();
  }
  return Ok();
}

// Whether what the run uses is where it was when it was queued.
bool IsStillPlaced(const Executor& executor) {
  const PlannedCall& call = *executor.call;
  if (call.workspace_size > 0 && !TranslateWorkspace(call, executor.given_workspace).ok()) {
    return false;
  }
  const BoundTensor* tensor = executor.tensors.data();
  for (const TensorUse& use : call.uses) {
    const BoundTensor& placed = *tensor++;
    if (!use.touched) continue;
    const Result<char*> at = TranslateTensor(call, use, placed.data);
    if (!at.ok() || at.value() != placed.kernel_data) return false;
  }
  return true;
}

// The dimensions in which elements follow each other in memory: one for each run of dimensions that
// are one, none of extent 1.
TensorView Merged(const TensorView& view) {
  TensorView merged = view;
  merged.rank = 0;
  for (int d = 0; d < view.rank; ++d) {
    if (view.shape[d] == 1) continue;
    const int last = merged.rank - 1;
    if (last >= 0 && merged.stride[last] == view.stride[d] * view.shape[d]) {
      merged.shape[last] *= view.shape[d];
      merged.stride[last] = view.stride[d];
    } else {
      merged.shape[merged.rank] = view.shape[d];
      merged.stride[merged.rank++] = view.stride[d];
    }
  }
  return merged;
}

// Whether two views that begin at one place have the same elements in the same order.
bool AreEqual(const TensorView& a, const TensorView& b) {
  const TensorView one = Merged(a), other = Merged(b);
  return a.dtype == b.dtype && one.rank == other.rank &&
         std::equal(one.shape, one.shape + one.rank, other.shape) &&
         std::equal(one.stride, one.stride + one.rank, other.stride);
}

const char* FirstByte(const Executor& executor, size_t use) {
  return static_cast<const char*>(executor.tensors[use].data) +
         executor.call->uses[use].footprint.begin;
}

int64_t BytesOf(const TensorUse& use) { return use.footprint.end - use.footprint.begin; }

// Whether the operator is right when `w`, which it writes, is the view of `r`.
bool WorksInPlace(const PlannedCall& call, const TensorUse& w, const TensorUse& r) {
  return w.element == r.element &&
         call.contract->WorksInPlace(w.parameter, r.parameter, w.view.ElementCount() == 1);
}

// ", or the view of self or other": what it may be.
std::string InputsInPlace(const PlannedCall& call, const TensorUse& output) {
  std::string names;
  for (const TensorUse& use : call.uses) {
    const bool may_be = call.contract->At(output.parameter).MayBe(use.parameter);
    if (!may_be || use.element != output.element) continue;
    names += Cat(names.empty() ? ", or the view of " : " or ", call.NameOf(use));
  }
  return names;
}

std::string ElementText(const char* name, const std::vector<int64_t>& index) {
  return Cat(name, ShapeText(index.data(), index.size()));
}

// Refuses the tensor `w`, which is written, if it has elements of the tensor `r`: what is read
// there would depend on the order, unless they are at the same places and the operator works in
// place. Memory that lies apart decides first, since most calls have no other.
Status CheckPair(const Executor& executor, size_t w, size_t r) {
  const PlannedCall& call = *executor.call;
  const TensorUse &written = call.uses[w], &other = call.uses[r];
  const int64_t ahead = FirstByte(executor, w) - FirstByte(executor, r);
  if (ahead >= BytesOf(other) || -ahead >= BytesOf(written)) return Ok();
  const char *const name = call.NameOf(written), *const other_name = call.NameOf(other);
  if (ahead == 0 && AreEqual(written.view, other.view)) {
    if (WorksInPlace(call, written, other)) return Ok();
    return RefusePhase2(
        kAclnnInvalid,
        Cat(name, " and ", other_name, " are one view at ", AddressText(FirstByte(executor, w)),
            ", and ", call.contract->function, " would overwrite ", other_name,
            "; expected memory of its own", InputsInPlace(call, written), "."),
        Cat("allocate memory of its own for ", name, ", and copy the result"), "not-in-place");
  }
  SharedElement shared;
  const Sharing sharing = FindSharedElement(written.view, other.view, ahead, shared);
  if (sharing == Sharing::kNone) return Ok();
  return RefusePhase2(
      kAclnnInvalid,
      Cat(name, " starts at ", AddressText(FirstByte(executor, w)), " and overlaps ", other_name,
          " at ", AddressText(FirstByte(executor, r)), ", which is another view",
          sharing == Sharing::kUndecided ? std::string(" whose strides do not tell the two apart")
                                         : Cat(": ", ElementText(name, shared.first), " lies at ",
                                               ElementText(other_name, shared.second)),
          "; expected memory of its own", InputsInPlace(call, written), "."),
      "write to memory of its own, and copy the result", "partial-overlap");
}

// Of many tensors: by their order in memory, so that each is compared with its neighbours alone.
Status CheckNeighbours(const Executor& executor) {
  const auto& uses = executor.call->uses;
  using Uses = std::vector<size_t, RecyclingAllocator<size_t>>;
  Uses order, written, read;  // the latter two: those that reach the next one
  order.reserve(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].touched) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return FirstByte(executor, a) < FirstByte(executor, b); });
  for (const size_t next : order) {
    const auto has_ended = [&](size_t use) {
      return FirstByte(executor, next) - FirstByte(executor, use) >= BytesOf(uses[use]);
    };
    std::erase_if(written, has_ended);
    std::erase_if(read, has_ended);
    for (const size_t w : written) {
      if (Status status = CheckPair(executor, w, next); !status.ok()) return status;
    }
    if (!contract::IsWritten(uses[next].role)) {
      read.push_back(next);
      continue;
    }
    for (const size_t r : read) {
      if (Status status = CheckPair(executor, next, r); !status.ok()) return status;
    }
    written.push_back(next);
  }
  return Ok();
}

Status CheckOverlap(const Executor& executor) {
  const auto& uses = executor.call->uses;
  if (uses.size() > kMostTensors) return CheckNeighbours(executor);
  for (size_t w = 0; w < uses.size(); ++w) {
    if (!uses[w].touched || !contract::IsWritten(uses[w].role)) continue;
    for (size_t r = 0; r < uses.size(); ++r) {
      if (r == w || !uses[r].touched) continue;
      if (Status status = CheckPair(executor, w, r); !status.ok()) return status;
    }
  }
  return Ok();
}

// All checks of phase 2 but the stream's, in the order that the interface gives them; then the run
// has what it needs.
Status Prepare(const void* workspace, uint64_t size, Executor& executor) {
  if (Status status = CheckWorkspace(executor, workspace, size); !status.ok()) return status;
  if (Status status = CheckData(executor); !status.ok()) return status;
  if (Status status = PlaceWorkspace(executor, workspace); !status.ok()) return status;
  if (Status status = PlaceTensors(executor); !status.ok()) return status;
  if (Status status = CheckOverlap(executor); !status.ok()) return status;
  if (Observing()) {
    const auto description = std::make_shared<Description>(executor, workspace);
    if (executor.call->plan) description->InspectBy(&InspectRun, &executor);
    executor.description = description;
  }
  return Ok();
}

Status Submit(std::unique_ptr<Executor> executor, aclrtStream stream) {
  // From now on there is an engine's thread beside those of the program.
  ShortenOpenMpWaits();
  const PlannedCall& call = *executor->call;
  const AclimbTask task{
      .name = call.contract->function,
      .run = call.plan ? &RunOnEngine : [](void*) { return 0; },
      .release = [](void* payload) { delete static_cast<Executor*>(payload); },
      .payload = executor.get(),
      .recheck =
          [](const void* payload) {
            try {
              return IsStillPlaced(*static_cast<const Executor*>(payload)) ? 1 : 0;
            } catch (const std::bad_alloc&) {  // the text of why not
              return 0;
            }
          },
      .cost_bytes = call.cost_bytes,
      .any_thread = call.any_thread ? 1 : 0,
      .no_memory = 0,
      .operation = executor->description ? executor->description->operation() : nullptr};
  executor.release();
  AclimbReason reason = {"", ""};
  const int code = aclimb_launch(stream, &task, &reason);
  if (code == kSuccess) return Ok();
  return RefusePhase2(kAclnnRuntime,
                      Cat("the runtime answered ", CodeText(code), ": ", reason.what), reason.fix,
                      "runtime");
}

Status ConsumedExecutor(const aclOpExecutor* executor) {
  return RefuseHandle(kAclnnInnerNullptr, "phase2/consumed-executor", "executor", executor,
                      "aclOpExecutor", "a live one",
                      "call phase 1 again, or make the executor repeatable with "
                      "aclSetAclOpExecutorRepeatable");
}

// To the tools. `executor` is null when it is not known, or another operator's.
void TellCall(const contract::Contract& contract, const Executor* executor) {
  if (!Observing()) return;
  AclimbOperatorCall call = {.function = contract.function,
                             .phase = 2,
                             .arguments = nullptr,
                             .workspace_size = 0,
                             .deterministic = 0};
  if (executor != nullptr) {
    call.arguments = executor->arguments != nullptr ? executor->arguments->c_str() : "";
    call.workspace_size = executor->call->workspace_size;
    call.deterministic = executor->call->deterministic ? 1 : 0;
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
    HeldExecutor held(handle);
    const Executor* const executor = held.get();
    if (executor == nullptr) return ConsumedExecutor(handle);
    if (executor->call->contract != &contract) {
      return RefusePhase2(kAclnnInvalid,
                          Cat("executor was made by ", executor->call->contract->function,
                              "GetWorkspaceSize but passed to ", contract.function,
                              "; expected phase 1 and phase 2 of one operator."),
                          "pass each executor to its own operator", "other-operator");
    }
    TellCall(contract, executor);
    // Consumed by success and by failure alike, unless it is repeatable.
    mine = executor->repeatable ? std::make_unique<Executor>(*executor) : held.Consume();
  }
  if (Status status = Prepare(workspace, size, *mine); !status.ok()) return status;
  return Submit(std::move(mine), stream);
}

}  // namespace

aclnnStatus Phase2(const Operator& of, void* workspace, uint64_t workspace_size,
                   aclOpExecutor* executor, aclrtStream stream) noexcept {
  return Guarded(of.contract().function, [&] {
    return RunPhase2(of.contract(), workspace, workspace_size, executor, stream);
  });
}

}  // namespace aclimb
