// aclnnConvolution against its definition in double.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "aclimb/contract/test_call.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"
#include "aclimb/ops/convolution_backward/forward_contract.h"
#include "aclimb/ops/convolution_backward/forward_truth.h"
#include "aclnnop/aclnn_convolution.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/setting.h"

namespace aclimb::convolution_backward::forward {
namespace {

using testing::CallArguments;
using testing::DeviceTensor;
using testing::IntArray;
using testing::Random;
using Values = std::vector<double>;
using Ints = std::vector<int64_t>;

struct ForwardProblem {
  Ints input, weight;
  Ints stride, padding, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;
  bool bias = false;
  DType dtype = DType::kFloat32;

  int64_t Dims() const { return static_cast<int64_t>(input.size()) - 2; }
  int64_t Channels() const { return transposed ? weight[1] * groups : weight[0]; }
  Ints Output() const {
    Ints shape = {input[0], Channels()};
    for (size_t d = 0; d + 2 < input.size(); ++d) {
      const int64_t window = dilation[d] * (weight[d + 2] - 1) + 1;
      shape.push_back(transposed ? (input[d + 2] - 1) * stride[d] - 2 * padding[d] + window +
                                       output_padding[d]
                                 : (input[d + 2] + 2 * padding[d] - window) / stride[d] + 1);
    }
    return shape;
  }
  std::string Text() const {
    const auto text = [](const Ints& v) { return ShapeText(v.data(), v.size()); };
    return Cat(NameOf(dtype), " input ", text(input), " weight ", text(weight), " stride ",
               text(stride), " padding ", text(padding), " dilation ", text(dilation),
               " transposed ", transposed, " groups ", groups, " bias ", bias);
  }
};

int64_t Count(const Ints& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

// Inputs that lie with the channels last in memory, or not.
DeviceTensor::Options ChannelsLast(const Ints& shape) {
  DeviceTensor::Options view;
  view.stride.assign(shape.size(), 1);
  int64_t step = shape[1];
  for (size_t d = shape.size(); d-- > 2;) {
    view.stride[d] = step;
    step *= shape[d];
  }
  view.stride[0] = step;
  return view;
}

class Convolution : public testing::DeviceTest {
 protected:
  void Check(const ForwardProblem& p, Random& random, bool channels_last = false) {
    SCOPED_TRACE(p.Text());
    const auto draw = [&](const Ints& shape) {
      Values values = random.Reals(Count(shape), -2, 2);
      for (double& value : values) value = testing::Rounded(value, p.dtype);
      return values;
    };
    const Values input = draw(p.input), weight = draw(p.weight);
    const Values bias = p.bias ? draw({p.Channels()}) : Values();
    const Ints out_shape = p.Output();
    const auto view = [&](const Ints& shape) {
      return channels_last ? ChannelsLast(shape) : DeviceTensor::Options{};
    };
    const DeviceTensor in(p.input, p.dtype, input, view(p.input));
    const DeviceTensor w(p.weight, p.dtype, weight);
    const DeviceTensor out(out_shape, p.dtype, {}, view(out_shape));
    std::optional<DeviceTensor> b;
    if (p.bias) b.emplace(Ints{p.Channels()}, p.dtype, bias);
    const IntArray stride(p.stride), padding(p.padding), dilation(p.dilation);
    const IntArray output_padding(p.output_padding);
    ACLIMB_ASSERT_OK(testing::RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnConvolutionGetWorkspaceSize(in, w, b ? b->get() : nullptr, stride, padding,
                                                  dilation, p.transposed, output_padding, p.groups,
                                                  out, 0, size, executor);
        },
        &aclnnConvolution, stream_));
    Definition sums;
    sums.weight_shape = p.weight;
    sums.stride = p.stride;
    sums.dilation = p.dilation;
    sums.pad = p.padding;
    sums.groups = p.groups;
    sums.transposed = p.transposed;
    const Output truth(sums, p.input, out_shape, input, weight, bias);
    const Values got = out.Values();
    ASSERT_EQ(got.size(), truth.values.size());
    for (size_t i = 0; i < got.size(); ++i) {
      const double expected = truth.values[i];
      ASSERT_LE(std::fabs(got[i] - expected), AllowedError(p.dtype, expected, truth.magnitude[i]))
          << "element " << i << " is " << got[i] << ", expected " << expected;
    }
    EXPECT_TRUE(out.SurroundingsIntact());
  }
};

constexpr DType kTypes[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

// Dimensions, groups, stride, dilation, padding, bias, dtype and view, crossed by chance.
TEST_F(Convolution, FollowsItsDefinition) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    ForwardProblem p;
    const auto dims = static_cast<size_t>(random.Integer(1, 3));
    p.transposed = random.Chance(0.4);
    p.groups = random.Chance(0.4) ? random.Integer(2, 4) : 1;
    p.bias = random.Chance(0.5);
    p.dtype = kTypes[random.Integer(0, 2)];
    p.input = {random.Integer(1, 3), p.groups * random.Integer(1, 5)};
    p.weight = p.transposed ? Ints{p.input[1], random.Integer(1, 5)}
                            : Ints{p.groups * random.Integer(1, 5), p.input[1] / p.groups};
    for (size_t d = 0; d < dims; ++d) {
      p.weight.push_back(random.Integer(1, 3));
      p.stride.push_back(random.Integer(1, 3));
      p.dilation.push_back(random.Integer(1, 2));
      p.padding.push_back(random.Integer(0, p.weight.back() / 2));
      p.output_padding.push_back(p.transposed ? random.Integer(0, p.stride.back() - 1) : 0);
      p.input.push_back(random.Integer(5, dims == 3 ? 7 : 11));
    }
    const Ints out = p.Output();
    if (*std::min_element(out.begin(), out.end()) < 1) continue;
    Check(p, random, random.Chance(0.3));
    if (HasFatalFailure()) return;
  }
}

