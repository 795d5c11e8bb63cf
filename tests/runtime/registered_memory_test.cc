// Host memory that aclrtHostRegister took, used as the memory of an operator's tensors.
#include <cstdlib>

#include "aclnnop/aclnn_elu_backward.h"
#include "tests/runtime/support.h"

namespace {

constexpr size_t kPage = 4096;
constexpr int64_t kCount = kPage / sizeof(float);

class RegisteredMemoryTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    pages_.reset(static_cast<char*>(std::aligned_alloc(kPage, 3 * kPage)));
    ASSERT_NE(pages_, nullptr);
    for (int64_t i = 0; i < kCount; ++i) {
      Host(0)[i] = 0.25f * static_cast<float>(i % 7);  // gradOutput
      Host(1)[i] = (i % 2 == 0 ? 1.0f : -0.5f) * (1.0f + 0.5f * static_cast<float>(i % 3));
      Host(2)[i] = -77.0f;  // gradInput
    }
  }
  float* Host(int page) { return reinterpret_cast<float*>(pages_.get() + page * kPage); }

  // Phase 1 of aclnnEluBackward on three tensors of one page each.
  aclOpExecutor* Phase1(void* grad, void* self, void* out) {
    const int64_t shape[] = {kCount};
    const int64_t stride[] = {1};
    const auto tensor = [&](void* data) {
      return aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, data);
    };
    const float one = 1.0f;
    aclScalar* scale = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
    aclTensor* tensors[] = {tensor(grad), tensor(self), tensor(out)};
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_ACL(aclnnEluBackwardGetWorkspaceSize(tensors[0], scale, scale, scale, /*isResult=*/true,
                                                tensors[1], tensors[2], &size, &executor));
    EXPECT_EQ(size, 0u);
    for (aclTensor* made : tensors) EXPECT_EQ(aclDestroyTensor(made), 0);
    EXPECT_EQ(aclDestroyScalar(scale), 0);
    return executor;
  }
  // With isResult and all factors 1 the derivative is 1 above zero, else result + 1.
  void ExpectGradient(const float* got) {
    for (int64_t i = 0; i < kCount; ++i) {
      const double result = Host(1)[i];
      ASSERT_NEAR(got[i], Host(0)[i] * (result > 0 ? 1.0 : result + 1.0), 1e-6) << i;
    }
  }

  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> pages_;
};

TEST_F(RegisteredMemoryTest, HoldsTheTensorsOfAnOperator) {
  void* view = nullptr;
  ASSERT_ACL(aclrtHostRegister(pages_.get(), 3 * kPage, ACL_HOST_REGISTER_MAPPED, &view));
  char* base = static_cast<char*>(view);
  aclOpExecutor* executor = Phase1(base, base + kPage, base + 2 * kPage);
  ASSERT_ACL(aclnnEluBackward(nullptr, 0, executor, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ExpectGradient(Host(2));
  ASSERT_ACL(aclrtHostUnregister(pages_.get()));
}

TEST_F(RegisteredMemoryTest, MixesWithDeviceMemory) {
  void* view = nullptr;
  ASSERT_ACL(aclrtHostRegister(pages_.get(), 2 * kPage, ACL_HOST_REGISTER_MAPPED, &view));
  void* out = Allocate(kPage);
  char* base = static_cast<char*>(view);
  aclOpExecutor* executor = Phase1(base, base + kPage, out);
  ASSERT_ACL(aclnnEluBackward(nullptr, 0, executor, stream_));
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_ACL(aclrtMemcpy(Host(2), kPage, out, kPage, ACL_MEMCPY_DEVICE_TO_HOST));
  ExpectGradient(Host(2));
  ASSERT_ACL(aclrtHostUnregister(pages_.get()));
}

// What lies behind the registered range is the program's, and so is all of it afterwards.
TEST_F(RegisteredMemoryTest, EndsWhereItsRegistrationEnds) {
  void* view = nullptr;
  ASSERT_ACL(aclrtHostRegister(pages_.get(), 2 * kPage, ACL_HOST_REGISTER_MAPPED, &view));
  char* base = static_cast<char*>(view);
  aclOpExecutor* executor = Phase1(base, base + kPage, base + 2 * kPage);
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 161002);
  executor = Phase1(base, base + kPage, base + kPage + sizeof(float));
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 161002);
  ASSERT_ACL(aclrtHostUnregister(pages_.get()));
  executor = Phase1(base, base + kPage, base);
  EXPECT_EQ(aclnnEluBackward(nullptr, 0, executor, stream_), 161002);
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  EXPECT_EQ(Host(2)[0], -77.0f);
}

}  // namespace
