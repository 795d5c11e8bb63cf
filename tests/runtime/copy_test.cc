#include <cstring>
#include <numeric>

#include "tests/runtime/support.h"

namespace {

using runtime_test::Gate;

class CopyTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    device_ = static_cast<uint8_t*>(Allocate(1024));
    ASSERT_ACL(aclrtMemset(device_, 1024, 0xCC, 1024));
    host_.resize(1024);
    std::iota(host_.begin(), host_.end(), uint8_t{1});
    void* pinned = nullptr;
    ASSERT_ACL(aclrtMallocHost(&pinned, 1024));
    pinned_ = static_cast<uint8_t*>(pinned);
    std::memset(pinned_, 0, 1024);
  }
  void TearDown() override {
    EXPECT_ACL(aclrtSynchronizeDevice());
    EXPECT_ACL(aclrtFreeHost(pinned_));
    RuntimeTest::TearDown();
  }
  uint8_t* device_ = nullptr;
  uint8_t* pinned_ = nullptr;
  std::vector<uint8_t> host_;
};

TEST_F(CopyTest, AllDirections) {
  ASSERT_ACL(aclrtMemcpy(device_, 1024, host_.data(), 1024, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_EQ(Read(device_, 1024), host_);
  uint8_t* twin = static_cast<uint8_t*>(Allocate(1024));
  for (const aclrtMemcpyKind kind :
       {ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
        ACL_MEMCPY_INTER_DEVICE_TO_DEVICE}) {
    ASSERT_ACL(aclrtMemset(twin, 1024, 0, 1024));
    ASSERT_ACL(aclrtMemcpy(twin, 1024, device_, 1024, kind));
    EXPECT_EQ(Read(twin, 1024), host_);
  }
  ASSERT_ACL(aclrtMemset(twin, 1024, 0, 1024));
  ASSERT_ACL(aclrtMemcpy(twin, 1024, host_.data(), 1024, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE));
  EXPECT_EQ(Read(twin, 1024), host_);
  std::vector<uint8_t> copy(1024, 0);
  ASSERT_ACL(aclrtMemcpy(copy.data(), 1024, host_.data(), 1024, ACL_MEMCPY_HOST_TO_HOST));
  EXPECT_EQ(copy, host_);
  // Interior addresses, and the slack behind the allocation.
  ASSERT_ACL(aclrtMemcpy(device_ + 1024, 32, host_.data(), 32, ACL_MEMCPY_DEFAULT));
  EXPECT_EQ(Read(device_ + 1024, 32)[31], host_[31]);
}

TEST_F(CopyTest, Misuse) {
  uint8_t* h = host_.data();
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "count is 128 but destMax is 64", aclrtMemcpy, h, 64,
                 device_, 128, ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "dst is null", aclrtMemcpy, nullptr, 64, device_, 64,
                 ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "src is null", aclrtMemcpy, h, 64, nullptr, 64,
                 ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "src is a host address", aclrtMemcpy, device_, 64, h,
                 64, ACL_MEMCPY_DEVICE_TO_HOST);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "kind is 77", aclrtMemcpy, device_, 64, h, 64,
                 static_cast<aclrtMemcpyKind>(77));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ends after 1056", aclrtMemcpy, device_, 2048, h, 1057,
                 ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "dst is a host address", aclrtMemcpyAsync, h, 64,
                 h + 64, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream_);
}

TEST_F(CopyTest, AsyncHostToHostIsNotSupported) {
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "host addresses", aclrtMemcpyAsync, host_.data(),
                 64, host_.data() + 64, 64, ACL_MEMCPY_HOST_TO_HOST, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "host addresses", aclrtMemcpyAsync, host_.data(),
                 64, host_.data() + 64, 64, ACL_MEMCPY_DEFAULT, stream_);
}

TEST_F(CopyTest, NothingIsNoError) {
  ASSERT_ACL(aclrtMemcpy(device_, 0, host_.data(), 0, ACL_MEMCPY_HOST_TO_DEVICE));
  ASSERT_ACL(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_HOST_TO_DEVICE));
  ASSERT_ACL(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  ASSERT_ACL(aclrtMemset(device_, 0, 1, 0));
  EXPECT_EQ(Read(device_, 1)[0], 0xCC);
}

