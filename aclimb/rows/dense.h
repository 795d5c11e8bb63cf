#pragma once

#include <cstdint>

#include "aclimb/executor/plan.h"
#include "aclimb/rows/layout.h"

namespace aclimb::rows {

// A tensor parameter for a kernel that wants it dense: row-major without gaps, the dimensions in an
// order and the elements of a dtype that the plan chooses. If the tensor is like that, the kernel
// gets it itself, else a copy in the workspace.
class Dense {
 public:
  Dense() = default;  // not given: Data() is null

  // These book what a run reads, writes and copies.
  static Dense Input(Planner& planner, int parameter, const TensorView& view, DType dtype,
                     const Order& order);
  static Dense Output(Planner& planner, int parameter, const TensorView& view, DType dtype,
                      const Order& order);
  // Read and overwritten.
  static Dense InOut(Planner& planner, int parameter, const TensorView& view, DType dtype,
                     const Order& order);
  // In the tensor's own order.
  static Dense Input(Planner& planner, int parameter, const TensorView& view, DType dtype) {
    return Input(planner, parameter, view, dtype, OwnOrder(view.rank));
  }
  static Dense Output(Planner& planner, int parameter, const TensorView& view, DType dtype) {
    return Output(planner, parameter, view, dtype, OwnOrder(view.rank));
  }
  static Dense InOut(Planner& planner, int parameter, const TensorView& view, DType dtype) {
    return InOut(planner, parameter, view, dtype, OwnOrder(view.rank));
  }
  // Its elements as they are, too.
  static Dense Input(Planner& planner, int parameter, const TensorView& view) {
    return Input(planner, parameter, view, view.dtype);
  }
  static Dense Output(Planner& planner, int parameter, const TensorView& view) {
    return Output(planner, parameter, view, view.dtype);
  }

  bool given() const { return parameter_ >= 0; }
  DType dtype() const { return dtype_; }
  // Clock cycles of the copies of a run, about.
  double CopyCycles() const { return copied_ ? 3 * static_cast<double>(count_) : 0; }

  // What the kernel gets.
  void* Data(const RunContext& run) const {
    if (!given()) return nullptr;
    return copied_ ? run.Piece<void>(piece_) : run.Data(parameter_);
  }
  // Of an input: its elements, fetched. Null when the run was cancelled.
  template <typename T = void>
  const T* Read(const RunContext& run) const {
    return Fetch(run) ? static_cast<const T*>(Data(run)) : nullptr;
  }
  // Before the kernel: fills in the copy of an input. False when the run was cancelled.
  [[nodiscard]] bool Fetch(const RunContext& run) const;
  // After it: copies to the output.
  [[nodiscard]] bool Deliver(const RunContext& run) const;

 private:
  Dense(Planner& planner, int parameter, const TensorView& view, DType dtype, const Order& order);
  TensorView Own(const RunContext& run) const { return Permuted(run.View(parameter_), order_); }
  TensorView Copied(const RunContext& run) const;

  int parameter_ = -1;
  DType dtype_ = DType::kUndefined;
  Order order_;
  int64_t count_ = 0;
  bool copied_ = false;
  bool reads_ = false;
  bool writes_ = false;
  WorkspacePiece piece_;
};

// What a plan's run does: fetches, computes, delivers.
template <typename Kernel>
void RunDense(const RunContext& run, std::initializer_list<const Dense*> operands,
              const Kernel& kernel) {
  for (const Dense* each : operands) {
    if (!each->Fetch(run)) return;
  }
  if (!kernel()) return;
  for (const Dense* each : operands) {
    if (!each->Deliver(run)) return;
  }
}

// The dtype in which a kernel on float32 gives an output: what it rounds to itself, or float32 to
// convert from.
constexpr DType KernelDType(DType dtype) { return IsHalf(dtype) ? dtype : DType::kFloat32; }

}  // namespace aclimb::rows
