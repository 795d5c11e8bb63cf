#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "aclimb/ops/histc/contract.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::histc {

// Places of floating elements are float32 numbers, which decide between neighbouring bins, unless
// they are made of products that float32 does not have. Without a finite range there are no counts.
template <typename V>
std::optional<std::vector<int64_t>> Counts(const std::vector<double>& values, int64_t bins, V least,
                                           V most) {
  std::vector<int64_t> counts(static_cast<size_t>(bins));
  if (least == most && !values.empty()) {
    const bool has_nan =
        std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
    if (has_nan) return std::nullopt;
    least = static_cast<V>(*std::min_element(values.begin(), values.end()));
    most = static_cast<V>(*std::max_element(values.begin(), values.end()));
  }
  if (least == most) {
    least -= 1;
    most += 1;
  }
  if (!std::isfinite(least) || !std::isfinite(most)) return std::nullopt;
  for (const double value : values) {
    const V x = static_cast<V>(value);
    if (std::isnan(x) || x < least || x > most) continue;
    const V product = (x - least) * static_cast<V>(bins);
    using Wide = long double;  // holds every product
    const Wide place = std::isfinite((most - least) * static_cast<V>(bins))
                           ? Wide{product / (most - least)}
                           : (Wide{x} - least) * static_cast<Wide>(bins) / (Wide{most} - least);
    ++counts[static_cast<size_t>(std::min(place, static_cast<Wide>(bins - 1)))];
  }
  return counts;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t bins = call.Integer(kBins);
  const double least = call.Real(kMin), most = call.Real(kMax);
  const DType out = call.DTypeOf(kOut);
  const std::optional<std::vector<int64_t>> counts =
      IsFloating(call.DTypeOf(kSelf))
          ? Counts<float>(call.Values(kSelf), bins, static_cast<float>(least),
                          static_cast<float>(most))
          : Counts<double>(call.Values(kSelf), bins, least, most);
  if (!counts) return outputs.Refuse(kNoFiniteRange);
  std::vector<double> values;
  for (const int64_t count : *counts) {
    values.push_back(truth::CastValue(static_cast<double>(count), DType::kInt64, out));
  }
  // What float16 does not have is rounded.
  outputs.Set(kOut, std::move(values), truth::Allowance{out == DType::kFloat16 ? 5e-4 : 0, 0});
}

inline void DrawHistc(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kBinCounts[] = {4, 1, 100, 7, 1000};
  const int64_t bins = draw.Pick(kBinCounts);
  truth::DrawTensor(draw, call, kSelf);
  call.SetInteger(kBins, bins);
  // Those of the elements now and then.
  const double least = draw.Flip() ? 0 : static_cast<double>(draw.Below(5)) - 3.5;
  const double most = draw.Flip() ? least : least + static_cast<double>(draw.Below(9)) / 2;
  call.SetScalar(kMin, least);
  call.SetScalar(kMax, most);
  truth::DrawTensor(draw, call, kOut, {bins});
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::histc
