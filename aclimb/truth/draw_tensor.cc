#include "aclimb/truth/draw_tensor.h"

#include <utility>

#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/obeys.h"

namespace aclimb::truth {

void DrawTensor(Draw& draw, Call& call, Slot slot) {
  const contract::Parameter& parameter = call.ParameterAt(slot.parameter);
  DrawTensor(draw, call, slot, DrawShape(draw, parameter.min_rank, parameter.max_rank));
}

void DrawTensor(Draw& draw, Call& call, Slot slot, std::vector<int64_t> shape) {
  // A chip without the operator refuses whatever dtype; a call has to have one.
  const contract::DTypeMask mask = call.ParameterAt(slot.parameter).dtypes[draw.product()];
  DrawTensor(draw, call, slot, std::move(shape),
             DrawDType(draw, mask == 0 ? contract::kFloatDTypes : mask));
}

void DrawTensor(Draw& draw, Call& call, Slot slot, std::vector<int64_t> shape, DType dtype) {
  std::vector<double> values;
  if (call.ParameterAt(slot.parameter).role != contract::Role::kOutput) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    values = DrawValues(draw, dtype, count);
  }
  call.SetTensor(slot, std::move(shape), dtype, std::move(values));
}

void MarkUnlessObeyed(Draw& draw, const Call& call) {
  if (!Obeys(call, draw.product(), draw.extensions())) draw.MarkStrange();
}

}  // namespace aclimb::truth
