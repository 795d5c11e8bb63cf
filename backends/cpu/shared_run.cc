#include "backends/cpu/shared_run.h"

#include <atomic>

#include "aclimb/core/spin_lock.h"
#include "backends/cpu/engine.h"

namespace aclimb::cpu {
namespace {

// On the stack of the thread that shares its work.
struct Offer {
  void (*body)(void* context, int part);
  void* context;
  int part;  // for who takes it
  std::atomic<bool> done{false};
};

// Who takes the offer out has to see to its `done`.
std::atomic<Offer*> open_offer{nullptr};

}  // namespace

void RunShared(void (*body)(void* context, int part), void* context) noexcept {
  // An engine gets part 1 wherever it can, so that a loop that is repeated finds its memory in the
  // cache of the core that had it.
  const int mine = OnEngineThread() ? 1 : 0;
  Offer offer{body, context, 1 - mine};
  Offer* none = nullptr;
  const bool open = open_offer.compare_exchange_strong(none, &offer, std::memory_order_release,
                                                       std::memory_order_relaxed);
  body(context, mine);
  if (!open) return;
  Offer* mine_still = &offer;
  if (open_offer.compare_exchange_strong(mine_still, nullptr, std::memory_order_relaxed)) return;
  // A piece of the loop is short, unless its thread lost the core.
  constexpr int kLooks = 1000;
  Backoff backoff;
  for (int i = 0; !offer.done.load(std::memory_order_acquire); ++i) {
    i < kLooks ? Pause() : backoff.Wait();
  }
}

bool TakePart() noexcept {
  // Looking first leaves the line where it is.
  if (open_offer.load(std::memory_order_relaxed) == nullptr) return false;
  Offer* const offer = open_offer.exchange(nullptr, std::memory_order_acquire);
  if (offer == nullptr) return false;
  offer->body(offer->context, offer->part);
  offer->done.store(true, std::memory_order_release);
  return true;
}

}  // namespace aclimb::cpu
