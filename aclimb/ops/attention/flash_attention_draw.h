#pragma once

#include <string>
#include <utility>
#include <vector>

#include "aclimb/ops/attention/flash_attention_contract.h"
#include "aclimb/ops/attention/flash_attention_truth.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::attention {

inline int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

// Sizes of a small call; larger ones, of several tiles, where many elements are allowed.
inline Sizes DrawSizes(truth::Draw& draw) {
  constexpr int64_t kFew[] = {1, 2, 3, 1};
  constexpr int64_t kGroups[] = {1, 2, 1, 3};
  constexpr int64_t kLengths[] = {4, 1, 7, 2, 33, 16, 5, 0};
  constexpr int64_t kLong[] = {140, 300, 129, 128};
  constexpr int64_t kWidths[] = {8, 1, 16, 5};
  const int64_t key_heads = draw.Pick(kFew);
  const bool is_long = draw.most_elements() >= 200'000;
  Sizes sizes = {.batch = draw.Pick(kFew),
                 .heads = key_heads * draw.Pick(kGroups),
                 .key_heads = key_heads,
                 .queries = is_long ? draw.Pick(kLong) : draw.Pick(kLengths),
                 .keys = is_long ? draw.Pick(kLong) : draw.Pick(kLengths),
                 .width = draw.Pick(kWidths),
                 .value_width = 0};
  sizes.value_width = draw.Flip() ? sizes.width : draw.Pick(kWidths);
  return sizes;
}

inline void DrawFloats(truth::Draw& draw, truth::Call& call, truth::Slot slot, Shape shape,
                       DType dtype, double factor = 1) {
  std::vector<double> values = truth::DrawValues(draw, dtype, CountOf(shape));
  for (double& value : values) value *= factor;
  call.SetTensor(slot, std::move(shape), dtype, std::move(values));
}

// The attributes of a call and its inputs but for dy and what the forward call returned. The
// triangle of the modes 2 to 4 is larger than all else: tests of their own draw it.
inline Sizes DrawInputs(truth::Draw& draw, truth::Call& call, const Places& at, int padding,
                        int precise) {
  constexpr const char* kLayouts[] = {"BSH", "BNSD", "BSND", "SBH"};
  const Sizes n = DrawSizes(draw);
  const char* const layout = draw.Pick(kLayouts);
  const DType dtype = truth::DrawDType(draw, at.parameters[at.query].dtypes[draw.product()]);
  const auto in_layout = [&](int64_t heads, int64_t rows, int64_t width) {
    return InLayout({n.batch, heads, rows, width}, layout);
  };
  // Small scores as a rule, or one key would outweigh all others.
  const double factor = dtype == DType::kFloat32 && draw.Byte() >= 240 ? 1e9 : 0.25;
  DrawFloats(draw, call, at.query, in_layout(n.heads, n.queries, n.width), dtype, factor);
  DrawFloats(draw, call, at.key, in_layout(n.key_heads, n.keys, n.width), dtype, 0.5);
  DrawFloats(draw, call, at.value, in_layout(n.key_heads, n.keys, n.value_width), dtype);
  if (draw.Flip()) {
    const Shape shapes[] = {{n.batch, n.heads, n.queries, n.keys},
                            {1, n.heads, n.queries, n.keys},
                            {n.batch, n.heads, 1, n.keys}};
    DrawFloats(draw, call, at.bias, draw.Pick(shapes), dtype);
  }
  const int64_t mode = draw.Below(2);
  if (mode == kAllMask || draw.Flip()) {
    const Shape shapes[] = {{n.queries, n.keys},
                            {n.batch, n.queries, n.keys},
                            {n.batch, n.heads, n.queries, n.keys},
                            {n.batch, 1, n.queries, n.keys},
                            {1, 1, n.queries, n.keys}};
    const Shape& shape = draw.Pick(shapes);
    std::vector<double> flags;
    for (int64_t i = 0; i < CountOf(shape); ++i) flags.push_back(draw.Below(4) == 0 ? 1 : 0);
    call.SetTensor(at.mask, shape, draw.Flip() ? DType::kUInt8 : DType::kBool, std::move(flags));
  }
  call.SetInteger(at.sparse_mode, mode);
  call.SetInteger(at.pre_tokens, draw.Flip() ? 2147483647 : draw.Number(-1, 20));
  call.SetInteger(at.next_tokens, draw.Flip() ? 2147483647 : draw.Number(1, 20));
  call.SetInteger(at.heads, n.heads);
  call.SetText(at.layout, layout);
  call.SetInteger(precise, draw.Below(3));
  if (draw.Flip()) {
    const int64_t bytes = (n.batch * n.heads * n.queries * n.keys + 7) / 8 + draw.Below(3);
    const Shape shapes[] = {{bytes}, {1, bytes}, {1, 1, bytes}, {1, 1, 1, bytes}};
    call.SetTensor(at.kept, draw.Pick(shapes), DType::kUInt8);
    std::vector<double> bits;
    for (int64_t i = 0; i < bytes; ++i) bits.push_back(draw.Byte());
    call.SetTensor(at.kept, call.Shape(at.kept), DType::kUInt8, std::move(bits));
    constexpr double kKeep[] = {0.75, 0.5, 1, 0};
    call.SetReal(at.keep, draw.Pick(kKeep));
  } else {
    call.SetReal(at.keep, 1);
  }
  if (draw.Below(4) == 0) {
    Shape shape(static_cast<size_t>(draw.Below(4)) + 1, 1);
    shape[0] = 0;
    call.SetTensor(padding, shape, truth::DrawDType(draw, contract::kFloatDTypes));
  }
  return n;
}

