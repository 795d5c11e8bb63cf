#pragma once

#include <vector>

#include "aclimb/ops/upsample/contracts.h"
#include "aclimb/truth/draw_call.h"
#include "aclimb/truth/draw_tensor.h"

namespace aclimb::upsample {

// Of any of the operators: parameter 0 is read, `output` written.
inline void DrawCall(truth::Draw& draw, truth::Call& call) {
  constexpr int64_t kCounts[] = {2, 1, 3, 0, 1, 2};
  constexpr int64_t kChannels[] = {2, 1, 3, 0, 9, 17};
  constexpr int64_t kExtents[] = {5, 1, 2, 3, 4, 7, 8, 13};
  constexpr double kFactors[] = {0, -1, 1, 2, 1.5, 0.5, 3.3};
  const bool backward = call.ParameterAt(2).kind == Kind::kIntArray;
  const int output = call.size() - 1;
  const bool is_volume = call.ParameterAt(0).min_rank > 4;
  const int64_t scale = draw.most_elements() <= 100'000 ? 1 : is_volume ? 3 : 6;
  std::vector<int64_t> in = {draw.Pick(kCounts), draw.Pick(kChannels)}, out = in;
  for (int d = 2; d < call.ParameterAt(0).min_rank; ++d) {
    in.push_back(scale * draw.Pick(kExtents));
    out.push_back(scale * draw.Pick(kExtents));
  }
  // An upsampling by two, now and then.
  if (draw.Below(4) == 3) {
    for (size_t d = 2; d < in.size(); ++d) out[d] = 2 * in[d];
  }
  call.SetInts(1, std::vector<int64_t>(out.begin() + 2, out.end()));
  if (backward) call.SetInts(2, in);
  for (int p = 2; p < output; ++p) {
    if (call.ParameterAt(p).kind == Kind::kReal) call.SetReal(p, draw.Pick(kFactors));
    if (call.ParameterAt(p).kind == Kind::kBool) call.SetInteger(p, draw.Flip() ? 1 : 0);
  }
  truth::DrawTensor(draw, call, 0, backward ? out : in);
  truth::DrawTensor(draw, call, output, backward ? in : out, call.DTypeOf(0));
  truth::MarkUnlessObeyed(draw, call);
}

}  // namespace aclimb::upsample
