#include "tools/check/accesses.h"

#include <algorithm>
#include <vector>

#include "aclimb/core/text.h"

namespace aclimb::check {
namespace {

std::string RangeText(const Footprint& bytes) {
  return Cat(bytes.end() - bytes.begin, " bytes at ",
             AddressText(reinterpret_cast<const void*>(bytes.begin)));
}

// "gradOutput, 24 bytes at 0x7f0000000000"
std::string UseText(const Use& use) {
  const std::string range = RangeText(use.bytes);
  return use.argument[0] == '\0' ? range : Cat(use.argument, ", ", range);
}

std::string PastText(const PastAccess& past) {
  std::string text = Cat(past.origin->what, past.writes ? ", writes" : ", reads");
  if (past.argument[0] != '\0') text += Cat(" as ", past.argument);
  return text;
}

Involved Calls(const Here& here) { return {"called", here.site}; }

// Of the rest nobody asks what was written.
void NoteWrite(const Use& use, Block& block) {
  if (block.memory != Memory::kDevice) return;
  block.written.Add(use.bytes.begin - block.base, use.bytes.end() - block.base);
}

}  // namespace

void Accesses::CheckRead(const Here& here, const Use& use, Block& block) {
  if (block.memory != Memory::kDevice) return;
  // What lies behind the requested size is zero from the start.
  const uint64_t begin = use.bytes.begin - block.base;
  const uint64_t end = std::min(use.bytes.end() - block.base, block.requested);
  if (begin >= end) return;
  uint64_t missing = end;
  if (use.bytes.dense()) {
    missing = block.written.FirstMissing(begin, end);
  } else if (!block.written.Touches(begin, end)) {
    missing = begin;  // between the rows anything may be unwritten
  }
  if (missing == end) return;
  block.written.Add(begin, end);  // told once
  Finding finding{"check/memory/unwritten-read",
                  here.function,
                  Cat("reads ", UseText(use), ", of which byte ", missing - begin,
                      " was never written; expected memory that a copy, a fill or an operator "
                      "wrote."),
                  {Calls(here)}};
  AddBlock(block, finding);
  report_.Add(std::move(finding));
}

Block* Accesses::BlockOf(const Here& here, const Use& use) {
  if (Block* block = book_.Find(use.bytes.begin)) return block;
  // The runtime refuses device memory that is freed; any host memory is as good as another to it.
  const Block* freed = book_.FindFreed(use.bytes.begin);
  if (freed == nullptr || freed->memory != Memory::kPinned || freed->given_back) return nullptr;
  Finding finding{"check/memory/use-after-free",
                  here.function,
                  Cat(use.writes ? "writes " : "reads ", UseText(use),
                      ", which is freed; expected live memory."),
                  {Calls(here)}};
  AddBlock(*freed, finding);
  report_.Add(std::move(finding));
  return nullptr;
}

Block* Accesses::BlockBehind(const Use& use, const Block& block) {
  const uint64_t end = block.base + block.usable;
  return block.memory == Memory::kMapped && use.bytes.end() > end ? book_.Find(end) : nullptr;
}

void Accesses::CheckEnd(const Here& here, const Use& use, const Block& block) {
  const uint64_t end = use.bytes.end() - block.base;
  if (end <= block.requested || block.memory == Memory::kMapped) return;
  Finding finding{end > block.usable ? "check/memory/past-end" : "check/memory/slack",
                  here.function,
                  Cat(use.writes ? "writes " : "reads ", UseText(use), ", ", end - block.requested,
                      " of them behind the requested size; expected to stay inside it."),
                  {Calls(here)}};
  AddBlock(block, finding);
  report_.Add(std::move(finding));
}

void Accesses::TellRace(const Here& here, const Use& use, const Block& block,
                        const PastAccess& past, bool queued) {
  const bool result = !queued && !use.writes;
  Finding finding;
  finding.rule = queued   ? "check/race/streams"
                 : result ? "check/race/copy-before-sync"
                          : "check/race/host";
  finding.function = here.function;
  finding.what = Cat(use.writes ? "writes " : "reads ", UseText(use), ", which ", PastText(past),
                     "; expected ",
                     queued   ? "an event that orders the two streams."
                     : result ? "the stream to be waited for before its result is copied."
                              : "the stream to be waited for before its memory is changed.");
  finding.involved = {Calls(here), {past.origin->what, past.origin->site}};
  AddBlock(block, finding);
  report_.Add(std::move(finding));
}

void Accesses::CheckRaces(const Here& here, const Use& use, Block& block, const Clock& clock,
                          bool queued, std::vector<uint32_t>& told) {
  if (Knows(clock, block.latest)) return;
  for (auto past = block.accesses.rbegin(); past != block.accesses.rend(); ++past) {
    if ((!use.writes && !past->writes) || Knows(clock, past->stamp)) continue;
    if (std::find(told.begin(), told.end(), past->stamp.queue) != told.end()) continue;
    const Overlap overlap = OverlapOf(use.bytes, past->bytes);
    if (overlap == Overlap::kUnknown) ++undecided_;
    if (overlap != Overlap::kYes) continue;
    TellRace(here, use, block, *past, queued);
    told.push_back(past->stamp.queue);
  }
}

void Accesses::Remember(const Use& use, Block& block, Stamp stamp, const Clock& clock,
                        const std::shared_ptr<const Origin>& origin) {
  // Many of them are looked through the less often, the more they are.
  constexpr size_t kFew = 64;
  if (block.accesses.size() < kFew || block.accesses.size() >= block.tidy_at) {
    // Whatever conflicts with an access that this one follows and covers, conflicts with this one.
    std::erase_if(block.accesses, [&](const PastAccess& past) {
      const bool covered =
          (use.writes || !past.writes) && Knows(clock, past.stamp) && Covers(use.bytes, past.bytes);
      return covered || Knows(clocks_.Host(), past.stamp);
    });
    block.tidy_at = std::max(kFew, 2 * block.accesses.size());
  }
  block.accesses.push_back({use.bytes, stamp, use.writes, use.argument, origin});
  if (block.latest.size() <= stamp.queue) block.latest.resize(stamp.queue + 1);
  block.latest[stamp.queue] = std::max(block.latest[stamp.queue], stamp.number);
}

void Accesses::Queued(const Here& here, std::span<const Use> uses, Stamp stamp, const Clock& clock,
                      std::shared_ptr<const Origin> origin) {
  // An operator may read what it writes: all reads come first.
  for (const bool writes : {false, true}) {
    for (const Use& use : uses) {
      if (use.writes != writes || use.bytes.row_bytes == 0) continue;
      std::vector<uint32_t> told;
      for (Block* block = BlockOf(here, use); block != nullptr; block = BlockBehind(use, *block)) {
        if (!writes) CheckRead(here, use, *block);
        CheckEnd(here, use, *block);
        CheckRaces(here, use, *block, clock, /*queued=*/true, told);
        Remember(use, *block, stamp, clock, origin);
        if (writes) NoteWrite(use, *block);
      }
    }
  }
}

void Accesses::Now(const Here& here, std::span<const Use> uses) {
  for (const Use& use : uses) {
    if (use.bytes.row_bytes == 0) continue;
    std::vector<uint32_t> told;
    for (Block* block = BlockOf(here, use); block != nullptr; block = BlockBehind(use, *block)) {
      CheckRaces(here, use, *block, clocks_.Host(), /*queued=*/false, told);
      if (!use.writes) CheckRead(here, use, *block);
      CheckEnd(here, use, *block);
      if (use.writes) NoteWrite(use, *block);
    }
  }
}

void Accesses::Freed(const Here& here, Block& block) {
  std::vector<PastAccess> pending = std::move(block.accesses);
  block.accesses.clear();
  for (const PastAccess& past : pending) {
    if (Knows(clocks_.Host(), past.stamp)) continue;
    Finding finding{"check/memory/freed-in-flight",
                    here.function,
                    Cat("frees ", TextOf(block), ", which ", PastText(past),
                        "; expected the stream to be waited for first."),
                    {Calls(here), {past.origin->what, past.origin->site}}};
    AddBlock(block, finding);
    report_.Add(std::move(finding));
    return;  // the others are of the same mistake
  }
}

}  // namespace aclimb::check
