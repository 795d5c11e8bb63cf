// Phase 1 never touches the data, so a program may ask it about any shape at no cost of its own:
// plans must stay small whatever the sizes. Counted in bytes asked of operator new, which also
// bounds the time that filling tables would take.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/one_pass/depthwise.h"
#include "aclimb/ops/convolution_backward/onednn.h"
#include "aclimb/ops/convolution_backward/plan.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/ops/convolution_backward/test_operands.h"

namespace {
thread_local int64_t allocated_bytes = 0;
}  // namespace

void* operator new(size_t size) {
  allocated_bytes += static_cast<int64_t>(size);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  allocated_bytes += static_cast<int64_t>(size);
  return std::malloc(size == 0 ? 1 : size);
}
// Where GCC inlines these but not `new`, it warns of a mismatch.
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace aclimb::convolution_backward {
namespace {

constexpr int64_t kMostBytes = 256 * 1024;

struct Sizes {
  const char* name;
  int64_t batch, groups, x_channels, y_channels;  // channels of a group
  int64_t in, kernel, stride, pad, dilation;      // of the width
};

Geometry GeometryOf(const Sizes& s) {
  const Axis width = {s.in, s.kernel, s.stride, s.dilation, s.pad, s.pad};
  Geometry g =
      convolution_backward::GeometryOf(s.batch, s.x_channels, s.y_channels, {{}, {}, width});
  g.groups = s.groups;
  return g;
}

constexpr int64_t kMillion = 1000 * 1000;
constexpr int64_t kHuge = int64_t{1} << 30;
const Sizes kSizes[] = {
    {"a window of 100000", 1, 1, 1, 1, 200000, 100000, 1, 0, 1},
    {"a window of 100000 over padding", 2, 1, 4, 4, 3, 100000, 1, 100000, 1},
    {"a window of 2^30", 1, 1, 1, 1, kHuge, kHuge, 1, 0, 1},
    {"a phase for every tap", 1, 1, 1, 1, kMillion, 100000, 100003, 0, 7},
    {"2^30 phases", 1, 1, 1, 1, kHuge, kHuge, kHuge, 0, 1},
    {"2^30 input channels", 1, 1, kHuge, 1, 1, 1, 1, 0, 1},
    {"2^30 output channels", 1, 1, 1, kHuge, 1, 1, 1, 0, 1},
    {"2^30 channels of both", 1, 1, kHuge, kHuge, 1, 1, 1, 0, 1},
    {"2^30 groups", 1, kHuge, 1, 1, 1, 1, 1, 0, 1},
    {"2^30 groups of a window", 1, kHuge, 1, 2, 2, 2, 1, 1, 1},
    {"2^30 images", kHuge, 1, 16, 16, 8, 3, 1, 1, 1},
    {"a huge dilation", 1, 1, 16, 16, 2 * kHuge, 3, 1, 0, kHuge - 1},
    {"a huge dilation over padding", 1, 1, 2, 2, 1, 2, 1, kHuge, kHuge},
    {"a huge stride", 1, 1, 16, 16, kHuge, 3, kHuge / 2, 1, 1},
    {"oneDNN's largest window", 1, 1, 16, 16, 8192, 4097, 1, 0, 1},
    // Channels enough for tiles.
    {"a stride beyond x", 1, 1, 64, 64, 100, 4, int64_t{1} << 60, 0, 1},
    {"a huge stride of many channels", 1, 1, 64, 64, kHuge, 3, kHuge / 2, 1, 1},
    {"a huge dilation of many channels", 1, 1, 64, 64, 2 * kHuge, 4, 1, 0, 2 * kHuge / 3 - 1},
    {"a huge padding of many channels", 1, 1, 64, 64, 3, 4, 1, kHuge, 1},
    {"a long gap", 1, 1, 128, 128, 16000, 4, 1, 0, 4096},
    {"as many taps as tiles take", 1, 1, 64, 64, 4000, 256, 1, 0, 1},
};

TEST(ConvolutionPlan, StaysSmallWhateverTheSizes) {
  for (const Sizes& sizes : kSizes) {
    const Geometry g = GeometryOf(sizes);
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      const auto& [x, y, weight] = DensePlaces(g, dtype);
      for (const bool transposed : {false, true}) {
        for (const bool deterministic : {false, true}) {
          const int64_t before = allocated_bytes;
          Planner planner(deterministic);
          PlanBuilder builder(planner, g, transposed, transposed ? x : y, transposed ? y : x,
                              weight);
          builder.AddGradients(transposed ? y : x, weight);
          EXPECT_NE(builder.Take(), nullptr);
          EXPECT_LT(allocated_bytes - before, kMostBytes)
              << sizes.name << ", transposed " << transposed << ", " << NameOf(dtype);
        }
      }
    }
  }
}

// Our own kernels' plans, also where the choice above is oneDNN's.
TEST(ConvolutionPlan, DirectPlansKeepTheirTablesInTheWorkspace) {
  for (const Sizes& sizes : kSizes) {
    for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
      const int64_t before = allocated_bytes;
      for (const Factors factors : {Factors::kFloat32, Factors::kPairs}) {
        const DirectPlan plan = PlanDirect(GeometryOf(sizes), task, 4, factors);
        EXPECT_EQ(allocated_bytes - before, 0) << sizes.name;
        // Absurd sizes end in an absurd workspace, never in a small one.
        EXPECT_GE(plan.ScratchBytes(),
                  std::min(4 * (plan.weight_elements + plan.table_elements), int64_t{1} << 56))
            << sizes.name;
        EXPECT_GE(plan.table_elements, plan.flat.Taps()) << sizes.name;
      }
    }
  }
}

