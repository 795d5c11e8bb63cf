#include "aclimb/ops/convolution_backward/plan.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>

#include "aclimb/bridge/bridge.h"
#include "aclimb/copy/copy.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/machine.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/ops/convolution_backward/sums.h"
#include "aclimb/simd/openmp_team.h"

namespace aclimb::convolution_backward {
namespace {

// oneDNN's own dtypes: bfloat16 when all three operands are and the processor has vectors for it
// that are faster, float32 otherwise.
DType OperandDType(std::initializer_list<Place> places) {
  const bool all = std::all_of(places.begin(), places.end(), [](const Place& place) {
    return place.view.dtype == DType::kBFloat16;
  });
  const bool fast = onednn::HasAvx512() && !onednn::MultipliesFasterInFloat32();
  return all && fast ? DType::kBFloat16 : DType::kFloat32;
}

// Whether oneDNN must be given copies.
bool NeedsConversion(DType dtype, std::initializer_list<Place> places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const Place& place) { return place.view.dtype != dtype; });
}

// Whether our own ways take an operand or a result as it is.
bool Suits(const OwnWay& way, const Place& place, bool is_weight) {
  if (is_weight && !way.planes) return true;
  TensorView inner = place.view;
  std::fill_n(inner.shape, is_weight ? 1 : way.planes ? 2 : 4, 1);
  return inner.IsContiguous();
}

// Our own products and sums are cut into blocks of channels, oneDNN's also over images: it has work
// for a large team where they have not.
bool IsEnough(int64_t units) { return 2 * units >= TeamSize(); }

// Some columns of a tensor.
Place Columns(Place place, const Range& columns) {
  place.offset +=
      columns.first * place.view.stride[4] * static_cast<int64_t>(SizeOf(place.view.dtype));
  place.view.shape[4] = columns.Count();
  return place;
}

// Null where there is none.
const float* BiasOf(const Place& bias, const RunContext& run) {
  return bias.Exists() ? static_cast<const float*>(bias.Address(run)) : nullptr;
}

// Calls run(plan, x, y, weight, scratch) for one task, whose result is one of them.
template <typename Planned, typename Run>
auto RunTask(const Planned& planned, Task task, const Run& run) {
  return [planned, task, run](Triple<TensorView> views, const Triple<TensorView>& results,
                              void* scratch, const float*) {
    views.Of(task) = results.Of(task);
    run(planned, views.x, views.y, views.weight, scratch);
  };
}

}  // namespace

Place PlaceOf(const contract::Arguments& arguments, int parameter) {
  Place place;
  place.parameter = parameter;
  place.view = arguments.Tensor(parameter).View();
  if (place.view.rank > 2) place.view = Embed(place.view);
  return place;
}

