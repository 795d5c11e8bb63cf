#include "aclimb/executor/recent_calls.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aclimb/simd/parallel.h"

namespace aclimb {
namespace {

constexpr size_t kKept = 256;  // of an operator
constexpr size_t kTables = 16;

struct Entry {
  uint64_t hash = 0;
  std::vector<uint64_t> words;
  Executor executor;  // with the handles and addresses of the call that was kept
};
using Entries = std::list<Entry>;

// The calls of one operator.
class RecentCalls {
 public:
  std::unique_ptr<Executor> Find(const CallKey& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = by_hash_.find(key.hash());
    if (found == by_hash_.end()) return nullptr;
    const auto entry = found->second;
    if (!std::ranges::equal(entry->words, key.words())) return nullptr;
    entries_.splice(entries_.begin(), entries_, entry);
    return std::make_unique<Executor>(entry->executor);
  }

  // Takes the memory of the entry that goes for it.
  void Keep(const CallKey& key, const Executor& executor) {
    PlanPointer gone;  // destroyed after the lock is given back
    const std::lock_guard<std::mutex> lock(mutex_);
    auto place = by_hash_.extract(key.hash());
    if (place.empty() && entries_.size() == kKept) place = by_hash_.extract(entries_.back().hash);
    Entries entry;
    if (place.empty()) {
      entry.emplace_back();
    } else {
      entry.splice(entry.begin(), entries_, place.mapped());
    }
    gone = std::move(entry.front().executor.plan);
    entry.front().hash = key.hash();
    entry.front().words.assign(key.words().begin(), key.words().end());
    entry.front().executor = executor;
    if (place.empty()) {
      by_hash_.emplace(key.hash(), entry.begin());
    } else {
      place.key() = key.hash();
      place.mapped() = entry.begin();
      by_hash_.insert(std::move(place));
    }
    entries_.splice(entries_.begin(), entry);
  }

