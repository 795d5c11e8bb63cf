#include "aclimb/ops/convolution_backward/plan.h"

#include <algorithm>
#include <initializer_list>
#include <system_error>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/system_refusal.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/add_bias.h"
#include "aclimb/ops/convolution_backward/bias.h"
#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"
#include "aclimb/ops/convolution_backward/products/vector_product.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/simd/openmp_team.h"
#if defined(ACLIMB_OWN_TILES)
#include "aclimb/ops/convolution_backward/products/tile_product.h"
#endif

namespace aclimb::convolution_backward {
namespace {

// oneDNN's own dtypes: bfloat16 when all three operands are and the processor has vectors for it,
// float32 otherwise.
DType OperandDType(std::initializer_list<Place> places) {
  const bool all = std::all_of(places.begin(), places.end(), [](const Place& place) {
    return place.view.dtype == DType::kBFloat16;
  });
  return all && onednn::HasAvx512() ? DType::kBFloat16 : DType::kFloat32;
}

// Whether oneDNN must be given copies.
bool NeedsConversion(DType dtype, std::initializer_list<Place> places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const Place& place) { return place.view.dtype != dtype; });
}

// Whether our own ways take an operand or a result as it is.
bool Suits(const OwnWay& way, const Place& place, bool is_weight) {
  if (way.planes) return is_weight ? HasDenseRows(place.view) : HasDensePlanes(place.view);
  return is_weight || RowsAreDense(place.view);
}

// Our own products and sums are cut into blocks of channels, oneDNN's also over images: it has work
// for a large team where they have not.
bool IsEnough(int64_t units) { return 2 * units >= TeamSize(); }

// Calls run(plan, x, y, weight, scratch) for one task, whose result is one of them.
template <typename Planned, typename Run>
auto RunTask(const Planned& planned, Task task, const Run& run) {
  return [planned, task, run](Triple<TensorView> views, const Triple<TensorView>& results,
                              void* scratch) {
    views.Of(task) = results.Of(task);
    run(planned, views.x, views.y, views.weight, scratch);
  };
}

}  // namespace

PlanBuilder::PlanBuilder(Planner& planner, const Geometry& geometry, bool transposed,
                         const Place& grad_output, const Place& input, const Place& weight)
    : planner_(planner),
      transposed_(transposed),
      dtype_(OperandDType({grad_output, input, weight})),
      converts_(NeedsConversion(dtype_, {grad_output, input, weight})),
      threads_(OpenMpThreads(TeamSize())),
      parallel_(!IsSmall(geometry)),
      plan_(NewPlan<ConvolutionPlan>(geometry)) {
  operands_.geometry = geometry;
  operands_.x.user = transposed ? grad_output : input;
  operands_.y.user = transposed ? input : grad_output;
  operands_.weight.user = weight;
  planner_.Costs({.cycles = CyclesOf(geometry)});
}

Place PlanBuilder::BookBytes(int64_t bytes) {
  Place place;
  place.piece = planner_.workspace().Book(bytes);
  return place;
}

Place PlanBuilder::BookDense(const TensorView& like, DType dtype) {
  Place place;
  place.view = DenseLike(like, nullptr);
  place.view.dtype = dtype;
  place.piece = planner_.workspace().Book(like.ElementCount(), static_cast<int64_t>(SizeOf(dtype)));
  return place;
}

void PlanBuilder::Copy(const Place& from, const Place& to) {
  Then([from, to, parallel = parallel_](const RunContext& run) {
    Convert(from.View(run), to.View(run), parallel);
  });
}

Place PlanBuilder::Dense(Operand& operand, DType dtype) {
  if (operand.user.view.dtype == dtype && operand.user.view.IsContiguous()) return operand.user;
  for (const Place& copy : operand.copies) {
    if (copy.view.dtype == dtype) return copy;
  }
  const Place copy = BookDense(operand.user.view, dtype);
  Copy(operand.user, copy);
  operand.copies.push_back(copy);
  return copy;
}

Place PlanBuilder::Rows(Operand& operand) {
  if (RowsAreDense(operand.user.view)) return operand.user;
  return Dense(operand, operand.user.view.dtype);
}

