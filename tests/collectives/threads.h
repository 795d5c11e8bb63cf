#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace collectives_test {

// Runs the body for each device, on a thread and a stream of its own.
inline void OnDevices(uint32_t count, const std::function<void(uint32_t, aclrtStream)>& body) {
  std::vector<std::thread> threads;
  for (uint32_t device = 0; device < count; ++device) {
    threads.emplace_back([&body, device] {
      ASSERT_EQ(aclrtSetDevice(static_cast<int32_t>(device)), ACL_SUCCESS);
      aclrtStream stream = nullptr;
      ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      body(device, stream);
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
      EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(device)), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

inline std::vector<HcclComm> InitAll(uint32_t count) {
  std::vector<int32_t> devices(count);
  for (uint32_t i = 0; i < count; ++i) devices[i] = static_cast<int32_t>(i);
  std::vector<HcclComm> comms(count);
  EXPECT_EQ(HcclCommInitAll(count, devices.data(), comms.data()), HCCL_SUCCESS)
      << aclGetRecentErrMsg();
  return comms;
}

// A call is refused with the code, and the message has the fragment.
inline void ExpectRefused(HcclResult code, HcclResult expected, const char* fragment) {
  EXPECT_EQ(code, expected);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find(fragment), std::string::npos) << "no \"" << fragment << "\" in:\n" << text;
  EXPECT_NE(text.find("expected "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  fix: "), std::string::npos) << text;
  EXPECT_NE(text.find("code: " + std::to_string(expected) + " HCCL_E_"), std::string::npos) << text;
}

struct Floats {
  explicit Floats(std::vector<float> values) : host(std::move(values)) {
    EXPECT_EQ(aclrtMalloc(&address, host.size() * 4, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpy(address, host.size() * 4, host.data(), host.size() * 4,
                          ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_SUCCESS);
  }
  ~Floats() { aclrtFree(address); }
  std::vector<float> Read() {
    EXPECT_EQ(aclrtMemcpy(host.data(), host.size() * 4, address, host.size() * 4,
                          ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return host;
  }
  std::vector<float> host;
  void* address = nullptr;
};

}  // namespace collectives_test
