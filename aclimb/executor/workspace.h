#pragma once

#include <cstddef>
#include <cstdint>

namespace aclimb {

// A piece of the caller's workspace, booked in phase 1 and handed out in phase 2.
struct WorkspacePiece {
  int64_t offset = -1;  // -1: nothing was booked
};

// The ledger of one plan's workspace: pieces are booked one after the other, each aligned to a
// cache line, and never given back. Pieces whose lives do not overlap may share a booking through
// Mark and Rewind. The caller's workspace is 512-byte aligned or less; Size leaves room to align
// it.
class WorkspaceLedger {
 public:
  static constexpr int64_t kAlignment = 64;

  // `bytes` >= 0; a booking of 0 bytes is legal and costs nothing. A sum past int64 makes the
  // ledger overflow, which phase 1 reports.
  WorkspacePiece Book(int64_t bytes) {
    const WorkspacePiece piece{used_};
    int64_t rounded;
    if (bytes < 0 || __builtin_add_overflow(bytes, kAlignment - 1, &rounded) ||
        __builtin_add_overflow(used_, rounded / kAlignment * kAlignment, &used_)) {
      overflow_ = true;
      used_ = 0;
    }
    if (used_ > peak_) peak_ = used_;
    return piece;
  }
  // Book for `count` elements of `size` bytes.
  WorkspacePiece Book(int64_t count, int64_t size) {
    int64_t bytes;
    return Book(__builtin_mul_overflow(count, size, &bytes) ? -1 : bytes);
  }

  int64_t Mark() const { return used_; }
  void Rewind(int64_t mark) { used_ = mark; }

  bool overflow() const { return overflow_; }
  // What phase 1 returns: 0 when nothing was booked.
  uint64_t Size() const {
    return peak_ == 0 ? 0 : static_cast<uint64_t>(peak_) + static_cast<uint64_t>(kAlignment);
  }

 private:
  int64_t used_ = 0;
  int64_t peak_ = 0;
  bool overflow_ = false;
};

}  // namespace aclimb
