// Outputs that overlap inputs in memory.
#include <string>

#include "aclnnop/aclnn_neg.h"
#include "tests/runtime/support.h"

namespace {

class OverlapTest : public runtime_test::RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    EXPECT_ACL(aclrtMalloc(&memory_, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_ACL(aclrtMemset(memory_, 4096, 0, 4096));
  }
  void TearDown() override {
    EXPECT_ACL(aclrtFree(memory_));
    RuntimeTest::TearDown();
  }
  // From 100 elements at `from` to 100 at `to`, `stride` apart.
  int Negate(int64_t from, int64_t to, int64_t stride = 1) {
    const int64_t shape[] = {100}, strides[] = {stride}, storage[] = {1024};
    const auto tensor = [&](int64_t offset) {
      return aclCreateTensor(shape, 1, ACL_FLOAT, strides, offset, ACL_FORMAT_ND, storage, 1,
                             memory_);
    };
    aclTensor* const self = tensor(from);
    aclTensor* const out = tensor(to);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_ACL(aclnnNegGetWorkspaceSize(self, out, &size, &executor));
    EXPECT_EQ(aclDestroyTensor(self), 0);
    EXPECT_EQ(aclDestroyTensor(out), 0);
    const int code = aclnnNeg(nullptr, 0, executor, nullptr);
    return code != 0 ? code : aclrtSynchronizeStream(nullptr);
  }

  void* memory_ = nullptr;
};

TEST_F(OverlapTest, APartIsRefused) {
  for (const int64_t ahead : {1, 50, 99}) {
    for (const bool behind : {false, true}) {
      EXPECT_EQ(behind ? Negate(ahead, 0) : Negate(0, ahead), 161002);
      const std::string message = aclGetRecentErrMsg();
      EXPECT_NE(message.find("out starts at"), std::string::npos) << message;
      EXPECT_NE(message.find("overlaps self"), std::string::npos) << message;
      EXPECT_NE(message.find("phase2/partial-overlap"), std::string::npos) << message;
    }
  }
}

TEST_F(OverlapTest, OneViewNeighboursAndGapsAreRight) {
  EXPECT_ACL(Negate(0, 0));
  EXPECT_ACL(Negate(0, 100));
  EXPECT_ACL(Negate(100, 0));
  EXPECT_ACL(Negate(0, 1, 2));
}

}  // namespace