// Large enough for every engine of this machine.
TEST_F(Convolution, LayersOfNets) {
  Random random(2);
  for (const DType dtype : kTypes) {
    for (const bool bias : {false, true}) {
      for (const bool channels_last : {false, true}) {
        Check({.input = {2, 32, 14, 14},
               .weight = {48, 32, 3, 3},
               .stride = {1, 1},
               .padding = {1, 1},
               .dilation = {1, 1},
               .output_padding = {0, 0},
               .bias = bias,
               .dtype = dtype},
              random, channels_last);
        Check({.input = {2, 64, 14, 14},
               .weight = {32, 64, 1, 1},
               .stride = {1, 1},
               .padding = {0, 0},
               .dilation = {1, 1},
               .output_padding = {0, 0},
               .bias = bias,
               .dtype = dtype},
              random, channels_last);
        Check({.input = {2, 3, 32, 32},
               .weight = {16, 3, 7, 7},
               .stride = {2, 2},
               .padding = {3, 3},
               .dilation = {1, 1},
               .output_padding = {0, 0},
               .bias = bias,
               .dtype = dtype},
              random, channels_last);
        Check({.input = {2, 32, 14, 14},
               .weight = {32, 1, 3, 3},
               .stride = {1, 1},
               .padding = {1, 1},
               .dilation = {1, 1},
               .output_padding = {0, 0},
               .groups = 32,
               .bias = bias,
               .dtype = dtype},
              random, channels_last);
        Check({.input = {2, 32, 7, 7},
               .weight = {32, 16, 4, 4},
               .stride = {2, 2},
               .padding = {1, 1},
               .dilation = {1, 1},
               .output_padding = {0, 0},
               .transposed = true,
               .bias = bias,
               .dtype = dtype},
              random, channels_last);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(Convolution, AnEmptyBatchDoesNothing) {
  const DeviceTensor in({0, 2, 4, 4}, DType::kFloat32), w({3, 2, 1, 1}, DType::kFloat32, Values(6));
  const DeviceTensor out({0, 3, 4, 4}, DType::kFloat32);
  const IntArray one({1}), none({0});
  ACLIMB_EXPECT_OK(testing::RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnConvolutionGetWorkspaceSize(in, w, nullptr, one, none, one, false, none, 1, out,
                                                0, size, executor);
      },
      &aclnnConvolution, stream_));
}

// It would be written before its input is read.
TEST_F(Convolution, AnOutputOfOneElementIsNotTheInput) {
  const DeviceTensor in({1, 1, 1}, DType::kFloat16, Values{2}),
      w({1, 1, 3}, DType::kFloat16, Values(3, 1));
  const IntArray three({3}), one({1}), two({2});
  const auto run = [&](const DeviceTensor& out) {
    return testing::RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnConvolutionGetWorkspaceSize(in, w, nullptr, three, two, one, true, two, 1,
                                                  out, 0, size, executor);
        },
        &aclnnConvolution, stream_);
  };
  EXPECT_EQ(run(in), kAclnnInvalid);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("phase2/not-in-place"), std::string::npos);
  const DeviceTensor out({1, 1, 1}, DType::kFloat16);
  ACLIMB_EXPECT_OK(run(out));
  EXPECT_EQ(out.Values()[0], 2);
}

using Harness = testing::ContractHarness<decltype(aclnnConvolutionGetWorkspaceSize)>;

void Fill(CallArguments& a) {
  a.Tensor(kInput, {2, 4, 8, 8}, DType::kFloat32);
  a.Tensor(kWeight, {6, 2, 3, 3}, DType::kFloat32);
  a.Tensor(kBias, {6}, DType::kFloat32);
  a.Ints(kStride, {2, 2});
  a.Ints(kPadding, {1, 1});
  a.Ints(kDilation, {1, 1});
  a.Ints(kOutputPadding, {0, 0});
  a.Integer(kGroups, 2);
  a.Tensor(kOutput, {2, 6, 4, 4}, DType::kFloat32);
  a.Integer(kCubeMathType, 0);
}

