#include <set>

#include "aclnnop/aclnn_convolution_backward.h"
#include "bench/case.h"
#include "bench/device_tensor.h"

namespace aclimb::convolution_backward {
namespace {

using Sizes = std::vector<int64_t>;

struct Shape {
  int64_t n, cin, cout, groups;
  Sizes input, kernel, stride, padding, dilation, output_padding, output;
  bool transposed;
  std::string dtype;
  std::vector<bool> mask;  // gradInput, gradWeight, gradBias
};

int64_t Product(const Sizes& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

Sizes OutputOf(const Shape& s) {
  Sizes output;
  for (size_t d = 0; d < s.input.size(); ++d) {
    const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
    output.push_back(s.transposed ? (s.input[d] - 1) * s.stride[d] - 2 * s.padding[d] + reach +
                                        s.output_padding[d]
                                  : (s.input[d] + 2 * s.padding[d] - reach) / s.stride[d] + 1);
  }
  return output;
}

// Pairs (place, tap) along one dimension that meet an element instead of padding. `narrow` is the
// side that steps by the stride, `wide` the one that is padded.
int64_t TapsInside(const Shape& s, size_t d) {
  const int64_t narrow = s.transposed ? s.input[d] : s.output[d];
  const int64_t wide = s.transposed ? s.output[d] : s.input[d];
  int64_t count = 0;
  for (int64_t place = 0; place < narrow; ++place) {
    for (int64_t tap = 0; tap < s.kernel[d]; ++tap) {
      const int64_t at = place * s.stride[d] - s.padding[d] + tap * s.dilation[d];
      count += at >= 0 && at < wide;
    }
  }
  return count;
}

Sizes WithChannels(int64_t first, int64_t second, const Sizes& rest) {
  Sizes shape = {first, second};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return shape;
}
Sizes InputShape(const Shape& s) { return WithChannels(s.n, s.cin, s.input); }
Sizes OutputShape(const Shape& s) { return WithChannels(s.n, s.cout, s.output); }
Sizes WeightShape(const Shape& s) {
  return s.transposed ? WithChannels(s.cin, s.cout / s.groups, s.kernel)
                      : WithChannels(s.cout, s.cin / s.groups, s.kernel);
}

bench::Cost CostOf(const Shape& s) {
  const double size = static_cast<double>(bench::SizeOfName(s.dtype));
  const double input = size * static_cast<double>(Product(InputShape(s)));
  const double output = size * static_cast<double>(Product(OutputShape(s)));
  const double weight = size * static_cast<double>(Product(WeightShape(s)));
  double taps = 1;
  for (size_t d = 0; d < s.kernel.size(); ++d) taps *= static_cast<double>(TapsInside(s, d));
  // A multiplication and an addition for each tap and pair of channels, in each of two gradients.
  const double once = 2 * static_cast<double>(s.n * s.cin * (s.cout / s.groups)) * taps;
  bench::Cost cost;
  cost.read_bytes = output + (s.mask[0] ? weight : 0) + (s.mask[1] ? input : 0);
  cost.write_bytes = (s.mask[0] ? input : 0) + (s.mask[1] ? weight : 0) +
                     (s.mask[2] ? size * static_cast<double>(s.cout) : 0);
  cost.flops = once * ((s.mask[0] ? 1 : 0) + (s.mask[1] ? 1 : 0));
  return cost;
}

class IntArray {
 public:
  explicit IntArray(const Sizes& values)
      : array_(aclCreateIntArray(values.data(), values.size())) {}
  ~IntArray() { (void)aclDestroyIntArray(array_); }
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;
  operator aclIntArray*() const { return array_; }  // NOLINT: as a program passes it

 private:
  aclIntArray* array_;
};

aclFormat FormatOf(const Shape& s) {
  constexpr aclFormat kFormats[] = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW};
  return kFormats[s.kernel.size() - 1];
}

class ConvolutionProblem : public bench::Problem {
 public:
  explicit ConvolutionProblem(const Shape& s)
      : shape_(s),
        grad_output_(OutputShape(s), s.dtype, {}, FormatOf(s)),
        input_(InputShape(s), s.dtype, {}, FormatOf(s)),
        weight_(WeightShape(s), s.dtype, {}, FormatOf(s)),
        grad_input_(InputShape(s), s.dtype, {}, FormatOf(s)),
        grad_weight_(WeightShape(s), s.dtype, {}, FormatOf(s)),
        grad_bias_({s.cout}, s.dtype),
        bias_sizes_({s.cout}),
        stride_(s.stride),
        padding_(s.padding),
        dilation_(s.dilation),
        output_padding_(s.output_padding) {
    const bool mask[] = {s.mask[0], s.mask[1], s.mask[2]};
    mask_ = aclCreateBoolArray(mask, 3);
    grad_output_.FillNormal(1);
    input_.FillNormal(2);
    weight_.FillNormal(3, 0.05);
  }
  ~ConvolutionProblem() override { (void)aclDestroyBoolArray(mask_); }

