#include "tools/check/clocks.h"

#include <gtest/gtest.h>

namespace aclimb::check {
namespace {

// Handles are only told apart.
template <typename T>
T* Fake(uintptr_t number) {
  return reinterpret_cast<T*>(number * 64);
}

class ClocksTest : public testing::Test {
 protected:
  AclimbQueue* const first_ = Fake<AclimbQueue>(1);
  AclimbQueue* const second_ = Fake<AclimbQueue>(2);
  AclimbMarker* const marker_ = Fake<AclimbMarker>(3);
  Clocks clocks_;
};

TEST_F(ClocksTest, QueuesAreUnordered) {
  const Stamp work = clocks_.Queue(first_);
  clocks_.Queue(second_);
  EXPECT_TRUE(Knows(clocks_.Of(first_), work));
  EXPECT_FALSE(Knows(clocks_.Of(second_), work));
  EXPECT_FALSE(Knows(clocks_.Host(), work));
}

TEST_F(ClocksTest, AMarkerOrdersWhatCameBeforeIt) {
  const Stamp before = clocks_.Queue(first_);
  clocks_.Record(first_, marker_);
  const Stamp after = clocks_.Queue(first_);
  clocks_.QueueWaits(second_, marker_);
  EXPECT_TRUE(Knows(clocks_.Of(second_), before));
  EXPECT_FALSE(Knows(clocks_.Of(second_), after));
  clocks_.HostWaits(marker_);
  EXPECT_TRUE(Knows(clocks_.Host(), before));
  EXPECT_FALSE(Knows(clocks_.Host(), after));
}

TEST_F(ClocksTest, TheHostPassesOnWhatItWaitedFor) {
  const Stamp work = clocks_.Queue(first_);
  clocks_.HostWaits(first_);
  EXPECT_TRUE(clocks_.HostKnows(first_));
  clocks_.Queue(second_);
  EXPECT_TRUE(Knows(clocks_.Of(second_), work));
}

TEST_F(ClocksTest, AWaitForOneQueueCoversWhatThatOneWaitedFor) {
  const Stamp work = clocks_.Queue(first_);
  clocks_.Record(first_, marker_);
  clocks_.QueueWaits(second_, marker_);
  clocks_.Queue(second_);
  clocks_.HostWaits(second_);
  EXPECT_TRUE(Knows(clocks_.Host(), work));
  EXPECT_TRUE(clocks_.HostKnows(marker_));
}

TEST_F(ClocksTest, ANumberIsUsedAgainButNoStampIs) {
  clocks_.AddQueue(first_);
  const Stamp old = clocks_.Queue(first_);
  clocks_.HostWaits(first_);
  clocks_.RemoveQueue(first_);
  clocks_.AddQueue(second_);
  const Stamp fresh = clocks_.Queue(second_);
  EXPECT_EQ(fresh.queue, old.queue);
  EXPECT_GT(fresh.number, old.number);
  EXPECT_FALSE(Knows(clocks_.Host(), fresh));
}

}  // namespace
}  // namespace aclimb::check
