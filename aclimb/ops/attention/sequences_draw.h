#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/ops/attention/flash_attention_draw.h"
#include "aclimb/ops/attention/sequences_truth.h"

namespace aclimb::attention {

inline std::vector<int64_t> DrawEnds(truth::Draw& draw, size_t count) {
  constexpr int64_t kLengths[] = {4, 1, 7, 0, 20, 3};
  constexpr int64_t kLong[] = {140, 3, 300, 128};
  const bool is_long = draw.most_elements() >= 200'000;
  std::vector<int64_t> ends;
  for (size_t i = 0; i < count; ++i) {
    const int64_t length = is_long ? draw.Pick(kLong) : draw.Pick(kLengths);
    ends.push_back((ends.empty() ? 0 : ends.back()) + length);
  }
  return ends;
}

// The attributes of a call, and its inputs but for dy and what the forward call returned.
inline void DrawSequences(truth::Draw& draw, truth::Call& call, const SequencePlaces& places,
                          int padding, int precise) {
  const Places& at = places.at;
  const Sizes n = DrawSizes(draw);
  const auto count = static_cast<size_t>(n.batch);
  const std::vector<int64_t> query_ends = DrawEnds(draw, count), key_ends = DrawEnds(draw, count);
  const Sequences queries = SequencesOf(query_ends), keys = SequencesOf(key_ends);
  const DType dtype = truth::DrawDType(draw, at.parameters[at.query].dtypes[draw.product()]);
  DrawFloats(draw, call, at.query, {query_ends.back(), n.heads, n.width}, dtype, 0.25);
  DrawFloats(draw, call, at.key, {key_ends.back(), n.key_heads, n.width}, dtype, 0.5);
  DrawFloats(draw, call, at.value, {key_ends.back(), n.key_heads, n.value_width}, dtype);
  const int64_t mode = draw.Below(2);
  if (mode == kAllMask || draw.Flip()) {
    const Shape shape = {queries.Longest() + draw.Below(2), keys.Longest() + draw.Below(3)};
    std::vector<double> flags;
    for (int64_t i = 0; i < CountOf(shape); ++i) flags.push_back(draw.Below(4) == 0 ? 1 : 0);
    call.SetTensor(at.mask, shape, draw.Flip() ? DType::kUInt8 : DType::kBool, std::move(flags));
  }
  call.SetInts(places.query_ends, query_ends);
  call.SetInts(places.key_ends, key_ends);
  call.SetInteger(at.sparse_mode, mode);
  call.SetInteger(at.pre_tokens, draw.Flip() ? 2147483647 : draw.Number(-1, 20));
  call.SetInteger(at.next_tokens, draw.Flip() ? 2147483647 : draw.Number(1, 20));
  call.SetInteger(at.heads, n.heads);
  call.SetText(at.layout, "TND");
  call.SetInteger(precise, draw.Below(3));
  call.SetReal(at.keep, 1);
  if (draw.Flip()) {
    const int64_t bytes = (WeightStarts(queries, keys, n.heads).back() + 7) / 8 + draw.Below(3);
    const Shape shapes[] = {{bytes}, {1, bytes}, {1, 1, bytes}, {1, 1, 1, bytes}};
    std::vector<double> bits;
    for (int64_t i = 0; i < bytes; ++i) bits.push_back(draw.Byte());
    call.SetTensor(at.kept, draw.Pick(shapes), DType::kUInt8, std::move(bits));
    constexpr double kKeep[] = {0.75, 0.5, 1, 0};
    call.SetReal(at.keep, draw.Pick(kKeep));
  }
  if (draw.Below(4) == 0) call.SetTensor(padding, {0}, dtype);
}

namespace flash_attention_var_len_score {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  DrawSequences(draw, call, kPlaces, kPaddingMask, kInnerPrecise);
  constexpr double kScales[] = {0.5, 1, 0.35355339059327, -0.25};
  call.SetReal(kScaleValue, draw.Pick(kScales));
  const Shape& query = call.Shape(kQuery);
  for (const int statistics : {kSoftmaxMax, kSoftmaxSum}) {
    call.SetTensor(statistics, {query[0], query[1], 8}, DType::kFloat32);
  }
  const Shape unused[] = {{0}, {3}, {1, 2, 3, 4}, {2, 3}, {2, 1, 2}, {0}, {0}};
  call.SetTensor(kSoftmaxOut, draw.Pick(unused),
                 truth::DrawDType(draw, kParameters[kSoftmaxOut].dtypes[draw.product()]));
  call.SetTensor(kAttentionOut, {query[0], query[1], call.Shape(kValue)[2]}, call.DTypeOf(kQuery));
}

}  // namespace flash_attention_var_len_score

namespace flash_attention_unpadding_score_grad {

// The forward call's results are true to its arguments.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  namespace forward = flash_attention_var_len_score;
  truth::Call before(forward::kContract);
  forward::DrawCall(draw, before);
  truth::Outputs results;
  forward::Truth(before, results);
  const std::pair<int, int> tensors[] = {
      {forward::kQuery, kQuery},         {forward::kKey, kKey},
      {forward::kValue, kValue},         {forward::kDropMask, kDropMask},
      {forward::kAttenMask, kAttenMask}, {forward::kPaddingMask, kPaddingMask}};
  for (const auto& [from, to] : tensors) {
    if (before.IsGiven(from)) call.At(to) = before.At(from);
  }
  const std::pair<int, int> numbers[] = {{forward::kActualSeqQLen, kActualSeqQLen},
                                         {forward::kActualSeqKvLen, kActualSeqKvLen},
                                         {forward::kScaleValue, kScaleValue},
                                         {forward::kKeepProb, kKeepProb},
                                         {forward::kPreTokens, kPreTokens},
                                         {forward::kNextTokens, kNextTokens},
                                         {forward::kHeadNum, kHeadNum},
                                         {forward::kInputLayout, kInputLayout},
                                         {forward::kInnerPrecise, kInnerPrecise},
                                         {forward::kSparseMode, kSparseMode}};
  for (const auto& [from, to] : numbers) call.At(to) = before.At(from);
  for (const auto& [from, to] :
       {std::pair(forward::kSoftmaxMax, kSoftmaxMax), std::pair(forward::kSoftmaxSum, kSoftmaxSum),
        std::pair(forward::kAttentionOut, kAttentionIn)}) {
    call.SetTensor(to, before.Shape(from), before.DTypeOf(from), results.Find(from)->values);
  }
  const DType dtype = call.DTypeOf(kQuery);
  DrawFloats(draw, call, kDy, before.Shape(forward::kAttentionOut), dtype);
  call.SetTensor(kDq, call.Shape(kQuery), dtype);
  call.SetTensor(kDk, call.Shape(kKey), dtype);
  call.SetTensor(kDv, call.Shape(kValue), dtype);
  if (draw.Flip()) call.SetTensor(kDpse, {0}, dtype);
}

}  // namespace flash_attention_unpadding_score_grad
}  // namespace aclimb::attention
