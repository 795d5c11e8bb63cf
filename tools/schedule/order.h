#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "aclimb/core/status.h"

namespace aclimb::tools {

// A piece of work that could run next: the first one left in its queue.
struct Front {
  uint32_t queue;  // in the order in which the program made them, from 1
  uint64_t work;   // in its queue, from 1

  bool operator==(const Front&) const = default;
};

// A decision that was made: `front` ran at the program's call number `point` to the device.
struct Step {
  uint64_t point;
  Front front;
};

// Which work runs when. Called by one thread at a time.
class Order {
 public:
  virtual ~Order() = default;
  // The index in `fronts` of what runs next; none: nothing for now, and the program goes on.
  //   point  number of the program's call to the device, from 1
  //   must   the program waits, so that something has to run if the order allows it at all
  virtual std::optional<size_t> Next(uint64_t point, std::span<const Front> fronts, bool must) = 0;
  // In a child of fork, whose decisions were not recorded.
  virtual void EndRecorded() {}
};

// Draws from a seed how soon work starts, how unequal queues are, and each decision. The same calls
// get the same answers.
class RandomOrder : public Order {
 public:
  explicit RandomOrder(uint64_t seed);
  std::optional<size_t> Next(uint64_t point, std::span<const Front> fronts, bool must) override;

 private:
  uint64_t Below(uint64_t bound) { return generator_() % bound; }
  uint64_t WeightOf(uint32_t queue);

  std::mt19937_64 generator_;
  uint64_t eager_;                 // in 8 calls, work starts at once
  std::vector<uint64_t> weights_;  // by queue, drawn when it is first seen
};

// Repeats recorded decisions. A program that does something else is told so, once, on stderr, and
// runs on in the order of its queues.
class RecordedOrder : public Order {
 public:
  explicit RecordedOrder(std::vector<Step> steps) : steps_(std::move(steps)) {}
  std::optional<size_t> Next(uint64_t point, std::span<const Front> fronts, bool must) override;
  void EndRecorded() override { left_ = true; }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<Step> steps_;
  size_t at_ = 0;
  bool left_ = false;                       // the program does something else
  std::optional<Clock::time_point> since_;  // the program waits for work it has not queued
};

// ---- Files: one line "point queue work name" for each step, in order ----

inline constexpr std::string_view kOrderHeader = "aclimb schedule 1\n";
std::string LineOf(const Step& step, const char* name);
// What a file of such lines holds; what is wrong with it otherwise.
Result<std::vector<Step>> ReadSteps(const std::string& path);

}  // namespace aclimb::tools
