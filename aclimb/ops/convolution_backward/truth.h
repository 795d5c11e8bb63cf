#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/convolution_backward/geometry.h"
#include "aclimb/ops/convolution_backward/rules.h"
#include "aclimb/ops/convolution_backward/tolerance.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::convolution_backward {

// How far a gradient may be from `expected`: relative to it, or to a small part of the terms'
// magnitude. Below that is what a number that is too small for the dtype loses.
inline double AllowedError(DType dtype, double expected, double magnitude) {
  return RelativeTolerance(dtype) * std::max(std::fabs(expected), magnitude * 0x1p-8) +
         std::max(truth::LeastOf(dtype), 1e-30);
}

// Sums of terms, and of their magnitudes; null where nobody asks.
struct TermSums {
  double* sum;
  double* size;
};

// What meets at one tap of one window: a place of gradOutput, one of the input, and the weights
// between their channels.
struct Meeting {
  int64_t channels, outputs, inputs;           // of gradOutput; of a group on either side
  const double *grad_output, *input, *weight;  // weight: [channels][inputs]
  TermSums grad_input, grad_weight;
  // Whether all of a group's inputs are finite, and all weights of a channel. When given, terms
  // that are finite are left out.
  const char* input_finite = nullptr;
  const char* weight_finite = nullptr;
};

// Adds what it gives to the gradients. These loops are most of what the tests take, so they are
// compiled by themselves, for speed.
void AddTerms(const Meeting& meeting);

// The gradients of a convolution by their definition, in double, over dense row-major arrays of any
// one, two or three spatial dimensions. `magnitude` arrays hold the sums of absolute terms, which
// scale the tolerance.
struct Definition {
  // The problem, as the C call has it; spatial vectors have one entry per dimension.
  std::vector<int64_t> input_shape, weight_shape, output_shape;
  std::vector<int64_t> stride, dilation, pad;  // pad: before the data; behind it does not matter
  int64_t groups = 1;
  bool transposed = false;

  std::vector<double> grad_input, grad_weight, grad_bias;
  std::vector<double> input_magnitude, weight_magnitude, bias_magnitude;

  // Sums that nobody asks for are left empty.
  bool wants_input = true, wants_weight = true;

  void Compute(const std::vector<double>& grad_output, const std::vector<double>& input,
               const std::vector<double>& weight) {
    grad_bias.assign(static_cast<size_t>(output_shape[1]), 0.0);
    grad_input.assign(wants_input ? ElementCount(input_shape) : 0, 0.0);
    grad_weight.assign(wants_weight ? ElementCount(weight_shape) : 0, 0.0);
    bias_magnitude = grad_bias;
    input_magnitude = grad_input;
    weight_magnitude = grad_weight;
    Add(grad_output, input, weight, false);
  }

  // What was computed, when some of the numbers become others that are not finite: then neither are
  // the sums that they had a part in.
  void Replace(const std::vector<double>& grad_output, const std::vector<double>& input,
               const std::vector<double>& weight) {
    Add(grad_output, input, weight, true);
  }

