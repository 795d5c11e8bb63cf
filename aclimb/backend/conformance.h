#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "aclimb/backend/loader.h"
#include "aclimb/core/codes.h"

namespace aclimb {

// What the tests of the interface begin with: a device of the backend that the parameter names, and
// two queues of one group.
class Conformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<const AclimbBackend*> loaded = LoadBackend(GetParam());
    ASSERT_TRUE(loaded.ok()) << loaded.status().refusal().what;
    backend_ = loaded.value();
    static const AclimbBackend* configured = nullptr;
    if (configured != backend_) {
      const AclimbBackendConfig config = {1, 0, uint64_t{64} << 20, 0};
      ASSERT_EQ(backend_->configure(&config), 0);
      configured = backend_;
    }
    ASSERT_GE(backend_->device_count(), 1);
    ASSERT_EQ(backend_->device_open(0, &device_), 0);
    queue_ = MakeQueue(1);
    other_ = MakeQueue(1);
  }
  void TearDown() override {
    EXPECT_EQ(backend_->queue_destroy(queue_, 1), 0);
    EXPECT_EQ(backend_->queue_destroy(other_, 1), 0);
    EXPECT_EQ(backend_->device_close(device_), 0);
  }
  AclimbQueue* MakeQueue(uint64_t group) {
    const AclimbQueueOptions options = {group, 0, 0};
    AclimbQueue* queue = nullptr;
    EXPECT_EQ(backend_->queue_create(device_, &options, &queue), 0);
    return queue;
  }
  char* Allocate(uint64_t bytes) {
    void* address = nullptr;
    EXPECT_EQ(backend_->memory_allocate(device_, bytes, (bytes + 31) / 32 * 32 + 32, &address), 0);
    return static_cast<char*>(address);
  }
  std::vector<uint8_t> Read(const void* address, size_t bytes) {
    std::vector<uint8_t> host(bytes, 0xEE);
    EXPECT_EQ(backend_->memory_copy(host.data(), bytes, address, bytes, bytes, 1), 0);
    return host;
  }
  // A task that returns a code and counts its runs and releases.
  struct Counted {
    int code = 0;
    const AclimbBackend* backend = nullptr;
    std::vector<const char*> texts = {};  // that it says about its failure
    std::atomic<int> runs{0};
    std::atomic<int> releases{0};
  };
  int Submit(AclimbQueue* queue, Counted* counted, uint32_t* id = nullptr) {
    counted->backend = backend_;
    AclimbTask task = {};
    task.name = "counted";
    task.payload = counted;
    task.cost_bytes = 1 << 20;
    task.run = [](void* payload) {
      auto* c = static_cast<Counted*>(payload);
      ++c->runs;
      for (const char* text : c->texts) c->backend->explain(text);
      return c->code;
    };
    task.release = [](void* payload) { ++static_cast<Counted*>(payload)->releases; };
    return backend_->queue_submit(queue, &task, id);
  }

  const AclimbBackend* backend_ = nullptr;
  AclimbDevice* device_ = nullptr;
  AclimbQueue* queue_ = nullptr;
  AclimbQueue* other_ = nullptr;
};

// Keeps a queue suspended until it is told.
struct Hold {
  std::atomic<AclimbSuspension*> suspension{nullptr};
  std::atomic<int> dropped{0};
  static void Start(void* payload, AclimbSuspension* suspension) {
    auto* hold = static_cast<Hold*>(payload);
    if (suspension == nullptr) {
      ++hold->dropped;
    } else {
      hold->suspension = suspension;
    }
  }
  AclimbSuspension* Reached() {
    while (suspension.load() == nullptr) std::this_thread::yield();
    return suspension.exchange(nullptr);
  }
};

}  // namespace aclimb
