// The place where ranks meet, when one of them brings more than there is memory for.

#include "aclimb/collectives/hub.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <mutex>
#include <new>
#include <string>

#include "aclimb/collectives/link.h"

namespace {

// No allocation is larger, as if memory ran out.
std::atomic<size_t> largest_allocation{SIZE_MAX};

}  // namespace

// The compiler sees that the other one frees what malloc returned.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(size_t bytes) {
  void* const memory = bytes <= largest_allocation ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace aclimb::collectives {
namespace {

using Clock = std::chrono::steady_clock;

class Listener final : public Watcher {
 public:
  void RankGone(uint32_t rank, const std::string&) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    gone_ = static_cast<int>(rank);
    changed_.notify_all();
  }
  void RankLeft(uint32_t) override {}
  void RankFailed(uint32_t, uint32_t, const std::string&) override {}
  Stand WhereItStands() override { return {}; }

  int AwaitGone() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [this] { return gone_ >= 0; });
    return gone_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int gone_ = -1;
};

std::string Bytes(size_t count) { return std::string(count, 'x'); }

TEST(Hub, ARankThatBringsTooMuchEndsAlone) {
  Settings settings;
  settings.address = "127.0.0.1";
  Result<Token> token = Hub::Start(settings);
  ASSERT_TRUE(token.ok()) << token.status().refusal().what;
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  auto joins = [&](uint32_t rank) { return Link::Join(token.value(), 3, rank, deadline); };
  auto second = std::async(std::launch::async, joins, 1);
  // The third speaks for itself.
  Endpoint root;
  ASSERT_TRUE(ParseEndpoint(token.value().address, token.value().port, &root));
  Socket third;
  ASSERT_TRUE(Connect(root, deadline, &third).ok());
  std::string hello = Encode(FrameType::kHello, ByteWriter()
                                                    .Add(token.value().secret)
                                                    .Number(uint32_t{3})
                                                    .Number(uint32_t{2})
                                                    .Text(ByteWriter().Add(Secret{}).Take())
                                                    .Take());
  ASSERT_TRUE(SendSome(third, &hello));
  Result<std::shared_ptr<Link>> first = joins(0);
  ASSERT_TRUE(first.ok()) << first.status().refusal().what;
  ASSERT_TRUE(second.get().ok());
  Listener listener;
  first.value()->Watch("channel", &listener);

  const std::string large = Encode(FrameType::kExchange, Bytes(size_t{32} << 20));
  largest_allocation = size_t{1} << 20;
  size_t sent = 0;
  std::string part;
  part.reserve(1 << 16);
  while (sent < large.size()) {
    part.assign(large, sent, 1 << 16);
    const size_t before = part.size();
    if (!SendSome(third, &part)) break;
    sent += before - part.size();
  }
  EXPECT_LT(sent, large.size()) << "all of it was read";
  EXPECT_EQ(listener.AwaitGone(), 2);
  largest_allocation = SIZE_MAX;
  // The others are as they were.
  EXPECT_TRUE(first.value()->Ask("channel", {0}).has_value());
  first.value()->Unwatch("channel");
}

}  // namespace
}  // namespace aclimb::collectives
