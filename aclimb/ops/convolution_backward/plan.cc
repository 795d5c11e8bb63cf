#include "aclimb/ops/convolution_backward/plan.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/system_refusal.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/bias.h"
#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/copies/patch.h"
#include "aclimb/ops/convolution_backward/copies/transposing_copy.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"
#include "aclimb/ops/convolution_backward/products/tile_windows.h"
#include "aclimb/simd/openmp_team.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

// oneDNN's own dtypes: bfloat16 when all three operands are and the processor has vectors for it,
// float32 otherwise.
DType OperandDType(const Place& a, const Place& b, const Place& c) {
  const bool all = a.view.dtype == DType::kBFloat16 && b.view.dtype == DType::kBFloat16 &&
                   c.view.dtype == DType::kBFloat16;
  return all && onednn::HasAvx512() ? DType::kBFloat16 : DType::kFloat32;
}

// Whether oneDNN must be given copies.
bool NeedsConversion(DType dtype, std::initializer_list<Place> places) {
  return std::any_of(places.begin(), places.end(),
                     [&](const Place& place) { return place.view.dtype != dtype; });
}

// The same shape without gaps, in another dtype.
TensorView DenseAs(const TensorView& view, DType dtype) {
  TensorView dense = DenseLike(view, nullptr);
  dense.dtype = dtype;
  return dense;
}

// The fastest primitive that oneDNN has, and in `request` what it was asked for. Null: none.
//   blocked  only layouts of oneDNN's choice, which parts of a tensor can be brought into
onednn::PrimitivePointer FindPrimitive(onednn::Request& request, bool blocked) {
  const bool rounds = request.result != DType::kFloat32;
  const auto ask = [&](DType dtype, Layouts layouts) {
    request.operand = dtype;
    request.result = rounds ? dtype : DType::kFloat32;
    request.layouts = layouts;
    return onednn::MakePrimitive(request);
  };
  const Geometry& g = request.geometry;
  const DType wanted = request.operand;
  const Layouts layouts =
      blocked ? Layouts::kBlocked
              : ChooseLayouts(g, request.task, onednn::ProductsOf(wanted), request.threads);
  onednn::PrimitivePointer found;
  if (layouts != Layouts::kBlocked) found = ask(wanted, layouts);
  if (found == nullptr) found = ask(wanted, Layouts::kBlocked);
  if (found != nullptr || wanted != DType::kBFloat16) return found;
  found = ask(DType::kFloat32, Layouts::kBlocked);
  // No direct kernel of oneDNN knows such a window. Its product in bfloat16 still beats our own
  // kernels in float32.
  const bool wide = g.x_channels >= 16 && g.y_channels >= 16;
  if (found == nullptr && wide && !blocked) found = ask(wanted, Layouts::kChannelsLast);
  return found;
}

bool HasPadding(const Geometry& g) {
  for (int d = 0; d < kDims; ++d) {
    if (g.pad_begin[d] > 0 || g.pad_end[d] > 0) return true;
  }
  return false;
}

// Every element of x meets one window, and that window nothing else.
bool IsOneToOne(const Geometry& g) {
  for (int d = 0; d < kDims; ++d) {
    if (g.kernel[d] > 1 || g.stride[d] > 1 || g.in[d] != g.out[d]) return false;
  }
  return true;
}

bool Is(const onednn::Primitive& primitive, std::string_view kind) {
  return primitive.Name().find(kind) != std::string_view::npos;
}

// Whether zeros that stand for absent elements are multiplied, which infinities turn into NaN: a
// product of matrices writes the windows out with their padding, and tiles of matrices hold every
// operand so, for gradX a y that strides have spread.
bool MultipliesZeros(const onednn::Primitive& primitive, Task task, const Geometry& g) {
  const bool tiles = Is(primitive, "amx") || Is(primitive, "brg");
  if (task != Task::kGradX) return HasPadding(g) && (tiles || Is(primitive, "gemm"));
  return tiles && !IsOneToOne(g);
}

