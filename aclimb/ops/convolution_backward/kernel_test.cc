// Our own kernels against the truth on every instruction set, and oneDNN's choices for the named
// problems.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/copy/copy.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/layer.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/ops/convolution_backward/sums.h"
#include "aclimb/ops/convolution_backward/test_fenced_tensor.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/ops/convolution_backward/ways.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/factors.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

struct Case {
  std::vector<int64_t> x, y, weight;
  Attributes attributes;
  int64_t groups = 1;
};

Case RandomCase(Random& random) {
  Case c;
  const int dims = static_cast<int>(random.Integer(1, 3));
  c.groups = random.Chance(0.4) ? random.Integer(2, 5) : 1;
  const bool depthwise = random.Chance(0.3);
  const int64_t x = depthwise ? 1 : random.Integer(1, 6), y = random.Integer(1, depthwise ? 2 : 6);
  c.x = {random.Integer(1, 3), c.groups * x};
  c.y = {c.x[0], c.groups * y};
  c.weight = {c.groups * y, x};
  for (int d = 0; d < dims; ++d) {
    for (;;) {
      const int64_t kernel = random.Integer(1, 5), stride = random.Integer(1, 3),
                    dilation = random.Integer(1, 3), begin = random.Integer(0, 4),
                    end = random.Integer(0, 4), in = random.Integer(1, dims == 3 ? 8 : 20);
      const auto out = WindowCount(in, begin, end, kernel, dilation, stride);
      if (!out) continue;
      c.x.push_back(in);
      c.y.push_back(*out);
      c.weight.push_back(kernel);
      c.attributes.stride.push_back(stride);
      c.attributes.dilation.push_back(dilation);
      c.attributes.pad_begin.push_back(begin);
      c.attributes.pad_end.push_back(end);
      break;
    }
  }
  return c;
}

// The task's expected result and the sums of its absolute terms.
void Expect(const Case& c, Task task, const Tensor& x, const Tensor& y, const Tensor& weight,
            std::vector<double>* expected, std::vector<double>* magnitude) {
  Definition truth;
  truth.transposed = task == Task::kForward;  // whose gradInput is the forward convolution
  truth.input_shape = truth.transposed ? c.y : c.x;
  truth.output_shape = truth.transposed ? c.x : c.y;
  truth.weight_shape = c.weight;
  truth.stride = c.attributes.stride;
  truth.dilation = c.attributes.dilation;
  truth.pad = c.attributes.pad_begin;
  truth.groups = c.groups;
  if (truth.transposed) {
    truth.Compute(x.Values(), y.Values(), weight.Values());
  } else {
    truth.Compute(y.Values(), x.Values(), weight.Values());
  }
  *expected = task == Task::kGradWeight ? truth.grad_weight : truth.grad_input;
  *magnitude = task == Task::kGradWeight ? truth.weight_magnitude : truth.input_magnitude;
}

std::vector<double> RunTask(const Case& c, Task task, int threads, const Tensor& x, const Tensor& y,
                            const Tensor& weight, DType dtype, int64_t gap,
                            Factors factors = Factors::kFloat32) {
  const Geometry geometry = MakeGeometry(c.x, c.y, c.weight, c.groups, c.attributes);
  const DirectPlan plan = PlanDirect(geometry, task, threads, factors);
  std::vector<float> scratch(static_cast<size_t>(plan.ScratchBytes()) / 4 + 16, std::nanf(""));
  void* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  const Tensor result(task == Task::kForward ? c.y
                      : task == Task::kGradX ? c.x
                                             : c.weight,
                      dtype, gap);
  const TensorView of_x = Embed(task == Task::kGradX ? result.view : x.view),
                   of_y = Embed(task == Task::kForward ? result.view : y.view),
                   of_weight = Embed(task == Task::kGradWeight ? result.view : weight.view);
  RunDirect(plan, of_x, of_y, of_weight, aligned);
  std::vector<int64_t> exact(static_cast<size_t>(ExactScratchBytes(geometry, task)) / 8 + 1);
  ComputeNaNsAgain(geometry, task, of_x, of_y, of_weight, exact.data());
  EXPECT_TRUE(result.GapsAreUntouched());
  return result.Values();
}

// What operands of a dtype may be multiplied as.
std::vector<Factors> FactorsOf(DType dtype) {
  if (dtype != DType::kBFloat16 || !HasPairs()) return {Factors::kFloat32};
  return {Factors::kFloat32, Factors::kPairs};
}

