// The kernel alone, on every instruction set of this processor, against truth.h.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/cells.h"
#include "aclimb/ops/roi_align_v2_backward/cpu.h"
#include "aclimb/ops/roi_align_v2_backward/region.h"
#include "aclimb/ops/roi_align_v2_backward/test_problem.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::roi_align_v2_backward {
namespace {

using aclimb::testing::Random;

constexpr float kPoison = -777.25f;
constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

TensorView View(const void* data, std::vector<int64_t> shape, std::vector<int64_t> stride = {}) {
  TensorView view;
  view.data = const_cast<void*>(data);
  view.dtype = DType::kFloat32;
  view.rank = static_cast<int>(shape.size());
  int64_t step = 1;
  for (int d = view.rank - 1; d >= 0; --d) {
    view.shape[d] = shape[static_cast<size_t>(d)];
    view.stride[d] = stride.empty() ? step : stride[static_cast<size_t>(d)];
    step *= view.shape[d];
  }
  return view;
}

struct Options {
  Limits limits = {};
  int threads = 1;                        // that the partition is made for
  std::vector<int64_t> grad_stride = {};  // empty: dense
  std::vector<int64_t> out_stride = {};
};

int64_t Reach(const std::vector<int64_t>& shape, const std::vector<int64_t>& stride) {
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * stride[d];
  return last + 1;
}

// Runs on guarded buffers; the result densely.
std::vector<float> Compute(const TestProblem& problem, const Options& options = {}) {
  const TruthProblem& p = problem.shape;
  const std::vector<int64_t> grad_shape = {p.regions, p.channels, p.pooled_height, p.pooled_width};
  const std::vector<int64_t> out_shape = {p.images, p.channels, p.height, p.width};
  std::vector<float> grad = problem.grad_output;
  if (!options.grad_stride.empty()) {
    grad.assign(static_cast<size_t>(Reach(grad_shape, options.grad_stride)), kNaN);
    size_t from = 0;
    for (int64_t k = 0; k < p.regions; ++k) {
      for (int64_t c = 0; c < p.channels; ++c) {
        for (int64_t y = 0; y < p.pooled_height; ++y) {
          for (int64_t x = 0; x < p.pooled_width; ++x) {
            const auto& s = options.grad_stride;
            grad[static_cast<size_t>(k * s[0] + c * s[1] + y * s[2] + x * s[3])] =
                problem.grad_output[from++];
          }
        }
      }
    }
  }
  const std::vector<int64_t> stride =
      options.out_stride.empty()
          ? std::vector<int64_t>{p.channels * p.height * p.width, p.height * p.width, p.width, 1}
          : options.out_stride;
  const size_t reach = static_cast<size_t>(Reach(out_shape, stride));
  std::vector<float> out(reach + 160, kPoison);
  // The view starts on a cache line, as device memory does.
  const size_t guard = 64 + (64 - reinterpret_cast<uintptr_t>(out.data()) % 64) % 64 / 4;

  Args args;
  args.grad_output = View(grad.data(), grad_shape, options.grad_stride);
  args.boxes = View(problem.boxes.data(), {p.regions, 5});
  args.grad_input = View(out.data() + guard, out_shape, stride);
  args.sampling = {p.spatial_scale, p.sampling_ratio, p.aligned};
  args.partition =
      MakePartition(ProblemOf(args.grad_output, args.grad_input), options.threads, options.limits);
  // Scratch memory starts as garbage, and nothing outside of it is used.
  std::vector<char> scratch(static_cast<size_t>(args.partition.scratch_bytes) + 128,
                            static_cast<char>(0xA5));
  args.scratch = scratch.data();
  RunOnCpu(args);
  for (size_t i = scratch.size() - 128; i < scratch.size(); ++i) {
    EXPECT_EQ(scratch[i], static_cast<char>(0xA5));
  }

  std::vector<float> dense;
  for (int64_t b = 0; b < p.images; ++b) {
    for (int64_t c = 0; c < p.channels; ++c) {
      for (int64_t y = 0; y < p.height; ++y) {
        for (int64_t x = 0; x < p.width; ++x) {
          float& value = out[guard + static_cast<size_t>(b * stride[0] + c * stride[1] +
                                                         y * stride[2] + x * stride[3])];
          dense.push_back(value);
          value = kPoison;
        }
      }
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] != kPoison) {
      ADD_FAILURE() << "wrote outside of the view, at " << static_cast<int64_t>(i - guard);
      break;
    }
  }
  return dense;
}

