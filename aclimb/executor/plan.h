#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/contract/contract.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/recycler.h"
#include "aclimb/core/status.h"
#include "aclimb/core/tensor_view.h"
#include "aclimb/executor/workspace.h"

namespace aclimb {

class Inspector;

// Tensor parameters of one operator at most; the tensors of lists are as many as they like.
inline constexpr size_t kMostTensors = 16;

// One tensor argument, or one tensor of a list, as phase 1 saw it, without what equal calls differ
// in. The descriptor itself is copied out: phase 2 and the address setters never follow an
// aclTensor that may be gone.
struct TensorUse {
  int parameter = 0;  // of the contract
  int element = -1;   // of the list that the parameter is
  TensorView view;    // without an address
  TensorDescriptor::ByteRange footprint = {};
  contract::Role role = contract::Role::kInput;  // of this run: kOutput where it only overwrites
  bool touched = false;                          // read or written by the plan, and not empty
  int64_t bytes_read = 0, bytes_written = 0;     // by a run
};

// The tensor of one call that stands in the place of a TensorUse.
struct BoundTensor {
  const void* handle = nullptr;  // what the program passed; null when not given
  const void* list = nullptr;    // the list that it is a member of, or null
  void* data = nullptr;          // storage address; the setters change it
  void* kernel_data = nullptr;   // where kernels find the first element, set for a run
};

// One for each use of a call: in place for those of most calls, in memory of its own for long
// lists.
class BoundTensors {
 public:
  void Resize(size_t count) {
    if (count > kMostTensors) many_.resize(count);
  }
  BoundTensor* data() { return many_.empty() ? few_.data() : many_.data(); }
  const BoundTensor* data() const { return many_.empty() ? few_.data() : many_.data(); }
  BoundTensor& operator[](size_t i) { return data()[i]; }
  const BoundTensor& operator[](size_t i) const { return data()[i]; }

 private:
  std::array<BoundTensor, kMostTensors> few_;
  std::vector<BoundTensor, RecyclingAllocator<BoundTensor>> many_;
};

// What a running plan may use: kernel views of the tensors it booked, at the addresses of this run,
// and the workspace. Valid during Run only.
class RunContext {
 public:
  // `tensors` has one entry for each use.
  RunContext(std::span<const TensorUse> uses, const BoundTensor* tensors, char* workspace)
      : uses_(uses), tensors_(tensors), workspace_(workspace) {}

  // The tensor of contract parameter `parameter`; `data` is null when it was not given or empty.
  TensorView View(int parameter) const { return ViewOf(IndexOf(parameter)); }
  // The address of its first element.
  void* Data(int parameter) const { return tensors_[IndexOf(parameter)].kernel_data; }
  // View and Data of a tensor of a list.
  TensorView View(int parameter, size_t element) const {
    return ViewOf(IndexOf(parameter) + element);
  }
  void* Data(int parameter, size_t element) const {
    return tensors_[IndexOf(parameter) + element].kernel_data;
  }

  // All tensors of the call, those of lists among them, in the order of the parameters.
  size_t TensorCount() const { return uses_.size(); }
  void* DataOfTensor(size_t use) const { return tensors_[use].kernel_data; }

  template <typename T = void>
  T* Piece(WorkspacePiece piece) const {
    return piece.offset < 0 ? nullptr : reinterpret_cast<T*>(workspace_ + piece.offset);
  }

 private:
  TensorView ViewOf(size_t use) const {
    TensorView view = uses_[use].view;
    view.data = tensors_[use].kernel_data;
    return view;
  }
  // The tensors of a list follow each other.
  size_t IndexOf(int parameter) const {
    size_t i = 0;
    while (uses_[i].parameter != parameter) ++i;
    return i;
  }

