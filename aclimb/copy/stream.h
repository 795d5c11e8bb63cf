#pragma once

#include <cstdint>

namespace aclimb::copy {

// Copies bytes around the caches where the instruction set can do that: for outputs that no cache
// holds. The two do not overlap.
void StreamBytes(const void* from, int64_t bytes, void* to);
// Rows of fewer bytes are not worth streaming.
constexpr int64_t kStreamedRow = 4096;

// Copies rows as memcpy does, by vectors. The C library may leave long copies to an instruction
// that some processors carry out ten times slower where `to` lies 1 to 15 bytes behind `from`,
// counted within a page, and it copies rows of some hundred bytes more slowly. The kernels for this
// machine are looked up once, which takes as long as copying a hundred bytes.
class RowCopier {
 public:
  // Long rows stream if no cache holds the output.
  explicit RowCopier(bool streams);

  void Copy(const void* from, int64_t bytes, void* to) const {
    if (bytes < kVector) return CopyShort(from, bytes, to);
    (bytes < streamed_ ? vectors_ : stream_)(from, bytes, to);
  }
  // Several of one length, whose first bytes are so many bytes apart; their kernel is looked up
  // here.
  void CopyRows(const void* from, int64_t from_step, int64_t bytes, int64_t rows, void* to,
                int64_t to_step) const;

 private:
  using Kernel = void (*)(const void* from, int64_t bytes, void* to);
  static constexpr int64_t kVector = 64;  // bytes; no vector has more

  static void CopyShort(const void* from, int64_t bytes, void* to);

  const Kernel vectors_, stream_;
  const int64_t streamed_;  // the length from which rows stream
};

// Fills bytes with a pattern of elements of 8 bytes or less, of which so many bytes are given;
// around the caches if it streams.
constexpr int64_t kPatternBytes = 128;
void RepeatBytes(const void* pattern, int64_t bytes, void* to, bool streams);

}  // namespace aclimb::copy