std::vector<double> Doubles(const std::vector<float>& values) {
  return std::vector<double>(values.begin(), values.end());
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(RoiAlignV2BackwardKernel, EveryTargetMeetsTheTruthOnEveryCase) {
  const std::vector<TestProblem> cases = SmallCases();
  const int targets = EachTarget([&] {
    for (const TestProblem& problem : cases) {
      EXPECT_TRUE(MeetsTruth(Doubles(Compute(problem)), problem));
    }
  });
  EXPECT_GE(targets, 1);
}

TestProblem ManyRegions() {
  TestProblem problem = {"many", {40, 2, 24, 7, 7, 60, 75, 0.25f, 0, true}, {}, {}};
  Random random(4);
  problem.FillGrad(random);
  problem.FillBoxes(random, 8, 250);
  return problem;
}

// Small boxes with many bins on a map of a few cells: most of them are full several times.
TestProblem CrowdedRegions() {
  TestProblem problem = {"crowded", {1500, 2, 2, 7, 7, 20, 40, 1.0f, 2, true}, {}, {}};
  Random random(10);
  problem.FillGrad(random);
  problem.FillBoxes(random, 2, 12);
  return problem;
}

TEST(RoiAlignV2BackwardKernel, ThreadsDoNotChangeTheBits) {
  const TestProblem many = ManyRegions();
  TestProblem plane = {"plane", {30, 1, 1, 7, 7, 300, 200, 0.25f, 2, true}, {}, {}};
  Random random(5);
  plane.FillGrad(random);
  plane.FillBoxes(random, 8, 800);
  for (const TestProblem& problem : {many, plane, CrowdedRegions()}) {
    SetTeamSize(1);
    const std::vector<float> one = Compute(problem);
    EXPECT_TRUE(MeetsTruth(Doubles(one), problem));
    for (int team : {2, 5}) {
      SetTeamSize(team);
      // Also with scratch memory for fewer or more threads than there are.
      for (int planned : {1, 2, 8}) {
        EXPECT_TRUE(SameBits(Compute(problem, {.threads = planned}), one)) << team << planned;
      }
    }
  }
  SetTeamSize(0);
}

TEST(RoiAlignV2BackwardKernel, WindowsPassesAndTilesDoNotChangeTheBits) {
  SetTeamSize(1);  // thousands of short loops
  for (TestProblem problem : {ManyRegions(), SmallCases().back(), CrowdedRegions()}) {
    for (int64_t k = 0; k < problem.shape.regions; ++k) {
      // Images in no order: passes must keep each image's regions in theirs.
      problem.boxes[static_cast<size_t>(5 * k)] = static_cast<float>(k % problem.shape.images);
    }
    const std::vector<float> whole = Compute(problem);
    EXPECT_TRUE(MeetsTruth(Doubles(whole), problem));
    for (int64_t window : {int64_t{7}, int64_t{32}, int64_t{2048}}) {
      for (int64_t tile : {int64_t{1}, int64_t{4000}}) {
        for (int64_t table : {int64_t{1}, int64_t{100000}}) {
          const Limits limits = {window, tile, 1, table};
          EXPECT_TRUE(SameBits(Compute(problem, {.limits = limits}), whole))
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
  TestProblem problem = {"one pixel", {kRegions, 1, 1, 1, 1, 1, 1, 1.0f, 1, false}, {}, {}};
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
    EXPECT_EQ(Compute(problem)[0], expected);
    // A region a pass.
    EXPECT_EQ(Compute(problem, {.limits = {.min_table_bytes = 1, .max_table_bytes = 1}})[0],
              expected);
  });
}

// Equal terms are the worst, since their roundings all err to the same side.
TEST(RoiAlignV2BackwardKernel, ManyEqualRegionsAreAsGoodAsAFew) {
  struct Case {
    int64_t regions, channels, pooled;
  };
  // A pixel gets one term of a region, and 16.
  for (const Case& c : {Case{400000, 1, 1}, Case{30000, 17, 16}}) {
    const float value = 0.05f;
    const float box[5] = {0, 0, 0, 1, 1};
    std::vector<float> out(static_cast<size_t>(c.channels), kPoison);
    Args args;
    args.grad_output = View(&value, {c.regions, c.channels, c.pooled, c.pooled}, {0, 0, 0, 0});
    args.boxes = View(box, {c.regions, 5}, {0, 1});
    args.grad_input = View(out.data(), {1, c.channels, 1, 1});
    args.sampling = {1.0f, 1, false};
    args.partition = MakePartition(ProblemOf(args.grad_output, args.grad_input), 1);
    std::vector<char> scratch(static_cast<size_t>(args.partition.scratch_bytes));
    args.scratch = scratch.data();
    RunOnCpu(args);
    const double truth =
        static_cast<double>(value) * static_cast<double>(c.regions * c.pooled * c.pooled);
    for (const float got : out) EXPECT_NEAR(got, truth, 1e-4 * truth) << c.regions;
  }
}

TEST(RoiAlignV2BackwardKernel, InfiniteGradientsReachOnlyTheirPixels) {
  EachTarget([] {
    // Two bins of 4 x 4 pixels side by side; the left one's gradient is not finite.
    for (float bad : {kInf, -kInf, kNaN}) {
      TestProblem problem = {"bad", {1, 1, 1, 1, 2, 6, 40, 1.0f, 4, true}, {bad, 1}, {}};
      problem.boxes = {0, 0.5f, 0.5f, 8.5f, 4.5f};  // samples on pixels 0.5, 1.5, ...
      const std::vector<float> got = Compute(problem);
      for (int64_t y = 0; y < 6; ++y) {
        for (int64_t x = 0; x < 40; ++x) {
          const bool touched = y <= 4 && x <= 4;
          EXPECT_EQ(std::isfinite(got[static_cast<size_t>(y * 40 + x)]), !touched) << y << ' ' << x;
        }
      }
    }
  });
}

TEST(RoiAlignV2BackwardKernel, BoxesOfAnyValueAreSafeAndQuick) {
  const float values[] = {kNaN,  kInf, -kInf, 1e38f, -1e38f, 1e10f,  -1e10f, 1e6f,
                          -1e6f, 3e9f, 0.0f,  -0.0f, 2.5f,   1e-40f, -3.0f};
  Random random(6);
  const auto pick = [&] { return values[random.Integer(0, std::size(values) - 1)]; };
  for (int64_t ratio : {int64_t{0}, int64_t{3}, int64_t{1} << 40, INT64_MAX}) {
    for (bool aligned : {false, true}) {
      for (int64_t pooled : {int64_t{1}, int64_t{7}, int64_t{40}}) {
        TestProblem problem = {"any", {60, 2, 2, pooled, 2, 9, 21, 1.0f, ratio, aligned}, {}, {}};
        problem.FillGrad(random);
        for (int64_t k = 0; k < problem.shape.regions; ++k) {
          problem.boxes.push_back(k % 5 == 0 ? pick() : static_cast<float>(k % 2));
          for (int i = 0; i < 4; ++i) problem.boxes.push_back(pick());
        }
        const std::vector<float> got = Compute(problem);
        if (ratio == 3) {
          EXPECT_TRUE(MeetsTruth(Doubles(got), problem));
        }
        for (float value : got) ASSERT_TRUE(std::isfinite(value));
      }
    }
  }
}

// The shortcuts for dense and for far-away samples against a plain loop.
TEST(RoiAlignV2BackwardKernel, DenseGridsWeighLikeTheirSamples) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const int64_t extent = random.Integer(1, 40);
    const int64_t bins = random.Integer(1, 5);
    const Sampling sampling = {1.0f, round % 3 == 0 ? 0 : random.Integer(17, 60000),
                               random.Chance(0.5)};
    // With an adaptive grid a box far larger than the map has as many samples.
    const double size = sampling.sampling_ratio == 0 ? 50000 : 50;
    const float low = static_cast<float>(random.Real(-size, 30));
    const float high = static_cast<float>(random.Real(-30, size));
    const Axis axis = MakeAxis(low, high, bins, sampling);
    std::vector<float> table(static_cast<size_t>(bins * extent), kPoison);
    const PixelRange range = FillAxisTable(axis, {0, bins, extent, 0, extent}, table.data());
    for (int64_t b = 0; b < bins; ++b) {
      std::vector<double> expected(static_cast<size_t>(extent), 0.0);
      for (int64_t i = 0; i < axis.count; ++i) {
        const float at = axis.start + static_cast<float>(b) * axis.bin +
                         (static_cast<float>(i) + 0.5f) * axis.bin / axis.grid;
        if (!(at >= -1 && at <= static_cast<float>(extent))) continue;
        const double on_map =
            std::clamp(static_cast<double>(at), 0.0, static_cast<double>(extent - 1));
        const int64_t pixel = std::min(static_cast<int64_t>(on_map), extent - 1);
        const double beyond = on_map - static_cast<double>(pixel);
        expected[static_cast<size_t>(pixel)] += (1 - beyond) / static_cast<double>(axis.grid);
        if (beyond > 0) {
          expected[static_cast<size_t>(pixel + 1)] += beyond / static_cast<double>(axis.grid);
        }
      }
      for (int64_t pixel = 0; pixel < extent; ++pixel) {
        const int64_t at = pixel - range.first;
        const float got =
            at < 0 || at >= range.count ? 0.0f : table[static_cast<size_t>(at * bins + b)];
        ASSERT_NEAR(got, expected[static_cast<size_t>(pixel)], 1e-5) << round;
      }
    }
  }
}

TEST(RoiAlignV2BackwardKernel, RandomProblemsCrossShapesStridesAndAttributes) {
  Random random(8);
  for (int round = 0; round < 150; ++round) {
    SetTeamSize(round % 10 == 0 ? 2 : 1);
    TestProblem problem;
    problem.name = std::to_string(round);
    problem.shape = {random.Integer(1, 6),
                     random.Integer(1, 3),
                     random.Chance(0.3) ? random.Integer(15, 35) : random.Integer(1, 5),
                     random.Integer(1, random.Chance(0.1) ? 40 : 9),
                     random.Integer(1, random.Chance(0.1) ? 40 : 9),
                     random.Integer(1, 30),
                     random.Integer(1, random.Chance(0.1) ? 700 : 50),
                     static_cast<float>(random.Real(0.05, 1.5)),
                     random.Integer(0, 4),
                     random.Chance(0.5)};
    problem.FillGrad(random);
    for (int64_t k = 0; k < problem.shape.regions; ++k) {
      problem.boxes.push_back(static_cast<float>(random.Real(-0.6, 3.2)));
      const double reach = 2.0 * static_cast<double>(problem.shape.width + problem.shape.height);
      for (int i = 0; i < 4; ++i) {
        problem.boxes.push_back(static_cast<float>(random.Real(-0.3 * reach, reach)));
      }
    }
    Options options;
    options.threads = static_cast<int>(random.Integer(1, 3));
    const TruthProblem& p = problem.shape;
    if (random.Chance(0.5)) {  // channels last, with gaps
      const int64_t c = p.channels + random.Integer(0, 2);
      options.out_stride = {p.height * p.width * c + 3, 1, p.width * c, c};
      options.grad_stride = {p.pooled_height * p.pooled_width * c, 1, p.pooled_width * c, c};
    } else if (random.Chance(0.5)) {  // rows with gaps
      const int64_t row = p.width + random.Integer(0, 20);
      options.out_stride = {p.channels * p.height * row, p.height * row, row, 1};
    }
    if (random.Chance(0.3)) {
      options.limits = {random.Integer(3, 40), random.Integer(1, 2000), 1,
                        random.Integer(1, 20000)};
    }
    ASSERT_TRUE(MeetsTruth(Doubles(Compute(problem, options)), problem));
  }
  SetTeamSize(0);
}

TEST(RoiAlignV2BackwardKernel, LargeOutputsGoAroundTheCaches) {
  // Above the threshold of 32 MiB, with planes that are, and are not, whole numbers of cache lines.
  for (int64_t width : {1040, 1037}) {
    TestProblem problem = {"large", {3, 1, 17, 2, 2, 500, width, 1.0f, 2, true}, {}, {}};
    Random random(9);
    problem.FillGrad(random);
    problem.FillBoxes(random, 200, 600);
    const std::vector<float> got = Compute(problem);
    EXPECT_TRUE(MeetsTruth(Doubles(got), problem));
    const int64_t row = width + 2;
    EXPECT_TRUE(
        SameBits(Compute(problem, {.out_stride = {500 * row * 17, 500 * row, row, 1}}), got));
  }
}

bool cancelled = false;

TEST(RoiAlignV2BackwardKernel, StopsWhenCancelled) {
  const TestProblem problem = ManyRegions();
  SetCancelQuery([] { return cancelled ? 1 : 0; });
  cancelled = true;
  for (int team : {1, 3}) {
    SetTeamSize(team);
    (void)Compute(problem);
  }
  cancelled = false;
  EXPECT_TRUE(MeetsTruth(Doubles(Compute(problem)), problem));
  SetCancelQuery(nullptr);
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
