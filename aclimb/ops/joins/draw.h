#pragma once

#include <utility>

#include "aclimb/contract/promotion.h"
#include "aclimb/ops/joins/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::joins {

inline constexpr int kCounts[] = {2, 1, 3, 5, 1, 2, 20, 4};

// Of two tensors one time, else mixed; gives the dtype to which they promote.
inline DType DrawDTypes(truth::Draw& draw, const truth::Call& call, std::vector<DType>& dtypes) {
  const contract::DTypeMask mask = call.ParameterAt(join::kTensors).dtypes[draw.product()];
  const bool mixed = draw.Byte() % 4 == 3;
  DType common = DType::kUndefined;
  for (DType& dtype : dtypes) {
    dtype = common == DType::kUndefined || mixed ? truth::DrawDType(draw, mask) : common;
    if (common == DType::kUndefined) common = dtype;
    const std::optional<DType> promoted = contract::PromoteTensors(common, dtype);
    if (!promoted || !contract::Has(mask, *promoted)) dtype = common;
    common = contract::PromoteTensors(common, dtype).value_or(common);
  }
  return common;
}

// Another one for out, if the promoted one converts to it.
inline void DrawOut(truth::Draw& draw, truth::Call& call, std::vector<int64_t> shape,
                    DType common) {
  const DType other = truth::DrawDType(draw, call.ParameterAt(join::kOut).dtypes[draw.product()]);
  const bool takes_other = draw.Flip() && contract::ResultConverts(common, other);
  truth::DrawTensor(draw, call, join::kOut, std::move(shape), takes_other ? other : common);
  truth::MarkUnlessObeyed(draw, call);
}

// Elements for so many tensors.
class FewerElements {
 public:
  FewerElements(truth::Draw& draw, int64_t tensors) : draw_(draw), most_(draw.most_elements()) {
    draw.SetMostElements(std::max<int64_t>(1, most_ / tensors));
  }
  ~FewerElements() { draw_.SetMostElements(most_); }
  FewerElements(const FewerElements&) = delete;
  FewerElements& operator=(const FewerElements&) = delete;

 private:
  truth::Draw& draw_;
  const int64_t most_;
};

inline int64_t DrawDim(truth::Draw& draw, int64_t dim, size_t rank) {
  return draw.Byte() >= 192 ? dim - static_cast<int64_t>(rank) : dim;
}

inline void DrawCat(truth::Draw& draw, truth::Call& call) {
  std::vector<DType> dtypes(static_cast<size_t>(draw.Pick(kCounts)));
  const FewerElements fewer(draw, static_cast<int64_t>(dtypes.size()));
  const DType common = DrawDTypes(draw, call, dtypes);
  std::vector<int64_t> shape = truth::DrawShape(draw, 1, 8);
  const auto dim = static_cast<size_t>(draw.Below(static_cast<int64_t>(shape.size())));
  call.SetList(join::kTensors, static_cast<int>(dtypes.size()));
  int64_t length = 0;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    std::vector<int64_t> own = shape;
    own[dim] = shape[dim] == 0 || draw.Byte() < 192 ? shape[dim] : draw.Below(4);
    length += own[dim];
    truth::DrawTensor(draw, call, {join::kTensors, static_cast<int>(i)}, std::move(own), dtypes[i]);
  }
  call.SetInteger(join::kDim, DrawDim(draw, static_cast<int64_t>(dim), shape.size()));
  shape[dim] = length;
  DrawOut(draw, call, std::move(shape), common);
}

inline void DrawStack(truth::Draw& draw, truth::Call& call) {
  std::vector<DType> dtypes(static_cast<size_t>(draw.Pick(kCounts)));
  const FewerElements fewer(draw, static_cast<int64_t>(dtypes.size()));
  const DType common = DrawDTypes(draw, call, dtypes);
  std::vector<int64_t> shape = truth::DrawShape(draw, 0, 7);
  call.SetList(join::kTensors, static_cast<int>(dtypes.size()));
  for (size_t i = 0; i < dtypes.size(); ++i) {
    truth::DrawTensor(draw, call, {join::kTensors, static_cast<int>(i)}, shape, dtypes[i]);
  }
  const int64_t dim = draw.Below(static_cast<int64_t>(shape.size()) + 1);
  call.SetInteger(join::kDim, DrawDim(draw, dim, shape.size() + 1));
  shape.insert(shape.begin() + dim, static_cast<int64_t>(dtypes.size()));
  DrawOut(draw, call, std::move(shape), common);
}

// The parts of self, which has been drawn.
inline void DrawParts(truth::Draw& draw, truth::Call& call, size_t dim,
                      const std::vector<int64_t>& lengths) {
  const size_t rank = call.Shape(split::kSelf).size();
  call.SetInteger(split::kDim, DrawDim(draw, static_cast<int64_t>(dim), rank));
  call.SetList(split::kOut, static_cast<int>(lengths.size()));
  for (size_t i = 0; i < lengths.size(); ++i) {
    std::vector<int64_t> shape = call.Shape(split::kSelf);
    shape[dim] = lengths[i];
    truth::DrawTensor(draw, call, {split::kOut, static_cast<int>(i)}, std::move(shape),
                      call.DTypeOf(split::kSelf));
  }
  truth::MarkUnlessObeyed(draw, call);
}

inline void DrawSplitTensor(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, split::kSelf);
  const std::vector<int64_t>& shape = call.Shape(split::kSelf);
  const auto dim = static_cast<size_t>(draw.Below(static_cast<int64_t>(shape.size())));
  const int64_t length = shape[dim];
  const int64_t section = std::max<int64_t>(1, length / (1 + draw.Below(5)) + draw.Below(2));
  call.SetInteger(split::kSizes, section);
  std::vector<int64_t> lengths = {std::min(section, length)};
  for (int64_t at = section; at < length; at += section) {
    lengths.push_back(std::min(section, length - at));
  }
  DrawParts(draw, call, dim, lengths);
}

inline void DrawSplitWithSize(truth::Draw& draw, truth::Call& call) {
  truth::DrawTensor(draw, call, split::kSelf);
  const std::vector<int64_t>& shape = call.Shape(split::kSelf);
  const auto dim = static_cast<size_t>(draw.Below(static_cast<int64_t>(shape.size())));
  std::vector<int64_t> lengths;
  int64_t rest = shape[dim];
  for (int64_t more = draw.Below(6); more > 0; --more) {
    lengths.push_back(std::min(rest, draw.Below(9)));
    rest -= lengths.back();
  }
  lengths.push_back(rest);
  call.SetInts(split::kSizes, lengths);
  DrawParts(draw, call, dim, lengths);
}

}  // namespace aclimb::joins
