// What only the kernel itself shows: the bits of sums, cuts of the work, sizes beyond those of the
// suite, boxes of any value, and runs that are cancelled.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/cells.h"
#include "aclimb/ops/roi_align_v2_backward/cpu.h"
#include "aclimb/ops/roi_align_v2_backward/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"
#include "tests/support/host_tensor.h"

namespace aclimb::roi_align_v2_backward {
namespace {

using aclimb::testing::HostMemory;
using aclimb::testing::HostTensor;
using aclimb::testing::Random;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

struct Options {
  Limits limits = {};
  int threads = 1;                       // that the partition is made for
  std::vector<int64_t> out_stride = {};  // empty: dense
};

struct TestProblem {
  std::string name;
  TruthProblem shape;
  std::vector<float> grad_output = {};
  std::vector<float> boxes = {};

  TestProblem& FillGrad(Random& random) {
    const TruthProblem& p = shape;
    grad_output.resize(
        static_cast<size_t>(p.regions * p.channels * p.pooled_height * p.pooled_width));
    for (float& value : grad_output) value = static_cast<float>(random.Real(-1, 1));
    return *this;
  }
  // Boxes of these sizes inside the image, in coordinates of it.
  TestProblem& FillBoxes(Random& random, double smallest, double largest) {
    const double width =
        static_cast<double>(shape.width) / static_cast<double>(shape.spatial_scale);
    const double height =
        static_cast<double>(shape.height) / static_cast<double>(shape.spatial_scale);
    for (int64_t k = 0; k < shape.regions; ++k) {
      const double w = std::min(random.Real(smallest, largest), width);
      const double h = std::min(random.Real(smallest, largest), height);
      const double x = random.Real(0, width - w), y = random.Real(0, height - h);
      // Images in no order.
      const auto image = static_cast<double>(k % shape.images);
      for (double value : {image, x, y, x + w, y + h}) boxes.push_back(static_cast<float>(value));
    }
    return *this;
  }

  // The result densely.
  std::vector<double> Compute(const Options& options = {}) const {
    const TruthProblem& p = shape;
    HostTensor grad(DType::kFloat32, {p.regions, p.channels, p.pooled_height, p.pooled_width});
    grad.Set({grad_output.begin(), grad_output.end()});
    HostTensor places(DType::kFloat32, {p.regions, 5});
    places.Set({boxes.begin(), boxes.end()});
    HostTensor out(DType::kFloat32, {p.images, p.channels, p.height, p.width}, options.out_stride);
    Args args = {.grad_output = grad.view(),
                 .boxes = places.view(),
                 .grad_input = out.view(),
                 .sampling = {p.spatial_scale, p.sampling_ratio, p.aligned},
                 .partition = MakePartition(ProblemOf(grad.view(), out.view()), options.threads,
                                            options.limits)};
    HostMemory scratch(static_cast<size_t>(args.partition.scratch_bytes));
    args.scratch = scratch.data();
    RunOnCpu(args);
    EXPECT_TRUE(scratch.CanariesIntact()) << name;
    EXPECT_TRUE(out.SurroundingsIntact()) << name;
    return out.Values();
  }

  // Rounding in float32: each pixel's error is in proportion to the magnitudes it adds up.
  void ExpectTruth(const std::vector<double>& got) const {
    std::vector<double> touched;
    const std::vector<double> expected = Truth(shape, grad_output.data(), boxes.data(), &touched);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::fabs(got[i] - expected[i]), 3e-6 * touched[i])
          << name << " at " << i << ": got " << got[i] << ", expected " << expected[i];
    }
  }
};

// Boxes of a few pixels, and such that their columns are expanded in several blocks.
TestProblem ManyRegions() {
  Random random(4);
  return TestProblem{"many", {16, 2, 17, 14, 7, 60, 151, 0.25f, 0, true}}
      .FillGrad(random)
      .FillBoxes(random, 8, 600);
}

// Small boxes with many bins on a map of a few cells: most of them are full several times.
TestProblem CrowdedRegions() {
  Random random(10);
  return TestProblem{"crowded", {1500, 2, 2, 7, 7, 20, 40, 1.0f, 2, true}}
      .FillGrad(random)
      .FillBoxes(random, 2, 12);
}

// More bins than a part of a region has.
TestProblem WidePool() {
  Random random(3);
  return TestProblem{"wide pool", {8, 1, 3, 33, 40, 100, 152, 0.5f, 2, true}}
      .FillGrad(random)
      .FillBoxes(random, 64, 200);
}

