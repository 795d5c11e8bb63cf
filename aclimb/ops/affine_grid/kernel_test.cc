// Lines on every instruction set, in the caches and around them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "aclimb/ops/affine_grid/kernels.h"
#include "aclimb/simd/each_target.h"

namespace aclimb::affine_grid::testing {
namespace {

constexpr int64_t kMost = 300;

TEST(AffineGridKernel, StreamsWriteTheSameLines) {
  constexpr float kPoison = -77;
  std::vector<float> across(kMost);
  for (int64_t i = 0; i < kMost; ++i) across[i] = static_cast<float>(i * 37 % 101) / 101 - 0.5f;
  EachTarget([&] {
    for (const int axes : {2, 3}) {
      const Line line = {.axes = axes, .step = {0.3f, -1.7f, 2.9f}, .rest = {0.7f, 1.1f, -0.1f}};
      for (int64_t count = axes; count < kMost; count += axes) {
        alignas(64) float stored[kMost], streamed[kMost];
        std::fill_n(stored, kMost, kPoison);
        std::fill_n(streamed, kMost, kPoison);
        WriteLine(line, across.data(), count, false, stored);
        WriteLine(line, across.data(), count, true, streamed);
        ASSERT_EQ(std::memcmp(stored, streamed, sizeof(stored)), 0) << axes << ' ' << count;
        for (int64_t i = 0; i < count; ++i) {
          const double place = double{line.step[i % axes]} * across[i] + line.rest[i % axes];
          ASSERT_NEAR(stored[i], place, 6e-8 * std::fabs(place))
              << axes << ' ' << count << ' ' << i;
        }
        ASSERT_EQ(stored[count], kPoison);
      }
    }
  });
}

}  // namespace
}  // namespace aclimb::affine_grid::testing
