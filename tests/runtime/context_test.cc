#include "tests/runtime/support.h"

namespace {

using ContextTest = runtime_test::RuntimeTest;

TEST_F(ContextTest, CreateMakesCurrent) {
  aclrtContext context = nullptr;
  ASSERT_ACL(aclrtCreateContext(&context, 0));
  aclrtContext current = nullptr;
  ASSERT_ACL(aclrtGetCurrentContext(&current));
  EXPECT_EQ(current, context);
  ASSERT_ACL(aclrtDestroyContext(context));
  EXPECT_REFUSED(ACL_ERROR_RT_CONTEXT_NULL, "no current context", aclrtGetCurrentContext, &current);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live context", aclrtDestroyContext, context);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live context", aclrtSetCurrentContext, context);
}

TEST_F(ContextTest, WorksWithoutSetDevice) {
  std::thread([] {
    aclrtContext context;
    ASSERT_ACL(aclrtCreateContext(&context, 0));
    void* memory = nullptr;
    ASSERT_ACL(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    ASSERT_ACL(aclrtFree(memory));
    ASSERT_ACL(aclrtDestroyContext(context));
  }).join();
}

TEST_F(ContextTest, Misuse) {
  aclrtContext current;
  ASSERT_ACL(aclrtGetCurrentContext(&current));
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "context is null", aclrtCreateContext, nullptr, 0);
  aclrtContext untouched = current;
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 3; expected 0, the one device of this",
                 aclrtCreateContext, &untouched, 3);
  EXPECT_EQ(untouched, current);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "context is null", aclrtSetCurrentContext, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "context is null", aclrtDestroyContext, nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "primary context", aclrtDestroyContext, current);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live context", aclrtSetCurrentContext, &current);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live context", aclrtSetCurrentContext, stream_);
}

TEST_F(ContextTest, StreamsBelongToTheirContextMemoryDoesNot) {
  aclrtContext first;
  ASSERT_ACL(aclrtGetCurrentContext(&first));
  void* memory = Allocate(32);
  aclrtContext second;
  ASSERT_ACL(aclrtCreateContext(&second, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, "another context", aclrtSynchronizeStream, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, "another context", aclrtDestroyStream, stream_);
  EXPECT_REFUSED(ACL_ERROR_RT_STREAM_CONTEXT, "another context", aclrtMemsetAsync, memory, 32, 1,
                 32, stream_);
  ASSERT_ACL(aclrtMemset(memory, 32, 9, 32));
  ASSERT_ACL(aclrtMemsetAsync(memory, 32, 8, 32, nullptr));
  ASSERT_ACL(aclrtSynchronizeStream(nullptr));
  ASSERT_ACL(aclrtSetCurrentContext(first));
  EXPECT_EQ(Read(memory, 32)[31], 8);
  ASSERT_ACL(aclrtSynchronizeStream(stream_));
  ASSERT_ACL(aclrtDestroyContext(second));
  aclrtContext current;
  ASSERT_ACL(aclrtGetCurrentContext(&current));
  EXPECT_EQ(current, first) << "destroying another context leaves the current one";
}

TEST_F(ContextTest, DestroyWaitsForWork) {
  aclrtContext first, second;
  ASSERT_ACL(aclrtGetCurrentContext(&first));
  void* memory = Allocate(16);
  ASSERT_ACL(aclrtMemset(memory, 16, 0, 16));
  ASSERT_ACL(aclrtCreateContext(&second, 0));
  aclrtStream stream;
  ASSERT_ACL(aclrtCreateStream(&stream));
  ASSERT_ACL(aclrtLaunchHostFunc(
      stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  ASSERT_ACL(aclrtMemsetAsync(memory, 16, 4, 16, stream));
  ASSERT_ACL(aclrtDestroyContext(second));
  ASSERT_ACL(aclrtSetCurrentContext(first));
  EXPECT_EQ(Read(memory, 16)[0], 4);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "no live stream", aclrtSynchronizeStream, stream);
}

TEST_F(ContextTest, DefaultStreamHandleStandsForNull) {
  aclrtStream stream = nullptr;
  ASSERT_ACL(aclrtCtxGetCurrentDefaultStream(&stream));
  ASSERT_NE(stream, nullptr);
  int32_t by_null = -1, by_handle = -2;
  ASSERT_ACL(aclrtStreamGetId(nullptr, &by_null));
  ASSERT_ACL(aclrtStreamGetId(stream, &by_handle));
  EXPECT_EQ(by_null, by_handle);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "default stream", aclrtDestroyStream, stream);
}

TEST_F(ContextTest, ParametersBelongToTheContext) {
  int64_t value = -5;
  EXPECT_REFUSED(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "no value", aclrtCtxGetSysParamOpt,
                 ACL_OPT_DETERMINISTIC, &value);
  EXPECT_EQ(value, -5);
  ASSERT_ACL(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclimb_deterministic(), 0);
  ASSERT_ACL(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  EXPECT_EQ(aclimb_deterministic(), 1);
  ASSERT_ACL(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
  EXPECT_EQ(aclimb_deterministic(), 0) << "the context's value wins";
  ASSERT_ACL(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(value, 0);
  ASSERT_ACL(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "opt is 9", aclrtSetSysParamOpt,
                 static_cast<aclSysParamOpt>(9), 1);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "opt is -1", aclrtGetSysParamOpt,
                 static_cast<aclSysParamOpt>(-1), &value);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "value is 4", aclrtSetSysParamOpt,
                 ACL_OPT_DETERMINISTIC, 4);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "value is null", aclrtGetSysParamOpt,
                 ACL_OPT_DETERMINISTIC, nullptr);
}

}  // namespace
