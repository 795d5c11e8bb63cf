#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace aclimb::onednn {

// The most recently used answers, refusals included.
template <typename Question, typename Answer>
class RecentAnswers {
 public:
  explicit RecentAnswers(size_t capacity) : capacity_(capacity) {}

  // `make` is asked when the answer is not there; what it throws is not remembered.
  template <typename Make>
  Answer Get(const Question& question, Make&& make) {
    if (std::optional<Answer> found = Find(question)) return *std::move(found);
    Answer made = make();
    Keep(question, made);
    return made;
  }

 private:
  std::optional<Answer> Find(const Question& question) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& entry) { return entry.first == question; });
    if (found == entries_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found);
    return found->second;
  }
  void Keep(const Question& question, const Answer& answer) {
    std::list<std::pair<Question, Answer>> dropped;  // destroyed after the lock is given back
    std::lock_guard<std::mutex> lock(mutex_);
    entries_.emplace_front(question, answer);
    if (entries_.size() > capacity_) {
      dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
    }
  }

  const size_t capacity_;
  std::mutex mutex_;
  std::list<std::pair<Question, Answer>> entries_;
};

}  // namespace aclimb::onednn
