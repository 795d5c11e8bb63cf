#include <map>
#include <set>

#include "aclimb/ops/convolution_backward/layer.h"
#include "aclnnop/aclnn_convolution.h"
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

// Elements of the input along one dimension that meet a tap.
int64_t InputsMet(const Layer& l, size_t d) {
  if (l.transposed) return l.in[d];
  std::set<int64_t> met;
  for (int64_t place = 0; place < l.out[d]; ++place) {
    for (int64_t tap = 0; tap < l.kernel[d]; ++tap) {
      const int64_t at = place * l.stride[d] - l.padding[d] + tap * l.dilation[d];
      if (at >= 0 && at < l.in[d]) met.insert(at);
    }
  }
  return static_cast<int64_t>(met.size());
}

double BytesOf(const Sizes& shape, const std::string& dtype) {
  double product = static_cast<double>(bench::SizeOfName(dtype));
  for (const int64_t extent : shape) product *= static_cast<double>(extent);
  return product;
}

// Of one product: a multiplication and an addition for each tap and pair of channels.
double FlopsOf(const Layer& l) {
  double taps = 1;
  for (size_t d = 0; d < l.kernel.size(); ++d) taps *= static_cast<double>(TapsInside(l, d));
  return 2 * taps * static_cast<double>(l.batch * l.in_channels * (l.out_channels / l.groups));
}

bench::Cost CostOfGradients(const Layer& l, const std::string& dtype, bool bias) {
  bench::Cost cost;
  cost.write_bytes = BytesOf(l.InputShape(), dtype) + BytesOf(l.WeightShape(), dtype);
  cost.read_bytes = cost.write_bytes + BytesOf(l.OutputShape(), dtype);
  if (bias) cost.write_bytes += BytesOf({l.out_channels}, dtype);
  cost.flops = 2 * FlopsOf(l);
  return cost;
}

bench::Cost CostOfForward(const Layer& l, const std::string& dtype) {
  Layer met = l;
  for (size_t d = 0; d < l.in.size(); ++d) met.in[d] = InputsMet(l, d);
  return {.read_bytes = BytesOf(met.InputShape(), dtype) + BytesOf(l.WeightShape(), dtype) +
                        BytesOf({l.out_channels}, dtype),
          .write_bytes = BytesOf(l.OutputShape(), dtype),
          .flops = FlopsOf(l)};
}

aclFormat FormatOf(const Layer& l) {
  constexpr aclFormat kFormats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
  return kFormats[l.kernel.size() - 1];
}

class GradientsProblem : public bench::Problem {
 public:
  GradientsProblem(const Layer& l, const std::string& dtype, bool bias)
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
  ~GradientsProblem() override { (void)aclDestroyBoolArray(mask_); }

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

class ForwardProblem : public bench::Problem {
 public:
  ForwardProblem(const Layer& l, const std::string& dtype)
      : layer_(l),
        input_(l.InputShape(), dtype, {}, FormatOf(l)),
        weight_(l.WeightShape(), dtype, {}, FormatOf(l)),
        bias_({l.out_channels}, dtype),
        output_(l.OutputShape(), dtype, {}, FormatOf(l)),
        stride_(l.stride),
        padding_(l.padding),
        dilation_(l.dilation),
        output_padding_(l.output_padding) {
    input_.FillNormal(1);
    weight_.FillNormal(2, 0.05);
    bias_.FillNormal(3);
  }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnConvolutionGetWorkspaceSize(input_, weight_, bias_, stride_, padding_, dilation_,
                                            layer_.transposed, output_padding_, layer_.groups,
                                            output_, 0, workspace_size, executor);
  }
  aclnnStatus Phase2(void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                     aclrtStream stream) override {
    return aclnnConvolution(workspace, workspace_size, executor, stream);
  }
  void PoisonOutputs() override { output_.Poison(); }
  bool PoisonShows() const override { return output_.PoisonShows(); }

 private:
  const Layer layer_;
  bench::DeviceTensor input_, weight_, bias_, output_;
  bench::IntArray stride_, padding_, dilation_, output_padding_;
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

// What a peer has to know of the layer.
std::vector<std::pair<std::string, std::string>> ParametersOf(const Layer& l,
                                                              const std::string& dtype) {
  return {{"dtype", dtype},
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
          {"transposed", l.transposed ? "1" : "0"}};
}

bench::Case Gradients(const std::string& name, const Layer& l, const std::string& dtype,
                      bool bias) {
  auto parameters = ParametersOf(l, dtype);
  parameters.emplace_back("mask", bias ? "111" : "110");
  return {"convolution_backward",
          name,
          dtype,
          std::move(parameters),
          CostOfGradients(l, dtype, bias),
          [l, dtype, bias] { return std::make_unique<GradientsProblem>(l, dtype, bias); }};
}

bench::Case Forward(const std::string& name, const Layer& l, const std::string& dtype) {
  return {"convolution", name, dtype, ParametersOf(l, dtype), CostOfForward(l, dtype), [l, dtype] {
            return std::make_unique<ForwardProblem>(l, dtype);
          }};
}

// The layers whose forward convolution is measured, with a bias, and whether in bfloat16 too.
const std::map<std::string, bool> kForwardLayers = {
    {"rn50_stem_7x7s2", true},        {"rn50_3x3_64_56", true},
    {"rn50_3x3_256_14", false},       {"rn50_1x1_256_64_56", true},
    {"rn50_1x1s2_256_512_56", false}, {"mbv2_dw3x3_144_56", true},
    {"mbv2_dw3x3s2_96_112", false},   {"rnxt_g32_256_28", false},
    {"vit_patch16_3_768_224", false}, {"conv1d_512k5_1500", true},
    {"c3d_3x3x3_256_4x14", false},    {"dcgan_t4x4s2_512_256_8", true},
    {"tiny_3x3_3_8_8", false},
};

}  // namespace

// The gradients of each problem in each dtype, without gradBias as networks with batch
// normalisation run it; the first of each number of dimensions, and of transposed ones, also with
// it. Then the forward convolutions.
std::vector<bench::Case> BenchCases() {
  std::vector<bench::Case> cases, forward;
  std::set<std::pair<size_t, bool>> kinds;
  for (const auto& [name, layer] : NamedLayers()) {
    const std::string prefix = name;
    cases.push_back(Gradients(prefix + "_f32", layer, "float32", false));
    if (kinds.emplace(layer.kernel.size(), layer.transposed).second) {
      cases.push_back(Gradients(prefix + "_bias_f32", layer, "float32", true));
    }
    cases.push_back(Gradients(prefix + "_bf16", layer, "bfloat16", false));
    cases.push_back(Gradients(prefix + "_f16", layer, "float16", false));
    const auto found = kForwardLayers.find(prefix);
    if (found == kForwardLayers.end()) continue;
    forward.push_back(Forward(prefix + "_f32", layer, "float32"));
    if (found->second) forward.push_back(Forward(prefix + "_bf16", layer, "bfloat16"));
  }
  cases.insert(cases.end(), forward.begin(), forward.end());
  return cases;
}

}  // namespace aclimb::convolution_backward