 private:
  void Add(const std::vector<double>& grad_output, const std::vector<double>& input,
           const std::vector<double>& weight, bool not_finite_alone) {
    const int64_t batch = input_shape[0], inputs = input_shape[1] / groups;
    const int64_t channels = output_shape[1];
    // The side that windows slide over, and the side that counts windows.
    const std::vector<int64_t>& wide = transposed ? output_shape : input_shape;
    const std::vector<int64_t>& narrow = transposed ? input_shape : output_shape;
    const int64_t out_size = SpatialSize(output_shape), in_size = SpatialSize(input_shape);
    const int64_t taps = SpatialSize(weight_shape);
    const auto row = static_cast<size_t>(inputs);
    // Within, arrays end with the input channels of a group: a tap of a window adds to neighbours.
    const std::vector<size_t> g_at = ChannelsLast(output_shape), x_at = ChannelsLast(input_shape);
    const std::vector<size_t> w_at = WeightInputsLast();
    const std::vector<double> g = Gather(grad_output, g_at), w = Gather(weight, w_at);
    const std::vector<double> x = wants_weight ? Gather(input, x_at) : std::vector<double>();
    for (size_t i = 0; i < g.size(); ++i) {
      if (not_finite_alone && std::isfinite(g[i])) continue;
      grad_bias[i % grad_bias.size()] += g[i];
      bias_magnitude[i % grad_bias.size()] += std::fabs(g[i]);
    }
    const std::vector<char> x_finite =
        FiniteRows(not_finite_alone ? x : std::vector<double>(), row);
    const std::vector<char> w_finite =
        FiniteRows(not_finite_alone ? w : std::vector<double>(), row);
    const auto of = [](auto& values, size_t first) {
      return values.empty() ? nullptr : &values[first];
    };
    std::vector<double> x_sum(wants_input ? x_at.size() : 0), x_size = x_sum;
    std::vector<double> w_sum(wants_weight ? w.size() : 0), w_size = w_sum;
    for (int64_t window = 0; window < SpatialSize(narrow); ++window) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t at = WidePosition(narrow, wide, window, tap);
        if (at < 0) continue;
        const int64_t out_at = transposed ? at : window, in_at = transposed ? window : at;
        for (int64_t n = 0; n < batch; ++n) {
          const auto first_g = static_cast<size_t>((n * out_size + out_at) * channels);
          const auto first_x = static_cast<size_t>((n * in_size + in_at) * groups * inputs);
          const auto first_w = static_cast<size_t>(tap * channels * inputs);
          AddTerms({channels,
                    channels / groups,
                    inputs,
                    &g[first_g],
                    of(x, first_x),
                    &w[first_w],
                    {of(x_sum, first_x), of(x_size, first_x)},
                    {of(w_sum, first_w), of(w_size, first_w)},
                    of(x_finite, first_x / row),
                    of(w_finite, first_w / row)});
        }
      }
    }
    Scatter(x_sum, x_at, grad_input);
    Scatter(x_size, x_at, input_magnitude);
    Scatter(w_sum, w_at, grad_weight);
    Scatter(w_size, w_at, weight_magnitude);
  }

  static std::vector<double> Gather(const std::vector<double>& from,
                                    const std::vector<size_t>& at) {
    std::vector<double> to(at.size());
    for (size_t i = 0; i < at.size(); ++i) to[i] = from[at[i]];
    return to;
  }
  static std::vector<char> FiniteRows(const std::vector<double>& values, size_t length) {
    std::vector<char> finite(values.size() / length, 1);
    auto value = values.begin();
    for (char& row : finite) {
      for (size_t i = 0; i < length; ++i) row = std::isfinite(*value++) ? row : 0;
    }
    return finite;
  }
  static void Scatter(const std::vector<double>& from, const std::vector<size_t>& at,
                      std::vector<double>& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i] != 0) to[at[i]] += from[i];
    }
  }
  // For each (image, position, channel) its index in the caller's array.
  static std::vector<size_t> ChannelsLast(const std::vector<int64_t>& shape) {
    const int64_t positions = SpatialSize(shape);
    std::vector<size_t> at;
    at.reserve(ElementCount(shape));
    for (int64_t n = 0; n < shape[0]; ++n) {
      for (int64_t i = 0; i < positions; ++i) {
        for (int64_t c = 0; c < shape[1]; ++c) {
          at.push_back(static_cast<size_t>((n * shape[1] + c) * positions + i));
        }
      }
    }
    return at;
  }
  // For each (tap, output channel, input channel of its group) the weight's index.
  std::vector<size_t> WeightInputsLast() const {
    const int64_t inputs = input_shape[1] / groups, outputs = output_shape[1] / groups;
    const int64_t taps = SpatialSize(weight_shape);
    std::vector<size_t> at;
    at.reserve(ElementCount(weight_shape));
    for (int64_t tap = 0; tap < taps; ++tap) {
      for (int64_t co = 0; co < output_shape[1]; ++co) {
        for (int64_t ci = 0; ci < inputs; ++ci) {
          const int64_t row = transposed ? co / outputs * inputs + ci : co;
          const int64_t column = transposed ? co % outputs : ci;
          at.push_back(static_cast<size_t>((row * weight_shape[1] + column) * taps + tap));
        }
      }
    }
    return at;
  }
  static size_t ElementCount(const std::vector<int64_t>& shape) {
    return static_cast<size_t>(shape[0] * shape[1] * SpatialSize(shape));
  }
  static int64_t SpatialSize(const std::vector<int64_t>& shape) {
    int64_t size = 1;
    for (size_t i = 2; i < shape.size(); ++i) size *= shape[i];
    return size;
  }
  // Where tap `tap` of window `window` meets the wide side; -1 in the padding.
  int64_t WidePosition(const std::vector<int64_t>& narrow, const std::vector<int64_t>& wide,
                       int64_t window, int64_t tap) const {
    int64_t position = 0, scale = 1;
    for (size_t i = narrow.size(); i-- > 2;) {
      const int64_t o = window % narrow[i], k = tap % weight_shape[i];
      window /= narrow[i];
      tap /= weight_shape[i];
      const int64_t at = o * stride[i - 2] - pad[i - 2] + k * dilation[i - 2];
      if (at < 0 || at >= wide[i]) return -1;
      position += at * scale;
      scale *= wide[i];
    }
    return position;
  }
};