// All three tasks on small multiples of a quarter.
void ExpectTruth(const Case& c, DType dtype, int64_t gap, Random& random) {
  Tensor x(c.x, dtype, gap), y(c.y, dtype, gap), weight(c.weight, dtype, gap);
  x.Fill(random);
  y.Fill(random);
  weight.Fill(random);
  for (Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
    std::vector<double> expected, magnitude;
    Expect(c, task, x, y, weight, &expected, &magnitude);
    // The terms are exact in float32, so that only the rounding of the result is left.
    const double rounding = dtype == DType::kFloat32   ? 1e-6
                            : dtype == DType::kFloat16 ? 0.00049
                                                       : 0.0040;
    for (const Factors factors : FactorsOf(dtype)) {
      const std::vector<double> got = RunTask(c, task, 1, x, y, weight, dtype, gap, factors);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], rounding * std::fabs(expected[i]) + 1e-6 * magnitude[i])
            << "task " << static_cast<int>(task) << ", " << NameOf(dtype) << ", factors "
            << static_cast<int>(factors) << ", element " << i;
      }
    }
  }
}

TEST(ConvolutionKernels, EveryTargetMeetsTheTruth) {
  EachTarget([] {
    Random random(1);
    for (int round = 0; round < 60; ++round) {
      SCOPED_TRACE(::testing::Message() << "round " << round);
      const Case c = RandomCase(random);
      const DType dtype = kDTypes[random.Integer(0, 2)];
      ASSERT_NO_FATAL_FAILURE(ExpectTruth(c, dtype, random.Integer(0, 2), random));
    }
  });
}

// How a row becomes vectors depends on its length, its stride and the dtype.
TEST(ConvolutionKernels, RowsOfEveryLength) {
  EachTarget([] {
    Random random(3);
    for (int64_t width = 1; width <= 140; ++width) {
      for (const auto& [stride, dilation] :
           std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 1}, {3, 1}, {1, 17}, {2, 17}}) {
        // Of 17 zeros before a row the first vector has nothing else.
        const int64_t zeros = dilation == 1 ? 0 : dilation;
        const int64_t begin = zeros + random.Integer(0, 2), end = zeros + random.Integer(0, 2);
        const auto out = WindowCount(width, begin, end, 3, dilation, stride);
        if (!out) continue;
        SCOPED_TRACE(::testing::Message()
                     << "width " << width << ", stride " << stride << ", dilation " << dilation);
        const Case c = {{2, 2, 3, width},
                        {2, 2, 3, *out},
                        {2, 1, 1, 3},
                        {{1, stride}, {1, dilation}, {0, begin}, {0, end}, {}},
                        2};
        const int64_t gap = random.Integer(0, 1);
        for (const DType dtype : kDTypes) {
          ASSERT_NO_FATAL_FAILURE(ExpectTruth(c, dtype, gap, random));
        }
      }
    }
  });
}

// NaN and infinity reach what they meet, and nothing through the padding.
TEST(ConvolutionKernels, SpecialValuesOnEveryTarget) {
  EachTarget([] {
    Random random(7);
    const double specials[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
    for (int round = 0; round < 60; ++round) {
      const Case c = RandomCase(random);
      const DType dtype = kDTypes[random.Integer(0, 2)];
      const int64_t gap = random.Integer(0, 2);
      Tensor x(c.x, dtype, gap), y(c.y, dtype, gap), weight(c.weight, dtype, gap);
      x.Fill(random);
      y.Fill(random);
      weight.Fill(random);
      for (Tensor* t : {&x, &y, &weight}) {
        if (random.Chance(0.3)) continue;
        const int64_t count = random.Chance(0.2) ? t->view.ElementCount() : random.Integer(1, 4);
        const bool one_kind = random.Chance(0.5);
        for (int64_t i = 0; i < count; ++i) {
          t->Set(random.Integer(0, t->view.ElementCount() - 1),
                 specials[one_kind ? round % 3 : random.Integer(0, 2)]);
        }
      }
      for (Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
        std::vector<double> expected, magnitude;
        Expect(c, task, x, y, weight, &expected, &magnitude);
        for (const Factors factors : FactorsOf(dtype)) {
          const std::vector<double> got = RunTask(c, task, 1, x, y, weight, dtype, gap, factors);
          for (size_t i = 0; i < got.size(); ++i) {
            SCOPED_TRACE(::testing::Message()
                         << "round " << round << ", task " << static_cast<int>(task) << ", factors "
                         << static_cast<int>(factors) << ", element " << i);
            if (std::isfinite(expected[i])) {
              ASSERT_NEAR(got[i], expected[i], 0.0040 * std::fabs(expected[i]) + 1e-6);
            } else if (std::isnan(expected[i])) {
              ASSERT_TRUE(std::isnan(got[i])) << got[i];
            } else {
              ASSERT_EQ(got[i], expected[i]);
            }
          }
        }
      }
    }
  });
}

TEST(ConvolutionKernels, ThreadsDoNotChangeABit) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    Case c = RandomCase(random);
    const bool pairs = HasPairs() && round % 2 == 1;
    const DType dtype = pairs ? DType::kBFloat16 : DType::kFloat32;
    const auto factors = pairs ? Factors::kPairs : Factors::kFloat32;
    Tensor x(c.x, dtype), y(c.y, dtype), weight(c.weight, dtype);
    // Sums are inexact.
    for (Tensor* t : {&x, &y, &weight}) {
      for (int64_t i = 0; i < t->view.ElementCount(); ++i) t->Set(i, random.Real(-1, 1));
    }
    for (Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
      const auto result = [&](int threads) {
        SetTeamSize(threads);
        return RunTask(c, task, threads, x, y, weight, DType::kFloat32, 0, factors);
      };
      const std::vector<double> one = result(1);
      for (int threads : {2, 5}) ASSERT_EQ(result(threads), one) << round;
    }
  }
  SetTeamSize(0);
}