// Sums and weights grow with the channels, the rest with nothing.
TEST(ConvolutionPlan, DepthwiseScratchFollowsTheChannels) {
  const auto bytes = [](int64_t batch, int64_t groups, int64_t height) {
    Geometry g;
    g.batch = batch;
    g.groups = groups;
    g.x_channels = g.y_channels = 1;
    for (const int d : {1, 2}) {
      g.kernel[d] = 3;
      g.pad_begin[d] = g.pad_end[d] = 1;
    }
    g.in[1] = g.out[1] = height;
    g.in[2] = g.out[2] = 64;
    EXPECT_TRUE(FitsDepthwise(g));
    return PlanDepthwise(g, true, true, 2).ScratchBytes();
  };
  constexpr int64_t kMany = int64_t{1} << 30;
  for (const int64_t all :
       {bytes(1, kMany, 64) - kMany * 9 * 8, bytes(kMany, 2, 64), bytes(1, 2, kMany)}) {
    EXPECT_GT(all, 0);
    EXPECT_LT(all, 4 << 20);
  }
}

// A slot of our windows on vectors grows with nothing.
TEST(ConvolutionPlan, WindowsTakeLittleScratch) {
  const auto bytes = [](const Geometry& g, int threads) {
    return PlanVectorWindows(g, threads, Factors::kFloat32).SlotBytes();
  };
  Geometry g;
  g.batch = 1;
  g.kernel[2] = 3;
  g.in[2] = 1 << 20;
  g.out[2] = g.in[2] - 2;
  g.x_channels = g.y_channels = int64_t{1} << 31;
  EXPECT_LT(bytes(g, 64), 8 << 20);
  g.x_channels = g.y_channels = 4096;
  EXPECT_LT(bytes(g, 1), 8 << 20);
  Geometry lines = g;
  lines.in[1] = lines.out[1] = 1 << 30;
  EXPECT_LT(bytes(lines, 1), 8 << 20);
  // One window, whatever its step.
  g.in[2] = g.kernel[2];
  g.out[2] = 1;
  g.stride[2] = int64_t{1} << 62;
  EXPECT_LT(bytes(g, 1), 8 << 20);
}

// Describing these to oneDNN takes a time that grows with the channels, a sixth of a second here.
TEST(ConvolutionPlan, OneDnnIsNotAskedAboutAbsurdChannels) {
  const Sizes sizes[] = {
      {"output channels", 1, 1, 16, kHuge / 4, 1, 1, 1, 0, 1},
      {"input channels", 1, 1, kHuge / 4, 16, 1, 1, 1, 0, 1},
      {"groups", 1, kHuge / 4, 1, 1, 1, 3, 1, 1, 1},
  };
  for (const Sizes& s : sizes) {
    for (const Task task : {Task::kForward, Task::kGradX, Task::kGradWeight}) {
      EXPECT_EQ(onednn::MakePrimitive({GeometryOf(s), task, DType::kFloat32, DType::kFloat32, 2}),
                nullptr)
          << s.name;
    }
  }
}

}  // namespace
}  // namespace aclimb::convolution_backward
