// What frameworks call by type name: the two steps of a dropout.

#include "aclimb/executor/by_type.h"

#include <cstdint>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask_v2.h"

namespace aclimb::random::by_type {
namespace {

// A bit for each element of a tensor of the shape that is input 0: whether it stays, as it does
// with the probability that is input 1. Then come a seed, a second one of 0, and two numbers of
// which the latter says how many random numbers were drawn before.
Status AnswerMask(TypedCall& call) {
  if (Status bad = call.Has(5, 5, 1, {}); !bad.ok()) return bad;
  Result<std::vector<int64_t>> shape = call.InputInts(0);
  if (!shape.ok()) return shape.TakeStatus();
  Result<double> kept = call.InputNumber(1);
  if (!kept.ok()) return kept.TakeStatus();
  Result<std::vector<int64_t>> seed = call.InputInts(2);
  if (!seed.ok()) return seed.TakeStatus();
  Result<std::vector<int64_t>> second_seed = call.InputInts(3);
  if (!second_seed.ok()) return second_seed.TakeStatus();
  Result<std::vector<int64_t>> offsets = call.InputInts(4);
  if (!offsets.ok()) return offsets.TakeStatus();
  if (seed.value().size() != 1 || second_seed.value() != std::vector<int64_t>{0} ||
      offsets.value().size() != 2 || offsets.value()[0] != 0) {
    return call.Unsupported("one seed, a second one of 0, and two offsets of which the first is 0");
  }
  Result<aclTensor*> mask = call.OutputTensor(0);
  if (!mask.ok()) return mask.TakeStatus();
  RunOperator<&aclnnDropoutGenMaskV2GetWorkspaceSize, &aclnnDropoutGenMaskV2>(
      call, call.Array(shape.value()), 1 - kept.value(), seed.value()[0], offsets.value()[1],
      static_cast<aclDataType>(call.Input(1).dtype), mask.value());
  return Ok();
}

// The mask may have more bits than x has elements: those of a padded storage.
Status AnswerDropout(TypedCall& call) {
  Result<TypedCall::Tensors> tensors = call.Open(3, 1, {}, 2);
  if (!tensors.ok()) return tensors.TakeStatus();
  Result<double> kept = call.InputNumber(2);
  if (!kept.ok()) return kept.TakeStatus();
  const auto& [inputs, outputs] = tensors.value();
  const AclimbOpTensor &x = call.Input(0), &mask = call.Input(1);
  int64_t count = 1;
  for (int d = 0; d < x.rank; ++d) count *= x.dims[d];
  const int64_t bytes = CeilDivide(count, int64_t{128}) * 16;
  if (mask.dtype != ACL_UINT8 || mask.rank != 1 || mask.dims[0] < bytes) {
    return call.Unsupported("a mask of UINT8 with a bit for each element");
  }
  RunOperator<&aclnnDropoutDoMaskGetWorkspaceSize, &aclnnDropoutDoMask>(
      call, inputs[0], ScopedTensor(mask.data, mask.dtype, {bytes}), 1 - kept.value(), outputs[0]);
  return Ok();
}

const ByType kMask("StatelessDropOutGenMask", &AnswerMask);
const ByType kDropout("DropOutDoMask", &AnswerDropout);

}  // namespace
}  // namespace aclimb::random::by_type