TEST(ConvolutionKernels, BiasSumsOnEveryTarget) {
  EachTarget([] {
    Random random(3);
    for (DType dtype : kDTypes) {
      for (const std::vector<int64_t>& shape :
           {std::vector<int64_t>{3, 5, 1, 7, 19}, {1, 2, 1, 1, 40001}, {2, 1, 3, 4, 5}}) {
        for (int64_t gap : {0, 1}) {
          Tensor from(shape, dtype, gap);
          from.Fill(random);
          std::vector<double> expected(static_cast<size_t>(shape[1]));
          const std::vector<double> values = from.Values();
          const size_t plane = static_cast<size_t>(shape[2] * shape[3] * shape[4]);
          for (size_t i = 0; i < values.size(); ++i) {
            expected[i / plane % expected.size()] += values[i];
          }
          for (double& value : expected) {
            char stored[4];
            Save(stored, dtype, value);
            value = Load(stored, dtype);
          }
          const Tensor to({shape[1]}, dtype);
          const reduction::Problem problem = SumOfChannels(from.view, to.view);
          std::vector<double> scratch(static_cast<size_t>(problem.ScratchBytes()) / 8);
          reduction::Solve(problem, {from.view.data, {to.view.data}, scratch.data()});
          // Sums of quarters are exact.
          EXPECT_EQ(to.Values(), expected);
        }
      }
    }
  });
}

TEST(ConvolutionKernels, ConversionsBetweenEveryPairOfLayouts) {
  EachTarget([] {
    Random random(4);
    const std::vector<int64_t> shape = {2, 35, 1, 9, 41};
    for (DType from_dtype : kDTypes) {
      for (DType to_dtype : kDTypes) {
        for (int layout = 0; layout < 4; ++layout) {
          Tensor from(shape, from_dtype), to(shape, to_dtype);
          // Dimension 1 innermost, on either side.
          const auto permute = [&](TensorView& view) {
            const int64_t stride[] = {35 * 9 * 41, 1, 0, 35 * 41, 35};
            std::copy(stride, stride + 5, view.stride);
          };
          if ((layout & 1) != 0) permute(from.view);
          if ((layout & 2) != 0) permute(to.view);
          from.Fill(random);
          ASSERT_TRUE(copy::Copy(from.view, to.view));
          ASSERT_EQ(to.Values(), from.Values()) << layout;
        }
      }
    }
  });
}

