#pragma once

#include "aclimb/ops/random/contracts.h"
#include "aclimb/ops/random/truths.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/operator_entry.h"

namespace aclimb::random {

// What depends on the shape that is drawn: a mask for it.
inline void DrawMask(truth::Draw& draw, truth::Call& call, int shape, int prob, int seed, int dtype,
                     int out) {
  std::vector<int64_t> extents = truth::DrawShape(draw, 0, 4);
  int64_t elements = 1;
  for (int64_t& extent : extents) {
    if (elements * extent > 8 * draw.most_elements()) extent = 1;
    elements *= extent;
  }
  call.SetInts(shape, std::move(extents));
  call.SetReal(prob, draw.Below(9) / 8.0);
  call.SetInteger(seed, draw.Number(0, 200));
  call.SetInteger(seed + 1, draw.Number(0, 200));
  constexpr DType kDTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  if (dtype >= 0) call.SetInteger(dtype, static_cast<int64_t>(draw.Pick(kDTypes)));
  truth::DrawTensor(draw, call, out, {MaskBytes(elements)});
  truth::MarkUnlessObeyed(draw, call);
}
inline void DrawGenMask(truth::Draw& draw, truth::Call& call) {
  using namespace dropout_gen_mask;  // NOLINT: the positions
  DrawMask(draw, call, kShape, kProb, kSeed, -1, kOut);
}
inline void DrawGenMaskV2(truth::Draw& draw, truth::Call& call) {
  using namespace dropout_gen_mask_v2;  // NOLINT: the positions
  DrawMask(draw, call, kShape, kProb, kSeed, kProbDataType, kOut);
}
inline void DrawDoMask(truth::Draw& draw, truth::Call& call) {
  using namespace dropout_do_mask;  // NOLINT: the positions
  truth::DrawTensor(draw, call, kSelf);
  std::vector<double> bytes(static_cast<size_t>(MaskBytes(call.ElementCount(kSelf))));
  for (double& byte : bytes) byte = draw.Byte();
  const auto length = static_cast<int64_t>(bytes.size());
  call.SetTensor(kMask, {length}, DType::kUInt8, std::move(bytes));
  call.SetReal(kProb, draw.Below(9) / 8.0);
  truth::DrawTensor(draw, call, kOut, call.Shape(kSelf));
  truth::MarkUnlessObeyed(draw, call);
}

inline constexpr truth::OperatorEntry kOperators[] = {
    truth::Entry<decltype(aclnnInplaceNormalGetWorkspaceSize)>(inplace_normal::kContract,
                                                               &NormalTruth),
    truth::Entry<decltype(aclnnInplaceUniformGetWorkspaceSize)>(inplace_uniform::kContract,
                                                                &UniformTruth),
    truth::Entry<decltype(aclnnInplaceRandomGetWorkspaceSize)>(inplace_random::kContract,
                                                               &RandomTruth),
    truth::Entry<decltype(aclnnBernoulliGetWorkspaceSize)>(bernoulli::kContract, &BernoulliTruth),
    truth::Entry<decltype(aclnnInplaceBernoulliGetWorkspaceSize)>(inplace_bernoulli::kContract,
                                                                  &InplaceBernoulliTruth),
    truth::Entry<decltype(aclnnRandpermGetWorkspaceSize)>(randperm::kContract, &RandpermTruth),
    truth::Entry<decltype(aclnnDropoutGenMaskGetWorkspaceSize)>(dropout_gen_mask::kContract,
                                                                &GenMaskTruth, &DrawGenMask),
    truth::Entry<decltype(aclnnDropoutGenMaskV2GetWorkspaceSize)>(dropout_gen_mask_v2::kContract,
                                                                  &GenMaskV2Truth, &DrawGenMaskV2),
    truth::Entry<decltype(aclnnDropoutDoMaskGetWorkspaceSize)>(dropout_do_mask::kContract,
                                                               &DoMaskTruth, &DrawDoMask),
};

}  // namespace aclimb::random
