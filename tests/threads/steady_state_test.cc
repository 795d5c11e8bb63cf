// What a call takes from the heap once a program is in its stride.

#include <gtest/gtest.h>

#include <cstdint>

#include "aclimb/core/sanitized.h"
#include "tests/support/allocations.h"
#include "tests/threads/operator_calls.h"

namespace aclimb::testing {
namespace {

using SteadyState = DeviceTest;

// Both phases and the wait: the objects of a call are recycled.
TEST_F(SteadyState, ACallTakesNothing) {
  constexpr uint64_t kCalls = 1000;
  for (const auto& call : AllOperatorCalls()) {
    if (call->name() == "convolution") continue;  // its plans have parts of their own
    const auto round = [&](uint64_t calls) {
      for (uint64_t i = 0; i < calls; ++i) {
        ACLIMB_ASSERT_OK(call->Call(stream_));
        ACLIMB_ASSERT_OK(aclrtSynchronizeStream(stream_));
      }
    };
    round(2 * kCalls);
    const int64_t live = Allocations::Live();
    Allocations::Count();
    round(kCalls);
    const uint64_t count = Allocations::Stop();
    // Nothing is recycled where a sanitizer is to see every block.
    if (!kAddressSanitized) {
      EXPECT_EQ(count, 0u) << call->name();
    }
    EXPECT_LE(Allocations::Live() - live, 8) << call->name() << " keeps what it takes";
  }
}

}  // namespace
}  // namespace aclimb::testing
