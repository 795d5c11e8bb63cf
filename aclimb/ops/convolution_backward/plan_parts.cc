// gradWeight under ACL_OPT_DETERMINISTIC. oneDNN cuts its sums over images by the number of
// threads, so their order changes with the team. Here the output channels, or the groups, are cut
// into a fixed number of parts instead; one thread computes a part, and the team shares the parts.

#include <algorithm>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kParts = 8;
constexpr int64_t kLanes = 16;  // channels of a block in oneDNN's widest layouts

// Elements [begin, end) of one dimension.
Place Slice(Place place, int dimension, int64_t begin, int64_t end) {
  place.byte_offset +=
      begin * place.view.stride[dimension] * static_cast<int64_t>(SizeOf(place.view.dtype));
  place.view.shape[dimension] = end - begin;
  return place;
}

struct Part {
  Geometry geometry;
  int64_t x_begin, x_end, y_begin, y_end;  // channels
  onednn::PrimitivePointer primitive;
  Place x, y, weight, result, scratch;
};

// The parts' geometries; fewer than two when there is nothing to cut.
std::vector<Part> Cut(const Geometry& g) {
  std::vector<Part> parts;
  const int64_t pieces = g.groups > 1 ? g.groups : CeilDivide(g.y_channels, kLanes);
  const int64_t count = std::min(kParts, pieces);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = pieces * i / count, last = pieces * (i + 1) / count;
    Part part;
    part.geometry = g;
    if (g.groups > 1) {
      part.geometry.groups = last - first;
      part.x_begin = first * g.x_channels;
      part.x_end = last * g.x_channels;
      part.y_begin = first * g.y_channels;
      part.y_end = last * g.y_channels;
    } else {
      part.x_begin = 0;
      part.x_end = g.x_channels;
      part.y_begin = first * kLanes;
      part.y_end = std::min(last * kLanes, g.y_channels);
      part.geometry.y_channels = part.y_end - part.y_begin;
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

bool PlanBuilder::AddGradWeightParts(Operands& operands, DType dtype, const Place& result) {
  std::vector<Part> parts = Cut(operands.geometry);
  if (parts.size() < 2) return false;
  for (Part& part : parts) {
    part.primitive = onednn::MakePrimitive({part.geometry, Task::kGradWeight, dtype, dtype, 1});
    if (part.primitive == nullptr) return false;
    const auto plain = onednn::LayoutOf(
        part.geometry, Slice(result, 0, part.y_begin, part.y_end).view, onednn::Operand::kWeight);
    if (plain == nullptr ||
        onednn::MakeReorder(part.primitive->Weight(), plain, threads_) == nullptr) {
      return false;
    }
  }
  for (Part& part : parts) {
    const bool whole_x = part.x_end - part.x_begin == operands.x.user.view.shape[1];
    Operand x_part, y_part;
    x_part.user = Slice(operands.x.user, 1, part.x_begin, part.x_end);
    y_part.user = Slice(operands.y.user, 1, part.y_begin, part.y_end);
    part.x = InLayout(part.geometry, whole_x ? operands.x : x_part, onednn::Operand::kX, dtype,
                      part.primitive->X());
    part.y = InLayout(part.geometry, y_part, onednn::Operand::kY, dtype, part.primitive->Y());
    if (!part.x.Exists() || !part.y.Exists()) return false;
  }
  const int64_t mark = planner_.workspace().Mark();
  for (Part& part : parts) {
    part.weight = BookBytes(onednn::BytesOf(part.primitive->Weight()));
    part.scratch = BookBytes(part.primitive->ScratchBytes());
    part.result = Slice(result, 0, part.y_begin, part.y_end);
  }
  Then([parts](const RunContext& run) {
    ParallelFor(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Part& part = parts[static_cast<size_t>(i)];
        part.primitive->Run(part.x.Address(run), part.y.Address(run), part.weight.Address(run),
                            part.scratch.Address(run));
      }
    });
  });
  for (const Part& part : parts) {
    Store(part.geometry, onednn::Operand::kWeight, part.primitive->Weight(), part.weight,
          part.result, nullptr);
  }
  planner_.workspace().Rewind(mark);
  if (dtype == DType::kBFloat16) ThenWhereNaN(result, Exact(operands, Task::kGradWeight, result, Suspects::kAll));
  return true;
}

}  // namespace aclimb::convolution_backward
