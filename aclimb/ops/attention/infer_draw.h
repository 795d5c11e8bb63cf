#pragma once

#include <string>
#include <vector>

#include "aclimb/ops/attention/flash_attention_draw.h"
#include "aclimb/ops/attention/infer_contract.h"

namespace aclimb::attention {

template <const InferPlaces& kPlaces, int kScale, int kInnerPrecise>
void DrawInfer(truth::Draw& draw, truth::Call& call) {
  constexpr const char* kLayouts[] = {"BSND", "BNSD", "BSH", "BNSD_BSND"};
  const Places& at = kPlaces.at;
  // One query of each batch, which the mask alone concerns, or several.
  constexpr bool kOne = kPlaces.at.sparse_mode < 0;
  Sizes n = DrawSizes(draw);
  if (kOne) n.queries = 1;
  const std::string text = kOne ? kLayouts[draw.Below(3)] : draw.Pick(kLayouts);
  const std::string layout(LayoutOf(text));
  const DType dtype = truth::DrawDType(draw, at.parameters[at.query].dtypes[draw.product()]);
  const auto in_layout = [&](int64_t heads, int64_t rows, int64_t width) {
    return InLayout({n.batch, heads, rows, width}, layout);
  };
  DrawFloats(draw, call, at.query, in_layout(n.heads, n.queries, n.width), dtype, 0.25);
  // Lists of one tensor, or tensors.
  const bool lists = at.parameters[at.key].kind == contract::Kind::kTensorList;
  const auto slot_of = [&](int place) {
    if (lists) call.SetList(place, 1);
    return lists ? truth::Slot(place, 0) : truth::Slot(place);
  };
  DrawFloats(draw, call, slot_of(at.key), in_layout(n.key_heads, n.keys, n.width), dtype, 0.5);
  DrawFloats(draw, call, slot_of(at.value), in_layout(n.key_heads, n.keys, n.value_width), dtype);
  if (draw.Flip()) {
    // As long as it has to be, or longer.
    const int64_t rows = n.queries + (kOne ? 0 : draw.Below(2));
    const int64_t columns = n.keys + draw.Below(2) * 3;
    DrawFloats(draw, call, at.bias, {draw.Flip() ? n.batch : 1, n.heads, rows, columns}, dtype);
  }
  const int64_t mode = draw.Below(2);
  if (mode == kAllMask || draw.Flip()) {
    const int64_t rows = n.queries + (kOne ? 0 : draw.Below(2));
    const int64_t columns = n.keys + draw.Below(2);
    const Shape shapes[] = {{kOne ? n.batch : rows, columns},
                            {n.batch, rows, columns},
                            {n.batch, n.heads, rows, columns},
                            {n.batch, 1, rows, columns},
                            {1, 1, rows, columns}};
    const Shape& shape = draw.Pick(shapes);
    constexpr DType kDTypes[] = {DType::kUInt8, DType::kBool, DType::kInt8};
    std::vector<double> flags;
    for (int64_t i = 0; i < CountOf(shape); ++i) flags.push_back(draw.Below(4) == 0 ? 1 : 0);
    call.SetTensor(at.mask, shape, draw.Pick(kDTypes), std::move(flags));
  }
  const auto draw_counts = [&](int place, int64_t most) {
    if (draw.Flip()) return;
    std::vector<int64_t> counts(static_cast<size_t>(draw.Flip() ? n.batch : draw.Below(2)));
    for (int64_t& count : counts) count = draw.Below(most + 1);
    call.SetInts(place, counts);
  };
  if (!kOne) draw_counts(kPlaces.query_counts, n.queries);
  draw_counts(kPlaces.key_counts, n.keys);
  constexpr double kScales[] = {0.5, 1, 0.35355339059327, -0.25};
  call.SetReal(kScale, draw.Pick(kScales));
  if (!kOne) {
    call.SetInteger(at.sparse_mode, mode);
    call.SetInteger(at.pre_tokens, draw.Flip() ? 2147483647 : draw.Number(-1, 20));
    call.SetInteger(at.next_tokens, draw.Flip() ? 65535 : draw.Number(1, 20));
  }
  call.SetInteger(at.heads, n.heads);
  call.SetInteger(at.key_heads, n.key_heads == n.heads && draw.Flip() ? 0 : n.key_heads);
  call.SetText(at.layout, text);
  call.SetInteger(kInnerPrecise, draw.Below(4));
  call.SetTensor(
      kPlaces.out,
      InLayout({n.batch, n.heads, n.queries, n.value_width}, std::string(ResultLayoutOf(text))),
      dtype);
  if (kPlaces.flag < 0) return;
  call.SetInteger(kPlaces.flag, draw.Flip() ? 1 : 0);
  if (call.Bool(kPlaces.flag)) {
    call.SetTensor(kPlaces.log_sum, {n.batch, n.heads, n.queries, 1}, DType::kFloat32);
  } else if (draw.Flip()) {
    const Shape unused[] = {{3}, {0}, {2, 3}, {2, 1, 2}};
    call.SetTensor(kPlaces.log_sum, draw.Pick(unused), DType::kFloat32);
  }
}

}  // namespace aclimb::attention
