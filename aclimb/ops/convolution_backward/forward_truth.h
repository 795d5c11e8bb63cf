#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "aclimb/ops/convolution_backward/forward_contract.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"

namespace aclimb::convolution_backward::forward {

// A convolution by its definition, in double, over dense row-major arrays: every pair of an input
// element and a weight adds to one output element, or to none.
struct Definition {
  std::vector<int64_t> input_shape, weight_shape, output_shape;
  std::vector<int64_t> stride, dilation, pad;  // pad: before the data; behind it does not matter
  int64_t groups = 1;
  bool transposed = false;

  std::vector<double> output = {};
  std::vector<double> magnitude = {};  // sums of the absolute terms, which scale the tolerance

  // An empty bias adds nothing.
  void Compute(const std::vector<double>& input, const std::vector<double>& weight,
               const std::vector<double>& bias) {
    const int64_t batch = output_shape[0], channels = output_shape[1];
    const int64_t places = SizeFrom(output_shape, 2), in_places = SizeFrom(input_shape, 2);
    const int64_t taps = SizeFrom(weight_shape, 2);
    const int64_t in_group = input_shape[1] / groups, out_group = channels / groups;
    output.assign(static_cast<size_t>(batch * channels * places), 0.0);
    magnitude = output;
    for (int64_t window = 0; window < (transposed ? in_places : places); ++window) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t at = WidePosition(window, tap);
        if (at < 0) continue;
        const int64_t in_at = transposed ? window : at, out_at = transposed ? at : window;
        for (int64_t n = 0; n < batch; ++n) {
          for (int64_t co = 0; co < channels; ++co) {
            const auto to = static_cast<size_t>((n * channels + co) * places + out_at);
            for (int64_t ci = 0; ci < in_group; ++ci) {
              const int64_t channel = co / out_group * in_group + ci;
              const int64_t row = transposed ? channel : co;
              const int64_t column = transposed ? co % out_group : ci;
              Add(to,
                  input[static_cast<size_t>((n * input_shape[1] + channel) * in_places + in_at)] *
                      weight[static_cast<size_t>((row * weight_shape[1] + column) * taps + tap)]);
            }
          }
        }
      }
    }
    for (size_t i = 0; i < output.size() && !bias.empty(); ++i) {
      Add(i, bias[i / static_cast<size_t>(places) % bias.size()]);
    }
  }

 private:
  static int64_t SizeFrom(const std::vector<int64_t>& shape, size_t first) {
    int64_t size = 1;
    for (size_t i = first; i < shape.size(); ++i) size *= shape[i];
    return size;
  }
  void Add(size_t to, double term) {
    output[to] += term;
    magnitude[to] += std::fabs(term);
  }
  // Where tap `tap` of window `window` meets the side that windows slide over; -1 in the padding.
  int64_t WidePosition(int64_t window, int64_t tap) const {
    const std::vector<int64_t>& wide = transposed ? output_shape : input_shape;
    const std::vector<int64_t>& narrow = transposed ? input_shape : output_shape;
    int64_t position = 0, scale = 1;
    for (size_t i = narrow.size(); i-- > 2;) {
      const int64_t at =
          window % narrow[i] * stride[i - 2] - pad[i - 2] + tap % weight_shape[i] * dilation[i - 2];
      if (at < 0 || at >= wide[i]) return -1;
      window /= narrow[i];
      tap /= weight_shape[i];
      position += at * scale;
      scale *= wide[i];
    }
    return position;
  }
};

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const auto spatial_dims = static_cast<int>(call.Shape(kInput).size()) - 2;
  const Attributes attributes = *Expand(spatial_dims, call.Ints(kStride), call.Ints(kPadding),
                                        call.Ints(kDilation), call.Ints(kOutputPadding));
  Definition sums;
  sums.input_shape = call.Shape(kInput);
  sums.weight_shape = call.Shape(kWeight);
  sums.output_shape = call.Shape(kOutput);
  sums.stride = attributes.stride;
  sums.dilation = attributes.dilation;
  sums.pad = attributes.pad_begin;
  sums.groups = call.Integer(kGroups);
  sums.transposed = call.Bool(kTransposed);
  sums.Compute(call.Values(kInput), call.Values(kWeight),
               call.IsGiven(kBias) ? call.Values(kBias) : std::vector<double>());
  std::vector<double> allowed = sums.magnitude;
  for (size_t i = 0; i < allowed.size(); ++i) {
    allowed[i] = AllowedError(call.DTypeOf(kOutput), sums.output[i], allowed[i]);
  }
  outputs.Set(kOutput, sums.output, std::move(allowed));
}

}  // namespace aclimb::convolution_backward::forward
