#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/search_sorted/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::search_sorted {

// As many elements as this lie before the value in a sequence that is in order. All lie before NaN.
//   at  element i of the sequence
template <typename V, typename At>
int64_t PlaceFor(V value, int64_t length, bool right, At at) {
  int64_t before = 0;
  for (int64_t i = 0; i < length; ++i) {
    const V own = at(i);
    before += own < value || (right && own == value) || value != value ? 1 : 0;
  }
  return before;
}

template <bool kNumber>
void SearchTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = Searched;
  const int64_t length = call.Shape(P::kSequence).back();
  const bool right = call.Bool(P::kRight), sorted = !call.IsGiven(P::kSorter);
  const bool one_line = call.Shape(P::kSequence).size() == 1;
  const DType dtype = call.DTypeOf(P::kSequence);
  std::vector<int64_t> places(static_cast<size_t>(call.ElementCount(P::kOut)));
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t line =
        one_line ? 0 : static_cast<int64_t>(i) / std::max<int64_t>(1, call.Shape(P::kSelf).back());
    const auto find = [&](const auto& elements, auto value) {
      return PlaceFor(value, length, right, [&](int64_t k) {
        if (!sorted) {
          k = static_cast<int64_t>(call.Values(P::kSorter)[static_cast<size_t>(line * length + k)]);
          if (k < 0 || k >= length) return decltype(value){0};
        }
        return static_cast<decltype(value)>(elements[static_cast<size_t>(line * length + k)]);
      });
    };
    if (!kNumber) {
      places[i] = IsFloating(dtype) ? find(call.Values(P::kSequence), call.Values(P::kSelf)[i])
                                    : find(call.Ints(P::kSequence), call.Ints(P::kSelf)[i]);
    } else if (IsFloating(dtype)) {
      places[i] = find(call.Values(P::kSequence),
                       truth::CastValue(call.Real(P::kSelf), DType::kFloat64, dtype));
    } else if (IsFloating(call.DTypeOf(P::kSelf))) {
      places[i] = find(call.Ints(P::kSequence), call.Float(P::kSelf));
    } else {
      places[i] = find(call.Ints(P::kSequence), call.Whole(P::kSelf));
    }
  }
  outputs.SetIntegers(P::kOut, std::move(places));
}

template <bool kNumber>
void DrawSearch(truth::Draw& draw, truth::Call& call) {
  using P = Searched;
  constexpr int64_t kLengths[] = {5, 1, 0, 40, 1000};
  int64_t length = draw.Pick(kLengths);
  std::vector<int64_t> shape = {length};
  int64_t lines = 1;
  if constexpr (kNumber) {
    truth::DrawTensor(draw, call, P::kSequence, shape);
    call.SetScalar(P::kSelf, static_cast<double>(draw.Below(9)) - 4,
                   draw.Flip() ? DType::kInt32 : DType::kFloat32);
  } else {
    truth::DrawTensor(draw, call, P::kSelf);
    const std::vector<int64_t>& self = call.Shape(P::kSelf);
    if (self.size() > 1 && draw.Flip()) {
      for (size_t d = 0; d + 1 < self.size(); ++d) lines *= self[d];
      length = std::min(length, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, lines)));
      shape = self;
      shape.back() = length;
    }
    truth::DrawTensor(draw, call, P::kSequence, shape, call.DTypeOf(P::kSelf));
  }
  // In order, or the other way round and with a sorter.
  const bool sorted = draw.Flip();
  std::vector<double> values = call.Values(P::kSequence), places;
  for (double& value : values) value = std::isnan(value) ? 0 : value;
  for (int64_t line = 0; line < lines && length != 0; ++line) {
    const auto begin = values.begin() + line * length;
    std::sort(begin, begin + length);
    if (!sorted) std::reverse(begin, begin + length);
    for (int64_t k = length; k-- > 0;) places.push_back(static_cast<double>(k));
  }
  call.SetTensor(P::kSequence, shape, call.DTypeOf(P::kSequence), std::move(values));
  if (!sorted) call.SetTensor(P::kSorter, shape, DType::kInt64, std::move(places));
  call.SetInteger(P::kOutInt32, draw.Flip() ? 1 : 0);
  call.SetInteger(P::kRight, draw.Flip() ? 1 : 0);
  std::vector<int64_t> out;
  if constexpr (!kNumber) {
    out = call.Shape(P::kSelf);
  } else if (draw.Flip()) {
    out = {1};
  }
  truth::DrawTensor(draw, call, P::kOut, std::move(out),
                    call.Bool(P::kOutInt32) ? DType::kInt32 : DType::kInt64);
  draw.SetCost(static_cast<double>(call.ElementCount(P::kOut)) * static_cast<double>(length));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::search_sorted
