// What frameworks call by type name: parts of tensors, and dimensions turned round.

#include "aclimb/executor/by_type.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "aclimb/core/text.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_slice_v2.h"

namespace aclimb::slices {
namespace {

// From `offsets` on, `sizes` elements of each dimension; a size of -1 is all that is left.
Status AnswerSlice(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(3, 1, {}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> offsets = call.InputInts(1);
  if (!offsets.ok()) return offsets.TakeStatus();
  Result<std::vector<int64_t>> sizes = call.InputInts(2);
  if (!sizes.ok()) return sizes.TakeStatus();
  const AclimbOpTensor& x = call.Input(0);
  const auto rank = static_cast<size_t>(x.rank);
  if (offsets.value().size() != rank || sizes.value().size() != rank) {
    return call.Unsupported("an offset and a size for each dimension");
  }
  std::vector<int64_t> ends(rank), axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t offset = offsets.value()[d], size = sizes.value()[d];
    if (offset < 0 || offset > x.dims[d] || size < -1 || size > x.dims[d] - offset) {
      return call.Unsupported(Cat("offsets and sizes in the tensor, where dimension ", d,
                                  " has the offset ", offset, " and the size ", size));
    }
    ends[d] = size == -1 ? x.dims[d] : offset + size;
  }
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnSliceV2GetWorkspaceSize, &aclnnSliceV2>(
      call, inputs[0], call.Array(offsets.value()), call.Array(ends), call.Array(axes),
      call.Array(std::vector<int64_t>(rank, 1)), outputs[0]);
  return Ok();
}

// From `begins` to `ends`, in steps. A bit in a mask is a dimension: of those of shrink_axis_mask
// one element is taken, and the dimension goes; of those of begin_mask and end_mask all are.
Status AnswerStridedSlice(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(
      4, 1, {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  std::vector<int64_t> bounds[3];
  for (int i = 0; i < 3; ++i) {
    Result<std::vector<int64_t>> numbers = call.InputInts(1 + i);
    if (!numbers.ok()) return numbers.TakeStatus();
    bounds[i] = numbers.value();
  }
  int64_t masks[5];
  const char* const names[] = {"begin_mask", "end_mask", "shrink_axis_mask", "ellipsis_mask",
                               "new_axis_mask"};
  for (int i = 0; i < 5; ++i) {
    Result<int64_t> mask = call.Integer(names[i], 0);
    if (!mask.ok()) return mask.TakeStatus();
    masks[i] = mask.value();
  }
  if (masks[3] != 0 || masks[4] != 0) {
    return call.Unsupported("the attributes ellipsis_mask and new_axis_mask to be 0");
  }
  const AclimbOpTensor &x = call.Input(0), &y = call.Output(0);
  const auto rank = static_cast<size_t>(x.rank);
  auto& [begins, ends, steps] = bounds;
  if (begins.size() != rank || ends.size() != rank || steps.size() != rank) {
    return call.Unsupported("a beginning, an end and a step for each dimension");
  }
  std::vector<int64_t> axes(rank), shape, kept;
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t d = 0; d < rank; ++d) {
    const auto has = [&](int mask) { return (masks[mask] >> d & 1) != 0; };
    if (has(0) && !has(2)) begins[d] = 0;
    if (has(1)) ends[d] = x.dims[d];
    if (has(2)) ends[d] = begins[d] < x.dims[d] ? begins[d] + 1 : -1;
    if (steps[d] < 1 || begins[d] < 0 || ends[d] < begins[d] || ends[d] > x.dims[d]) {
      return call.Unsupported("steps of 1 or more, and beginnings and ends in the tensor");
    }
    const int64_t length = ends[d] - begins[d];
    shape.push_back(length / steps[d] + (length % steps[d] > 0 ? 1 : 0));
    if (!has(2)) kept.push_back(shape.back());
  }
  if (!std::equal(kept.begin(), kept.end(), y.dims, y.dims + y.rank)) {
    return call.Unsupported("output 0 of the shape of what is taken");
  }
  RunOperator<&aclnnSliceV2GetWorkspaceSize, &aclnnSliceV2>(
      call, tensors.value().inputs[0], call.Array(begins), call.Array(ends), call.Array(axes),
      call.Array(steps), ScopedTensor(y.data, y.dtype, shape));
  return Ok();
}

Status AnswerReverse(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(2, 1, {}, 1);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<std::vector<int64_t>> axes = call.InputInts(1);
  if (!axes.ok()) return axes.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  RunOperator<&aclnnFlipGetWorkspaceSize, &aclnnFlip>(call, inputs[0], call.Array(axes.value()),
                                                      outputs[0]);
  return Ok();
}

const ByType kSlice("Slice", &AnswerSlice);
const ByType kStridedSlice("StridedSlice", &AnswerStridedSlice);
const ByType kReverse("ReverseV2", &AnswerReverse);

}  // namespace
}  // namespace aclimb::slices