TEST_F(CopyTest, PageableSourceIsConsumedOnReturn) {
  for (const size_t size : {size_t{1024}, size_t{3} << 20}) {
    uint8_t* device = static_cast<uint8_t*>(Allocate(size));
    std::vector<uint8_t> source(size, 0x42);
    if (size == 1024) {
      // A small source is even consumed while the stream is held.
      Gate gate;
      gate.Close(stream_);
      ASSERT_ACL(
          aclrtMemcpyAsync(device, size, source.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
      std::fill(source.begin(), source.end(), uint8_t{0x99});
      gate.Open();
    } else {
      ASSERT_ACL(
          aclrtMemcpyAsync(device, size, source.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
      std::fill(source.begin(), source.end(), uint8_t{0x99});
    }
    ASSERT_ACL(aclrtSynchronizeStream(stream_));
    EXPECT_EQ(Read(device, size), std::vector<uint8_t>(size, 0x42));
    ASSERT_ACL(aclrtFree(device));
  }
}

TEST_F(CopyTest, PageableTargetIsWrittenOnReturnInStreamOrder) {
  std::thread opener;
  {
    Gate gate;
    gate.Close(stream_);
    ASSERT_ACL(aclrtMemsetAsync(device_, 1024, 0x31, 1024, stream_));
    opener = std::thread([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      gate.Open();
    });
    std::vector<uint8_t> target(1024, 0);
    ASSERT_ACL(
        aclrtMemcpyAsync(target.data(), 1024, device_, 1024, ACL_MEMCPY_DEVICE_TO_HOST, stream_));
    EXPECT_EQ(target, std::vector<uint8_t>(1024, 0x31));
    opener.join();
  }
}

TEST_F(CopyTest, PinnedMemoryIsUsedLater) {
  Gate gate;
  gate.Close(stream_);
  std::memset(pinned_, 1, 1024);
  ASSERT_ACL(aclrtMemcpyAsync(device_, 1024, pinned_, 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
  ASSERT_ACL(aclrtMemcpyAsyncWithCondition(pinned_ + 512, 512, device_, 512,
                                           ACL_MEMCPY_DEVICE_TO_HOST, stream_));
  std::memset(pinned_, 2, 512);
  EXPECT_EQ(pinned_[600], 1) << "not before the stream gets there";
  gate.Open();
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(device_, 1024)[0], 2) << "the source is read when the stream gets there";
  EXPECT_EQ(pinned_[600], 2);
}

TEST_F(CopyTest, ConditionRefusesPageable) {
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "not page-locked", aclrtMemcpyAsyncWithCondition,
                 device_, 1024, host_.data(), 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream_);
  EXPECT_EQ(Read(device_, 1)[0], 0xCC);
}

TEST_F(CopyTest, TwoDimensions) {
  // 3 rows of 5 bytes, 16 apart on the host, 32 apart on the device.
  ASSERT_ACL(aclrtMemcpy2d(device_, 32, host_.data(), 16, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE));
  std::vector<uint8_t> expected(96, 0xCC);
  for (size_t row = 0; row < 3; ++row) {
    for (size_t i = 0; i < 5; ++i) expected[row * 32 + i] = host_[row * 16 + i];
  }
  EXPECT_EQ(Read(device_, 96), expected);
  std::vector<uint8_t> back(30, 0xEE);
  ASSERT_ACL(
      aclrtMemcpy2dAsync(back.data(), 10, device_, 32, 5, 3, ACL_MEMCPY_DEVICE_TO_HOST, stream_));
  for (size_t row = 0; row < 3; ++row) {
    for (size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(back[row * 10 + i], i < 5 ? host_[row * 16 + i] : 0xEE);
    }
  }
  ASSERT_ACL(aclrtMemcpy2dAsync(device_ + 512, 5, device_, 32, 5, 3, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(device_ + 512, 15)[14], host_[36]);
}

TEST_F(CopyTest, TwoDimensionsMisuse) {
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "width is 33", aclrtMemcpy2d, device_, 32,
                 host_.data(), 64, 33, 2, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "width is 5000001", aclrtMemcpy2d, device_, 6000000,
                 host_.data(), 6000000, 5000001, 1, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "height is 5242881", aclrtMemcpy2d, device_, 1,
                 host_.data(), 1, 1, 5242881, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "kind is 3", aclrtMemcpy2d, device_, 8, device_ + 512, 8,
                 8, 1, ACL_MEMCPY_DEVICE_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "kind is 0", aclrtMemcpy2dAsync, device_, 8, host_.data(),
                 8, 8, 1, ACL_MEMCPY_HOST_TO_HOST, stream_);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "width is 0", aclrtMemcpy2d, device_, 8, host_.data(), 8,
                 0, 1, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ends after 1056", aclrtMemcpy2d, device_, 528,
                 host_.data(), 8, 8, 3, ACL_MEMCPY_HOST_TO_DEVICE);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "dpitch is", aclrtMemcpy2d, device_, SIZE_MAX / 2,
                 host_.data(), 8, 8, 3, ACL_MEMCPY_HOST_TO_DEVICE);
}

TEST_F(CopyTest, Fills) {
  ASSERT_ACL(aclrtMemset(device_, 1024, 0x1234, 10));
  EXPECT_EQ(Read(device_, 11), (std::vector<uint8_t>{0x34, 0x34, 0x34, 0x34, 0x34, 0x34, 0x34, 0x34,
                                                     0x34, 0x34, 0xCC}));
  ASSERT_ACL(aclrtMemsetD32(device_, 1024, 0x04030201, 2));
  EXPECT_EQ(Read(device_, 9), (std::vector<uint8_t>{1, 2, 3, 4, 1, 2, 3, 4, 0x34}));
  ASSERT_ACL(aclrtMemsetD32Async(device_ + 4, 1020, 0x08070605, 1, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Read(device_, 9), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 0x34}));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "maxCount is 4", aclrtMemset, device_, 4, 0, 5);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "memSize is 7", aclrtMemsetD32, device_, 7, 0, 2);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "memSize is 8", aclrtMemsetD32, device_, 8, 0,
                 SIZE_MAX / 2);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "devPtr is null", aclrtMemset, nullptr, 4, 0, 4);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "pageable", aclrtMemset, host_.data(), 4, 0, 4);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "ends after", aclrtMemsetAsync, device_, 2048, 0, 2048,
                 stream_);
}

}  // namespace