PlanBuilder::PlanBuilder(Planner& planner, const Geometry& geometry, bool transposed,
                         const Place& grad_output, const Place& input, const Place& weight)
    : planner_(planner),
      transposed_(transposed),
      dtype_(OperandDType({grad_output, input, weight})),
      converts_(NeedsConversion(dtype_, {grad_output, input, weight})),
      threads_(OpenMpThreads(TeamSize())),
      geometry_(geometry),
      plan_(NewPlan<ConvolutionPlan>(geometry)) {
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
  Then([from, to](const RunContext& run) { (void)copy::Copy(from.View(run), to.View(run)); });
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

void PlanBuilder::AddExact(Task task, const Place& result, Suspects suspects) {
  if (suspects == Suspects::kNone) return;
  Triple<Place> places = {operands_.x.user, operands_.y.user, operands_.weight.user};
  // Whichever is shorter to look at; finite weights make no NaNs that are not in the data.
  const bool by_weights = suspects == Suspects::kWeights && task != Task::kGradWeight &&
                          places.weight.view.ElementCount() < result.view.ElementCount();
  places.Of(task) = result;
  const Place looked = by_weights ? places.weight : result;
  const reduction::Problem problem = SumOfAll(looked.view);
  const int64_t mark = planner_.workspace().Mark();
  const Place sums = BookBytes(problem.ScratchBytes());
  planner_.workspace().Rewind(mark);
  const Place scratch = BookBytes(ExactScratchBytes(geometry_, task));
  planner_.workspace().Rewind(mark);
  Then([geometry = geometry_, task, places, looked, by_weights, problem, sums, scratch,
        bias = bias_](const RunContext& run) {
    float sum = 0;
    reduction::Solve(problem, {looked.Address(run), {&sum}, sums.Address(run)});
    if (by_weights ? std::isfinite(sum) : !std::isnan(sum)) return;
    ComputeNaNsAgain(geometry, task, places.x.View(run), places.y.View(run),
                     places.weight.View(run), scratch.Address(run), BiasOf(bias, run));
  });
}

void PlanBuilder::AddOwn(const OwnWay& way, const Triple<Place>& results) {
  const auto read = [&](bool needed, Operand& operand, bool is_weight) {
    if (!needed) return Place();
    if (is_weight && way.float_weight) return Dense(operand, DType::kFloat32);
    return Suits(way, operand.user, is_weight) ? operand.user
                                               : Dense(operand, operand.user.view.dtype);
  };
  const bool gives_x = results.x.Exists(), gives_y = results.y.Exists(),
             gives_weight = results.weight.Exists();
  const Triple<Place> from = {read(gives_y || gives_weight, operands_.x, false),
                              read(gives_x || gives_weight, operands_.y, false),
                              read(gives_x || gives_y, operands_.weight, true)};
  const int64_t mark = planner_.workspace().Mark();
  Triple<Place> to = results;
  std::vector<Task> copied;
  for (const Task task : kTasks) {
    Place& place = to.Of(task);
    if (!place.Exists() || Suits(way, place, task == Task::kGradWeight)) continue;
    place = BookDense(place.view, place.view.dtype);
    copied.push_back(task);
  }
  const Place scratch = BookBytes(way.scratch_bytes);
  Then([run_way = way.run, from, to, scratch, bias = bias_](const RunContext& run) {
    run_way({from.x.View(run), from.y.View(run), from.weight.View(run)},
            {to.x.View(run), to.y.View(run), to.weight.View(run)}, scratch.Address(run),
            BiasOf(bias, run));
  });
  for (const Task task : copied) Copy(to.Of(task), results.Of(task));
  planner_.workspace().Rewind(mark);
  if (!way.multiplies_absent) return;
  for (const Task task : kTasks) {
    if (results.Of(task).Exists()) AddExact(task, results.Of(task), Suspects::kWeights);
  }
}

void PlanBuilder::AddOwn(const OwnWay& way, Task task, const Place& result) {
  Triple<Place> results;
  results.Of(task) = result;
  AddOwn(way, results);
}

void PlanBuilder::AddDirect(Task task, const Place& result) {
  auto plan =
      std::make_shared<const DirectPlan>(PlanDirect(geometry_, task, TeamSize(), OwnFactors()));
  AddOwn({.multiplies_absent = true,
          .scratch_bytes = plan->ScratchBytes(),
          .run =
              [plan, task](Triple<TensorView> views, const Triple<TensorView>& results,
                           void* scratch, const float* bias) {
                views.Of(task) = results.Of(task);
                RunDirect(*plan, views.x, views.y, views.weight, scratch, bias);
              }},
         task, result);
}

void PlanBuilder::AddOnePass(const Place& grad_x, const Place& grad_weight) {
  const Depthwise plan =
      PlanDepthwise(geometry_, grad_x.Exists(), grad_weight.Exists(), TeamSize());
  // What is absent is beside the image, and follows lines of y.
  AddOwn({.float_weight = true,
          .multiplies_absent = true,
          .scratch_bytes = plan.ScratchBytes(),
          .run = [plan](const auto& from, const auto& to, void* scratch,
                        const float*) { RunDepthwise(plan, from, to, scratch); }},
         {grad_x, Place(), grad_weight});
}

Factors PlanBuilder::OwnFactors() const {
  // Small problems are exact in float32 down to subnormal numbers, and gain little.
  const Products products = onednn::ProductsOf(dtype_);
  const bool has_pairs =
      products == Products::kBFloat16Dots || products == Products::kBFloat16Tiles;
  return !IsSmall(geometry_) && has_pairs ? Factors::kPairs : Factors::kFloat32;
}

Refusal PlanBuilder::AddWindows(const Place& grad_weight) {
  const VectorWindows windows = PlanVectorWindows(geometry_, TeamSize(), OwnFactors());
  if (!planner_.deterministic() && !IsEnough(windows.Units())) {
    return "there are fewer than half as many pieces as threads";
  }
  AddOwn({.planes = true,
          .multiplies_absent = geometry_.HasPadding(),
          .scratch_bytes = windows.ScratchBytes(),
          .run = RunTask(windows, Task::kGradWeight, [](auto&&... all) { RunWindows(all...); })},
         Task::kGradWeight, grad_weight);
  return nullptr;
}

Refusal PlanBuilder::AddColumns(Task task, const Place& result) {
  // The columns of y that meet x under a column of the windows, and those of x that they meet.
  const auto met = [&](int64_t tap) {
    const Range y = WindowsInside(geometry_, 2, tap);
    const int64_t x = Meets(geometry_, 2, y.first, tap);
    return Triple<Range>{{x, x + y.Count()}, y, {tap, tap + 1}};
  };
  const auto add = [&](int64_t tap, const Place& sum) {
    const Triple<Range> columns = met(tap);
    Geometry g = geometry_;
    g.kernel[2] = 1;
    g.pad_begin[2] = g.pad_end[2] = 0;
    g.in[2] = g.out[2] = columns.y.Count();
    PlanBuilder one(planner_, g, false, Columns(operands_.y.user, columns.y),
                    Columns(operands_.x.user, columns.x),
                    Columns(operands_.weight.user, columns.weight));
    const Refusal refusal = one.AddPrimitive(task, Layouts::kBlocked, sum);
    std::move(one.plan_->steps.begin(), one.plan_->steps.end(), std::back_inserter(plan_->steps));
    primitive_ = one.primitive_;
    return refusal;
  };
  // One column that meets every element gives the sums that others are added to.
  int64_t whole = 0;
  const int64_t all = result.view.shape[4];
  while (whole < geometry_.kernel[2] && met(whole).Of(task).Count() != all) ++whole;
  if (whole == geometry_.kernel[2]) return "no column of the windows meets all elements";
  const int64_t mark = planner_.workspace().Mark();
  const size_t steps = plan_->steps.size();
  const bool rounds = result.view.dtype != DType::kFloat32;
  const Place sums = rounds ? BookDense(result.view, DType::kFloat32) : result;
  Refusal refusal = add(whole, sums);
  for (int64_t tap = 0; refusal == nullptr && tap < geometry_.kernel[2]; ++tap) {
    const Range columns = met(tap).Of(task);
    if (tap == whole || columns.Empty()) continue;
    const int64_t of_column = planner_.workspace().Mark();
    const Place to = Columns(sums, columns), part = BookDense(to.view, DType::kFloat32);
    refusal = add(tap, part);
    Then([problem = Sum(to.view, part.view, to.view), to, part](const RunContext& run) {
      elementwise::Solve(
          problem, {.input = {to.Address(run), part.Address(run)}, .output = to.Address(run)});
    });
    planner_.workspace().Rewind(of_column);
  }
  if (rounds) Copy(sums, result);
  if (refusal != nullptr) plan_->steps.resize(steps);
  planner_.workspace().Rewind(mark);
  planner_.Costs({.cycles = CyclesOf(geometry_)});
  return refusal;
}

RankedWays PlanBuilder::WaysOf(Task task) const {
  return convolution_backward::WaysOf(
      {geometry_, task, onednn::ProductsOf(dtype_), converts_, planner_.deterministic()});
}

bool PlanBuilder::AddsBias(Way way, Task task) const {
  if (IsOneDnn(way)) return task == Task::kForward;
  return way == Way::kDirect && PlanDirect(geometry_, task, TeamSize(), OwnFactors()).AddsBias();
}

Refusal PlanBuilder::AddBy(Way way, Task task, const Place& result) {
  if (!bias_.Exists() || AddsBias(way, task)) return AddWay(way, task, result);
  const int64_t mark = planner_.workspace().Mark();
  const bool rounds = result.view.dtype != DType::kFloat32;
  const Place sums = rounds ? BookDense(result.view, DType::kFloat32) : result;
  const Place bias = std::exchange(bias_, Place());
  const Refusal refusal = AddWay(way, task, sums);
  bias_ = bias;
  if (refusal == nullptr) AddBias(sums, bias_, result);
  planner_.workspace().Rewind(mark);
  return refusal;
}

Refusal PlanBuilder::AddWay(Way way, Task task, const Place& result) {
  switch (way) {
    case Way::kDirect:
      AddDirect(task, result);
      return nullptr;
    case Way::kWindows:
      return AddWindows(result);
    case Way::kBlocked:
      return AddPrimitive(task, Layouts::kBlocked, result);
    case Way::kPlain:
      return AddPrimitive(task, Layouts::kPlain, result);
    case Way::kChannelsLast:
      return AddPrimitive(task, Layouts::kChannelsLast, result);
    case Way::kColumns:
      return AddColumns(task, result);
    case Way::kOnePass:
      task == Task::kGradX ? AddOnePass(result, Place()) : AddOnePass(Place(), result);
      return nullptr;
  }
  return "there is no such way";
}

void PlanBuilder::Log(Task task, const RankedWays& ways, const RankedWay& taken) const {
  if (aclimb_settings()->log_plan == 0) return;
  const auto named = [](const RankedWay& way) {
    if (way.way == Way::kOnePass) return Cat(NameOf(way.way), ", which leads where it fits");
    return Cat(NameOf(way.way), ", ", static_cast<int64_t>(way.microseconds), " us by the model");
  };
  // A forward convolution is planned as the gradient that it is.
  const char* const result = task == Task::kGradWeight ? "gradWeight" : "gradInput or output";
  std::string text = Cat("convolution: ", result, " by ", named(taken));
  if (IsOneDnn(taken.way) || taken.way == Way::kColumns) {
    text += Cat(" (oneDNN's ", primitive_, ")");
  }
  if (!MachineOf(onednn::ProductsOf(dtype_)).measured) {
    text += ", whose numbers for this kind of processor were not measured";
  }
  for (const RankedWay& way : ways) {
    if (&way == &taken) continue;
    text += way.refusal != nullptr ? Cat("; not by ", NameOf(way.way), ": ", way.refusal)
                                   : Cat("; not by ", named(way));
  }
  aclimb_log_plan(text.c_str());
}

void PlanBuilder::AddTask(Task task, const Place& result, RankedWays ways) {
  // kDirect is among those that fit, and takes everything.
  RankedWay* taken = ways.begin();
  while ((taken->refusal = AddBy(taken->way, task, result)) != nullptr) ++taken;
  Log(task, ways, *taken);
}

void PlanBuilder::AddGradients(const Place& grad_input, const Place& grad_weight) {
  const bool gives_input = grad_input.Exists(), gives_weight = grad_weight.Exists();
  plan_->products += (gives_input ? 1 : 0) + (gives_weight ? 1 : 0);
  const Task of_input = InputTask();
  RankedWays input_ways, weight_ways;
  if (gives_input) input_ways = WaysOf(of_input);
  if (gives_weight) weight_ways = WaysOf(Task::kGradWeight);
  if (gives_input && gives_weight && input_ways[0].way == Way::kOnePass &&
      weight_ways[0].way == Way::kOnePass) {
    AddOnePass(grad_input, grad_weight);
    Log(of_input, input_ways, input_ways[0]);
    return Log(Task::kGradWeight, weight_ways, weight_ways[0]);
  }
  if (gives_input) AddTask(of_input, grad_input, input_ways);
  if (gives_weight) AddTask(Task::kGradWeight, grad_weight, weight_ways);
}

void PlanBuilder::AddOutput(const Place& output, const Place& bias) {
  ++plan_->products;
  if (bias.Exists()) {
    Operand operand;
    operand.user = bias;
    bias_ = Dense(operand, DType::kFloat32);
  }
  AddTask(InputTask(), output, WaysOf(InputTask()));
  bias_ = Place();
}

void PlanBuilder::AddBias(const Place& sums, const Place& bias, const Place& output) {
  Then([problem = SumWithBias(sums.view, bias.view, output.view), sums, bias,
        output](const RunContext& run) {
    elementwise::Solve(
        problem, {.input = {sums.Address(run), bias.Address(run)}, .output = output.Address(run)});
  });
}

void PlanBuilder::AddGradBias(const Place& grad_bias) {
  const Place from = (transposed_ ? operands_.x : operands_.y).user;
  const reduction::Problem problem = SumOfChannels(from.view, grad_bias.view);
  const int64_t mark = planner_.workspace().Mark();
  const Place scratch = BookBytes(problem.ScratchBytes());
  planner_.workspace().Rewind(mark);
  Then([problem, from, grad_bias, scratch](const RunContext& run) {
    reduction::Solve(problem, {from.Address(run), {grad_bias.Address(run)}, scratch.Address(run)});
  });
}

}  // namespace aclimb::convolution_backward
