#include "aclimb/executor/recent_calls.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "aclimb/core/divide.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/hash.h"
#include "aclimb/executor/operator.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {

// Every operator's recent calls, for a fork. Its own lock keeps others from being made meanwhile.
class RecentCallsPart final : public ForkPart {
 public:
  RecentCalls& MakeFor(std::atomic<RecentCalls*>& place) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (RecentCalls* const made = place.load(std::memory_order_relaxed)) return *made;
    auto* const made = new RecentCalls;
    made->next_ = first_;
    first_ = made;
    place.store(made, std::memory_order_release);
    return *made;
  }

  bool TryLock(bool) override {
    if (!mutex_.try_lock()) return false;
    for (RecentCalls* calls = first_; calls != nullptr; calls = calls->next_) {
      if (calls->mutex_.try_lock()) continue;
      for (RecentCalls* locked = first_; locked != calls; locked = locked->next_) {
        locked->mutex_.unlock();
      }
      mutex_.unlock();
      return false;
    }
    return true;
  }
  void Unlock() override {
    for (RecentCalls* calls = first_; calls != nullptr; calls = calls->next_) {
      calls->mutex_.unlock();
    }
    mutex_.unlock();
  }
  void Renew(bool locked) override {
    if (locked) Unlock();
    for (RecentCalls* calls = first_; calls != nullptr; calls = calls->next_) {
      new (&calls->mutex_) std::mutex;
    }
    new (&mutex_) std::mutex;
  }

 private:
  std::mutex mutex_;
  RecentCalls* first_ = nullptr;
};

namespace {
RecentCallsPart all_recent_calls;

// Where the tensors end that follow one of a list and equal it, as those of many experts do: they
// need room once.
size_t EndOfEqual(std::span<const contract::Argument> elements, size_t first) {
  const auto key_of = [&](size_t i) -> const std::vector<uint64_t>* {
    const contract::Argument& element = elements[i];
    if (element.kind != contract::Kind::kTensor || element.object == nullptr) return nullptr;
    return &static_cast<const TensorDescriptor*>(element.object)->key;
  };
  const std::vector<uint64_t>* const key = key_of(first);
  size_t end = first + 1;
  if (key == nullptr) return end;
  while (end < elements.size() && key_of(end) != nullptr && *key_of(end) == *key) ++end;
  return end;
}
}  // namespace

RecentCalls& Operator::MakeRecentCalls() { return all_recent_calls.MakeFor(recent_calls_); }

CallKey::CallKey(const contract::Arguments& arguments, bool deterministic) {
  Add(static_cast<uint64_t>(TeamSize()) << 32 | static_cast<uint64_t>(arguments.product()) << 2 |
      static_cast<uint64_t>(arguments.extensions()) << 1 | static_cast<uint64_t>(deterministic));
  // No further than a dead handle: what comes after it may be as dead.
  size_t i = 0;
  while (i < arguments.size() && Add(arguments.At(static_cast<int>(i)))) ++i;
  complete_ = i == arguments.size();
}

