// aclnnEluBackward from a byte string.

#include <memory>

#include "aclnnop/aclnn_elu_backward.h"
#include "tests/fuzz/operator_call.h"

namespace aclimb::fuzz {
namespace {

constexpr DType kInputs[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr DType kOutputs[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat64};

}  // namespace

void RunTarget(Draw& draw) {
  ChooseSettings(draw);
  const DType dtype = draw.Pick(kInputs);
  const std::vector<int64_t> shape = AnyShape(draw, 0, 8);
  View grad_output(draw, {Role::kInput, shape, dtype});
  View self(draw, {Role::kInput, shape, dtype});
  grad_output.FillReals(draw);
  self.FillReals(draw);
  const Scalar alpha(draw);
  const Scalar scale(draw);
  const Scalar input_scale(draw);
  const bool is_result = draw.Flip();
  // alpha must not be negative then, and the byte string does not tell here whether it is.
  if (is_result) draw.MarkStrange();

  // A result in place of an input needs an input whose elements do not overlap.
  View* const shared = draw.Byte() < 192 ? nullptr : draw.Flip() ? &self : &grad_output;
  const bool in_place = shared != nullptr && !shared->overlaps();
  std::unique_ptr<View> grad_input;
  if (in_place) {
    shared->MakeOutputToo();
  } else {
    grad_input = std::make_unique<View>(draw, ViewSpec{Role::kOutput, shape, draw.Pick(kOutputs)});
  }
  const aclTensor* g = Spoilt(draw, grad_output.handle());
  const aclTensor* s = Spoilt(draw, self.handle());
  aclTensor* out = Spoilt(draw, in_place ? shared->handle() : grad_input->handle());
  const aclScalar* a = Spoilt(draw, alpha.handle);

  OperatorCall call;
  call.views = {&grad_output, &self};
  if (!in_place) call.views.push_back(grad_input.get());
  call.plan = [&](uint64_t* size, aclOpExecutor** executor) {
    return aclnnEluBackwardGetWorkspaceSize(g, a, scale.handle, input_scale.handle, is_result, s,
                                            out, size, executor);
  };
  call.run = &aclnnEluBackward;
  Check(draw, call);
}

}  // namespace aclimb::fuzz
