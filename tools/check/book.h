#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aclimb/backend/backend.h"
#include "tools/check/byte_set.h"
#include "tools/check/clocks.h"
#include "tools/check/finding.h"
#include "tools/check/footprint.h"

namespace aclimb::check {

// Where a piece of work comes from.
struct Origin {
  std::string what;  // "aclnnEluBackward, queued on stream 1"
  SiteId site = 0;
};

// What queued work does to memory, as long as the host has not waited for it.
struct PastAccess {
  Footprint bytes;
  Stamp stamp;
  bool writes = false;
  const char* argument = "";  // static text; "" for copies and fills
  std::shared_ptr<const Origin> origin;
};

// Mapped memory may have its content from another mapping or process, and continue in the next
// block.
enum class Memory { kDevice, kPinned, kMapped };

// An allocation or a mapping, live or ended.
struct Block {
  uint64_t base = 0;
  uint64_t requested = 0;
  uint64_t usable = 0;
  Memory memory = Memory::kDevice;
  const AclimbDevice* device = nullptr;
  Involved made;
  Involved freed;
  bool given_back = false;   // of one that is freed: others may have its addresses
  uint64_t free_number = 0;  // of the book, from 1, in the order of the frees
  ByteSet written;           // offsets
  std::vector<PastAccess> accesses;
  Clock latest;        // the newest access of each queue, be it kept or not
  size_t tidy_at = 0;  // accesses from which those that tell nothing are dropped

  bool Has(uint64_t address) const { return address - base < usable; }
};

// "the device memory at 0x7f0000000000 of 64 bytes"
std::string TextOf(const Block& block);

// Adds where it was made and freed.
void AddBlock(const Block& block, Finding& finding);

// Every allocation of the program, and the latest that it freed.
class Book {
 public:
  void Add(Block block);
  // The block, which stays known as freed; null when it is none.
  Block* Free(uint64_t base, Involved freed);
  // The live block around an address; null when there is none.
  Block* Find(uint64_t address);
  // Others may get the addresses of the freed block from now on.
  void GiveBack(uint64_t base);
  // The freed one; null as well when its addresses were given out again.
  const Block* FindFreed(uint64_t address) const;
  // The live block that ends closest below an address; null when none ends within 64 KiB.
  const Block* FindBelow(uint64_t address) const;
  // Calls `visit` for each live block.
  void ForEach(const std::function<void(Block&)>& visit);

 private:
  struct FreedBlock {
    uint64_t base;
    uint64_t number;
  };

  std::map<uint64_t, Block> live_;
  std::map<uint64_t, Block> freed_;
  std::deque<FreedBlock> freed_order_;  // also of blocks that Add has dropped from freed_
  uint64_t frees_ = 0;
};

}  // namespace aclimb::check
