#include "aclimb/runtime/handle_table.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "aclimb/bridge/bridge.h"

namespace aclimb {
namespace {

TEST(HandleTable, ResolvesByKindUntilReleased) {
  HandleTable table;
  int object = 0;
  void* handle = table.Create(ACLIMB_HANDLE_EVENT, &object);
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(reinterpret_cast<uint64_t>(handle) >> 52, 0x0ACu);
  EXPECT_EQ(reinterpret_cast<uint64_t>(handle) & 15, 0u);
  EXPECT_EQ(table.Resolve(handle, ACLIMB_HANDLE_EVENT), &object);
  EXPECT_EQ(table.Resolve(handle, ACLIMB_HANDLE_STREAM), nullptr);
  EXPECT_EQ(table.Release(handle, ACLIMB_HANDLE_STREAM), nullptr);
  EXPECT_EQ(table.Release(handle, ACLIMB_HANDLE_EVENT), &object);
  EXPECT_EQ(table.Release(handle, ACLIMB_HANDLE_EVENT), nullptr);
  EXPECT_EQ(table.Resolve(handle, ACLIMB_HANDLE_EVENT), nullptr);
}

TEST(HandleTable, InventedHandlesAreNobodys) {
  HandleTable table;
  int object = 0;
  const uint64_t handle = reinterpret_cast<uint64_t>(table.Create(ACLIMB_HANDLE_EVENT, &object));
  EXPECT_EQ(table.Resolve(nullptr, ACLIMB_HANDLE_EVENT), nullptr);
  EXPECT_EQ(table.Resolve(&object, ACLIMB_HANDLE_EVENT), nullptr);
  for (int bit = 0; bit < 64; ++bit) {
    const void* other = reinterpret_cast<void*>(handle ^ uint64_t{1} << bit);
    EXPECT_EQ(table.Resolve(other, ACLIMB_HANDLE_EVENT), nullptr) << bit;
  }
}

TEST(HandleTable, ReusedSlotsGiveNewHandles) {
  HandleTable table;
  int object = 0;
  std::set<void*> seen;
  for (int i = 0; i < 20000; ++i) {
    void* handle = table.Create(ACLIMB_HANDLE_STREAM, &object);
    ASSERT_TRUE(seen.insert(handle).second) << "a handle came back";
    ASSERT_EQ(table.Release(handle, ACLIMB_HANDLE_STREAM), &object);
  }
  for (void* handle : seen) ASSERT_EQ(table.Resolve(handle, ACLIMB_HANDLE_STREAM), nullptr);
}

TEST(HandleTable, ManyLiveHandles) {
  HandleTable table;
  std::vector<int> objects(50000);
  std::vector<void*> handles;
  for (int& object : objects) handles.push_back(table.Create(ACLIMB_HANDLE_TENSOR, &object));
  for (size_t i = 0; i < objects.size(); ++i) {
    ASSERT_EQ(table.Resolve(handles[i], ACLIMB_HANDLE_TENSOR), &objects[i]);
  }
}

TEST(HandleTable, OneOfRacingReleasesGetsTheObject) {
  HandleTable table;
  int object = 0;
  for (int round = 0; round < 200; ++round) {
    void* handle = table.Create(ACLIMB_HANDLE_TENSOR, &object);
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        void* seen = table.Resolve(handle, ACLIMB_HANDLE_TENSOR);
        EXPECT_TRUE(seen == nullptr || seen == &object);
        if (table.Release(handle, ACLIMB_HANDLE_TENSOR) != nullptr) ++winners;
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(winners.load(), 1);
  }
}

TEST(HandleTable, AHeldHandleLivesOnOrEnds) {
  HandleTable table;
  int object = 0;
  void* const handle = table.Create(ACLIMB_HANDLE_EXECUTOR, &object);
  EXPECT_EQ(table.Hold(handle, ACLIMB_HANDLE_TENSOR), nullptr);
  ASSERT_EQ(table.Hold(handle, ACLIMB_HANDLE_EXECUTOR), &object);
  EXPECT_EQ(table.Resolve(handle, ACLIMB_HANDLE_EXECUTOR), &object);
  EXPECT_EQ(table.Describe(handle), ACLIMB_HANDLE_EXECUTOR);
  table.GiveBack(handle);
  ASSERT_EQ(table.Hold(handle, ACLIMB_HANDLE_EXECUTOR), &object);
  table.End(handle);
  EXPECT_EQ(table.Hold(handle, ACLIMB_HANDLE_EXECUTOR), nullptr);
  EXPECT_EQ(table.Release(handle, ACLIMB_HANDLE_EXECUTOR), nullptr);
  EXPECT_EQ(table.Describe(handle), -ACLIMB_HANDLE_EXECUTOR);
}

TEST(HandleTable, HoldersTakeTurnsAndOneOfThemEndsIt) {
  HandleTable table;
  for (int round = 0; round < 100; ++round) {
    int uses = 0;  // unguarded: only holders touch it
    void* const handle = table.Create(ACLIMB_HANDLE_EXECUTOR, &uses);
    std::atomic<int> enders{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (;;) {
          void* const held = table.Hold(handle, ACLIMB_HANDLE_EXECUTOR);
          if (held == nullptr) return;
          int& count = *static_cast<int*>(held);
          if (++count < 100) {
            table.GiveBack(handle);
          } else {
            table.End(handle);
            ++enders;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(uses, 100);
    EXPECT_EQ(enders.load(), 1);
  }
}

}  // namespace
}  // namespace aclimb
