// oneDNN's ways.

#include <algorithm>
#include <optional>
#include <string_view>

#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/simd/tiles.h"

namespace aclimb::convolution_backward {
namespace {

bool Is(const onednn::Primitive& primitive, std::string_view kind) {
  return primitive.Name().find(kind) != std::string_view::npos;
}

// Whether zeros that stand for absent elements are multiplied, which infinities turn into NaN: a
// product of matrices writes the windows out with their padding, and tiles of matrices hold every
// operand so, for gradX a y that strides have spread.
bool MultipliesZeros(const onednn::Primitive& primitive, Task task, const Geometry& g) {
  const bool tiles = Is(primitive, "amx") || Is(primitive, "brg");
  if (task != Task::kGradX) return g.HasPadding() && (tiles || Is(primitive, "gemm"));
  return tiles && !g.IsOneToOne();
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

// Whether neighbours lie along different dimensions of the two, as in a copy into a blocked layout
// and out of it.
bool IsTransposed(const TensorView& from, const TensorView& to) {
  constexpr int64_t kShortest = 8;
  return Tiles<2>::Across(Walk<2>::Make({&from, &to}), kShortest) >= 0;
}

// The two views of a copy between a tensor and a layout, where our own loops are faster than
// oneDNN's reorders: they transpose bfloat16 up to four times as fast, and read float16.
//   out  out of the layout
std::optional<onednn::Blocks> OwnCopy(const Geometry& geometry, const TensorView& tensor, Task role,
                                      const onednn::LayoutPointer& layout, bool out) {
  auto blocks = onednn::BlocksOf(geometry, tensor, role, layout);
  if (!blocks ||
      !IsTransposed(out ? blocks->memory : blocks->tensor, out ? blocks->tensor : blocks->memory))
    return std::nullopt;
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

Place PlanBuilder::InLayout(Operand& operand, Task role, const onednn::LayoutPointer& layout) {
  for (const auto& [have, place] : operand.layouts) {
    if (onednn::SameLayout(have, layout)) return place;
  }
  Place source = operand.user;
  onednn::LayoutPointer source_layout = onednn::LayoutOf(geometry_, source.view, role);
  if (source_layout != nullptr && onednn::SameLayout(source_layout, layout)) return source;
  if (const auto blocks = OwnCopy(geometry_, source.view, role, layout, false)) {
    const Place place = BookBytes(onednn::BytesOf(layout));
    Copy(ViewedAs(source, blocks->tensor), ViewedAs(place, blocks->memory));
    operand.layouts.emplace_back(layout, place);
    return place;
  }
  onednn::ReorderPointer reorder;
  if (source_layout != nullptr) reorder = onednn::MakeReorder(source_layout, layout, threads_);
  if (reorder == nullptr) {
    source = Dense(operand, dtype_);
    source_layout = onednn::LayoutOf(geometry_, source.view, role);
    if (onednn::SameLayout(source_layout, layout)) return source;
    reorder = onednn::MakeReorder(source_layout, layout, threads_);
    if (reorder == nullptr) return Place();
  }
  const Place place = BookBytes(onednn::BytesOf(layout));
  Reorder(reorder, source, place);
  operand.layouts.emplace_back(layout, place);
  return place;
}

void PlanBuilder::Store(Task role, const onednn::LayoutPointer& layout, const Place& from,
                        const Place& to) {
  if (const auto blocks = OwnCopy(geometry_, to.view, role, layout, true)) {
    return Copy(ViewedAs(from, blocks->memory), ViewedAs(to, blocks->tensor));
  }
  const auto user = onednn::LayoutOf(geometry_, to.view, role);
  if (const auto reorder = user ? onednn::MakeReorder(layout, user, threads_) : nullptr) {
    return Reorder(reorder, from, to);
  }
  Place dense = BookDense(to.view, DType::kFloat32);
  const auto plain = onednn::LayoutOf(geometry_, dense.view, role);
  if (onednn::SameLayout(plain, layout)) {
    dense.piece = from.piece;
  } else {
    Reorder(onednn::MakeReorder(layout, plain, threads_), from, dense);
  }
  Copy(dense, to);
}

Refusal PlanBuilder::AddPrimitive(Task task, Layouts wanted, const Place& result) {
  // What is not rounded yet, for a bias to be added.
  const DType result_dtype = result.view.dtype == DType::kFloat32 ? DType::kFloat32 : dtype_;
  const onednn::Request request = {geometry_, task, dtype_, result_dtype, threads_, wanted};
  const onednn::PrimitivePointer primitive = onednn::MakePrimitive(request);
  if (primitive == nullptr) return onednn::RefusalOf(request);
  const onednn::LayoutPointer& layout = primitive->LayoutOf(task);
  TensorView dense = DenseLike(result.view, nullptr);
  dense.dtype = DType::kFloat32;
  const auto plain = onednn::LayoutOf(geometry_, dense, task);
  const bool can_store = OwnCopy(geometry_, result.view, task, layout, true) ||
                         onednn::SameLayout(plain, layout) ||
                         onednn::MakeReorder(layout, plain, threads_) != nullptr;
  constexpr Refusal kNoCopy = "oneDNN has no fast copy between its layout and the tensor's";
  if (!can_store) return kNoCopy;
  Triple<Place> places;
  for (const Task role : {Task::kGradX, Task::kForward, Task::kGradWeight}) {
    if (role == task) continue;
    places.Of(role) = InLayout(operands_.Of(role), role, primitive->LayoutOf(role));
    if (!places.Of(role).Exists()) return kNoCopy;
  }
  const int64_t mark = planner_.workspace().Mark();
  const auto user = onednn::LayoutOf(geometry_, result.view, task);
  const bool in_place = user != nullptr && onednn::SameLayout(user, layout);
  const Place target = in_place ? result : BookBytes(onednn::BytesOf(layout));
  places.Of(task) = target;
  const Place scratch = BookBytes(primitive->ScratchBytes());
  if (threads_ > 1) planner_.OpensOpenMpTeam();
  Then([primitive, places, scratch](const RunContext& run) {
    primitive->Run(places.x.Address(run), places.y.Address(run), places.weight.Address(run),
                   scratch.Address(run));
  });
  if (!in_place) Store(task, layout, target, result);
  planner_.workspace().Rewind(mark);
  AddExact(task, result,
           ReadsBeyondWindows(*primitive, task, dtype_, geometry_) ? Suspects::kAll
           : MultipliesZeros(*primitive, task, geometry_)          ? Suspects::kWeights
                                                                   : Suspects::kNone);
  primitive_ = primitive->Name();  // which the plan keeps
  return nullptr;
}

}  // namespace aclimb::convolution_backward