TEST(ConvolutionContract, EveryRuleIsEnforcedAndExplained) {
  Harness harness(kContract, &aclnnConvolutionGetWorkspaceSize, &Fill);
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Null(kBias); });
  harness.ExpectRule("format-of-rank", [](CallArguments& a) {
    a.Tensor(kInput, {2, 4, 8, 8}, DType::kFloat32, ACL_FORMAT_NCL);
  });
  harness.ExpectRule("lengths", [](CallArguments& a) { a.Ints(kStride, {2, 2, 2}); });
  harness.ExpectRule("output-padding", [](CallArguments& a) { a.Ints(kOutputPadding, {1, 1}); });
  harness.ExpectRule("groups-divide", [](CallArguments& a) {
    a.Tensor(kWeight, {7, 2, 3, 3}, DType::kFloat32);
  });
  harness.ExpectRule("channels", [](CallArguments& a) {
    a.Tensor(kInput, {2, 6, 8, 8}, DType::kFloat32);
  });
  harness.ExpectRule("bias-shape", [](CallArguments& a) { a.Tensor(kBias, {5}, DType::kFloat32); });
  harness.ExpectRule("shape/output", [](CallArguments& a) {
    a.Tensor(kOutput, {2, 6, 4, 5}, DType::kFloat32);
  });
  harness.ExpectRule("shape/output", [](CallArguments& a) {
    a.Tensor(kWeight, {6, 2, 11, 3}, DType::kFloat32);
  });
  // The sizes of an output would follow from windows alone, without anything that they could sum.
  harness.ExpectRule("empty", [](CallArguments& a) {
    a.Tensor(kInput, {2, 4, 0, 8}, DType::kFloat32);
    a.Ints(kPadding, {3, 1});
  });
  harness.ExpectRule("empty", [](CallArguments& a) {
    a.Tensor(kInput, {2, 6, 0, 8}, DType::kFloat32);
    a.Tensor(kWeight, {6, 3, 5, 3}, DType::kFloat32);
    a.Integer(kTransposed, 1);
    a.Ints(kStride, {1, 1});
    a.Ints(kPadding, {0, 1});
    a.Tensor(kOutput, {2, 6, 4, 8}, DType::kFloat32);
  });
  harness.ExpectRule("empty", [](CallArguments& a) {
    a.Tensor(kWeight, {6, 2, 0, 3}, DType::kFloat32);
    a.Tensor(kOutput, {2, 6, 6, 4}, DType::kFloat32);
  });
  harness.ExpectAccepted([](CallArguments& a) {
    a.Tensor(kInput, {0, 4, 8, 8}, DType::kFloat32);
    a.Tensor(kOutput, {0, 6, 4, 4}, DType::kFloat32);
  });
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"convolution/rank-of-product"});
}

TEST(ConvolutionContract, TheChannelsOfTheWeightAreTold) {
  contract::TestCall call(kContract);
  call.Tensor(kInput, {2, 4, 8, 8});
  call.Tensor(kWeight, {6, 4, 3, 3});
  call.Tensor(kOutput, {2, 6, 6, 6});
  for (const int array : {kStride, kDilation}) call.Ints(array, {1, 1});
  for (const int array : {kPadding, kOutputPadding}) call.Ints(array, {0, 0});
  call.Integer(kGroups, 2);
  EXPECT_NE(call.What().find("expected weight.shape[1] = input.shape[1] / groups = 2."),
            std::string::npos)
      << call.last().what;
  call.Integer(kGroups, 3);
  EXPECT_NE(call.What().find("expected groups that divide input.shape[1] = 4, and weight.shape[1]"),
            std::string::npos)
      << call.last().what;
  call.Integer(kGroups, 2);
  call.Integer(kTransposed, 1);
  EXPECT_NE(call.What().find("expected weight.shape[0] = input.shape[1] = 4."), std::string::npos)
      << call.last().what;
}

TEST(ConvolutionContract, OldChipsHaveTwoDimensions) {
  const testing::Setting soc("ACLIMB_SOC", "Ascend910A");
  Harness harness(kContract, &aclnnConvolutionGetWorkspaceSize, &Fill);
  harness.ExpectRule("rank-of-product", [](CallArguments& a) {
    a.Tensor(kInput, {2, 4, 8, 8, 8}, DType::kFloat32);
    a.Tensor(kWeight, {6, 2, 3, 3, 3}, DType::kFloat32);
    a.Tensor(kOutput, {2, 6, 4, 4, 4}, DType::kFloat32);
    for (const int array : {kStride, kPadding, kDilation}) a.Ints(array, {1});
    a.Ints(kOutputPadding, {0});
  });
}

}  // namespace
}  // namespace aclimb::convolution_backward::forward
