#include "tools/schedule/order.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"

namespace aclimb::tools {
namespace {

// Threads of a program may queue work a little later than when it was recorded.
constexpr auto kPatience = std::chrono::seconds(2);

}  // namespace

RandomOrder::RandomOrder(uint64_t seed) : generator_(seed) {
  constexpr uint64_t kEager[] = {0, 1, 4, 7, 8};
  eager_ = kEager[Below(std::size(kEager))];
}

uint64_t RandomOrder::WeightOf(uint32_t queue) {
  constexpr uint64_t kWeights[] = {1, 1, 8, 64};
  while (weights_.size() <= queue) weights_.push_back(kWeights[Below(std::size(kWeights))]);
  return weights_[queue];
}

std::optional<size_t> RandomOrder::Next(uint64_t /*point*/, std::span<const Front> fronts,
                                        bool must) {
  if (fronts.empty() || (!must && Below(8) >= eager_)) return std::nullopt;
  uint64_t total = 0;
  for (const Front& front : fronts) total += WeightOf(front.queue);
  uint64_t drawn = Below(total);
  size_t chosen = 0;
  while (drawn >= WeightOf(fronts[chosen].queue)) drawn -= WeightOf(fronts[chosen++].queue);
  return chosen;
}

std::optional<size_t> RecordedOrder::Next(uint64_t point, std::span<const Front> fronts,
                                          bool must) {
  if (fronts.empty()) return std::nullopt;
  if (left_ || at_ == steps_.size()) {
    // What the recording had not run by its end does not run before the program asks for it.
    return must ? std::optional<size_t>(0) : std::nullopt;
  }
  const Step& step = steps_[at_];
  if (!must && step.point > point) return std::nullopt;
  const auto found = std::find(fronts.begin(), fronts.end(), step.front);
  if (found != fronts.end()) {
    ++at_;
    since_.reset();
    return found - fronts.begin();
  }
  if (!must) return std::nullopt;
  const Clock::time_point now = Clock::now();
  if (!since_) since_ = now;
  if (now - *since_ < kPatience) return std::nullopt;
  left_ = true;
  std::fprintf(stderr,
               "aclimb: ACLIMB_SCHEDULE: step %zu of the recorded order is work %llu of queue %u, "
               "which the program has not queued; it runs on in the order of its queues.\n",
               at_ + 1, static_cast<unsigned long long>(step.front.work), step.front.queue);
  return 0;
}

std::string LineOf(const Step& step, const char* name) {
  return Cat(step.point, " ", step.front.queue, " ", step.front.work, " ", name, "\n");
}

Result<std::vector<Step>> ReadSteps(const std::string& path) {
  const auto wrong = [&](const std::string& what) {
    return Refuse(kInvalidParam, Cat("ACLIMB_SCHEDULE is \"replay:", path, "\"; ", what),
                  "correct it, or unset it", "runtime/environment");
  };
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    return wrong("expected a file that can be read, as ACLIMB_SCHEDULE_OUT wrote it.");
  }
  if (line + "\n" != kOrderHeader) {
    return wrong(Cat("expected its first line to be \"",
                     kOrderHeader.substr(0, kOrderHeader.size() - 1), "\"."));
  }
  std::vector<Step> steps;
  for (size_t number = 2; std::getline(file, line); ++number) {
    Step step = {};
    if (!(std::istringstream(line) >> step.point >> step.front.queue >> step.front.work)) {
      return wrong(Cat("expected point, queue and work in line ", number, "."));
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace aclimb::tools