  aclnnStatus Phase1(uint64_t* workspace_size, aclOpExecutor** executor) override {
    return aclnnConvolutionBackwardGetWorkspaceSize(
        grad_output_, input_, weight_, bias_sizes_, stride_, padding_, dilation_, shape_.transposed,
        output_padding_, static_cast<int>(shape_.groups), mask_, 0, grad_input_, grad_weight_,
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
    return (shape_.mask[0] && grad_input_.PoisonShows()) ||
           (shape_.mask[1] && grad_weight_.PoisonShows()) ||
           (shape_.mask[2] && grad_bias_.PoisonShows());
  }

 private:
  Shape shape_;
  bench::DeviceTensor grad_output_, input_, weight_, grad_input_, grad_weight_, grad_bias_;
  IntArray bias_sizes_, stride_, padding_, dilation_, output_padding_;
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

bench::Case Make(const std::string& name, Shape s) {
  s.output = OutputOf(s);
  std::string mask;
  for (const bool wanted : s.mask) mask += wanted ? '1' : '0';
  return {"convolution_backward",
          name,
          s.dtype,
          {{"dtype", s.dtype},
           {"n", std::to_string(s.n)},
           {"cin", std::to_string(s.cin)},
           {"cout", std::to_string(s.cout)},
           {"groups", std::to_string(s.groups)},
           {"input", Text(s.input)},
           {"output", Text(s.output)},
           {"kernel", Text(s.kernel)},
           {"stride", Text(s.stride)},
           {"padding", Text(s.padding)},
           {"dilation", Text(s.dilation)},
           {"output_padding", Text(s.output_padding)},
           {"transposed", s.transposed ? "1" : "0"},
           {"mask", mask}},
          CostOf(s),
          [s] { return std::make_unique<ConvolutionProblem>(s); }};
}

}  // namespace

// Each problem in each dtype, without gradBias as networks with batch normalisation run it; the
// first of each number of dimensions, and of transposed ones, also with it.
std::vector<bench::Case> BenchCases() {
  struct Named {
    const char* name;
    Shape shape;
  };
  const std::vector<Named> problems = {
#define ACLIMB_LIST(...) \
  { __VA_ARGS__ }
#define ACLIMB_CASE(name, transposed, batch, cin, cout, groups, input, kernel, stride, padding, \
                    dilation)                                                                   \
  {#name,                                                                                       \
   {batch,                                                                                      \
    cin,                                                                                        \
    cout,                                                                                       \
    groups,                                                                                     \
    input,                                                                                      \
    kernel,                                                                                     \
    stride,                                                                                     \
    padding,                                                                                    \
    dilation,                                                                                   \
    {},                                                                                         \
    {},                                                                                         \
    transposed,                                                                                 \
    "",                                                                                         \
    {true, true, false}}},
#include "aclimb/ops/convolution_backward/cases.inc"
#undef ACLIMB_CASE
#undef ACLIMB_LIST
  };
  std::vector<bench::Case> cases;
  std::set<std::pair<size_t, bool>> kinds;
  for (const Named& problem : problems) {
    Shape shape = problem.shape;
    shape.output_padding.assign(shape.kernel.size(), 0);
    const auto add = [&](const std::string& suffix, const char* dtype, bool grad_bias) {
      shape.dtype = dtype;
      shape.mask[2] = grad_bias;
      cases.push_back(Make(problem.name + suffix, shape));
    };
    add("_f32", "float32", false);
    if (kinds.emplace(shape.kernel.size(), shape.transposed).second) {
      add("_bias_f32", "float32", true);
    }
    add("_bf16", "bfloat16", false);
    add("_f16", "float16", false);
  }
  return cases;
}

}  // namespace aclimb::convolution_backward