// gradWeight of a whole plan, as stored bits.
std::vector<char> PlannedGradWeight(const Case& c, const Tensor& x, const Tensor& y, DType dtype,
                                    bool deterministic) {
  const Tensor weight(c.weight, dtype), result(c.weight, dtype);
  const TensorUse uses[] = {{.parameter = 0, .view = y.view},
                            {.parameter = 1, .view = x.view},
                            {.parameter = 2, .view = weight.view},
                            {.parameter = 3, .view = result.view}};
  const BoundTensor tensors[] = {{.kernel_data = y.view.data},
                                 {.kernel_data = x.view.data},
                                 {.kernel_data = weight.view.data},
                                 {.kernel_data = result.view.data}};
  const auto place = [&](int parameter) {
    Place made;
    made.parameter = parameter;
    made.view = Embed(uses[parameter].view);
    return made;
  };
  Planner planner(deterministic);
  PlanBuilder builder(planner, MakeGeometry(c.x, c.y, c.weight, c.groups, c.attributes), false,
                      place(0), place(1), place(2));
  builder.AddGradients(Place(), place(3));
  const PlanPointer plan = builder.Take();
  std::vector<float> workspace(planner.workspace().Size() / 4 + 16, std::nanf(""));
  void* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64);
  plan->Run(RunContext(uses, tensors, static_cast<char*>(aligned)));
  const char* bytes = result.view.As<char>();
  return std::vector<char>(bytes,
                           bytes + static_cast<size_t>(result.view.ElementCount()) * SizeOf(dtype));
}

TEST(ConvolutionPlan, DeterministicGradWeightDoesNotDependOnTheTeam) {
  Random random(6);
  for (DType dtype : kDTypes) {
    for (const int64_t groups : {1, 3}) {
      for (const int64_t kernel : {1, 3}) {
        Case c;
        c.groups = groups;
        c.x = {3, 32 * groups, 14, 13};
        c.y = {3, 40 * groups, 14, 13};
        c.weight = {40 * groups, 32, kernel, kernel};
        const std::vector<int64_t> ones(2, 1), pad(2, kernel / 2);
        c.attributes = {ones, ones, pad, pad, {}};
        Tensor x(c.x, dtype), y(c.y, dtype);
        const auto thirds = [&](Tensor& t) {
          for (int64_t i = 0; i < t.view.ElementCount(); ++i) {
            Save(t.view.As<char>() + i * static_cast<int64_t>(SizeOf(dtype)), dtype,
                 random.Real(-1, 1));
          }
        };
        thirds(x);
        thirds(y);
        SetTeamSize(1);
        const std::vector<char> one = PlannedGradWeight(c, x, y, dtype, true);
        for (int threads : {2, 3}) {
          SetTeamSize(threads);
          EXPECT_EQ(PlannedGradWeight(c, x, y, dtype, true), one)
              << NameOf(dtype) << ", " << groups << " groups, kernel " << kernel;
        }
        std::vector<double> expected, magnitude;
        const Tensor weight(c.weight, dtype);
        Expect(c, Task::kGradWeight, x, y, weight, &expected, &magnitude);
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_NEAR(Load(one.data() + i * SizeOf(dtype), dtype), expected[i],
                      AllowedError(dtype, expected[i], magnitude[i]));
        }
      }
    }
  }
  SetTeamSize(0);
}

// No named problem is left to a slow fallback: what the model finds fastest can be had, from oneDNN
// as generated code, or one of the next that it finds nearly as fast.
TEST(ConvolutionWays, NamedProblemsGetAFastOne) {
  for (const auto& [name, layer] : NamedLayers()) {
    const Geometry geometry = GeometryOf(layer);
    for (DType dtype : {DType::kFloat32, DType::kBFloat16}) {
      for (Task task : {layer.transposed ? Task::kForward : Task::kGradX, Task::kGradWeight}) {
        SCOPED_TRACE(::testing::Message()
                     << name << ", task " << static_cast<int>(task) << ", " << NameOf(dtype));
        // Without AVX-512 bfloat16 is computed in float32, of copies where oneDNN computes.
        const DType computed = onednn::HasAvx512() ? dtype : DType::kFloat32;
        const Job job{geometry, task, onednn::ProductsOf(computed), computed != dtype, false};
        const RankedWays ways = WaysOf(job);
        for (const auto& [way, microseconds, refusal] : ways) {
          EXPECT_EQ(refusal, nullptr) << NameOf(way);
          if (!IsOneDnn(way)) break;
          EXPECT_LT(microseconds, 3 * ways.begin()->microseconds) << NameOf(way);
          const Layouts layouts = way == Way::kBlocked ? Layouts::kBlocked
                                  : way == Way::kPlain ? Layouts::kPlain
                                                       : Layouts::kChannelsLast;
          const auto primitive =
              onednn::MakePrimitive({geometry, task, computed, computed, 2, layouts});
          if (primitive == nullptr) continue;
          EXPECT_EQ(primitive->Name().find("ref"), std::string_view::npos) << primitive->Name();
          break;
        }
      }
    }
  }
}

