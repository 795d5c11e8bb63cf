#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "aclimb/ops/embedding_bag/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::embedding_bag {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const std::vector<int64_t>& indices = call.Ints(kIndices);
  const auto count = static_cast<int64_t>(indices.size());
  const int64_t bags = call.Shape(kOutput)[0], width = call.Shape(kOutput)[1];
  const int64_t mode = call.Integer(kMode), rows = call.Shape(kWeight)[0];
  const bool is_largest = mode != kSum && mode != kMean;
  std::vector<int64_t> starts = call.Ints(kOffsets);
  starts.push_back(count);
  for (int64_t& start : starts) start = std::clamp<int64_t>(start, 0, count);
  const std::optional<int64_t> padding = PaddingOf(call.Integer(kPaddingIdx));
  // A bag of each index; later bags win.
  std::vector<int64_t> bag_of(indices.size(), -1), sizes, largest;
  std::vector<double> values, allowed;
  const DType dtype = call.DTypeOf(kOutput);
  for (int64_t b = 0; b < bags; ++b) {
    std::vector<int64_t> members;
    for (int64_t i = starts[static_cast<size_t>(b)]; i < starts[static_cast<size_t>(b + 1)]; ++i) {
      bag_of[static_cast<size_t>(i)] = b;
      if (indices[static_cast<size_t>(i)] != padding) members.push_back(i);
    }
    sizes.push_back(static_cast<int64_t>(members.size()));
    for (int64_t c = 0; c < width; ++c) {
      double sum = 0, size = 0, most = 0;
      int64_t from = 0;
      bool first = true;
      for (const int64_t i : members) {
        const int64_t row = indices[static_cast<size_t>(i)];
        if (row < 0 || row >= rows) continue;
        const double own = call.Values(kWeight)[static_cast<size_t>(row * width + c)];
        const double term = call.IsGiven(kPerSampleWeights)
                                ? own * call.Values(kPerSampleWeights)[static_cast<size_t>(i)]
                                : own;
        sum += term;
        if (std::isfinite(term)) size += std::fabs(term);
        if (first || own > most) {
          most = own;
          from = row;
        }
        first = false;
      }
      const double terms = std::max<double>(1, static_cast<double>(members.size()));
      const double value = is_largest ? most : mode == kMean ? sum / terms : sum;
      values.push_back(value);
      // Some rows are added up in float32, where their sum may be too large, and their sums in
      // double.
      const double error = is_largest ? 0 : 2e-6 * size;
      const bool is_anything = !is_largest && size + error > std::numeric_limits<float>::max();
      const double rounding = is_largest ? 0 : truth::RoundingOf(dtype) * std::fabs(value);
      allowed.push_back(is_anything            ? truth::kAnything
                        : std::isfinite(value) ? error + rounding + truth::LeastOf(dtype)
                                               : 0);
      if (is_largest) largest.push_back(from);
    }
  }
  if (!is_largest) largest.assign(static_cast<size_t>(bags), 0);
  outputs.Set(kOutput, std::move(values), std::move(allowed));
  bag_of.resize(static_cast<size_t>(call.ElementCount(kOffset2Bag)));
  const auto tell = [&](int parameter, std::vector<int64_t> numbers) {
    for (int64_t& x : numbers) x = truth::CastInteger(x, call.DTypeOf(parameter));
    outputs.SetIntegers(parameter, std::move(numbers));
  };
  tell(kOffset2Bag, std::move(bag_of));
  tell(kBagSize, std::move(sizes));
  tell(kMaxIndices, std::move(largest));
}

inline void DrawBags(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kWidths[] = {4, 1, 0, 17, 300};
  constexpr int64_t kRows[] = {5, 1, 16, 100};
  constexpr int64_t kCounts[] = {7, 0, 1, 40, 100};
  constexpr int64_t kBags[] = {3, 1, 0, 20};
  const int64_t width = draw.Pick(kWidths), rows = draw.Pick(kRows);
  const int64_t count = draw.Pick(kCounts), bags = draw.Pick(kBags);
  const bool with_last = draw.Flip();
  const int64_t mode = draw.Below(3);
  truth::DrawTensor(draw, call, kWeight, {rows, width});
  const auto numbers = [&](int parameter, int64_t length, std::vector<double> values) {
    call.SetTensor(parameter, {length}, truth::DrawDType(draw, kIndexTypes[draw.product()]),
                   std::move(values));
  };
  numbers(kIndices, count, truth::DrawIndices(draw, count, rows));
  const int64_t offsets = bags + (with_last ? 1 : 0);
  std::vector<double> starts = truth::DrawIndices(draw, offsets, count + 1);
  std::sort(starts.begin(), starts.end());
  if (!starts.empty() && draw.Below(4) != 3) starts[0] = 0;
  if (with_last && draw.Below(4) != 3) starts.back() = static_cast<double>(count);
  numbers(kOffsets, offsets, std::move(starts));
  call.SetInteger(kScaleGradByFreq, draw.Flip() ? 1 : 0);
  call.SetInteger(kMode, mode);
  call.SetInteger(kSparse, draw.Flip() ? 1 : 0);
  const DType dtype = call.DTypeOf(kWeight);
  if (mode == kSum && draw.Flip()) {
    truth::DrawTensor(draw, call, kPerSampleWeights, {count}, dtype);
  }
  call.SetInteger(kIncludeLastOffset, with_last ? 1 : 0);
  call.SetInteger(kPaddingIdx, draw.Flip() ? -1 : draw.Below(rows));
  call.SetTensor(kOutput, {bags, width}, dtype);
  numbers(kOffset2Bag, mode == kSum && draw.Flip() ? 0 : count, {});
  numbers(kBagSize, bags, {});
  numbers(kMaxIndices, bags, {});
  if (mode == kLargest) {
    call.SetTensor(kMaxIndices, {bags, width}, call.DTypeOf(kMaxIndices));
  }
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::embedding_bag
