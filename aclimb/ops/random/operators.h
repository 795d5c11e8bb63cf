#pragma once

#include <algorithm>
#include <cmath>

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

// Probabilities, 0 and 1 among them, that broadcast to what is drawn.
template <int kProb, int kSeed, int kOut>
void DrawBernoulli(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, 0);
  const std::vector<int64_t> shape = call.Shape(0);
  std::vector<int64_t> part = shape;
  if (draw.Byte() >= 192) part.erase(part.begin(), part.begin() + draw.Below(part.size() + 1));
  for (int64_t& extent : part) {
    if (draw.Byte() >= 224) extent = 1;
  }
  truth::DrawTensor(draw, call, kProb, part);
  std::vector<double> values = call.Values(kProb);
  for (double& value : values) value = std::clamp((value + 4) / 8, 0.0, 1.0);
  const DType dtype = call.DTypeOf(kProb);
  call.SetTensor(kProb, std::move(part), dtype, std::move(values));
  call.SetInteger(kSeed, draw.Number(0, 200));
  call.SetInteger(kSeed + 1, draw.Number(0, 200));
  if (kOut != 0) truth::DrawTensor(draw, call, kOut, shape);
}

// Standard deviations in a tensor are not negative.
inline void DrawNormalOut(truth::Draw& draw, truth::Call& call) {
  constexpr int kStd = NormalOut::kStd;
  truth::DrawFromContract(draw, call);
  std::vector<double> values = call.Values(kStd);
  for (double& value : values) value = std::fabs(value);
  call.SetTensor(kStd, call.Shape(kStd), call.DTypeOf(kStd), std::move(values));
}

inline void DrawMultinomial(truth::Draw& draw, truth::Call& call) {
  using namespace multinomial;  // NOLINT: the positions
  constexpr int64_t kCategories[] = {4, 1, 7, 100, 1500};
  const int64_t categories = draw.Pick(kCategories);
  std::vector<int64_t> shape = {categories};
  if (draw.Flip()) shape.insert(shape.begin(), draw.Below(4));
  truth::DrawTensor(draw, call, kSelf, shape);
  std::vector<double> weights = call.Values(kSelf);
  for (size_t i = 0; i < weights.size(); ++i) {
    // The first one of a row is not 0.
    weights[i] = std::fabs(weights[i]) + (i % static_cast<size_t>(categories) == 0 ? 1 : 0);
  }
  const DType dtype = call.DTypeOf(kSelf);
  call.SetTensor(kSelf, shape, dtype, std::move(weights));
  const bool replacement = draw.Flip();
  const int64_t most = replacement ? 20 : std::min<int64_t>(categories, 20);
  call.SetInteger(kNumSamples, 1 + draw.Below(most));
  call.SetInteger(kReplacement, replacement ? 1 : 0);
  call.SetInteger(kSeed, draw.Number(0, 200));
  call.SetInteger(kOffset, draw.Number(0, 200));
  shape.back() = call.Integer(kNumSamples);
  truth::DrawTensor(draw, call, kOut, std::move(shape));
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
    truth::Entry<decltype(aclnnInplaceNormalTensorGetWorkspaceSize)>(
        inplace_normal_tensor::kContract, &NormalTruth),
    truth::Entry<decltype(aclnnInplaceUniformTensorGetWorkspaceSize)>(
        inplace_uniform_tensor::kContract, &UniformTruth),
    truth::Entry<decltype(aclnnInplaceRandomTensorGetWorkspaceSize)>(
        inplace_random_tensor::kContract, &RandomTruth),
    truth::Entry<decltype(aclnnBernoulliTensorGetWorkspaceSize)>(
        bernoulli_tensor::kContract,
        &BernoulliTensorTruth<bernoulli_tensor::kProb, bernoulli_tensor::kSeed,
                              bernoulli_tensor::kOut>,
        &DrawBernoulli<bernoulli_tensor::kProb, bernoulli_tensor::kSeed, bernoulli_tensor::kOut>),
    truth::Entry<decltype(aclnnInplaceBernoulliTensorGetWorkspaceSize)>(
        inplace_bernoulli_tensor::kContract,
        &BernoulliTensorTruth<inplace_bernoulli_tensor::kProb, inplace_bernoulli_tensor::kSeed,
                              inplace_bernoulli_tensor::kSelfRef>,
        &DrawBernoulli<inplace_bernoulli_tensor::kProb, inplace_bernoulli_tensor::kSeed,
                       inplace_bernoulli_tensor::kSelfRef>),
    truth::Entry<decltype(aclnnNormalFloatFloatGetWorkspaceSize)>(normal_float_float::kContract,
                                                                  &NormalOutTruth),
    truth::Entry<decltype(aclnnNormalTensorFloatGetWorkspaceSize)>(normal_tensor_float::kContract,
                                                                   &NormalOutTruth),
    truth::Entry<decltype(aclnnNormalFloatTensorGetWorkspaceSize)>(normal_float_tensor::kContract,
                                                                   &NormalOutTruth, &DrawNormalOut),
    truth::Entry<decltype(aclnnNormalTensorTensorGetWorkspaceSize)>(
        normal_tensor_tensor::kContract, &NormalOutTruth, &DrawNormalOut),
    truth::Entry<decltype(aclnnMultinomialGetWorkspaceSize)>(multinomial::kContract,
                                                             &MultinomialTruth, &DrawMultinomial),
};

}  // namespace aclimb::random
