#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/check/book.h"
#include "tools/check/clocks.h"
#include "tools/check/report.h"

namespace aclimb::check {

// One range of memory that a call touches, itself or by the work it queues.
struct Use {
  Footprint bytes;
  bool writes = false;
  const char* argument = "";  // static text; "" for copies and fills
};

// The call that is being looked at.
struct Here {
  std::string function;
  SiteId site = 0;
};

// Judges what calls and queued work do to memory: races, reads of what nothing wrote, frees under
// running work.
class Accesses {
 public:
  Accesses(Book& book, const Clocks& clocks, Report& report)
      : book_(book), clocks_(clocks), report_(report) {}

  // Work that was queued; `clock` is what it comes after.
  void Queued(const Here& here, std::span<const Use> uses, Stamp stamp, const Clock& clock,
              std::shared_ptr<const Origin> origin);
  // What the call does itself before it returns.
  void Now(const Here& here, std::span<const Use> uses);
  // Before the block is freed.
  void Freed(const Here& here, Block& block);

  // Pairs of accesses whose overlap could not be decided.
  uint64_t undecided() const { return undecided_; }

 private:
  void CheckRead(const Here& here, const Use& use, Block& block);
  void CheckEnd(const Here& here, const Use& use, const Block& block);
  // The live block of a use; null, and told when it is freed, where there is none.
  Block* BlockOf(const Here& here, const Use& use);
  // The live block in which a use of mapped memory goes on; null when it ends in this one.
  Block* BlockBehind(const Use& use, const Block& block);
  // Of each queue the newest race of a use is told: an event that orders it orders the older ones
  // as well. `told` has the queues whose race was told, also in other blocks of the use.
  void CheckRaces(const Here& here, const Use& use, Block& block, const Clock& clock, bool queued,
                  std::vector<uint32_t>& told);
  void Remember(const Use& use, Block& block, Stamp stamp, const Clock& clock,
                const std::shared_ptr<const Origin>& origin);
  void TellRace(const Here& here, const Use& use, const Block& block, const PastAccess& past,
                bool queued);

  Book& book_;
  const Clocks& clocks_;
  Report& report_;
  uint64_t undecided_ = 0;
};

}  // namespace aclimb::check
