#pragma once

#include <cstdint>

#include "aclimb/core/divide.h"

namespace aclimb::convolution_backward {

// Memory that is read or written next, asked for a few lines at a time while something else is
// computed. Units read their planes in short bursts, at whose beginning a processor's own
// prefetcher sees nothing yet; on busy hosts that is most of the time of a copy.
class Ahead {
 public:
  // Equal stretches of memory: some for each channel of some images. Strides in bytes.
  struct Stretches {
    const char* from = nullptr;
    int64_t bytes = 0;
    int64_t channels = 0, channel_stride = 0;
    int64_t images = 0, image_stride = 0;

    int64_t Lines() const { return (bytes / kLine + 1) * channels * images; }
  };

  // Forgets what was wanted before.
  void Clear() { count_ = number_ = 0; }
  // At most kMost of them; more are left to the processor.
  void Want(const Stretches& stretches) {
    if (count_ < kMost && stretches.Lines() > 0) wanted_[count_++] = stretches;
  }
  // They will be asked for in about so many calls of Ask.
  void Begin(int64_t calls) {
    int64_t lines = 0;
    for (int i = 0; i < count_; ++i) lines += wanted_[i].Lines();
    share_ = CeilDivide(lines, calls > 0 ? calls : int64_t{1});
    channel_ = image_ = 0;
    Place();
  }

  bool IsDone() const { return number_ == count_; }

  void Ask() {
    for (int64_t i = 0; i < share_ && !IsDone(); ++i) {
      // To the second cache: the nearest one is full of what is being computed.
      __builtin_prefetch(at_, 0, 2);
      at_ += kLine;
      if (at_ >= end_) Next();
    }
  }

 private:
  static constexpr int kMost = 4;
  static constexpr int64_t kLine = 64;

  void Place() {
    if (IsDone()) return;
    const Stretches& s = wanted_[number_];
    at_ = s.from + image_ * s.image_stride + channel_ * s.channel_stride;
    end_ = at_ + s.bytes;
  }
  void Next() {
    const Stretches& s = wanted_[number_];
    if (++channel_ == s.channels) {
      channel_ = 0;
      ++image_;
    }
    if (image_ == s.images) {
      image_ = 0;
      ++number_;
    }
    Place();
  }

  Stretches wanted_[kMost];
  int count_ = 0;
  int number_ = 0;  // of what is being asked for
  int64_t channel_ = 0, image_ = 0;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  int64_t share_ = 0;
};

}  // namespace aclimb::convolution_backward
