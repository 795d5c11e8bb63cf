#include "tests/runtime/support.h"

namespace {

TEST(Error, NewestFirstAndReadOnce) {
  aclGetRecentErrMsg();
  EXPECT_STREQ(aclGetRecentErrMsg(), "");
  EXPECT_NE(aclrtFree(nullptr), 0);
  EXPECT_NE(aclrtFreeHost(nullptr), 0);
  uint32_t count;
  EXPECT_EQ(aclrtGetDeviceCount(&count), 0) << "a success clears nothing";
  const std::string text = aclGetRecentErrMsg();
  const size_t newest = text.find("aclrtFreeHost: ");
  const size_t oldest = text.find("aclrtFree: ");
  ASSERT_NE(newest, std::string::npos);
  ASSERT_NE(oldest, std::string::npos);
  EXPECT_LT(newest, oldest);
  EXPECT_STREQ(aclGetRecentErrMsg(), "");
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
}

TEST(Error, KeepsSixteenMessages) {
  aclGetRecentErrMsg();
  for (int i = 0; i < 100; ++i) aclimb_report(100000, ("number " + std::to_string(i)).c_str());
  const std::string text = aclGetRecentErrMsg();
  EXPECT_EQ(text.rfind("number 99", 0), 0u);
  EXPECT_NE(text.find("number 84"), std::string::npos);
  EXPECT_EQ(text.find("number 83"), std::string::npos);
  const std::string large(10000, 'x');
  for (int i = 0; i < 10; ++i) aclimb_report(100000, large.c_str());
  EXPECT_LE(std::string(aclGetRecentErrMsg()).size(), size_t{32} * 1024 + 16);
}

TEST(Error, BelongsToItsThread) {
  aclGetRecentErrMsg();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  std::thread([] {
    EXPECT_NE(aclrtFree(nullptr), 0);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
  }).join();
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
  EXPECT_STREQ(aclGetRecentErrMsg(), "");
}

TEST(Error, ThatThereIsNoContextIsToldUntilSomethingElseIs) {
  std::thread([] {
    const auto has = [](const std::string& text, const char* function) {
      return text.find(std::string(function) + ": ") != std::string::npos;
    };
    int32_t device = -1;
    aclrtContext context = nullptr;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_TRUE(has(aclGetRecentErrMsg(), "aclrtGetDevice"));
    EXPECT_NE(aclrtFree(nullptr), 0);
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_NE(aclrtFreeHost(nullptr), 0);
    const std::string text = aclGetRecentErrMsg();
    EXPECT_TRUE(has(text, "aclrtFree") && has(text, "aclrtFreeHost")) << text;
    EXPECT_FALSE(has(text, "aclrtGetDevice") || has(text, "aclrtGetCurrentContext")) << text;
    // A message that has been read is not taken back.
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_TRUE(has(aclGetRecentErrMsg(), "aclrtGetDevice"));
    EXPECT_NE(aclrtFree(nullptr), 0);
    EXPECT_TRUE(has(aclGetRecentErrMsg(), "aclrtFree"));
    EXPECT_STREQ(aclGetRecentErrMsg(), "");
  }).join();
}

TEST(Error, LevelIsChecked) {
  EXPECT_EQ(aclrtGetLastError(static_cast<aclrtLastErrLevel>(4)), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("level is 4"), std::string::npos);
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

}  // namespace