void PlanBuilder::AddExact(const Operands& operands, Task task, const Place& result,
                           Suspects suspects) {
  if (suspects == Suspects::kNone) return;
  Triple<Place> places = {operands.x.user, operands.y.user, operands.weight.user};
  // Whichever is shorter to look at; finite weights make no NaNs that are not in the data.
  const bool by_weights = suspects == Suspects::kWeights && task != Task::kGradWeight &&
                          places.weight.view.ElementCount() < result.view.ElementCount();
  places.Of(task) = result;
  const int64_t mark = planner_.workspace().Mark();
  const Place scratch = BookBytes(ExactScratchBytes(operands.geometry, task));
  planner_.workspace().Rewind(mark);
  Then([geometry = operands.geometry, task, places, result, by_weights, scratch,
        parallel = parallel_](const RunContext& run) {
    const TensorView weight = places.weight.View(run);
    if (by_weights ? IsFinite(weight, parallel) : !HasNaN(result.View(run), parallel)) return;
    ComputeNaNsAgain(geometry, task, places.x.View(run), places.y.View(run), weight,
                     scratch.Address(run), parallel);
  });
}

void PlanBuilder::Log(Task task, std::string_view name) const {
  if (aclimb_settings()->log_plan == 0) return;
  const char* const what = task == Task::kGradWeight ? "gradWeight" : "gradInput";
  aclimb_log_plan(Cat("aclnnConvolutionBackward: ", what, " by ", name).c_str());
}

void PlanBuilder::AddOwn(const OwnWay& way, Operands& operands, const Triple<Place>& results) {
  const auto read = [&](bool needed, Operand& operand, bool is_weight) {
    if (!needed) return Place();
    return Suits(way, operand.user, is_weight) ? operand.user
                                               : Dense(operand, operand.user.view.dtype);
  };
  const bool gives_x = results.x.Exists(), gives_y = results.y.Exists(),
             gives_weight = results.weight.Exists();
  const Triple<Place> from = {read(gives_y || gives_weight, operands.x, false),
                              read(gives_x || gives_weight, operands.y, false),
                              read(gives_x || gives_y, operands.weight, true)};
  const int64_t mark = planner_.workspace().Mark();
  Triple<Place> to = results;
  std::vector<Task> copied;
  constexpr Task kTasks[] = {Task::kForward, Task::kGradX, Task::kGradWeight};
  for (const Task task : kTasks) {
    Place& place = to.Of(task);
    if (!place.Exists() || Suits(way, place, task == Task::kGradWeight)) continue;
    place = BookDense(place.view, place.view.dtype);
    copied.push_back(task);
  }
  const Place scratch = BookBytes(way.scratch_bytes);
  Then([run_way = way.run, from, to, scratch](const RunContext& run) {
    run_way({from.x.View(run), from.y.View(run), from.weight.View(run)},
            {to.x.View(run), to.y.View(run), to.weight.View(run)}, scratch.Address(run));
  });
  for (const Task task : copied) Copy(to.Of(task), results.Of(task));
  planner_.workspace().Rewind(mark);
  if (!way.multiplies_absent) return;
  for (const Task task : kTasks) {
    if (results.Of(task).Exists()) AddExact(operands, task, results.Of(task), Suspects::kWeights);
  }
}

void PlanBuilder::AddOwn(const OwnWay& way, Operands& operands, Task task, const Place& result) {
  Triple<Place> results;
  results.Of(task) = result;
  AddOwn(way, operands, results);
}

void PlanBuilder::AddDirect(Task task, const Place& result) {
  Log(task, "direct");
  auto plan = std::make_shared<const DirectPlan>(
      PlanDirect(operands_.geometry, task, parallel_ ? TeamSize() : 1, Factors()));
  OwnWay way;
  way.scratch_bytes = plan->ScratchBytes();
  way.run = RunTask(plan, task, [](const auto& p, auto&&... rest) { RunDirect(*p, rest...); });
  AddOwn(way, operands_, task, result);
}

bool PlanBuilder::AddDepthwise(const Place& grad_x, const Place& grad_weight) {
  const bool gives_x = grad_x.Exists(), gives_weight = grad_weight.Exists();
  const Geometry& g = operands_.geometry;
  if ((!gives_x && !gives_weight) || !TakesDepthwise(g)) return false;
  for (const Task task : {Task::kGradX, Task::kGradWeight}) {
    if (!(task == Task::kGradX ? gives_x : gives_weight)) continue;
    ++plan_->products;
    Log(task, "depthwise windows");
  }
  const Depthwise plan = PlanDepthwise(g, gives_x, gives_weight, parallel_ ? TeamSize() : 1);
  OwnWay way;
  // Beside the image, and what follows lines of y.
  way.multiplies_absent = true;
  way.scratch_bytes = plan.ScratchBytes();
  way.run = [plan](const Triple<TensorView>& in, const Triple<TensorView>& out, void* scratch) {
    RunDepthwise(plan, in.x, in.y, in.weight, out.x, out.weight, scratch);
  };
  AddOwn(way, operands_, {grad_x, Place(), grad_weight});
  return true;
}

