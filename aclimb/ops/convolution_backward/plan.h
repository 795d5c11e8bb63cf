#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "aclimb/executor/plan.h"
#include "aclimb/ops/convolution_backward/add_bias.h"
#include "aclimb/ops/convolution_backward/choice.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/products/tile_product.h"
#include "aclimb/ops/convolution_backward/products/vector_product.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {

// A tensor of a run: one of the call's, or a piece of the workspace.
struct Place {
  int parameter = -1;  // -1: `piece`
  WorkspacePiece piece;
  TensorView view;          // without address
  int64_t byte_offset = 0;  // of its first element, for parts of a tensor

  bool Exists() const { return parameter >= 0 || piece.offset >= 0; }
  void* Address(const RunContext& run) const {
    char* const base = parameter >= 0 ? run.View(parameter).As<char>() : run.Piece<char>(piece);
    return base + byte_offset;
  }
  TensorView View(const RunContext& run) const {
    TensorView result = view;
    result.data = Address(run);
    return result;
  }
};

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

// Puts the steps of the wanted gradients together and books their workspace. Copies of the operands
// into other layouts are made once and shared by both gradients.
class PlanBuilder {
 public:
  // The places are embedded parameters.
  PlanBuilder(Planner& planner, const Geometry& geometry, bool transposed, const Place& grad_output,
              const Place& input, const Place& weight);

  // A place that does not exist is not wanted.
  void AddGradients(const Place& grad_input, const Place& grad_weight);
  void AddGradBias(const Place& grad_bias);
  // Room for an output that is not rounded yet.
  Place BookSums(const Place& output);
  // output[n, c, ...] = sums[n, c, ...] + bias[c], rounded once. `sums` may be `output`.
  void AddBias(const Place& sums, const Place& bias, const Place& output);
  PlanPointer Take() { return std::move(plan_); }

 private:
  using Step = ConvolutionPlan::Step;

  // An operand, and the copies of it that steps have asked for.
  struct Operand {
    Place user;
    std::vector<Place> copies;  // dense, in order of rows
    std::vector<std::pair<onednn::LayoutPointer, Place>> layouts;
  };
  struct Operands {
    Geometry geometry;
    Operand x, y, weight;

    Operand& Of(Task task) {
      return task == Task::kForward ? y : task == Task::kGradX ? x : weight;
    }
  };

  template <typename Run>
  void Then(Run&& run) {
    plan_->steps.emplace_back(std::forward<Run>(run));
  }
  Place BookBytes(int64_t bytes);
  Place BookDense(const TensorView& like, DType dtype);
  void Copy(const Place& from, const Place& to);
  void Reorder(const onednn::ReorderPointer& reorder, const Place& from, const Place& to);

  Place Dense(Operand& operand, DType dtype);
  // The operand itself or a copy, with neighbours in a row side by side.
  Place Rows(Operand& operand);
  Place InLayout(const Geometry& geometry, Operand& operand, onednn::Operand role, DType dtype,
                 const onednn::LayoutPointer& layout);
  //   exact  what to do if there is a NaN in `to`; empty: nothing
  void Store(const Geometry& geometry, onednn::Operand role, const onednn::LayoutPointer& layout,
             const Place& from, const Place& to, const Step& exact);
  void ThenWhereNaN(const Place& result, const Step& exact);

  void AddTask(Task task, const Place& result);
  // Both gradients that are wanted in one pass. False when depthwise.h does not take this problem.
  bool AddDepthwise(const Place& grad_x, const Place& grad_weight);
  // What our own kernels multiply.
  vectors::Factors Factors() const;
  void AddDirect(Task task, const Place& result);
  // Our own product: on tiles in bfloat16, on vectors otherwise; none where it has too few units
  // for the team.
  using OwnProduct = std::variant<TileProduct, VectorProduct, VectorWindows>;
  std::optional<OwnProduct> PlanProduct(Task task, const Geometry& geometry,
                                        DType result) const;
  void AddProduct(const OwnProduct& product, Task task, Operands& operands, const Place& result);
  bool AddTileWindows(const Place& result);
  // After windows on vectors, which multiply zeros.
  void MakeWindowsExact(Task task, const Place& result);
  bool AddPrimitive(Task task, Operands& operands, const Place& result);
  // gradWeight in a fixed number of parts, each computed by one thread: the same bits for any team.
  bool AddGradWeightParts(Operands& operands, DType dtype, const Place& result);
  // What can have made NaNs that are not real: weights that are not finite, times zeros in place of
  // the other operand; or that operand as well, times zeros that fill up the weights.
  enum class Suspects : uint8_t { kWeights, kAll };
  // What computes NaNs again that only the primitive can have made; empty where it makes none.
  Step ExactOf(Task task, const onednn::Primitive& primitive, DType dtype,
               const Operands& operands, const Place& result);
  Step Exact(const Operands& operands, Task task, const Place& result, Suspects suspects);
  bool AddPatch(Task task, const Place& result);
  Operands& PatchOperands();
  // A copy between views of any rank.
  void Rearrange(const Place& from, const Place& to);

  Planner& planner_;
  bool transposed_;
  DType dtype_;    // of oneDNN's operands; bfloat16 when all are, with AVX-512
  bool converts_;  // some of the operands are of another dtype
  int threads_;
  bool parallel_;
  Operands operands_;
  std::unique_ptr<Operands> patch_;
  Place grad_output_;
  std::shared_ptr<ConvolutionPlan> plan_;
};

// What `build` plans; a thread that phase 1 needs and cannot start becomes a refusal.
//   rule  id of the refusal
Result<PlanPointer> GuardedPlan(const char* rule, const std::function<PlanPointer()>& build);

}  // namespace aclimb::convolution_backward
