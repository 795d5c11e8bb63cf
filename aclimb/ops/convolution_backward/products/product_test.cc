// Our own products of matrices against the definition: on vectors of every kind that this processor
// has, and where it has them by dot products and on tiles.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "aclimb/ops/convolution_backward/fenced_tensor.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/products/tile_product.h"
#include "aclimb/ops/convolution_backward/products/vector_product.h"
#include "aclimb/ops/convolution_backward/test_dtypes.h"
#include "aclimb/ops/convolution_backward/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::convolution_backward {
namespace {

using aclimb::testing::Random;

constexpr Task kTasks[] = {Task::kForward, Task::kGradX, Task::kGradWeight};

class OwnProducts : public ::testing::Test {
 protected:
  void TearDown() override { SetTeamSize(0); }
};

struct Sizes {
  int64_t batch, x_channels, y_channels, pixels;
};

constexpr DTypes kHalves = {DType::kBFloat16, DType::kBFloat16, DType::kBFloat16};

// Operands of one product. Gaps lie between images, channels and the rows of the weight.
struct Operands {
  Operands(const Sizes& sizes, const DTypes& dtypes, int64_t gap)
      : geometry(GeometryOf(sizes)),
        x({sizes.batch, sizes.x_channels, sizes.pixels}, dtypes.x, gap),
        y({sizes.batch, sizes.y_channels, sizes.pixels}, dtypes.y, gap),
        weight({sizes.y_channels, sizes.x_channels}, dtypes.weight, gap) {}

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

#if defined(ACLIMB_OWN_TILES)
bool HasTiles() { return onednn::ProductsOf(DType::kBFloat16) == Products::kBFloat16Tiles; }

TileProduct PlanTiles(const Geometry& geometry, Task task, int threads) {
  return PlanTileProduct(geometry, task, threads);
}
#endif

VectorProduct PlanVectors(const Geometry& geometry, Task task, int threads) {
  return PlanVectorProduct(geometry, task, threads);
}
VectorProduct PlanPairs(const Geometry& geometry, Task task, int threads) {
  return PlanVectorProduct(geometry, task, threads, vectors::Factors::kPairs);
}

// The task's result, in a tensor of its own.
template <typename Plan>
std::vector<double> ResultOf(const Plan& plan, Operands& operands, Task task, int threads,
                             int64_t gap) {
  const auto product = plan(operands.geometry, task, threads);
  const Tensor& like = operands.Of(task);
  const Tensor result({like.view.shape, like.view.shape + like.view.rank}, like.view.dtype, gap);
  Fenced scratch(static_cast<size_t>(product.ScratchBytes() + 63) / 64 * 64, true);
  std::memset(scratch.data(), 0xFF, static_cast<size_t>(product.ScratchBytes()));  // NaN
  RunProduct(product, Embed(task == Task::kGradX ? result.view : operands.x.view),
             Embed(task == Task::kForward ? result.view : operands.y.view),
             Operands::WeightView(task == Task::kGradWeight ? result : operands.weight),
             scratch.data());
  EXPECT_TRUE(result.GapsAreUntouched());
  return result.Values();
}

std::vector<double> Expected(const Operands& operands, Task task) {
  return TruthOf(operands.geometry, task, operands.x.Values(), operands.y.Values(),
                 operands.weight.Values());
}

template <typename Plan>
void ExpectTruth(const Plan& plan, const Sizes& sizes, const DTypes& dtypes, Random& random,
                 const std::vector<Task>& tasks = {std::begin(kTasks), std::end(kTasks)}) {
  const int64_t gap = random.Integer(0, 3);
  const int threads = random.Chance(0.5) ? 1 : static_cast<int>(random.Integer(2, 7));
  SetTeamSize(threads);
  Operands operands(sizes, dtypes, gap);
  for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) tensor->Fill(random);
  for (const Task task : tasks) {
    SCOPED_TRACE(::testing::Message()
                 << sizes.batch << " images, " << sizes.x_channels << " to " << sizes.y_channels
                 << " channels, " << sizes.pixels << " pixels, gap " << gap << ", " << threads
                 << " threads, task " << static_cast<int>(task) << ", " << NameOf(dtypes.x) << " "
                 << NameOf(dtypes.y) << " " << NameOf(dtypes.weight));
    const std::vector<double> got = ResultOf(plan, operands, task, threads, gap);
    const std::vector<double> expected = Expected(operands, task);
    ASSERT_EQ(got.size(), expected.size());
    const DType dtype = operands.Of(task).view.dtype;
    // Sums of sixteenths are exact in float32: only the result is rounded, to nearest even.
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], Rounded(expected[i], dtype)) << "element " << i;
    }
  }
}

std::vector<Sizes> AllSizes(Random& random) {
  std::vector<Sizes> all = {
      {1, 1, 1, 1},      {1, 32, 32, 32},   {2, 33, 31, 33},
      {3, 16, 48, 49},   {1, 64, 70, 4200},  // more pixels than are packed at once
      {40, 40, 36, 3},                       // many images at once
      {2, 600, 34, 20},                      // more rows than a unit has
      {2, 34, 600, 40},                      // more columns, and channels than are packed at once
      {2, 30, 520, 300},                     // the same with several units across
      {2, 270, 300, 20},                     // many rows and columns of the weight
      {2, 1031, 20, 50},                     // an odd number of channels, packed in parts
      {2, 20, 40, 1025},                     // and of pixels
  };
  for (int i = 0; i < 40; ++i) {
    all.push_back({random.Integer(1, 5), random.Integer(1, 100), random.Integer(1, 100),
                   random.Integer(1, random.Chance(0.5) ? 40 : 400)});
  }
  return all;
}

