// Outputs that overlap inputs in memory.
#include <string>
#include <utility>
#include <vector>

#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_foreach_abs.h"
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
  aclTensor* Tensor(int64_t offset, int64_t length = 100, int64_t stride = 1) const {
    const int64_t storage[] = {1024};
    return aclCreateTensor(&length, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND, storage, 1,
                           memory_);
  }
  aclTensorList* List(const std::vector<int64_t>& offsets) const {
    std::vector<const aclTensor*> tensors;
    for (const int64_t offset : offsets) tensors.push_back(Tensor(offset));
    return aclCreateTensorList(tensors.data(), tensors.size());
  }
  // From 100 elements at `from` to 100 at `to`, `stride` and `to_stride` apart.
  int Negate(int64_t from, int64_t to, int64_t stride = 1, int64_t to_stride = 0) {
    aclTensor* const self = Tensor(from, 100, stride);
    aclTensor* const out = Tensor(to, 100, to_stride == 0 ? stride : to_stride);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_ACL(aclnnNegGetWorkspaceSize(self, out, &size, &executor));
    EXPECT_EQ(aclDestroyTensor(self), 0);
    EXPECT_EQ(aclDestroyTensor(out), 0);
    const int code = aclnnNeg(nullptr, 0, executor, nullptr);
    return code != 0 ? code : aclrtSynchronizeStream(nullptr);
  }

  // `length` elements at 0 to the same ones.
  int FlipInPlace(int64_t length) {
    aclTensor* const self = Tensor(0, length);
    aclTensor* const out = Tensor(0, length);
    const int64_t dim = 0;
    aclIntArray* const dims = aclCreateIntArray(&dim, 1);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_ACL(aclnnFlipGetWorkspaceSize(self, dims, out, &size, &executor));
    EXPECT_EQ(aclDestroyTensor(self), 0);
    EXPECT_EQ(aclDestroyTensor(out), 0);
    EXPECT_EQ(aclDestroyIntArray(dims), 0);
    const int code = aclnnFlip(nullptr, 0, executor, nullptr);
    return code != 0 ? code : aclrtSynchronizeStream(nullptr);
  }
  // Lists of 100 elements each, from these places to those.
  int Absolute(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
    aclTensorList* const x = List(from);
    aclTensorList* const out = List(to);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_ACL(aclnnForeachAbsGetWorkspaceSize(x, out, &size, &executor));
    EXPECT_EQ(aclDestroyTensorList(x), 0);
    EXPECT_EQ(aclDestroyTensorList(out), 0);
    const int code = aclnnForeachAbs(nullptr, 0, executor, nullptr);
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

TEST_F(OverlapTest, AnotherViewFromTheSamePlaceIsRefused) {
  EXPECT_EQ(Negate(0, 0, 1, 2), 161002);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("another view"), std::string::npos);
}

TEST_F(OverlapTest, OneViewNeighboursAndGapsAreRight) {
  EXPECT_ACL(Negate(0, 0));
  EXPECT_ACL(Negate(0, 100));
  EXPECT_ACL(Negate(100, 0));
  EXPECT_ACL(Negate(0, 1, 2));
}

TEST_F(OverlapTest, AShiftedViewWithGapsIsRefused) {
  EXPECT_EQ(Negate(0, 2, 2), 161002);
  std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("out[0] lies at self[1]"), std::string::npos) << message;
  EXPECT_NE(message.find("phase2/partial-overlap"), std::string::npos) << message;
  // Elements 1, 4, 7, ... are among 0, 2, 4, ...
  EXPECT_EQ(Negate(0, 1, 2, 3), 161002);
  message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("] lies at self["), std::string::npos) << message;
  EXPECT_ACL(Negate(0, 1, 2, 4));
}

TEST_F(OverlapTest, ManyTensorsAreComparedWithTheirNeighbours) {
  std::vector<int64_t> from, to;
  for (int64_t i = 0; i < 9; ++i) from.push_back(100 * i);
  EXPECT_ACL(Absolute(from, from));
  to = from;
  to[8] = 750;
  EXPECT_EQ(Absolute(from, to), 161002);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("phase2/partial-overlap"), std::string::npos) << message;
  to = from;
  std::swap(to[3], to[5]);
  EXPECT_EQ(Absolute(from, to), 161002);
}

TEST_F(OverlapTest, WhatCannotWorkInPlaceIsRefused) {
  EXPECT_EQ(FlipInPlace(100), 161002);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("out and self are one view"), std::string::npos) << message;
  EXPECT_NE(message.find("phase2/not-in-place"), std::string::npos) << message;
  EXPECT_NE(message.find("allocate memory of its own for out"), std::string::npos) << message;
  EXPECT_ACL(FlipInPlace(1));
  EXPECT_ACL(FlipInPlace(0));
}

TEST_F(OverlapTest, TensorsOfListsMayBeTheirOwnInputsAlone) {
  EXPECT_ACL(Absolute({0, 100}, {0, 100}));
  EXPECT_EQ(Absolute({0, 100}, {100, 0}), 161002);
  const std::string message = aclGetRecentErrMsg();
  EXPECT_NE(message.find("out[0] and x[1] are one view"), std::string::npos) << message;
  EXPECT_NE(message.find("or the view of x[0]"), std::string::npos) << message;
  EXPECT_EQ(Absolute({0, 100}, {200, 200}), 161002);
}

}  // namespace