// Products of bfloat16 matrices on tiles fill up pairs and tiles of whatever is summed with zeros
// on both sides; all else does so on one side, and meets there what lies behind the other operand.
bool FillsBothSides(const onednn::Primitive& primitive) {
  return Is(primitive, "gemm") && onednn::ProductsOf(DType::kBFloat16) == Products::kBFloat16Tiles;
}

// bfloat16 is multiplied in pairs of source channels, and in tiles in 32s. Where the channels do
// not fill them, kernels take in elements of the next window, which meet zeros behind the weights.
bool ReadsBeyondWindows(const onednn::Primitive& primitive, Task task, DType operand,
                        const Geometry& g) {
  if (operand != DType::kBFloat16 || FillsBothSides(primitive)) return false;
  if (task == Task::kGradWeight) return true;                                // pairs of pixels
  if (g.groups > 1 && g.x_channels == 1 && g.y_channels == 1) return false;  // nothing is paired
  const int64_t sources = SourceChannels(g, task);
  if (sources % 2 != 0) return true;
  return task == Task::kForward && Is(primitive, "amx") && sources < 32;
}

bool RowsAreDense(const TensorView& view) { return view.shape[4] == 1 || view.stride[4] == 1; }

// Rows a multiple of 4 KiB apart begin in the same set of the nearest cache, where oneDNN's stores
// to a column of float32 meet: they take three times as long.
bool ColumnsCollide(const Geometry& geometry, const TensorView& tensor, onednn::Operand role) {
  return role == onednn::Operand::kWeight && geometry.KernelSize() == 1 &&
         tensor.stride[0] * static_cast<int64_t>(SizeOf(tensor.dtype)) % 4096 == 0;
}

// The two views of a copy between a tensor and a layout, where our own loops are faster than
// oneDNN's reorders: they transpose bfloat16 up to four times as fast, and read float16.
//   out  out of the layout
std::optional<onednn::Blocks> OwnCopy(const Geometry& geometry, const TensorView& tensor,
                                      onednn::Operand role, const onednn::LayoutPointer& layout,
                                      bool out) {
  auto blocks = onednn::BlocksOf(geometry, tensor, role, layout);
  if (!blocks || !TransposingCopy::Find(blocks->tensor, blocks->memory)) return std::nullopt;
  // Whole blocks of float32 are copied as fast there, and those of windows in any one dtype.
  const bool one_dtype = tensor.dtype == blocks->memory.dtype;
  const bool windows = role == onednn::Operand::kWeight && geometry.KernelSize() > 1;
  const bool as_fast = one_dtype && (tensor.dtype == DType::kFloat32 || windows);
  if (as_fast && blocks->has_blocks && !(out && ColumnsCollide(geometry, tensor, role))) {
    return std::nullopt;
  }
  return blocks;
}

// Our own products and sums are cut into blocks of channels, oneDNN's also over images: it has work
// for a large team where they have not.
bool IsEnough(int64_t units) { return 2 * units >= TeamSize(); }

// An embedded weight as [kd, kh, kw, groups * y channels, x channels].
TensorView WeightByTaps(const TensorView& weight) {
  TensorView view = weight;
  std::rotate(view.shape, view.shape + 2, view.shape + 5);
  std::rotate(view.stride, view.stride + 2, view.stride + 5);
  return view;
}

// The same place as another view of it.
Place ViewedAs(Place place, const TensorView& view) {
  place.view = view;
  return place;
}

void LogChoice(Task task, std::string_view name) {
  if (aclimb_settings()->log_plan == 0) return;
  const char* const what = task == Task::kGradWeight ? "gradWeight" : "gradInput";
  aclimb_log_plan(Cat("aclnnConvolutionBackward: ", what, " by ", name).c_str());
}

}  // namespace

