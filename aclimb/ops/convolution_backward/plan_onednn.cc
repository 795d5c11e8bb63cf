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

// How a tensor comes into a layout, or out of it: as the first of these that there is.
struct PlanBuilder::Route {
  bool in_place = false;
  std::optional<onednn::Blocks> own;
  // From the tensor or, if `by_dense`, from a dense copy of it, which may be in the layout.
  onednn::ReorderPointer reorder;
  bool by_dense = false;
};

std::optional<PlanBuilder::Route> PlanBuilder::RouteOf(const TensorView& tensor, Task role,
                                                       const onednn::LayoutPointer& layout,
                                                       bool out) const {
  const auto between = [&](const onednn::LayoutPointer& plain) {
    return out ? onednn::MakeReorder(layout, plain, threads_)
               : onednn::MakeReorder(plain, layout, threads_);
  };
  Route route;
  const auto user = onednn::LayoutOf(geometry_, tensor, role);
  route.in_place = user != nullptr && onednn::SameLayout(user, layout);
  if (route.in_place) return route;
  route.own = OwnCopy(geometry_, tensor, role, layout, out);
  if (route.own) return route;
  if (user != nullptr) route.reorder = between(user);
  if (route.reorder != nullptr) return route;
  TensorView dense = DenseLike(tensor, nullptr);
  dense.dtype = out ? DType::kFloat32 : dtype_;  // results are rounded once, by the copy
  const auto plain = onednn::LayoutOf(geometry_, dense, role);
  route.by_dense = true;
  if (!onednn::SameLayout(plain, layout)) {
    route.reorder = between(plain);
    if (route.reorder == nullptr) return std::nullopt;
  }
  return route;
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

Place PlanBuilder::InLayout(Operand& operand, const onednn::LayoutPointer& layout,
                            const Route& route) {
  if (route.in_place) return operand.user;
  for (const auto& [have, place] : operand.layouts) {
    if (onednn::SameLayout(have, layout)) return place;
  }
  const Place source = route.by_dense ? Dense(operand, dtype_) : operand.user;
  if (!route.own && route.reorder == nullptr) return source;
  const Place place = BookBytes(onednn::BytesOf(layout));
  if (route.own) {
    Copy(ViewedAs(source, route.own->tensor), ViewedAs(place, route.own->memory));
  } else {
    Reorder(route.reorder, source, place);
  }
  operand.layouts.emplace_back(layout, place);
  return place;
}

void PlanBuilder::Store(const Route& route, const Place& from, const Place& to) {
  if (route.own) return Copy(ViewedAs(from, route.own->memory), ViewedAs(to, route.own->tensor));
  if (!route.by_dense) return Reorder(route.reorder, from, to);
  Place dense = BookDense(to.view, DType::kFloat32);
  if (route.reorder != nullptr) {
    Reorder(route.reorder, from, dense);
  } else {
    dense.piece = from.piece;
  }
  Copy(dense, to);
}

Refusal PlanBuilder::AddPrimitive(Task task, Layouts wanted, const Place& result) {
  // What is not rounded yet, for a bias to be added.
  const DType result_dtype = result.view.dtype == DType::kFloat32 ? DType::kFloat32 : dtype_;
  const onednn::Request request = {geometry_, task,   dtype_,        result_dtype,
                                   threads_,  wanted, bias_.Exists()};
  Refusal refusal = nullptr;
  const onednn::PrimitivePointer primitive = onednn::MakePrimitive(request, &refusal);
  if (primitive == nullptr) return refusal;
  Triple<std::optional<Route>> routes;
  for (const Task role : kTasks) {
    const TensorView& view = role == task ? result.view : operands_.Of(role).user.view;
    routes.Of(role) = RouteOf(view, role, primitive->layouts().Of(role), role == task);
    if (!routes.Of(role)) return "oneDNN has no fast copy between its layout and the tensor's";
  }
  Triple<Place> places;
  for (const Task role : kTasks) {
    if (role == task) continue;
    places.Of(role) = InLayout(operands_.Of(role), primitive->layouts().Of(role), *routes.Of(role));
  }
  const int64_t mark = planner_.workspace().Mark();
  const Route& out = *routes.Of(task);
  places.Of(task) =
      out.in_place ? result : BookBytes(onednn::BytesOf(primitive->layouts().Of(task)));
  const Place scratch = BookBytes(primitive->ScratchBytes());
  if (threads_ > 1) planner_.OpensOpenMpTeam();
  Then([primitive, places, scratch, bias = bias_](const RunContext& run) {
    primitive->Run(places.x.Address(run), places.y.Address(run), places.weight.Address(run),
                   scratch.Address(run), bias.Exists() ? bias.Address(run) : nullptr);
  });
  if (!out.in_place) Store(out, places.Of(task), result);
  planner_.workspace().Rewind(mark);
  AddExact(task, result,
           ReadsBeyondWindows(*primitive, task, dtype_, geometry_) ? Suspects::kAll
           : MultipliesZeros(*primitive, task, geometry_)          ? Suspects::kWeights
                                                                   : Suspects::kNone);
  primitive_ = primitive->Name();  // which the plan keeps
  return nullptr;
}

}  // namespace aclimb::convolution_backward