vectors::Factors PlanBuilder::Factors() const {
  // Small problems are exact in float32 down to subnormal numbers, and gain little.
  const Products products = onednn::ProductsOf(dtype_);
  const bool has_pairs =
      products == Products::kBFloat16Dots || products == Products::kBFloat16Tiles;
  return parallel_ && has_pairs ? vectors::Factors::kPairs : vectors::Factors::kFloat32;
}

std::optional<OwnWay> PlanBuilder::PlanProduct(Task task, const Geometry& geometry,
                                               DType result) const {
  const int threads = parallel_ ? TeamSize() : 1;
  const auto planned = [&](const auto& product, std::string_view name) -> std::optional<OwnWay> {
    if (parallel_ && !planner_.deterministic() && !IsEnough(product.Units())) return std::nullopt;
    Log(task, name);
    OwnWay way;
    way.planes = true;
    way.scratch_bytes = product.ScratchBytes();
    way.run = RunTask(product, task, [](auto&&... all) { RunProduct(all...); });
    return way;
  };
#if defined(ACLIMB_OWN_TILES)
  // Tiles round what they store; sums that a bias is added to are not rounded yet.
  if (onednn::ProductsOf(dtype_) == Products::kBFloat16Tiles && result == DType::kBFloat16 &&
      geometry.KernelSize() == 1) {
    return planned(PlanTileProduct(geometry, task, threads), "a product on tiles");
  }
#else
  (void)result;
#endif
  if (geometry.KernelSize() == 1) {
    return planned(PlanVectorProduct(geometry, task, threads, Factors()), "a product on vectors");
  }
  auto way = planned(PlanVectorWindows(geometry, task, threads, Factors()), "windows on vectors");
  // Every gradient of x has pixels that some taps miss.
  if (way) way->multiplies_absent = task == Task::kGradX || geometry.HasPadding();
  return way;
}

void PlanBuilder::AddTask(Task task, const Place& result) {
  ++plan_->products;
  const Geometry& g = operands_.geometry;
  const Products products = onednn::ProductsOf(dtype_);
  const Algorithm algorithm = ChooseAlgorithm(g, task, products, converts_);
  const auto add_product = [&] {
    const auto way = PlanProduct(task, g, result.view.dtype);
    if (way) AddOwn(*way, operands_, task, result);
    return way.has_value();
  };
  if (algorithm == Algorithm::kProduct && add_product()) return;
  if (algorithm == Algorithm::kPatch && AddPatch(task, result)) return;
  if (algorithm != Algorithm::kDirect) {
    if (AddPrimitive(task, operands_, result)) return;
    if (SuitsVectors(g, task) && add_product()) return;
  }
  AddDirect(task, result);
}

void PlanBuilder::AddGradients(const Place& grad_input, const Place& grad_weight) {
  const bool together = AddDepthwise(transposed_ ? Place() : grad_input, grad_weight);
  if (grad_input.Exists() && (transposed_ || !together)) {
    AddTask(transposed_ ? Task::kForward : Task::kGradX, grad_input);
  }
  if (grad_weight.Exists() && !together) AddTask(Task::kGradWeight, grad_weight);
}

Place PlanBuilder::BookSums(const Place& output) { return BookDense(output.view, DType::kFloat32); }

void PlanBuilder::AddBias(const Place& sums, const Place& bias, const Place& output) {
  const BiasProblem problem(sums.view, bias.view, output.view);
  Then([problem, sums, bias, output](const RunContext& run) {
    problem.Run(sums.Address(run), bias.Address(run), output.Address(run));
  });
}

void PlanBuilder::AddGradBias(const Place& grad_bias) {
  const Place from = Rows(transposed_ ? operands_.x : operands_.y);
  const int64_t mark = planner_.workspace().Mark();
  const Place scratch = BookBytes(BiasScratchBytes(from.view));
  const bool parallel = from.view.ElementCount() > 64 * 1024;
  Then([from, grad_bias, scratch, parallel](const RunContext& run) {
    SumBias(from.View(run), grad_bias.View(run), scratch.Address(run), parallel);
  });
  planner_.workspace().Rewind(mark);
}

Result<PlanPointer> GuardedPlan(const char* rule, const std::function<PlanPointer()>& build) {
  try {
    return build();
  } catch (const std::system_error& error) {
    const SystemRefusal refusal = RefusedThread(
        "the thread on which phase 1 describes the convolution to oneDNN", error.code().value());
    return Refuse(kAclnnRuntime, refusal.what, refusal.fix, rule);
  }
}

}  // namespace aclimb::convolution_backward