 private:
  std::mutex mutex_;
  Entries entries_;  // the last used one first
  std::unordered_map<uint64_t, Entries::iterator> by_hash_;
};

// A table for each operator, so that the many shapes of one do not drive out the plans of another;
// operators beyond the last table share it. Leaks: plans may still run at exit.
RecentCalls& CallsOf(const contract::Contract& contract) {
  struct Table {
    std::atomic<const contract::Contract*> of{nullptr};
    RecentCalls calls;
  };
  static auto* const tables = new Table[kTables];
  for (size_t i = 0; i + 1 < kTables; ++i) {
    const contract::Contract* of = tables[i].of.load(std::memory_order_acquire);
    if (of == nullptr && tables[i].of.compare_exchange_strong(of, &contract)) of = &contract;
    if (of == &contract) return tables[i].calls;
  }
  return tables[kTables - 1].calls;
}

}  // namespace

CallKey::CallKey(const contract::Contract& contract, const contract::Arguments& arguments,
                 bool deterministic)
    : contract_(contract) {
  uint64_t* const words = Take(3);
  words[0] = reinterpret_cast<uintptr_t>(&contract);
  words[1] = static_cast<uint64_t>(TeamSize());
  words[2] = static_cast<uint64_t>(arguments.product()) << 2 |
             static_cast<uint64_t>(arguments.extensions()) << 1 |
             static_cast<uint64_t>(deterministic);
  // No further than a dead handle: what comes after it may be as dead.
  for (size_t i = 0; i < arguments.size() && complete_; ++i) Add(arguments.At(static_cast<int>(i)));
  hash_ = Hash();
}

uint64_t* CallKey::Take(size_t count) {
  if (count > std::size(words_) - used_) {
    complete_ = false;
    return nullptr;
  }
  uint64_t* const words = words_ + used_;
  used_ += count;
  return words;
}

// Whether an argument is given is a word of its own, or a count follows: equal words are equal
// arguments.
void CallKey::Add(const contract::Argument& argument) {
  if (contract::IsPointer(argument.kind) && argument.object == nullptr) {
    if (argument.handle != nullptr) complete_ = false;
    if (uint64_t* const words = Take(1)) words[0] = ~uint64_t{0};
    return;
  }
  switch (argument.kind) {
    case contract::Kind::kTensor:
      return Add(*static_cast<const TensorDescriptor*>(argument.object));
    case contract::Kind::kScalar:
      return Add(*static_cast<const ScalarValue*>(argument.object));
    case contract::Kind::kIntArray: {
      const auto& values = *static_cast<const IntArrayValue*>(argument.object);
      return AddCounted(values.data(), values.size() * sizeof(values[0]));
    }
    case contract::Kind::kBoolArray: {
      const auto& values = *static_cast<const BoolArrayValue*>(argument.object);
      return AddCounted(values.data(), values.size());
    }
    case contract::Kind::kString: {
      const auto* text = static_cast<const char*>(argument.object);
      return AddCounted(text, std::strlen(text));
    }
    case contract::Kind::kReal:
      if (uint64_t* const words = Take(1)) words[0] = std::bit_cast<uint64_t>(argument.real);
      return;
    case contract::Kind::kBool:
    case contract::Kind::kInteger:
      if (uint64_t* const words = Take(1)) words[0] = static_cast<uint64_t>(argument.integer);
  }
}

void CallKey::Add(const TensorDescriptor& tensor) {
  const size_t rank = tensor.shape.size();
  const size_t storage_rank = tensor.storage_shape.size();
  uint64_t* words = Take(4 + 2 * rank + storage_rank);
  if (words == nullptr) return;
  *words++ = rank;
  *words++ = storage_rank;
  *words++ = static_cast<uint64_t>(tensor.dtype) << 32 | static_cast<uint32_t>(tensor.format);
  *words++ = static_cast<uint64_t>(tensor.offset);
  for (size_t i = 0; i < rank; ++i) {
    *words++ = static_cast<uint64_t>(tensor.shape[i]);
    *words++ = static_cast<uint64_t>(tensor.stride[i]);
  }
  for (const int64_t extent : tensor.storage_shape) *words++ = static_cast<uint64_t>(extent);
}

void CallKey::Add(const ScalarValue& scalar) {
  static_assert(sizeof(scalar.bytes) == 2 * sizeof(uint64_t));
  uint64_t* const words = Take(3);
  if (words == nullptr) return;
  words[0] = static_cast<uint64_t>(scalar.dtype);
  std::memcpy(words + 1, scalar.bytes, sizeof(scalar.bytes));
}

void CallKey::AddCounted(const void* bytes, size_t count) {
  const size_t whole = (count + sizeof(uint64_t) - 1) / sizeof(uint64_t);
  uint64_t* const words = Take(1 + whole);
  if (words == nullptr) return;
  words[0] = count;
  if (count == 0) return;
  words[whole] = 0;
  std::memcpy(words + 1, bytes, count);
}

// Four sums side by side, since each multiplication waits for the one before it.
uint64_t CallKey::Hash() const {
  constexpr size_t kSums = 4;
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15u;
  const auto mix = [](uint64_t sum, uint64_t word) {
    const uint64_t product = (sum ^ word) * kFactor;
    return product ^ product >> 32;
  };
  uint64_t sums[kSums] = {used_, 1, 2, 3};
  size_t i = 0;
  for (; i + kSums <= used_; i += kSums) {
    for (size_t k = 0; k < kSums; ++k) sums[k] = mix(sums[k], words_[i + k]);
  }
  for (size_t k = 0; i < used_; ++i, ++k) sums[k] = mix(sums[k], words_[i]);
  return mix(mix(sums[0], sums[1]), mix(sums[2], sums[3]));
}

std::unique_ptr<Executor> FindCall(const CallKey& key, const contract::Arguments& arguments) {
  if (!key.complete()) return nullptr;
  std::unique_ptr<Executor> executor = CallsOf(key.contract()).Find(key);
  if (executor == nullptr) return nullptr;
  for (TensorUse& use : executor->uses) {
    const contract::Argument& argument = arguments.At(use.parameter);
    use.handle = argument.handle;
    const TensorDescriptor* tensor = arguments.TensorOrNull(use.parameter);
    use.data = tensor != nullptr ? tensor->data : nullptr;
  }
  return executor;
}

void KeepCall(const CallKey& key, const Executor& executor) noexcept {
  if (!key.complete()) return;
  try {
    CallsOf(key.contract()).Keep(key, executor);
  } catch (...) {  // The call is planned anew the next time.
  }
}

}  // namespace aclimb