// Also with scratch memory for fewer or more threads than there are.
TEST(RoiAlignV2BackwardKernel, ThreadsDoNotChangeTheBits) {
  for (const TestProblem& problem : {ManyRegions(), CrowdedRegions()}) {
    SetTeamSize(1);
    const std::vector<double> one = problem.Compute();
    problem.ExpectTruth(one);
    for (int team : {2, 5}) {
      SetTeamSize(team);
      for (int planned : {1, 8}) {
        EXPECT_TRUE(problem.Compute({.threads = planned}) == one) << team << planned;
      }
    }
  }
  SetTeamSize(0);
}

TEST(RoiAlignV2BackwardKernel, WindowsPassesAndTilesDoNotChangeTheBits) {
  SetTeamSize(1);  // thousands of short loops
  for (const TestProblem& problem : {ManyRegions(), WidePool(), CrowdedRegions()}) {
    const std::vector<double> whole = problem.Compute();
    problem.ExpectTruth(whole);
    for (int64_t window : {int64_t{7}, int64_t{32}, int64_t{2048}}) {
      for (int64_t tile : {int64_t{1}, int64_t{4000}}) {
        for (int64_t table : {int64_t{1}, int64_t{100000}}) {
          EXPECT_TRUE(problem.Compute({.limits = {window, tile, 1, table}}) == whole)
              << problem.name << ' ' << window << ' ' << tile << ' ' << table;
        }
      }
    }
  }
  SetTeamSize(0);
}

// One pixel whose weight in each region is 1: float32 additions in the order of the regions within
// blocks, whose sums are added in double.
TEST(RoiAlignV2BackwardKernel, SumsFollowTheRegions) {
  constexpr int64_t kRegions = 3 * kBlockTerms + 5;
  TestProblem problem = {"one pixel", {kRegions, 1, 1, 1, 1, 1, 1, 1.0f, 1, false}};
  Random random(11);
  problem.FillGrad(random);
  float block = 0;
  double total = 0;
  for (int64_t k = 0; k < kRegions; ++k) {
    for (float value : {0, 0, 0, 1, 1}) problem.boxes.push_back(value);
    if (k > 0 && k % kBlockTerms == 0) {
      total += static_cast<double>(block);
      block = 0;
    }
    block += problem.grad_output[static_cast<size_t>(k)];
  }
  const float expected = static_cast<float>(total + static_cast<double>(block));
  EachTarget([&] {
    EXPECT_EQ(problem.Compute()[0], static_cast<double>(expected));
    // A region a pass.
    const Limits limits = {.min_table_bytes = 1, .max_table_bytes = 1};
    EXPECT_EQ(problem.Compute({.limits = limits})[0], static_cast<double>(expected));
  });
}

// Equal terms are the worst, since their roundings all err to the same side.
TEST(RoiAlignV2BackwardKernel, ManyEqualRegionsAreAsGoodAsAFew) {
  struct Case {
    int64_t regions, channels, pooled;
  };
  // A pixel gets one term of a region, and 16.
  for (const Case& c : {Case{100000, 1, 1}, Case{10000, 17, 16}}) {
    HostTensor value(DType::kFloat32, {1, 1, 1, 1}), box(DType::kFloat32, {1, 5});
    value.Set({0.05});
    box.Set({0, 0, 0, 1, 1});
    const HostTensor out(DType::kFloat32, {1, c.channels, 1, 1});
    // One number for all bins, and one box for all regions.
    TensorView grad = value.view(), boxes = box.view();
    const int64_t shape[] = {c.regions, c.channels, c.pooled, c.pooled};
    std::copy_n(shape, 4, grad.shape);
    std::fill_n(grad.stride, 4, 0);
    boxes.shape[0] = c.regions;
    boxes.stride[0] = 0;
    const Partition partition = MakePartition(ProblemOf(grad, out.view()), 1);
    HostMemory scratch(static_cast<size_t>(partition.scratch_bytes));
    RunOnCpu({grad, boxes, out.view(), {1.0f, 1, false}, partition, scratch.data()});
    const double truth = value.Values()[0] * static_cast<double>(c.regions * c.pooled * c.pooled);
    for (const double got : out.Values()) EXPECT_NEAR(got, truth, 2e-5 * truth) << c.regions;
  }
}