  std::span<const TensorUse> uses_;
  const BoundTensor* tensors_;
  char* workspace_;
};

// Thrown by a run: its task fails, and a synchronising call tells why.
struct RunFailure {
  int code = 0;          // of the runtime
  std::string why = {};  // what was found and expected, as a sentence; empty for the code alone
};

// What phase 1 leaves for phase 2: the chosen algorithm with every attribute copied out of the
// arguments. Immutable, since equal calls share it and may have several runs in flight.
class Plan {
 public:
  virtual ~Plan() = default;
  // On an engine's thread, or one that waits for the run. Calls kernels; must not allocate in
  // proportion to the data.
  virtual void Run(const RunContext& run) const = 0;
  // Looks at the inputs and tells what is wrong with them (executor/inspect.h). Called right before
  // Run, under the checker alone: the kernels themselves take any data.
  virtual void Inspect(const RunContext& run, const Inspector& inspector) const {
    (void)run, (void)inspector;
  }
  // Floating-point operations of a run, as AclimbOperation counts them. Asked by tools alone.
  virtual double Flops() const { return 0; }
};

using PlanPointer = std::shared_ptr<const Plan>;

// A plan of type T, or what goes with one, in recycled memory.
template <typename T, typename... Arguments>
std::shared_ptr<T> NewPlan(Arguments&&... arguments) {
  return std::allocate_shared<T>(RecyclingAllocator<T>(), std::forward<Arguments>(arguments)...);
}

// What a run takes on one core.
struct Cost {
  // Clock cycles of arithmetic, and of whatever else keeps a core from moving data.
  double cycles = 0;
};

// Elements of a tensor.
struct Moved {
  int64_t read = 0, written = 0;
};

// Phase 1's second half, given to an operator's plan function when its contract holds.
class Planner {
 public:
  explicit Planner(bool deterministic) : deterministic_(deterministic) {}

  // Says that the run touches the tensor of this parameter, or all of its list. Phase 2 checks the
  // memory of those, and only those, that are given and not empty.
  void Reads(int parameter) { reads_ |= Bit(parameter); }
  void Writes(int parameter) { writes_ |= Bit(parameter); }
  // Says that the run writes the whole tensor and does not read it, though its role may say that
  // other runs do.
  void Overwrites(int parameter) {
    Writes(parameter);
    overwrites_ |= Bit(parameter);
  }
  // Says how many elements of the parameter's tensor a run moves where it is not all of them, as
  // where an index chooses some.
  void Moves(int parameter, Moved moved) { moved_.emplace_back(parameter, moved); }

  // What the run takes beside its traffic; by this and the traffic the executor decides who runs
  // it.
  void Costs(Cost cost) { cost_ = cost; }
  // The run opens an OpenMP team, as oneDNN does.
  void OpensOpenMpTeam() { opens_openmp_team_ = true; }

  WorkspaceLedger& workspace() { return workspace_; }
  // ACL_OPT_DETERMINISTIC as it stood when phase 1 was called.
  bool deterministic() const { return deterministic_; }

  bool reads(int parameter) const { return (reads_ & Bit(parameter)) != 0; }
  bool writes(int parameter) const { return (writes_ & Bit(parameter)) != 0; }
  bool overwrites(int parameter) const { return (overwrites_ & Bit(parameter)) != 0; }
  // Null where a run moves what the parameter's role says, whole.
  const Moved* moved(int parameter) const {
    for (const auto& [of, moved] : moved_) {
      if (of == parameter) return &moved;
    }
    return nullptr;
  }
  const Cost& cost() const { return cost_; }
  bool opens_openmp_team() const { return opens_openmp_team_; }
  const WorkspaceLedger& workspace() const { return workspace_; }

 private:
  static uint64_t Bit(int parameter) { return uint64_t{1} << parameter; }

  uint64_t reads_ = 0;
  uint64_t writes_ = 0;
  uint64_t overwrites_ = 0;
  std::vector<std::pair<int, Moved>> moved_;
  WorkspaceLedger workspace_;
  Cost cost_;
  bool deterministic_;
  bool opens_openmp_team_ = false;
};

// Chooses the algorithm and books tensors and workspace. A null plan means that there is nothing to
// do (empty tensors): phase 2 then checks its arguments and launches nothing. Depends on what the
// arguments say but for addresses and handles, on the planner and on TeamSize(), on nothing else:
// it is not asked again for an equal call (recent_calls.h).
using PlanFunction = Result<PlanPointer> (*)(const contract::Arguments& arguments,
                                             Planner& planner);

}  // namespace aclimb