PlanBuilder::PlanBuilder(Planner& planner, const Geometry& geometry, bool transposed,
                         const Place& grad_output, const Place& input, const Place& weight)
    : planner_(planner),
      transposed_(transposed),
      dtype_(OperandDType(grad_output, input, weight)),
      converts_(NeedsConversion(dtype_, {grad_output, input, weight})),
      threads_(OpenMpThreads(TeamSize())),
      parallel_(!IsSmall(geometry)),
      grad_output_(grad_output),
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
  place.view = DenseAs(like, dtype);
  place.piece = planner_.workspace().Book(like.ElementCount(), static_cast<int64_t>(SizeOf(dtype)));
  return place;
}

void PlanBuilder::Copy(const Place& from, const Place& to) {
  Then([from, to, parallel = parallel_](const RunContext& run) {
    Convert(from.View(run), to.View(run), parallel);
  });
}

void PlanBuilder::Reorder(const onednn::ReorderPointer& reorder, const Place& from,
                          const Place& to) {
  if (threads_ > 1) planner_.OpensOpenMpTeam();
  const int64_t mark = planner_.workspace().Mark();
  const Place scratch = BookBytes(reorder->ScratchBytes());
  planner_.workspace().Rewind(mark);
  Then([reorder, from, to, scratch](const RunContext& run) {
    reorder->Run(from.Address(run), to.Address(run), scratch.Address(run));
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

Place PlanBuilder::InLayout(const Geometry& geometry, Operand& operand, onednn::Operand role,
                            DType dtype, const onednn::LayoutPointer& layout) {
  for (const auto& [have, place] : operand.layouts) {
    if (onednn::SameLayout(have, layout)) return place;
  }
  Place source = operand.user;
  onednn::LayoutPointer source_layout = onednn::LayoutOf(geometry, source.view, role);
  if (source_layout != nullptr && onednn::SameLayout(source_layout, layout)) return source;
  if (const auto blocks = OwnCopy(geometry, source.view, role, layout, false)) {
    const Place place = BookBytes(onednn::BytesOf(layout));
    Copy(ViewedAs(source, blocks->tensor), ViewedAs(place, blocks->memory));
    operand.layouts.emplace_back(layout, place);
    return place;
  }
  onednn::ReorderPointer reorder;
  if (source_layout != nullptr) reorder = onednn::MakeReorder(source_layout, layout, threads_);
  if (reorder == nullptr) {
    source = Dense(operand, dtype);
    source_layout = onednn::LayoutOf(geometry, source.view, role);
    if (onednn::SameLayout(source_layout, layout)) return source;
    reorder = onednn::MakeReorder(source_layout, layout, threads_);
    if (reorder == nullptr) return Place();
  }
  const Place place = BookBytes(onednn::BytesOf(layout));
  Reorder(reorder, source, place);
  operand.layouts.emplace_back(layout, place);
  return place;
}

void PlanBuilder::Store(const Geometry& geometry, onednn::Operand role,
                        const onednn::LayoutPointer& layout, const Place& from, const Place& to,
                        const Step& exact) {
  if (const auto blocks = OwnCopy(geometry, to.view, role, layout, true)) {
    const Place memory = ViewedAs(from, blocks->memory), tensor = ViewedAs(to, blocks->tensor);
    if (!exact) return Copy(memory, tensor);
    return Then([memory, tensor, exact, parallel = parallel_](const RunContext& run) {
      if (ConvertAndLook(memory.View(run), tensor.View(run), parallel)) exact(run);
    });
  }
  const auto user = onednn::LayoutOf(geometry, to.view, role);
  if (const auto reorder = user ? onednn::MakeReorder(layout, user, threads_) : nullptr) {
    Reorder(reorder, from, to);
  } else {
    Place dense = BookDense(to.view, DType::kFloat32);
    const auto plain = onednn::LayoutOf(geometry, dense.view, role);
    if (onednn::SameLayout(plain, layout)) {
      dense.piece = from.piece;
    } else {
      Reorder(onednn::MakeReorder(layout, plain, threads_), from, dense);
    }
    Copy(dense, to);
  }
  ThenWhereNaN(to, exact);
}

void PlanBuilder::ThenWhereNaN(const Place& result, const Step& exact) {
  if (!exact) return;
  Then([result, exact, parallel = parallel_](const RunContext& run) {
    if (HasNaN(result.View(run), parallel)) exact(run);
  });
}

void PlanBuilder::AddDirect(Task task, const Place& result) {
  LogChoice(task, "direct");
  const int threads = parallel_ ? TeamSize() : 1;
  auto plan =
      std::make_shared<const DirectPlan>(PlanDirect(operands_.geometry, task, threads, Factors()));
  Place x = task == Task::kGradX ? result : Rows(operands_.x);
  Place y = task == Task::kForward ? result : Rows(operands_.y);
  const Place weight = task == Task::kGradWeight ? result : operands_.weight.user;
  const int64_t mark = planner_.workspace().Mark();
  std::optional<Place> dense;
  if (task != Task::kGradWeight && !RowsAreDense(result.view)) {
    dense = BookDense(result.view, result.view.dtype);
    (task == Task::kGradX ? x : y) = *dense;
  }
  const Place scratch = BookBytes(plan->ScratchBytes());
  Then([plan, x, y, weight, scratch](const RunContext& run) {
    RunDirect(*plan, x.View(run), y.View(run), weight.View(run), scratch.Address(run));
  });
  if (dense) Copy(*dense, result);
  planner_.workspace().Rewind(mark);
}

vectors::Factors PlanBuilder::Factors() const {
  // Small problems are exact in float32 down to subnormal numbers, and gain little.
  const bool pairs = parallel_ && onednn::ProductsOf(dtype_) == Products::kBFloat16Dots;
  return pairs ? vectors::Factors::kPairs : vectors::Factors::kFloat32;
}

std::optional<PlanBuilder::OwnProduct> PlanBuilder::PlanProduct(Task task, const Geometry& geometry,
                                                                DType result) const {
  const int threads = parallel_ ? TeamSize() : 1;
  OwnProduct product;
  if (onednn::ProductsOf(dtype_) == Products::kBFloat16Tiles) {
    // Tiles round what they store; sums that a bias is added to are not rounded yet.
    if (result != DType::kBFloat16) return std::nullopt;
    product = PlanTileProduct(geometry, task, threads);
  } else if (geometry.KernelSize() == 1) {
    product = PlanVectorProduct(geometry, task, threads, Factors());
  } else {
    product = PlanVectorWindows(geometry, task, threads, Factors());
  }
  const bool enough = std::visit([](const auto& p) { return IsEnough(p.Units()); }, product);
  if (parallel_ && !planner_.deterministic() && !enough) return std::nullopt;
  return product;
}

void PlanBuilder::AddProduct(const OwnProduct& product, Task task, Operands& operands,
                             const Place& result) {
  constexpr std::string_view kNames[] = {"a product on tiles", "a product on vectors",
                                         "windows on vectors"};
  LogChoice(task, kNames[product.index()]);
  const bool gives_weight = task == Task::kGradWeight;
  const auto read = [&](Operand& operand, bool dense) {
    return dense ? operand.user : Dense(operand, operand.user.view.dtype);
  };
  Place x, y, weight;
  if (task != Task::kGradX) x = read(operands.x, HasDensePlanes(operands.x.user.view));
  if (task != Task::kForward) y = read(operands.y, HasDensePlanes(operands.y.user.view));
  if (!gives_weight) weight = read(operands.weight, HasDenseRows(operands.weight.user.view));
  const int64_t mark = planner_.workspace().Mark();
  const bool in_place = gives_weight ? HasDenseRows(result.view) : HasDensePlanes(result.view);
  const Place target = in_place ? result : BookDense(result.view, result.view.dtype);
  (gives_weight ? weight : task == Task::kGradX ? x : y) = target;
  std::visit(
      [&](const auto& p) {
        const Place scratch = BookBytes(p.ScratchBytes());
        Then([p, x, y, weight, scratch](const RunContext& run) {
          RunProduct(p, x.View(run), y.View(run), weight.View(run), scratch.Address(run));
        });
      },
      product);
  if (!in_place) Copy(target, result);
  planner_.workspace().Rewind(mark);
}

bool PlanBuilder::AddTileWindows(const Place& result) {
  const TileWindows windows = PlanTileWindows(operands_.geometry, TeamSize());
  if (!planner_.deterministic() && !IsEnough(windows.Units())) return false;
  LogChoice(Task::kGradWeight, "sums on tiles");
  const auto rows = [this](Operand& operand) {
    return RowsAreDense(operand.user.view) ? operand.user : Dense(operand, DType::kBFloat16);
  };
  const Place x = rows(operands_.x), y = rows(operands_.y);
  const Place by_taps = ViewedAs(result, WeightByTaps(result.view));
  const int64_t mark = planner_.workspace().Mark();
  const Place taps = BookDense(by_taps.view, DType::kBFloat16);
  const Place scratch = BookBytes(windows.ScratchBytes());
  Then([windows, x, y, taps, scratch](const RunContext& run) {
    RunTileWindows(windows, x.View(run), y.View(run), static_cast<BFloat16*>(taps.Address(run)),
                   scratch.Address(run));
  });
  Rearrange(taps, by_taps);
  planner_.workspace().Rewind(mark);
  ThenWhereNaN(result, Exact(operands_, Task::kGradWeight, result, Suspects::kAll));
  return true;
}

void PlanBuilder::MakeWindowsExact(Task task, const Place& result) {
  const Geometry& geometry = operands_.geometry;
  // Every gradient of x has pixels that some taps miss.
  if (task != Task::kGradX && !HasPadding(geometry)) return;
  if (task == Task::kGradWeight) return ThenWhereNaN(result, Exact(operands_, Task::kGradWeight, result, Suspects::kAll));
  const Step exact = Exact(operands_, task, result, Suspects::kWeights);
  // It begins with a look at the weights, which may be shorter than one at the result.
  const bool few = operands_.weight.user.view.ElementCount() < result.view.ElementCount();
  few ? Then(exact) : ThenWhereNaN(result, exact);
}

bool PlanBuilder::AddPrimitive(Task task, Operands& operands, const Place& result) {
  const Geometry& geometry = operands.geometry;
  // What is not rounded yet, for a bias to be added.
  const DType result_dtype = result.view.dtype == DType::kFloat32 ? DType::kFloat32 : dtype_;
  onednn::Request request{geometry, task, dtype_, result_dtype, threads_};
  const bool one_order = planner_.deterministic(), gives_weight = task == Task::kGradWeight;
  // Its sums over images are cut by the number of threads.
  if (one_order && gives_weight) request.threads = 1;
  const onednn::PrimitivePointer primitive = FindPrimitive(request, one_order);
  if (primitive == nullptr) return false;
  // So are those of some products of matrices.
  if (one_order && !gives_weight && Is(*primitive, "gemm")) return false;
  LogChoice(task, primitive->Name());
  if (one_order && gives_weight && AddGradWeightParts(operands, request.operand, result)) {
    return true;
  }

  const DType dtype = request.operand;
  const bool gives_x = task == Task::kGradX, gives_y = task == Task::kForward;
  Place x, y, weight;
  if (!gives_x) {
    x = InLayout(geometry, operands.x, onednn::Operand::kX, dtype, primitive->X());
  }
  if (!gives_y) {
    y = InLayout(geometry, operands.y, onednn::Operand::kY, dtype, primitive->Y());
  }
  if (!gives_weight) {
    weight =
        InLayout(geometry, operands.weight, onednn::Operand::kWeight, dtype, primitive->Weight());
  }
  const onednn::Operand role = gives_x   ? onednn::Operand::kX
                               : gives_y ? onednn::Operand::kY
                                         : onednn::Operand::kWeight;
  const onednn::LayoutPointer& layout = gives_x   ? primitive->X()
                                        : gives_y ? primitive->Y()
                                                  : primitive->Weight();
  const auto plain = onednn::LayoutOf(geometry, DenseAs(result.view, DType::kFloat32), role);
  const bool can_store = OwnCopy(geometry, result.view, role, layout, true) ||
                         onednn::SameLayout(plain, layout) ||
                         onednn::MakeReorder(layout, plain, threads_) != nullptr;
  if (!can_store || (!gives_x && !x.Exists()) || (!gives_y && !y.Exists()) ||
      (!gives_weight && !weight.Exists())) {
    return false;
  }
  const Step exact = ExactOf(task, *primitive, dtype, operands, result);
  const int64_t mark = planner_.workspace().Mark();
  const auto user = onednn::LayoutOf(geometry, result.view, role);
  const bool in_place = user != nullptr && onednn::SameLayout(user, layout);
  const Place target = in_place ? result : BookBytes(onednn::BytesOf(layout));
  (gives_x ? x : gives_y ? y : weight) = target;
  const Place scratch = BookBytes(primitive->ScratchBytes());
  if (request.threads > 1) planner_.OpensOpenMpTeam();
  Then([primitive, x, y, weight, scratch](const RunContext& run) {
    primitive->Run(x.Address(run), y.Address(run), weight.Address(run), scratch.Address(run));
  });
  if (in_place) {
    ThenWhereNaN(result, exact);
  } else {
    Store(geometry, role, layout, target, result, exact);
  }
  planner_.workspace().Rewind(mark);
  return true;
}

PlanBuilder::Step PlanBuilder::ExactOf(Task task, const onednn::Primitive& primitive, DType dtype,
                                       const Operands& operands, const Place& result) {
  const bool zeros = MultipliesZeros(primitive, task, operands.geometry);
  const bool beyond = ReadsBeyondWindows(primitive, task, dtype, operands.geometry);
  if (!zeros && !beyond) return nullptr;
  return Exact(operands, task, result, beyond ? Suspects::kAll : Suspects::kWeights);
}

PlanBuilder::Step PlanBuilder::Exact(const Operands& operands, Task task, const Place& result,
                                     Suspects suspects) {
  const Place x = task == Task::kGradX ? result : operands.x.user;
  const Place y = task == Task::kForward ? result : operands.y.user;
  const bool gives_weight = task == Task::kGradWeight;
  const Place weight = gives_weight ? result : operands.weight.user;
  const bool few = suspects == Suspects::kWeights && !gives_weight;
  // It runs when the other pieces of the task are no longer read.
  const int64_t mark = planner_.workspace().Mark();
  const Place scratch = BookBytes(ExactScratchBytes(operands.geometry, task));
  planner_.workspace().Rewind(mark);
  return [geometry = operands.geometry, task, x, y, weight, few, scratch,
          parallel = parallel_](const RunContext& run) {
    // Then the NaNs came with the data.
    if (few && IsFinite(weight.View(run), parallel)) return;
    ComputeNaNsAgain(geometry, task, x.View(run), y.View(run), weight.View(run),
                     scratch.Address(run), parallel);
  };
}

PlanBuilder::Operands& PlanBuilder::PatchOperands() {
  if (patch_ != nullptr) return *patch_;
  patch_ = std::make_unique<Operands>();
  patch_->geometry = PatchGeometry(operands_.geometry, onednn::ProductsOf(dtype_));
  return *patch_;
}

void PlanBuilder::Rearrange(const Place& from, const Place& to) {
  if (TransposingCopy::Find(from.view, to.view)) return Copy(from, to);
  const auto a = onednn::StridedLayout(from.view), b = onednn::StridedLayout(to.view);
  const auto reorder = a && b ? onednn::MakeReorder(a, b, threads_) : nullptr;
  reorder != nullptr ? Reorder(reorder, from, to) : Copy(from, to);
}

bool PlanBuilder::AddPatch(Task task, const Place& result) {
  const Geometry& geometry = operands_.geometry;
  Operands& patch = PatchOperands();
  const Products products = onednn::ProductsOf(dtype_);
  const Algorithm algorithm = ChooseAlgorithm(patch.geometry, task, products, converts_);
  const bool elements = geometry.KernelSize() == 1;
  const bool chosen = algorithm == Algorithm::kTiles || algorithm == Algorithm::kVectors ||
                      (elements && products == Products::kFloat32BesideTiles);
  const std::optional<OwnProduct> own =
      chosen ? PlanProduct(task, patch.geometry, result.view.dtype) : std::optional<OwnProduct>();
  // oneDNN must have the rearranged problem before anything is booked for it.
  onednn::Request request{patch.geometry, task, dtype_, dtype_, threads_};
  if (!own && FindPrimitive(request, planner_.deterministic()) == nullptr) return false;
  const auto add = [&](const Place& to) {
    if (!own) return AddPrimitive(task, patch, to);
    AddProduct(*own, task, patch, to);
    return true;
  };

  const bool folds = patch.geometry.batch != geometry.batch;
  const auto windows_of = [&](const Place& place) {
    return ViewedAs(place, PatchWindows(geometry, place.view, folds));
  };
  const auto images_of = [](const Place& place) {
    return ViewedAs(place, PatchImages(place.view));
  };
  const auto tensor_of = [&](const Place& dense, int64_t channels) {
    return ViewedAs(dense, PatchTensor(patch.geometry, channels, dense.view));
  };
  const auto dtype_of = [&](const Place& place) { return own ? place.view.dtype : dtype_; };
  const auto rearranged = [&](const Place& from, int64_t channels) {
    const Place dense = BookDense(from.view, dtype_of(from));
    Rearrange(from, dense);
    return tensor_of(dense, channels);
  };
  if (task != Task::kGradX && patch.x.user.view.rank == 0) {
    patch.x.user = rearranged(windows_of(operands_.x.user), patch.geometry.x_channels);
  }
  if (task != Task::kForward && patch.y.user.view.rank == 0) {
    patch.y.user = folds ? rearranged(images_of(operands_.y.user), patch.geometry.y_channels)
                         : operands_.y.user;
  }
  if (task != Task::kGradWeight && patch.weight.user.view.rank == 0) {
    const std::optional<TensorView> merged = PatchWeight(operands_.weight.user.view);
    patch.weight.user =
        merged ? operands_.weight.user : Dense(operands_.weight, operands_.weight.user.view.dtype);
    patch.weight.user.view = *PatchWeight(patch.weight.user.view);
  }
  // Nothing is given back here: copies of operands that AddPrimitive books must outlive this task.
  if (task == Task::kForward) {
    if (!folds) return add(result);
    const Place to = images_of(result);
    const Place dense = BookDense(to.view, dtype_of(to));
    if (!add(tensor_of(dense, patch.geometry.y_channels))) return false;
    Rearrange(dense, to);
  } else if (task == Task::kGradX) {
    const Place to = windows_of(result);
    const Place dense = BookDense(to.view, dtype_of(to));
    if (!add(tensor_of(dense, patch.geometry.x_channels))) return false;
    if (elements && geometry.HasStrides() && RowsAreDense(result.view) &&
        result.view.dtype == dense.view.dtype) {
      const Place grid = ViewedAs(dense, PatchGrid(geometry, dense.view, folds));
      Then([grid, result, geometry, parallel = parallel_](const RunContext& run) {
        Spread(grid.View(run), geometry.stride, result.View(run), parallel);
      });
      return true;
    }
    if (to.view.ElementCount() != result.view.ElementCount()) {
      // Elements between and behind the windows.
      Then([result](const RunContext& run) { Clear(result.View(run), true); });
    }
    Rearrange(dense, to);
  } else {
    const std::optional<TensorView> merged = PatchWeight(result.view);
    Place rows = merged ? result : BookDense(result.view, result.view.dtype);
    const Place dense = rows;
    rows.view = *PatchWeight(rows.view);
    if (!add(rows)) return false;
    if (!merged) Copy(dense, result);
  }
  return true;
}

void PlanBuilder::AddTask(Task task, const Place& result) {
  ++plan_->products;
  Algorithm algorithm =
      ChooseAlgorithm(operands_.geometry, task, onednn::ProductsOf(dtype_), converts_);
  // oneDNN has no product then to rearrange single elements for; our own by dot products is one.
  const bool elements = operands_.geometry.KernelSize() == 1;
  if (planner_.deterministic() && elements && algorithm == Algorithm::kPatch &&
      dtype_ == DType::kBFloat16 && onednn::ProductsOf(dtype_) != Products::kBFloat16Dots) {
    algorithm = Algorithm::kBlocked;
  }
  const auto add_product = [&] {
    const auto product = PlanProduct(task, operands_.geometry, result.view.dtype);
    if (!product) return false;
    AddProduct(*product, task, operands_, result);
    if (!elements) MakeWindowsExact(task, result);
    return true;
  };
  if (algorithm == Algorithm::kTiles && !elements) {
    if (AddTileWindows(result)) return;
  } else if (algorithm == Algorithm::kTiles || algorithm == Algorithm::kVectors) {
    if (add_product()) return;
  }
  switch (algorithm) {
    case Algorithm::kPatch:
      if (AddPatch(task, result)) return;
      [[fallthrough]];
    case Algorithm::kTiles:
    case Algorithm::kVectors:
    case Algorithm::kBlocked:
      if (AddPrimitive(task, operands_, result)) return;
      // Tiles have no windows of every kind.
      if (onednn::ProductsOf(dtype_) != Products::kBFloat16Tiles &&
          SuitsVectors(operands_.geometry, task) && add_product()) {
        return;
      }
      [[fallthrough]];
    case Algorithm::kDirect:
      AddDirect(task, result);
  }
}

bool PlanBuilder::AddDepthwise(const Place& grad_x, const Place& grad_weight) {
  const bool gives_x = grad_x.Exists(), gives_weight = grad_weight.Exists();
  const Geometry& g = operands_.geometry;
  if ((!gives_x && !gives_weight) || !TakesDepthwise(g)) return false;
  const Depthwise plan = PlanDepthwise(g, gives_x, gives_weight, parallel_ ? TeamSize() : 1);
  Place x, weight;
  if (gives_x) {
    ++plan_->products;
    LogChoice(Task::kGradX, "depthwise windows");
    weight = operands_.weight.user;
  }
  if (gives_weight) {
    ++plan_->products;
    LogChoice(Task::kGradWeight, "depthwise windows");
    x = Rows(operands_.x);
  }
  const Place y = Rows(operands_.y);
  const int64_t mark = planner_.workspace().Mark();
  const bool in_place = !gives_x || RowsAreDense(grad_x.view);
  const Place to = in_place ? grad_x : BookDense(grad_x.view, grad_x.view.dtype);
  const Place scratch = BookBytes(plan.ScratchBytes());
  Then([plan, x, y, weight, to, grad_weight, scratch](const RunContext& run) {
    const auto view = [&run](const Place& place) {
      return place.Exists() ? place.View(run) : place.view;
    };
    RunDepthwise(plan, view(x), y.View(run), view(weight), view(to), view(grad_weight),
                 scratch.Address(run));
  });
  if (!in_place) Copy(to, grad_x);
  planner_.workspace().Rewind(mark);
  // Zeros beside the image were multiplied, and what follows lines of y.
  if (gives_x) Then(Exact(operands_, Task::kGradX, grad_x, Suspects::kWeights));
  if (gives_weight) {
    ThenWhereNaN(grad_weight, Exact(operands_, Task::kGradWeight, grad_weight, Suspects::kAll));
  }
  return true;
}

void PlanBuilder::AddGradients(const Place& grad_input, const Place& grad_weight) {
  const Place none;
  const bool together = AddDepthwise(transposed_ ? none : grad_input, grad_weight);
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
  Operand& operand = transposed_ ? operands_.x : operands_.y;
  const Place from = Rows(operand);
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
