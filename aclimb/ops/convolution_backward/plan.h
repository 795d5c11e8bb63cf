#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "aclimb/executor/plan.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/ways.h"
#include "aclimb/simd/factors.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {

// A tensor of a run: one of the call's, or a piece of the workspace.
struct Place {
  int parameter = -1;  // -1: `piece`
  WorkspacePiece piece;
  int64_t offset = 0;  // of the view, in bytes
  TensorView view;     // without address

  bool Exists() const { return parameter >= 0 || piece.offset >= 0; }
  void* Address(const RunContext& run) const {
    return (parameter >= 0 ? run.View(parameter).As<char>() : run.Piece<char>(piece)) + offset;
  }
  TensorView View(const RunContext& run) const {
    TensorView result = view;
    if (Exists()) result.data = Address(run);
    return result;
  }
};

// A parameter of a call; with spatial dimensions, as they are embedded.
Place PlaceOf(const contract::Arguments& arguments, int parameter);

// The steps of a run, one after the other.
struct ConvolutionPlan final : Plan {
  using Step = std::function<void(const RunContext&)>;

  explicit ConvolutionPlan(const Geometry& of) : geometry(of) {}

  const Geometry geometry;
  int products = 0;  // tasks of this geometry
  std::vector<Step> steps;

  double Flops() const override { return products * FlopsOf(geometry); }
  void Run(const RunContext& run) const override {
    for (const auto& step : steps) {
      if (IsCancelled()) return;
      step(run);
    }
  }
};

// One of our own ways to compute some results, planned for a geometry.
struct OwnWay {
  // Wants whole planes, and all weights of an output channel, side by side; else rows will do, and
  // weights anywhere.
  bool planes = false;
  // Wants the weight as float32 without gaps.
  bool float_weight = false;
  // Zeros that stand for absent elements are multiplied, and nobody has looked for NaNs of that.
  bool multiplies_absent = false;
  int64_t scratch_bytes = 0;
  // The operands that the results need, and the results.
  //   bias  null: none
  std::function<void(const Triple<TensorView>&, const Triple<TensorView>&, void* scratch,
                     const float* bias)>
      run;
};

// Puts the steps of the wanted gradients together and books their workspace. Copies of the operands
// into other layouts are made once and shared by both gradients.
class PlanBuilder {
 public:
  // The places are embedded parameters.
  PlanBuilder(Planner& planner, const Geometry& geometry, bool transposed, const Place& grad_output,
              const Place& input, const Place& weight);

  // All ways of one gradient.
  RankedWays WaysOf(Task task) const;
  // One gradient in one way. It says why where it adds nothing.
  Refusal AddBy(Way way, Task task, const Place& result);
  // A place that does not exist is not wanted. Each gradient goes the first way of its list that
  // can be had; one pass gives both where it leads both lists.
  void AddGradients(const Place& grad_input, const Place& grad_weight);
  void AddGradBias(const Place& grad_bias);
  // A convolution: the gradient of the input of the transposed one, plus a bias for each channel
  // where that exists, rounded once.
  void AddOutput(const Place& output, const Place& bias);
  PlanPointer Take() { return std::move(plan_); }

 private:
  // An operand, and the copies of it that steps have asked for.
  struct Operand {
    Place user;
    std::vector<Place> copies;  // dense, in order of rows
    std::vector<std::pair<onednn::LayoutPointer, Place>> layouts;
  };
  // What can have made NaNs that are not real: weights that are not finite, times zeros in place of
  // the other operand; or that operand as well, times zeros that fill up the weights.
  enum class Suspects : uint8_t { kNone, kWeights, kAll };

  // plan.cc: steps that all ways are made of.
  template <typename Run>
  void Then(Run&& run) {
    plan_->steps.emplace_back(std::forward<Run>(run));
  }
  Place BookBytes(int64_t bytes);
  // Room for a tensor of this shape.
  Place BookDense(const TensorView& like, DType dtype);
  void Copy(const Place& from, const Place& to);
  Place Dense(Operand& operand, DType dtype);
  // NaNs of the result that only the suspects can have made are computed again.
  void AddExact(Task task, const Place& result, Suspects suspects);

  // plan.cc: the bias of a convolution.
  // The task of what AddGradients and AddOutput give for the input.
  Task InputTask() const { return transposed_ ? Task::kForward : Task::kGradX; }
  // Whether the way adds the bias where it stores its sums.
  bool AddsBias(Way way, Task task) const;
  // One task in one way, without the bias where that does not add it.
  Refusal AddWay(Way way, Task task, const Place& result);
  // output[n, c, ...] = sums[n, c, ...] + bias[c], rounded once. `sums` may be `output`.
  void AddBias(const Place& sums, const Place& bias, const Place& output);

  // plan.cc: our own ways.
  void AddTask(Task task, const Place& result, RankedWays ways);
  // Says which of the ways is taken, and why no other.
  void Log(Task task, const RankedWays& ways, const RankedWay& taken) const;
  void AddOwn(const OwnWay& way, const Triple<Place>& results);
  void AddOwn(const OwnWay& way, Task task, const Place& result);
  void AddDirect(Task task, const Place& result);
  // The gradients that are wanted.
  void AddOnePass(const Place& grad_x, const Place& grad_weight);
  Refusal AddWindows(const Place& grad_weight);
  // What our own kernels multiply.
  Factors OwnFactors() const;

  // Column after column of the windows, each in blocked layouts.
  Refusal AddColumns(Task task, const Place& result);

  // plan_onednn.cc
  Refusal AddPrimitive(Task task, Layouts layouts, const Place& result);
  struct Route;
  // Nothing where oneDNN has no fast copy.
  //   out  of the layout
  std::optional<Route> RouteOf(const TensorView& tensor, Task role,
                               const onednn::LayoutPointer& layout, bool out) const;
  Place InLayout(Operand& operand, const onednn::LayoutPointer& layout, const Route& route);
  void Store(const Route& route, const Place& from, const Place& to);
  void Reorder(const onednn::ReorderPointer& reorder, const Place& from, const Place& to);

  Planner& planner_;
  bool transposed_;
  DType dtype_;    // of oneDNN's operands; bfloat16 when all are and that is faster
  bool converts_;  // some of the operands are of another dtype
  int threads_;
  const Geometry geometry_;
  Triple<Operand> operands_;
  std::shared_ptr<ConvolutionPlan> plan_;
  Place bias_;                  // float32 without gaps, that AddOutput's steps add
  std::string_view primitive_;  // of oneDNN, that AddPrimitive has added last
};

}  // namespace aclimb::convolution_backward