namespace flash_attention_score {

inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const Sizes n = DrawInputs(draw, call, kPlaces, kPaddingMask, kInnerPrecise);
  constexpr double kScales[] = {0.5, 1, 0.35355339059327, -0.25};
  call.SetReal(kScaleValue, draw.Pick(kScales));
  if (draw.Flip()) call.SetInts(kPrefix, {});
  const Shape statistics = {n.batch, n.heads, n.queries, 8};
  call.SetTensor(kSoftmaxMax, statistics, DType::kFloat32);
  call.SetTensor(kSoftmaxSum, statistics, DType::kFloat32);
  const Shape unused[] = {{0}, {3}, {1, 2, 3, 4}, {2, 3}, {2, 1, 2}, {0}, {0}};
  call.SetTensor(kSoftmaxOut, draw.Pick(unused),
                 truth::DrawDType(draw, kParameters[kSoftmaxOut].dtypes[draw.product()]));
  call.SetTensor(
      kAttentionOut,
      InLayout({n.batch, n.heads, n.queries, n.value_width}, call.Text(kInputLayout, "")),
      call.DTypeOf(kQuery));
}

}  // namespace flash_attention_score

namespace flash_attention_score_grad {

// The forward call's results are true to its arguments.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  const Sizes n = DrawInputs(draw, call, kPlaces, kPaddingMask, kInnerPrecise);
  constexpr double kScales[] = {0.5, 1, 0.35355339059327, -0.25};
  call.SetReal(kScaleValue, draw.Pick(kScales));
  if (draw.Flip()) call.SetInts(kPrefix, {});
  if (draw.Flip()) {
    truth::DrawTensor(draw, call, kSoftmaxIn, truth::DrawShape(draw, 0, 8), DType::kFloat32);
  }
  const DType dtype = call.DTypeOf(kQuery);
  const std::string layout = call.Text(kInputLayout, "");
  const Shape result = InLayout({n.batch, n.heads, n.queries, n.value_width}, layout);
  DrawFloats(draw, call, kDy, result, dtype);

  TrueAttention attention(call, kPlaces);
  attention.scale = attention.bias_factor = call.Real(kScaleValue);
  TrueForward forward = ForwardTruth(attention, layout, dtype);
  const Shape statistics = {n.batch, n.heads, n.queries, 8};
  call.SetTensor(kSoftmaxMax, statistics, DType::kFloat32,
                 flash_attention_score::EightTimes(forward.max).values);
  call.SetTensor(kSoftmaxSum, statistics, DType::kFloat32,
                 flash_attention_score::EightTimes(forward.sum).values);
  call.SetTensor(kAttentionIn, result, dtype, std::move(forward.out.values));

  call.SetTensor(kDq, call.Shape(kQuery), dtype);
  call.SetTensor(kDk, call.Shape(kKey), dtype);
  call.SetTensor(kDv, call.Shape(kValue), dtype);
  if (call.IsGiven(kPseShift) && draw.Below(4) != 0) {
    call.SetTensor(kDpse, call.Shape(kPseShift), dtype);
  } else if (draw.Flip()) {
    call.SetTensor(kDpse, {0}, dtype);
  }
}

}  // namespace flash_attention_score_grad
}  // namespace aclimb::attention