TEST_F(OwnProducts, ByDotProductsMeetTheTruth) {
  if (!vectors::HasPairs()) GTEST_SKIP() << "this processor has no dot products of bfloat16";
  Random random(5);
  for (const Sizes& sizes : AllSizes(random)) {
    // The result may be of any dtype.
    for (const DType result : kDTypes) {
      Random same = random;
      for (const Task task : kTasks) {
        DTypes dtypes = kHalves;
        (task == Task::kForward ? dtypes.y
         : task == Task::kGradX ? dtypes.x
                                : dtypes.weight) = result;
        ExpectTruth(PlanPairs, sizes, dtypes, same, {task});
      }
    }
  }
}

TEST_F(OwnProducts, OnVectorsMeetTheTruth) {
  const int targets = EachTarget([] {
    Random random(4);
    for (const Sizes& sizes : AllSizes(random)) {
      ExpectTruth(PlanVectors, sizes, SomeDTypes(random), random);
    }
  });
  EXPECT_GT(targets, 0);
}

template <typename Plan>
void ExpectOneOrder(const Plan& plan, const DTypes& dtypes) {
  Random random(2);
  for (const Sizes& sizes :
       {Sizes{3, 70, 130, 150}, {1, 64, 64, 4100}, {20, 48, 40, 9}, {2, 700, 1100, 30}}) {
    Operands operands(sizes, dtypes, 1);
    for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) {
      for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) {
        tensor->Set(i, random.Real(-1, 1));
      }
    }
    for (const Task task : kTasks) {
      SetTeamSize(1);
      const std::vector<double> one = ResultOf(plan, operands, task, 1, 1);
      for (const int threads : {2, 5, 64}) {
        SetTeamSize(threads);
        EXPECT_EQ(ResultOf(plan, operands, task, threads, 1), one) << threads;
      }
    }
  }
}

TEST_F(OwnProducts, ThreadsDoNotChangeABit) {
  ExpectOneOrder(PlanVectors, kFloats);
  if (vectors::HasPairs()) ExpectOneOrder(PlanPairs, kHalves);
}

// What fills up blocks is zero on both sides, or summed beside the results: no infinity meets a
// zero that is not there.
template <typename Plan>
void ExpectSpecialValuesInPlace(const Plan& plan, const DTypes& dtypes, const Sizes& sizes) {
  const double kInfinity = std::numeric_limits<double>::infinity();
  for (const double special : {kInfinity, -kInfinity, std::nan("")}) {
    for (const Task task : kTasks) {
      for (const int operand : {0, 1}) {
        Operands operands(sizes, dtypes, 1);
        for (Tensor* tensor : {&operands.x, &operands.y, &operands.weight}) {
          for (int64_t i = 0; i < tensor->view.ElementCount(); ++i) tensor->Set(i, 1);
        }
        Tensor& one = task == Task::kForward ? operands.x : operands.y;
        Tensor& other = task == Task::kGradWeight ? operands.x : operands.weight;
        // The last element lies beside what fills up a block.
        Tensor& touched = operand == 0 ? one : other;
        touched.Set(touched.view.ElementCount() - 1, special);
        const std::vector<double> got = ResultOf(plan, operands, task, 1, 0);
        const std::vector<double> expected = Expected(operands, task);
        for (size_t i = 0; i < got.size(); ++i) {
          if (std::isnan(expected[i])) {
            ASSERT_TRUE(std::isnan(got[i])) << "element " << i;
          } else {
            const DType dtype = operands.Of(task).view.dtype;
            ASSERT_EQ(got[i], Rounded(expected[i], dtype)) << "element " << i;
          }
        }
      }
    }
  }
}

TEST_F(OwnProducts, SpecialValuesStayWhereTheyBelong) {
  for (const Sizes& sizes : {Sizes{2, 37, 35, 45}, {3, 21, 515, 90}, {1, 515, 21, 270}}) {
    EachTarget([&] { ExpectSpecialValuesInPlace(PlanVectors, kFloats, sizes); });
    if (vectors::HasPairs()) ExpectSpecialValuesInPlace(PlanPairs, kHalves, sizes);
  }
}

#if defined(ACLIMB_OWN_TILES)
TEST_F(OwnProducts, OnTilesMeetTheTruth) {
  if (!HasTiles()) GTEST_SKIP() << "this processor has no tiles, or they are switched off";
  Random random(1);
  for (const Sizes& sizes : AllSizes(random)) {
    ExpectTruth(PlanTiles, sizes, kHalves, random);
    ExpectSpecialValuesInPlace(PlanTiles, kHalves, sizes);
  }
  ExpectOneOrder(PlanTiles, kHalves);
}
#endif

}  // namespace
}  // namespace aclimb::convolution_backward
