#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "aclimb/contract/contract.h"
#include "aclimb/core/recycler.h"
#include "aclimb/core/status.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/executor/workspace.h"

namespace aclimb {

class Inspector;

// What a running plan may use: kernel views of the tensors it booked, at the addresses of this run,
// and the workspace. Valid during Run only.
class RunContext {
 public:
  RunContext(std::span<const TensorView> views, char* workspace)
      : views_(views), workspace_(workspace) {}

  // The tensor of contract parameter `parameter`; `data` is null when it was not given or empty.
  const TensorView& View(int parameter) const { return views_[static_cast<size_t>(parameter)]; }

  template <typename T = void>
  T* Piece(WorkspacePiece piece) const {
    return piece.offset < 0 ? nullptr : reinterpret_cast<T*>(workspace_ + piece.offset);
  }

 private:
  std::span<const TensorView> views_;
  char* workspace_;
};

// What phase 1 leaves for phase 2: the chosen algorithm with every attribute copied out of the
// arguments. Immutable, since a repeatable executor may have several runs in flight.
class Plan : public Recycled {
 public:
  virtual ~Plan() = default;
  // On an engine's thread. Calls kernels; must not allocate in proportion to the data.
  virtual void Run(const RunContext& run) const = 0;
  // Looks at the inputs and tells what is wrong with them (executor/inspect.h). Called right before
  // Run, under the checker alone: the kernels themselves take any data.
  virtual void Inspect(const RunContext& run, const Inspector& inspector) const {
    (void)run, (void)inspector;
  }
  // Floating-point operations of a run, as AclimbOperation counts them. Asked by tools alone.
  virtual double Flops() const { return 0; }
};

// Phase 1's second half, given to an operator's plan function when its contract holds.
class Planner {
 public:
  explicit Planner(bool deterministic) : deterministic_(deterministic) {}

  // Says that the run touches the tensor of this parameter. Phase 2 checks the memory of those, and
  // only those, that are given and not empty.
  void Reads(int parameter) { reads_ |= Bit(parameter); }
  void Writes(int parameter) { writes_ |= Bit(parameter); }

  // The run opens a thread team whatever the tensors' size (oneDNN does): never inline.
  void NeedsEngine() { needs_engine_ = true; }

  WorkspaceLedger& workspace() { return workspace_; }
  // ACL_OPT_DETERMINISTIC as it stood when phase 1 was called.
  bool deterministic() const { return deterministic_; }

  bool reads(int parameter) const { return (reads_ & Bit(parameter)) != 0; }
  bool writes(int parameter) const { return (writes_ & Bit(parameter)) != 0; }
  bool needs_engine() const { return needs_engine_; }
  const WorkspaceLedger& workspace() const { return workspace_; }

 private:
  static uint64_t Bit(int parameter) { return uint64_t{1} << parameter; }

  uint64_t reads_ = 0;
  uint64_t writes_ = 0;
  WorkspaceLedger workspace_;
  bool deterministic_;
  bool needs_engine_ = false;
};

// Chooses the algorithm and books tensors and workspace. A null plan means that there is nothing to
// do (empty tensors): phase 2 then checks its arguments and launches nothing.
using PlanFunction = Result<std::unique_ptr<Plan>> (*)(const contract::Arguments& arguments,
                                                       Planner& planner);

}  // namespace aclimb
