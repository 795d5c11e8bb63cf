// oneDNN's ways: blocked layouts, plain ones, and windows side by side as one of a single element.

#include <algorithm>
#include <optional>
#include <string_view>

#include "aclimb/ops/convolution_backward/copies/convert.h"
#include "aclimb/ops/convolution_backward/copies/patch.h"
#include "aclimb/ops/convolution_backward/copies/transposing_copy.h"
#include "aclimb/ops/convolution_backward/plan.h"

namespace aclimb::convolution_backward {
namespace {

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
  if (task != Task::kGradX) return g.HasPadding() && (tiles || Is(primitive, "gemm"));
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

// Rows a multiple of 4 KiB apart begin in the same set of the nearest cache, where oneDNN's stores
// to a column of float32 meet: they take three times as long.
bool ColumnsCollide(const Geometry& geometry, const TensorView& tensor, Task role) {
  return role == Task::kGradWeight && geometry.KernelSize() == 1 &&
         tensor.stride[0] * static_cast<int64_t>(SizeOf(tensor.dtype)) % 4096 == 0;
}

// The two views of a copy between a tensor and a layout, where our own loops are faster than
// oneDNN's reorders: they transpose bfloat16 up to four times as fast, and read float16.
//   out  out of the layout
std::optional<onednn::Blocks> OwnCopy(const Geometry& geometry, const TensorView& tensor, Task role,
                                      const onednn::LayoutPointer& layout, bool out) {
  auto blocks = onednn::BlocksOf(geometry, tensor, role, layout);
  if (!blocks || !TransposingCopy::Find(blocks->tensor, blocks->memory)) return std::nullopt;
  // Whole blocks of float32 are copied as fast there, and those of windows in any one dtype.
  const bool one_dtype = tensor.dtype == blocks->memory.dtype;
  const bool windows = role == Task::kGradWeight && geometry.KernelSize() > 1;
  const bool as_fast = one_dtype && (tensor.dtype == DType::kFloat32 || windows);
  if (as_fast && blocks->has_blocks && !(out && ColumnsCollide(geometry, tensor, role))) {
    return std::nullopt;
  }
  return blocks;
}

// The same place as another view of it.
Place ViewedAs(Place place, const TensorView& view) {
  place.view = view;
  return place;
}

}  // namespace

// The fastest primitive that oneDNN has, and in `request` what it was asked for. Null: none.
onednn::PrimitivePointer PlanBuilder::FindPrimitive(onednn::Request& request) const {
  const bool one_order = planner_.deterministic();
  // Its sums over images are cut by the number of threads.
  if (one_order && request.task == Task::kGradWeight) return nullptr;
  const bool rounds = request.result != DType::kFloat32;
  const auto ask = [&](DType dtype, Layouts layouts) {
    request.operand = dtype;
    request.result = rounds ? dtype : DType::kFloat32;
    request.layouts = layouts;
    onednn::PrimitivePointer found = onednn::MakePrimitive(request);
    // So are those of some products of matrices.
    return found != nullptr && one_order && Is(*found, "gemm") ? nullptr : found;
  };
  const Geometry& g = request.geometry;
  const DType wanted = request.operand;
  const Layouts layouts =
      one_order ? Layouts::kBlocked
                : ChooseLayouts(g, request.task, onednn::ProductsOf(wanted), request.threads);
  onednn::PrimitivePointer found;
  if (layouts != Layouts::kBlocked) found = ask(wanted, layouts);
  if (found == nullptr) found = ask(wanted, Layouts::kBlocked);
  if (found != nullptr || wanted != DType::kBFloat16) return found;
  found = ask(DType::kFloat32, Layouts::kBlocked);
  // No direct kernel of oneDNN knows such a window. Its product in bfloat16 still beats our own
  // kernels in float32.
  const bool wide = g.x_channels >= 16 && g.y_channels >= 16;
  if (found == nullptr && wide) found = ask(wanted, Layouts::kChannelsLast);
  return found;
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

Place PlanBuilder::InLayout(const Geometry& geometry, Operand& operand, Task role, DType dtype,
                            const onednn::LayoutPointer& layout) {
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

void PlanBuilder::Store(const Geometry& geometry, Task role, const onednn::LayoutPointer& layout,
                        const Place& from, const Place& to) {
  if (const auto blocks = OwnCopy(geometry, to.view, role, layout, true)) {
    return Copy(ViewedAs(from, blocks->memory), ViewedAs(to, blocks->tensor));
  }
  const auto user = onednn::LayoutOf(geometry, to.view, role);
  if (const auto reorder = user ? onednn::MakeReorder(layout, user, threads_) : nullptr) {
    return Reorder(reorder, from, to);
  }
  Place dense = BookDense(to.view, DType::kFloat32);
  const auto plain = onednn::LayoutOf(geometry, dense.view, role);
  if (onednn::SameLayout(plain, layout)) {
    dense.piece = from.piece;
  } else {
    Reorder(onednn::MakeReorder(layout, plain, threads_), from, dense);
  }
  Copy(dense, to);
}

bool PlanBuilder::AddPrimitive(Task task, Operands& operands, const Place& result) {
  const Geometry& geometry = operands.geometry;
  // What is not rounded yet, for a bias to be added.
  const DType result_dtype = result.view.dtype == DType::kFloat32 ? DType::kFloat32 : dtype_;
  onednn::Request request{geometry, task, dtype_, result_dtype, threads_};
  const onednn::PrimitivePointer primitive = FindPrimitive(request);
  if (primitive == nullptr) return false;
  const DType dtype = request.operand;
  const Triple<onednn::LayoutPointer> layouts = {primitive->X(), primitive->Y(),
                                                 primitive->Weight()};
  const onednn::LayoutPointer& layout = layouts.Of(task);
  TensorView dense = DenseLike(result.view, nullptr);
  dense.dtype = DType::kFloat32;
  const auto plain = onednn::LayoutOf(geometry, dense, task);
  const bool can_store = OwnCopy(geometry, result.view, task, layout, true) ||
                         onednn::SameLayout(plain, layout) ||
                         onednn::MakeReorder(layout, plain, threads_) != nullptr;
  if (!can_store) return false;
  Triple<Place> places;
  for (const Task role : {Task::kGradX, Task::kForward, Task::kGradWeight}) {
    if (role == task) continue;
    places.Of(role) = InLayout(geometry, operands.Of(role), role, dtype, layouts.Of(role));
    if (!places.Of(role).Exists()) return false;
  }
  Log(task, primitive->Name());
  const int64_t mark = planner_.workspace().Mark();
  const auto user = onednn::LayoutOf(geometry, result.view, task);
  const bool in_place = user != nullptr && onednn::SameLayout(user, layout);
  const Place target = in_place ? result : BookBytes(onednn::BytesOf(layout));
  places.Of(task) = target;
  const Place scratch = BookBytes(primitive->ScratchBytes());
  if (request.threads > 1) planner_.OpensOpenMpTeam();
  Then([primitive, places, scratch](const RunContext& run) {
    primitive->Run(places.x.Address(run), places.y.Address(run), places.weight.Address(run),
                   scratch.Address(run));
  });
  if (!in_place) Store(geometry, task, layout, target, result);
  planner_.workspace().Rewind(mark);
  AddExact(operands, task, result,
           ReadsBeyondWindows(*primitive, task, dtype, geometry) ? Suspects::kAll
           : MultipliesZeros(*primitive, task, geometry)         ? Suspects::kWeights
                                                                 : Suspects::kNone);
  return true;
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
  const bool elements = geometry.KernelSize() == 1;
  const bool own_product =
      ChooseAlgorithm(patch.geometry, task, products, converts_) == Algorithm::kProduct ||
      (elements && products == Products::kFloat32BesideTiles) ||
      (planner_.deterministic() && SuitsVectors(patch.geometry, task));
  const std::optional<OwnWay> own =
      own_product ? PlanProduct(task, patch.geometry, result.view.dtype) : std::nullopt;
  // oneDNN must have the rearranged problem before anything is booked for it.
  onednn::Request request{patch.geometry, task, dtype_, dtype_, threads_};
  if (!own && FindPrimitive(request) == nullptr) return false;
  const auto add = [&](const Place& to) {
    if (!own) return AddPrimitive(task, patch, to);
    AddOwn(*own, patch, task, to);
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

}  // namespace aclimb::convolution_backward
