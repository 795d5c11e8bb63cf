// Our own direct kernels against the truth on every instruction set, and the choice of ways.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/exact.h"
#include "aclimb/ops/convolution_backward/layer.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/test_operands.h"
#include "aclimb/ops/convolution_backward/ways.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/factors.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

Geometry AnyGeometry(Random& random) {
  Axis axes[kDims];
  const bool small = random.Chance(0.3);
  for (int d = static_cast<int>(random.Integer(0, 2)); d < kDims; ++d) {
    Axis& axis = axes[d];
    do {
      axis = {random.Integer(1, small ? 8 : 20),
              random.Integer(1, 5),
              random.Integer(1, 3),
              random.Integer(1, 3),
              random.Integer(0, 4),
              random.Integer(0, 4)};
    } while (!WindowCount(axis.in, axis.begin, axis.end, axis.kernel, axis.dilation, axis.stride));
  }
  const bool depthwise = random.Chance(0.3);
  Geometry g = GeometryOf(random.Integer(1, 3), depthwise ? 1 : random.Integer(1, 6),
                          random.Integer(1, depthwise ? 2 : 6), axes);
  g.groups = random.Chance(0.4) ? random.Integer(2, 5) : 1;
  return g;
}

std::vector<double> ResultOf(const Operands& operands, Task task, DType dtype, int64_t gap,
                             Factors factors) {
  const Geometry& g = operands.geometry;
  const DirectPlan plan = PlanDirect(g, task, 1, factors);
  const auto bytes = static_cast<size_t>(plan.ScratchBytes());
  const Fenced scratch(RoundUp(bytes, size_t{64}), true);
  std::memset(scratch.data(), 0xFF, bytes);  // NaN
  const Tensor result = operands.Result(task, dtype, gap);
  Triple<TensorView> views = {operands.x.view, operands.y.view, operands.weight.view};
  views.Of(task) = result.view;
  RunDirect(plan, views.x, views.y, views.weight, scratch.data());
  std::vector<int64_t> exact(static_cast<size_t>(ExactScratchBytes(g, task)) / 8 + 1);
  ComputeNaNsAgain(g, task, views.x, views.y, views.weight, exact.data());
  EXPECT_TRUE(result.GapsAreUntouched());
  return result.Values();
}

// All three tasks, as products of what operands of the dtype may be multiplied as, on every target.
void ExpectTruth(const Operands& operands, int64_t gap) {
  const DType dtype = operands.dtypes.x;
  for (const Task task : kTasks) {
    const std::vector<double> expected = operands.Truth(task);
    EachTarget([&] {
      const bool pairs = dtype == DType::kBFloat16 && HasPairs();
      for (const Factors factors : {Factors::kFloat32, Factors::kPairs}) {
        if (factors == Factors::kPairs && !pairs) continue;
        SCOPED_TRACE(::testing::Message()
                     << Text(operands.geometry) << "; task " << static_cast<int>(task) << ", "
                     << NameOf(dtype) << ", factors " << static_cast<int>(factors));
        ExpectRounded(ResultOf(operands, task, dtype, gap, factors), expected, dtype);
        if (::testing::Test::HasFatalFailure()) return;
      }
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// How a row becomes vectors depends on its length, its stride and the dtype.
TEST(ConvolutionKernels, RowsOfEveryLength) {
  Random random(3);
  for (int64_t width = 1; width <= 140; ++width) {
    for (const auto& [stride, dilation] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 1}, {3, 1}, {1, 17}, {2, 17}}) {
      // Of 17 zeros before a row the first vector has nothing else.
      const int64_t zeros = dilation == 1 ? 0 : dilation;
      const int64_t begin = zeros + random.Integer(0, 2), end = zeros + random.Integer(0, 2);
      if (!WindowCount(width, begin, end, 3, dilation, stride)) continue;
      Geometry g = GeometryOf(2, 1, 1, {{}, {3}, {width, 3, stride, dilation, begin, end}});
      g.groups = 2;
      const int64_t gap = random.Integer(0, 1);
      for (const DType dtype : kDTypes) {
        Operands operands(g, {dtype, dtype, dtype}, gap);
        operands.Fill(random);
        ASSERT_NO_FATAL_FAILURE(ExpectTruth(operands, gap));
      }
    }
  }
}

// Windows that step over all elements.
TEST(ConvolutionKernels, TapsThatMeetNothing) {
  Random random(4);
  for (const DType dtype : kDTypes) {
    Operands operands(GeometryOf(2, 3, 2, {{}, {5, 3, 1, 1, 1, 1}, {1, 1, 2, 1, 3, 3}}),
                      {dtype, dtype, dtype}, 1);
    operands.Fill(random);
    ASSERT_NO_FATAL_FAILURE(ExpectTruth(operands, 1));
  }
}

// NaN and infinity reach what they meet, and nothing through the padding; there may be none.
TEST(ConvolutionKernels, SpecialValuesOnEveryTarget) {
  Random random(7);
  const double specials[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
  for (int round = 0; round < 90; ++round) {
    const DType dtype = kDTypes[random.Integer(0, 2)];
    const int64_t gap = random.Integer(0, 2);
    Operands operands(AnyGeometry(random), {dtype, dtype, dtype}, gap);
    operands.Fill(random);
    for (Tensor* t : {&operands.x, &operands.y, &operands.weight}) {
      if (round % 3 == 0 || random.Chance(0.3)) continue;
      const int64_t count = random.Chance(0.2) ? t->view.ElementCount() : random.Integer(1, 4);
      const bool one_kind = random.Chance(0.5);
      for (int64_t i = 0; i < count; ++i) {
        t->Set(random.Integer(0, t->view.ElementCount() - 1),
               specials[one_kind ? round % 3 : random.Integer(0, 2)]);
      }
    }
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(ExpectTruth(operands, gap));
  }
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
    const Geometry g = AnyGeometry(random);
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

}  // namespace
}  // namespace aclimb::convolution_backward
