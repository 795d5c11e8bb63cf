// What a call takes from the heap once a program is in its stride.

#include <gtest/gtest.h>

#include <cstdint>

#include "aclimb/core/sanitized.h"
#include "tests/support/allocations.h"
#include "tests/threads/operator_calls.h"

namespace aclimb::testing {
namespace {

class SteadyState : public DeviceTest {
 protected:
  // Both phases and the wait, `calls` times, with as many variants in turn. Counts what they take.
  uint64_t Round(const OperatorCall& call, int calls, int variants) {
    uint64_t count = 0;
    for (int i = 0; i < calls; ++i) {
      if (variants > 1) call.Vary(1000 + i % variants);
      Allocations::Count();
      const int code = call.Call(stream_);
      const int synchronized = aclrtSynchronizeStream(stream_);
      count += Allocations::Stop();
      ACLIMB_EXPECT_OK(code);
      ACLIMB_EXPECT_OK(synchronized);
    }
    return count;
  }
  void ExpectTakesNothing(const OperatorCall& call, int variants) {
    constexpr int kCalls = 1000;
    Round(call, 2 * kCalls, variants);
    const int64_t live = Allocations::Live();
    const uint64_t count = Round(call, kCalls, variants);
    // Nothing is recycled where a sanitizer is to see every block.
    if (!kAddressSanitized) {
      EXPECT_EQ(count, 0u) << call.name() << ", " << variants << " variants";
    }
    EXPECT_LE(Allocations::Live() - live, 8) << call.name() << " keeps what it takes";
  }
};

// The objects of a call are recycled, and phase 1 knows the call.
TEST_F(SteadyState, ARepeatedCallTakesNothing) {
  for (const auto& call : AllOperatorCalls()) {
    if (call->name() == "convolution") continue;  // oneDNN takes small pieces in each run
    ExpectTakesNothing(*call, 1);
  }
}

// More than phase 1 remembers, so that each is planned anew.
TEST_F(SteadyState, ACallAmongManyTakesNothing) {
  for (const auto& call : AllOperatorCalls()) {
    if (call->name() == "convolution") continue;
    ExpectTakesNothing(*call, 300);
  }
}

}  // namespace
}  // namespace aclimb::testing