// The problem of a call, but for the shapes of input and output.
inline Definition DefinitionOf(const truth::Call& call, const Positions& at) {
  const auto spatial_dims = static_cast<int>(call.Shape(at.input).size()) - 2;
  const Attributes attributes = *Expand(spatial_dims, call.Ints(at.stride), call.Ints(at.padding),
                                        call.Ints(at.dilation), call.Ints(at.output_padding));
  Definition sums;
  sums.weight_shape = call.Shape(at.weight);
  sums.stride = attributes.stride;
  sums.dilation = attributes.dilation;
  sums.pad = attributes.pad_begin;
  sums.groups = call.Integer(at.groups);
  sums.transposed = call.Bool(at.transposed);
  return sums;
}

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  Definition sums = DefinitionOf(call, kAt);
  sums.input_shape = call.Shape(kInput);
  sums.output_shape = call.Shape(kGradOutput);
  if (call.ElementCount(kInput) == 0 || call.ElementCount(kWeight) == 0) {
    // Nothing was convolved: the gradients are sums of no terms.
    sums.grad_weight.assign(static_cast<size_t>(call.ElementCount(kGradWeight)), 0.0);
    sums.grad_bias.assign(static_cast<size_t>(call.ElementCount(kGradBias)), 0.0);
    sums.weight_magnitude = sums.grad_weight;
    sums.bias_magnitude = sums.grad_bias;
  } else {
    sums.Compute(call.Values(kGradOutput), call.Values(kInput), call.Values(kWeight));
  }
  const auto set = [&](int parameter, const std::vector<double>& values,
                       std::vector<double> magnitude) {
    if (!call.Touched(parameter)) return;
    for (size_t i = 0; i < values.size(); ++i) {
      magnitude[i] = AllowedError(call.DTypeOf(parameter), values[i], magnitude[i]);
    }
    outputs.Set(parameter, values, std::move(magnitude));
  };
  set(kGradInput, sums.grad_input, sums.input_magnitude);
  set(kGradWeight, sums.grad_weight, sums.weight_magnitude);
  set(kGradBias, sums.grad_bias, sums.bias_magnitude);
}

}  // namespace aclimb::convolution_backward
