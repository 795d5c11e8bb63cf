// Our own product on tiles against the definition, where this processor has tiles.

#include "aclimb/ops/convolution_backward/tile_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "aclimb/ops/convolution_backward/fenced_tensor.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

constexpr Task kTasks[] = {Task::kForward, Task::kGradX, Task::kGradWeight};

class TileProducts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (onednn::ProductsOf(DType::kBFloat16) != Products::kBFloat16Tiles) {
      GTEST_SKIP() << "this processor has no tiles, or they are switched off";
    }
  }
  void TearDown() override { SetTeamSize(0); }
};

struct Sizes {
  int64_t batch, x_channels, y_channels, pixels;
};

// Operands of one product. Gaps lie between images, channels and the rows of the weight.
struct Operands {
  Operands(const Sizes& sizes, int64_t gap)
      : geometry(GeometryOf(sizes)),
        x({sizes.batch, sizes.x_channels, sizes.pixels}, DType::kBFloat16, gap),
        y({sizes.batch, sizes.y_channels, sizes.pixels}, DType::kBFloat16, gap),
        weight({sizes.y_channels, sizes.x_channels}, DType::kBFloat16, gap) {}

  static Geometry GeometryOf(const Sizes& sizes) {
    Geometry g;
    g.batch = sizes.batch;
    g.x_channels = sizes.x_channels;
    g.y_channels = sizes.y_channels;
    g.in[2] = g.out[2] = sizes.pixels;
    return g;
  }
  Tensor& Of(Task task) { return task == Task::kForward ? y : task == Task::kGradX ? x : weight; }
  static TensorView WeightView(const Tensor& weight) {
    TensorView view = weight.view;
    view.rank = 5;
    for (int d = 2; d < 5; ++d) view.shape[d] = view.stride[d] = 1;
    return view;
  }

  Geometry geometry;
  Tensor x, y, weight;
};

// The task's result, in a tensor of its own.
std::vector<double> ResultOf(Operands& operands, Task task, int threads, int64_t gap) {
  const TileProduct product = PlanTileProduct(operands.geometry, task, threads);
  const Tensor& like = operands.Of(task);
  const Tensor result({like.view.shape, like.view.shape + like.view.rank}, DType::kBFloat16, gap);
  Fenced scratch(static_cast<size_t>(product.ScratchBytes() + 63) / 64 * 64, true);
  std::memset(scratch.data(), 0xFF, static_cast<size_t>(product.ScratchBytes()));  // NaN
  RunTileProduct(product, Embed(task == Task::kGradX ? result.view : operands.x.view),
                 Embed(task == Task::kForward ? result.view : operands.y.view),
                 Operands::WeightView(task == Task::kGradWeight ? result : operands.weight),
                 scratch.data());
  EXPECT_TRUE(result.GapsAreUntouched());
  return result.Values();
}

std::vector<double> Expected(const Operands& operands, Task task) {
  const auto shape = [](const Tensor& t) {
    return std::vector<int64_t>(t.view.shape, t.view.shape + t.view.rank);
  };
  Truth truth;
  truth.transposed = task == Task::kForward;  // whose gradInput is the forward convolution
  truth.input_shape = shape(truth.transposed ? operands.y : operands.x);
  truth.output_shape = shape(truth.transposed ? operands.x : operands.y);
  truth.weight_shape = shape(operands.weight);
  truth.weight_shape.push_back(1);
  truth.stride = truth.dilation = {1};
  truth.pad = {0};
  if (truth.transposed) {
    truth.Compute(operands.x.Values(), operands.y.Values(), operands.weight.Values());
  } else {
    truth.Compute(operands.y.Values(), operands.x.Values(), operands.weight.Values());
  }
  return task == Task::kGradWeight ? truth.grad_weight : truth.grad_input;
}

TEST_F(TileProducts, EverySizeMeetsTheTruth) {
  std::vector<Sizes> all = {
      {1, 1, 1, 1},     {1, 32, 32, 32},   {2, 33, 31, 33},
      {3, 16, 48, 49},  {1, 64, 70, 4200},  // more pixels than are packed at once
      {40, 40, 36, 3},                      // many images at once
      {2, 600, 34, 20},                     // more rows than a unit has
      {2, 34, 300, 40},                     // more columns
  };
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    all.push_back({random.Integer(1, 5), random.Integer(1, 100), random.Integer(1, 100),
                   random.Integer(1, random.Chance(0.5) ? 40 : 400)});
  }
  for (const Sizes& sizes : all) {
    const int64_t gap = random.Integer(0, 3);
    Operands operands(sizes, gap);
    for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) tensor->Fill(random);
    for (const Task task : kTasks) {
      SCOPED_TRACE(::testing::Message()
                   << sizes.batch << " images, " << sizes.x_channels << " to " << sizes.y_channels
                   << " channels, " << sizes.pixels << " pixels, gap " << gap << ", task "
                   << static_cast<int>(task));
      const std::vector<double> got = ResultOf(operands, task, 1, gap);
      const std::vector<double> expected = Expected(operands, task);
      ASSERT_EQ(got.size(), expected.size());
      // Sums of sixteenths are exact in float32: only the result is rounded, to nearest even.
      for (size_t i = 0; i < got.size(); ++i) {
        char rounded[4];
        Save(rounded, DType::kBFloat16, expected[i]);
        ASSERT_EQ(got[i], Load(rounded, DType::kBFloat16)) << "element " << i;
      }
    }
  }
}

TEST_F(TileProducts, ThreadsDoNotChangeABit) {
  Random random(2);
  for (const Sizes& sizes : {Sizes{3, 70, 130, 150}, {1, 64, 64, 4100}, {20, 48, 40, 9}}) {
    Operands operands(sizes, 1);
    for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) {
      for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) {
        tensor->Set(i, random.Real(-1, 1));
      }
    }
    for (const Task task : kTasks) {
      SetTeamSize(1);
      const std::vector<double> one = ResultOf(operands, task, 1, 1);
      for (const int threads : {2, 5, 64}) {
        SetTeamSize(threads);
        EXPECT_EQ(ResultOf(operands, task, threads, 1), one) << threads;
      }
    }
  }
}

// What fills up the blocks is zero on both sides: no infinity meets a zero that is not there.
TEST_F(TileProducts, SpecialValuesStayWhereTheyBelong) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  for (const double special : {kInfinity, -kInfinity, std::nan("")}) {
    for (const Task task : kTasks) {
      for (const int operand : {0, 1}) {
        Operands operands({2, 37, 35, 45}, 1);
        for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) {
          for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) tensor->Set(i, 1);
        }
        Tensor& one = task == Task::kForward ? operands.x : operands.y;
        Tensor& other = task == Task::kGradWeight ? operands.x : operands.weight;
        // The last element lies beside what fills up a block.
        Tensor& touched = operand == 0 ? one : other;
        touched.Set(touched.view.ElementCount() - 1, special);
        const std::vector<double> got = ResultOf(operands, task, 1, 0);
        const std::vector<double> expected = Expected(operands, task);
        for (size_t i = 0; i < got.size(); ++i) {
          if (std::isnan(expected[i])) {
            ASSERT_TRUE(std::isnan(got[i])) << "element " << i;
          } else {
            ASSERT_EQ(got[i], expected[i]) << "element " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