// Whether an argument is given is a word of its own, or a count follows: equal words are equal
// arguments. False when that is not possible.
bool CallKey::Add(const contract::Argument& argument) {
  constexpr size_t kMostOfValue = 3;
  if (std::size(words_) - used_ < kMostOfValue) return false;
  if (contract::IsPointer(argument.kind) && argument.object == nullptr) {
    Add(~uint64_t{0});
    return argument.handle == nullptr;
  }
  switch (argument.kind) {
    case contract::Kind::kTensor: {
      const auto& tensor = *static_cast<const TensorDescriptor*>(argument.object);
      return !tensor.key.empty() && AddHashed(tensor.key);
    }
    case contract::Kind::kScalar: {
      const auto& scalar = *static_cast<const ScalarValue*>(argument.object);
      const auto dtype = static_cast<uint64_t>(scalar.dtype);
      uint64_t halves[2];
      static_assert(sizeof(halves) == sizeof(scalar.bytes) && kMostOfValue == 1 + 2);
      std::memcpy(halves, scalar.bytes, sizeof(halves));
      words_[used_] = dtype;
      words_[used_ + 1] = halves[0];
      words_[used_ + 2] = halves[1];
      used_ += kMostOfValue;
      hash_ += HashShare(halves[0] ^ std::rotl(halves[1], 16) ^ dtype << 32, used_ - 1);
      return true;
    }
    case contract::Kind::kIntArray: {
      const auto& values = *static_cast<const IntArrayValue*>(argument.object);
      return AddCounted(values.data(), values.size() * sizeof(values[0]));
    }
    case contract::Kind::kBoolArray: {
      const auto& values = *static_cast<const BoolArrayValue*>(argument.object);
      return AddCounted(values.data(), values.size());
    }
    case contract::Kind::kFloatArray: {
      const auto& values = *static_cast<const FloatArrayValue*>(argument.object);
      return AddCounted(values.data(), values.size() * sizeof(values[0]));
    }
    case contract::Kind::kTensorList:
    case contract::Kind::kScalarList:
      return AddList(argument.elements);
    case contract::Kind::kString: {
      const auto* text = static_cast<const char*>(argument.object);
      return AddCounted(text, std::strlen(text));
    }
    case contract::Kind::kReal:
      Add(std::bit_cast<uint64_t>(argument.real));
      return true;
    case contract::Kind::kBool:
    case contract::Kind::kInteger:
      Add(static_cast<uint64_t>(argument.integer));
      return true;
  }
  return false;
}

bool CallKey::AddList(std::span<const contract::Argument> elements) {
  Add(elements.size());
  for (size_t i = 0, end; i < elements.size(); i = end) {
    end = EndOfEqual(elements, i);
    if (used_ == std::size(words_)) return false;
    Add(end - i);
    if (!Add(elements[i])) return false;
  }
  return true;
}

void CallKey::Add(uint64_t word) {
  words_[used_] = word;
  hash_ += HashShare(word, used_++);
}

// Words whose last is a hash of the others.
bool CallKey::AddHashed(std::span<const uint64_t> words) {
  if (std::size(words_) - used_ < words.size()) return false;
  std::copy(words.begin(), words.end(), words_ + used_);
  used_ += words.size();
  hash_ += HashShare(words.back(), used_ - 1);
  return true;
}

bool CallKey::AddCounted(const void* bytes, size_t count) {
  const size_t words = CeilDivide(count, sizeof(uint64_t));
  if (std::size(words_) - used_ < 1 + words) return false;
  Add(count);
  const auto* at = static_cast<const char*>(bytes);
  for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, at + i, std::min(sizeof(word), count - i));
    Add(word);
  }
  return true;
}

PlannedCallPointer RecentCalls::Find(const CallKey& key) {
  if (!key.complete()) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_hash_.find(key.hash());
  if (found == by_hash_.end()) return nullptr;
  const auto entry = found->second;
  if (!std::ranges::equal(entry->words, key.words())) return nullptr;
  if (entry != entries_.begin()) entries_.splice(entries_.begin(), entries_, entry);
  return entry->call;
}

void RecentCalls::Keep(const CallKey& key, const PlannedCallPointer& call) noexcept {
  if (!key.complete()) return;
  try {
    Put(key, call);
  } catch (...) {  // The call is planned anew the next time.
  }
}

// Takes the memory of the entry that goes for it.
void RecentCalls::Put(const CallKey& key, const PlannedCallPointer& call) {
  PlannedCallPointer gone;  // destroyed after the lock is given back
  const std::lock_guard<std::mutex> lock(mutex_);
  auto place = by_hash_.extract(key.hash());
  if (place.empty() && entries_.size() == kKept) place = by_hash_.extract(entries_.back().hash);
  Entries entry;
  if (place.empty()) {
    entry.emplace_back();
  } else {
    entry.splice(entry.begin(), entries_, place.mapped());
  }
  gone = std::move(entry.front().call);
  entry.front().hash = key.hash();
  entry.front().words.assign(key.words().begin(), key.words().end());
  entry.front().call = call;
  if (place.empty()) {
    by_hash_.emplace(key.hash(), entry.begin());
  } else {
    place.key() = key.hash();
    place.mapped() = entry.begin();
    by_hash_.insert(std::move(place));
  }
  entries_.splice(entries_.begin(), entry);
}

}  // namespace aclimb
