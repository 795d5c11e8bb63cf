#include "tools/check/book.h"

#include <gtest/gtest.h>

namespace aclimb::check {
namespace {

constexpr uint64_t kBlockBytes = 64;
constexpr int kKept = 4096;  // freed blocks that the book remembers

Block BlockAt(uint64_t base) {
  Block block;
  block.base = base;
  block.requested = block.usable = kBlockBytes;
  return block;
}

// Addresses that no test uses otherwise.
void FreeOthers(Book& book, int count, uint64_t first) {
  for (int i = 0; i < count; ++i) {
    const uint64_t base = first + static_cast<uint64_t>(i) * kBlockBytes;
    book.Add(BlockAt(base));
    ASSERT_NE(book.Free(base, {"another free"}), nullptr);
  }
}

TEST(Book, KeepsTheLatestFrees) {
  Book book;
  book.Add(BlockAt(0x1000));
  ASSERT_NE(book.Free(0x1000, {"the free"}), nullptr);
  FreeOthers(book, kKept - 1, 0x100000);
  ASSERT_NE(book.FindFreed(0x1000), nullptr);
  EXPECT_EQ(book.FindFreed(0x1000)->freed.what, "the free");
  FreeOthers(book, 1, 0x900000);
  EXPECT_EQ(book.FindFreed(0x1000), nullptr);
}

// An address that is given out again and freed again is remembered from its second free.
TEST(Book, ForgetsAReusedAddressByItsLastFree) {
  Book book;
  book.Add(BlockAt(0x1000));
  ASSERT_NE(book.Free(0x1000, {"the first free"}), nullptr);
  FreeOthers(book, kKept / 2, 0x100000);
  book.Add(BlockAt(0x1000));
  EXPECT_EQ(book.FindFreed(0x1000), nullptr);
  ASSERT_NE(book.Free(0x1000, {"the second free"}), nullptr);
  FreeOthers(book, kKept - 1, 0x900000);
  const Block* freed = book.FindFreed(0x1000 + kBlockBytes - 1);
  ASSERT_NE(freed, nullptr);
  EXPECT_EQ(freed->freed.what, "the second free");
  FreeOthers(book, 1, 0x2000000);
  EXPECT_EQ(book.FindFreed(0x1000), nullptr);
}

TEST(Book, AFreedBlockIsNotLive) {
  Book book;
  book.Add(BlockAt(0x1000));
  EXPECT_NE(book.Find(0x1000), nullptr);
  EXPECT_EQ(book.FindFreed(0x1000), nullptr);
  ASSERT_NE(book.Free(0x1000, {"the free"}), nullptr);
  EXPECT_EQ(book.Find(0x1000), nullptr);
  EXPECT_EQ(book.Free(0x1000, {"again"}), nullptr);
}

}  // namespace
}  // namespace aclimb::check