// Whatever the problem and the processor, the list ends, its times are numbers in order, and what
// computes everything is in it.
TEST(ConvolutionWays, EveryProblemHasOne) {
  Random random(12);
  for (int round = 0; round < 500; ++round) {
    const Case c = RandomCase(random);
    const Geometry g = MakeGeometry(c.x, c.y, c.weight, c.groups, c.attributes);
    for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
      for (const Products products :
           {Products::kFloat32Short, Products::kFloat32, Products::kBFloat16,
            Products::kBFloat16Dots, Products::kBFloat16Tiles}) {
        for (const bool one_order : {false, true}) {
          bool direct = false, refused = false;
          double last = 0;
          for (const auto& [way, microseconds, refusal] :
               WaysOf({g, task, products, random.Chance(0.5), one_order})) {
            EXPECT_TRUE(std::isfinite(microseconds)) << NameOf(way);
            EXPECT_FALSE(refused && refusal == nullptr) << NameOf(way);
            refused = refusal != nullptr;
            if (refused || way == Way::kOnePass) continue;
            EXPECT_GE(microseconds, last) << NameOf(way);
            last = microseconds;
            direct = direct || way == Way::kDirect;
            EXPECT_FALSE(one_order && task == Task::kGradWeight && IsOneDnn(way)) << NameOf(way);
          }
          EXPECT_TRUE(direct);
        }
      }
    }
  }
}

// A product's scratch grows with the team; a large team is served otherwise.
TEST(ConvolutionWays, ProductsKeepTheirScratchSmall) {
  if (!onednn::HasAvx512()) GTEST_SKIP() << "oneDNN has other code here";
  for (const auto& [name, layer] : NamedLayers()) {
    const Geometry geometry = GeometryOf(layer);
    for (const Task task : {Task::kGradX, Task::kGradWeight}) {
      for (const int threads : {1, 16}) {
        const auto primitive = onednn::MakePrimitive(
            {geometry, task, DType::kFloat32, DType::kFloat32, threads, Layouts::kPlain});
        if (primitive == nullptr) continue;
        EXPECT_LE(primitive->ScratchBytes(), (int64_t{128} << 20) * (task == Task::kGradX ? 16 : 1))
            << name;
      }
    }
  }
}

// Channels and images cut down, so that the truth is quick; the geometry stays.
TEST(ConvolutionKernels, NamedGeometries) {
  Random random(5);
  for (auto& [name, layer] : NamedLayers()) {
    layer.batch = 1;
    const bool depthwise = layer.groups == layer.in_channels;
    layer.groups = std::min<int64_t>(layer.groups, 2);
    layer.in_channels = depthwise ? layer.groups : 2 * layer.groups;
    layer.out_channels = depthwise ? layer.groups : layer.groups;
    for (int64_t& extent : layer.in) {
      extent = std::min<int64_t>(extent, layer.in.size() == 1 ? 160 : 33);
    }
    layer.FindOut();
    const Geometry geometry = GeometryOf(layer);
    Case c;
    c.groups = layer.groups;
    c.attributes = {layer.stride, layer.dilation, layer.padding, layer.padding, {}};
    const size_t dims = layer.in.size();
    const auto shape = [dims](int64_t a, int64_t b, const int64_t(&spatial)[kDims]) {
      std::vector<int64_t> result = {a, b};
      result.insert(result.end(), spatial + kDims - dims, spatial + kDims);
      return result;
    };
    c.x = shape(1, geometry.groups * geometry.x_channels, geometry.in);
    c.y = shape(1, geometry.groups * geometry.y_channels, geometry.out);
    c.weight = shape(geometry.groups * geometry.y_channels, geometry.x_channels, geometry.kernel);
    Tensor x(c.x, DType::kFloat32), y(c.y, DType::kFloat32), weight(c.weight, DType::kFloat32);
    x.Fill(random);
    y.Fill(random);
    weight.Fill(random);
    for (Task task : {layer.transposed ? Task::kForward : Task::kGradX, Task::kGradWeight}) {
      std::vector<double> expected, magnitude;
      Expect(c, task, x, y, weight, &expected, &magnitude);
      const std::vector<double> got = RunTask(c, task, 1, x, y, weight, DType::kFloat32, 0);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 1e-5 * std::max(magnitude[i], 1e-3)) << name;
      }
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
