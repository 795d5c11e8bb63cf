#include <set>

#include "aclimb/ops/convolution_backward/layer.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::convolution_backward {
namespace {

// Pairs (place, tap) along one dimension that meet an element instead of padding. `narrow` is the
// side that steps by the stride, `wide` the one that is padded.
int64_t TapsInside(const Layer& l, size_t d) {
  const int64_t narrow = l.transposed ? l.in[d] : l.out[d];
  const int64_t wide = l.transposed ? l.out[d] : l.in[d];
  int64_t count = 0;
  for (int64_t place = 0; place < narrow; ++place) {
    for (int64_t tap = 0; tap < l.kernel[d]; ++tap) {
      const int64_t at = place * l.stride[d] - l.padding[d] + tap * l.dilation[d];
      count += at >= 0 && at < wide;
    }
  }
  return count;
}

bench::Cost CostOf(const Layer& l, const std::string& dtype, bool bias) {
  const auto bytes = [&](const Sizes& shape) {
    double product = static_cast<double>(bench::SizeOfName(dtype));
    for (const int64_t extent : shape) product *= static_cast<double>(extent);
    return product;
  };
  double taps = 1;
  for (size_t d = 0; d < l.kernel.size(); ++d) taps *= static_cast<double>(TapsInside(l, d));
  // A multiplication and an addition for each tap and pair of channels, in each of two gradients.
  const double pairs = static_cast<double>(l.batch * l.in_channels * (l.out_channels / l.groups));
  bench::Cost cost;
  cost.write_bytes = bytes(l.InputShape()) + bytes(l.WeightShape());
  cost.read_bytes = cost.write_bytes + bytes(l.OutputShape());
  if (bias) cost.write_bytes += bytes({l.out_channels});
  cost.flops = 2 * 2 * pairs * taps;
  return cost;
}

aclFormat FormatOf(const Layer& l) {
  constexpr aclFormat kFormats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
  return kFormats[l.kernel.size() - 1];
}

class ConvolutionProblem : public bench::Problem {
 public:
  ConvolutionProblem(const Layer& l, const std::string& dtype, bool bias)
      : layer_(l),
        bias_(bias),
        grad_output_(l.OutputShape(), dtype, {}, FormatOf(l)),
        input_(l.InputShape(), dtype, {}, FormatOf(l)),
        weight_(l.WeightShape(), dtype, {}, FormatOf(l)),
        grad_input_(l.InputShape(), dtype, {}, FormatOf(l)),
        grad_weight_(l.WeightShape(), dtype, {}, FormatOf(l)),
        grad_bias_({l.out_channels}, dtype),
        bias_sizes_({l.out_channels}),
        stride_(l.stride),
        padding_(l.padding),
        dilation_(l.dilation),
        output_padding_(l.output_padding) {
    const bool mask[] = {true, true, bias};
    mask_ = aclCreateBoolArray(mask, 3);
    grad_output_.FillNormal(1);
    input_.FillNormal(2);
    weight_.FillNormal(3, 0.05);
  }
  ~ConvolutionProblem() override { (void)aclDestroyBoolArray(mask_); }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnConvolutionBackwardGetWorkspaceSize(
        grad_output_, input_, weight_, bias_sizes_, stride_, padding_, dilation_, layer_.transposed,
        output_padding_, static_cast<int>(layer_.groups), mask_, 0, grad_input_, grad_weight_,
        grad_bias_, workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnConvolutionBackward(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override {
    grad_input_.Poison();
    grad_weight_.Poison();
    grad_bias_.Poison();
  }
  bool PoisonShows() const override {
    return grad_input_.PoisonShows() || grad_weight_.PoisonShows() ||
           (bias_ && grad_bias_.PoisonShows());
  }

 private:
  const Layer layer_;
  const bool bias_;
  bench::DeviceTensor grad_output_, input_, weight_, grad_input_, grad_weight_, grad_bias_;
  bench::IntArray bias_sizes_, stride_, padding_, dilation_, output_padding_;
  aclBoolArray* mask_ = nullptr;
};

// {3, 3} -> "3x3"
std::string Text(const Sizes& sizes) {
  std::string text;
  for (const int64_t size : sizes) {
    if (!text.empty()) text += 'x';
    text += std::to_string(size);
  }
  return text;
}

bench::Case Make(const std::string& name, const Layer& l, const std::string& dtype, bool bias) {
  return {"convolution_backward",
          name,
          dtype,
          {{"dtype", dtype},
           {"n", std::to_string(l.batch)},
           {"cin", std::to_string(l.in_channels)},
           {"cout", std::to_string(l.out_channels)},
           {"groups", std::to_string(l.groups)},
           {"input", Text(l.in)},
           {"output", Text(l.out)},
           {"kernel", Text(l.kernel)},
           {"stride", Text(l.stride)},
           {"padding", Text(l.padding)},
           {"dilation", Text(l.dilation)},
           {"output_padding", Text(l.output_padding)},
           {"transposed", l.transposed ? "1" : "0"},
           {"mask", bias ? "111" : "110"}},
          CostOf(l, dtype, bias),
          [l, dtype, bias] { return std::make_unique<ConvolutionProblem>(l, dtype, bias); }};
}

}  // namespace

// Each problem in each dtype, without gradBias as networks with batch normalisation run it; the
// first of each number of dimensions, and of transposed ones, also with it.
std::vector<bench::Case> BenchCases() {
  std::vector<bench::Case> cases;
  std::set<std::pair<size_t, bool>> kinds;
  for (const auto& [name, layer] : NamedLayers()) {
    const std::string prefix = name;
    cases.push_back(Make(prefix + "_f32", layer, "float32", false));
    if (kinds.emplace(layer.kernel.size(), layer.transposed).second) {
      cases.push_back(Make(prefix + "_bias_f32", layer, "float32", true));
    }
    cases.push_back(Make(prefix + "_bf16", layer, "bfloat16", false));
    cases.push_back(Make(prefix + "_f16", layer, "float16", false));
  }
  return cases;
}

}  // namespace aclimb::convolution_backward