TEST(RoiAlignV2BackwardKernel, InfiniteGradientsReachOnlyTheirPixels) {
  // Two bins of 4 x 4 pixels side by side; the left one's gradient is not finite. Samples are on
  // pixels 0.5, 1.5, ...
  for (float bad : {kInf, -kInf, kNaN}) {
    const TestProblem problem = {
        "bad", {1, 1, 1, 1, 2, 6, 40, 1.0f, 4, true}, {bad, 1}, {0, 0.5f, 0.5f, 8.5f, 4.5f}};
    const std::vector<double> got = problem.Compute();
    for (int64_t y = 0; y < 6; ++y) {
      for (int64_t x = 0; x < 40; ++x) {
        const bool touched = y <= 4 && x <= 4;
        EXPECT_EQ(std::isfinite(got[static_cast<size_t>(y * 40 + x)]), !touched) << y << ' ' << x;
      }
    }
  }
}

TEST(RoiAlignV2BackwardKernel, BoxesOfAnyValueAreSafeAndQuick) {
  const float values[] = {kNaN,  kInf, -kInf, 1e38f, -1e38f, 1e10f,  -1e10f, 1e6f,
                          -1e6f, 3e9f, 0.0f,  -0.0f, 2.5f,   1e-40f, -3.0f};
  Random random(6);
  const auto pick = [&] { return values[random.Integer(0, std::size(values) - 1)]; };
  for (int64_t ratio : {int64_t{0}, int64_t{3}, int64_t{1} << 40, INT64_MAX}) {
    for (bool aligned : {false, true}) {
      for (int64_t pooled : {int64_t{1}, int64_t{7}, int64_t{40}}) {
        TestProblem problem = {"any", {60, 2, 2, pooled, 2, 9, 21, 1.0f, ratio, aligned}};
        problem.FillGrad(random);
        for (int64_t k = 0; k < problem.shape.regions; ++k) {
          problem.boxes.push_back(k % 5 == 0 ? pick() : static_cast<float>(k % 2));
          for (int i = 0; i < 4; ++i) problem.boxes.push_back(pick());
        }
        const std::vector<double> got = problem.Compute();
        if (ratio == 3) problem.ExpectTruth(got);
        for (double value : got) ASSERT_TRUE(std::isfinite(value));
      }
    }
  }
}

// Larger than a share of the caches: rows that are, and are not, whole numbers of cache lines.
TEST(RoiAlignV2BackwardKernel, LargeOutputsGoAroundTheCaches) {
  Random random(9);
  TestProblem problem = {"large", {3, 1, 17, 2, 2, 500, 1037, 1.0f, 2, true}};
  problem.FillGrad(random).FillBoxes(random, 200, 600);
  const std::vector<double> got = problem.Compute();
  problem.ExpectTruth(got);
  EXPECT_TRUE(problem.Compute({.out_stride = {500 * 1040 * 17, 500 * 1040, 1040, 1}}) == got);
}

std::atomic<int> asked{0};
int cancel_at = 0;
int Cancel() { return asked.fetch_add(1) == cancel_at ? 1 : 0; }

// Wherever a run stops, no later loop begins, although it would be told to go on, and nothing is
// written outside the output and the scratch memory.
TEST(RoiAlignV2BackwardKernel, ACancelledRunStops) {
  const TestProblem problem = CrowdedRegions();
  // Several passes.
  const Options options = {.limits = {.min_table_bytes = 1, .max_table_bytes = 300000}};
  for (int team : {1, 3}) {
    SetTeamSize(team);
    for (cancel_at = 0; cancel_at < 300; cancel_at += 23) {
      asked = 0;
      SetCancelQuery(&Cancel);
      (void)problem.Compute(options);
      SetCancelQuery(nullptr);
      ASSERT_LE(asked, cancel_at + 1);
    }
  }
  SetTeamSize(0);
}

TEST(RoiAlignV2BackwardKernel, ScratchMemoryStaysInProportion) {
  const double mib = 1 << 20;
  EXPECT_LT(MakePartition({512, 2, 256, 7, 7, 200, 304}, 1).scratch_bytes, 20 * mib);
  EXPECT_LT(MakePartition({8, 1, 256, 7, 7, 50, 76}, 2).scratch_bytes, 2 * mib);
  EXPECT_LT(MakePartition({1000000, 1, 1, 1, 1, 200, 304}, 8).scratch_bytes, 20 * mib);
  EXPECT_LT(MakePartition({1, 1, 1, 100000, 100000, 4, 4}, 8).scratch_bytes, 300 * mib);
  EXPECT_LT(MakePartition({1000, 1, 1, 7, 7, 1, 100000000}, 8).scratch_bytes, 64 * mib);
  EXPECT_EQ(MakePartition({0, 2, 256, 7, 7, 200, 304}, 8).scratch_bytes, 0);
}

}  // namespace
}  // namespace aclimb::roi_align_v2_backward
