#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclimb/framework.h"
#include "tests/runtime/support.h"

namespace {

using runtime_test::CheckMessage;

// The thread's unread message about a function that gives no code.
void ExpectMessage(const std::string& function, const std::string& fragment, int code) {
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
  CheckMessage(aclGetRecentErrMsg(), function, fragment, code);
}

class AclopTest : public testing::Test {
 protected:
  void SetUp() override {
    aclGetRecentErrMsg();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
  void TearDown() override { EXPECT_STREQ(aclGetRecentErrMsg(), ""); }
};

TEST_F(AclopTest, BuffersKeepAddressAndSize) {
  char memory[16];
  aclDataBuffer* buffer = aclCreateDataBuffer(memory, 16);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), memory);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 16u);
  EXPECT_ACL(aclUpdateDataBuffer(buffer, memory + 4, 3));
  EXPECT_EQ(aclGetDataBufferAddr(buffer), memory + 4);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 3u);
  EXPECT_ACL(aclDestroyDataBuffer(buffer));
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "destroyed aclDataBuffer", aclDestroyDataBuffer,
                 buffer);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "dataBuffer", aclUpdateDataBuffer, buffer, nullptr,
                 0);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "dataBuffer", aclDestroyDataBuffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  ExpectMessage("aclGetDataBufferAddr", "dataBuffer", ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclGetDataBufferSizeV2(nullptr), 0u);
  ExpectMessage("aclGetDataBufferSizeV2", "dataBuffer", ACL_ERROR_INVALID_PARAM);
}

TEST_F(AclopTest, ABufferOfNothingIsABuffer) {
  aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  EXPECT_ACL(aclDestroyDataBuffer(buffer));
}

TEST_F(AclopTest, DescriptorsTellWhatTheyWereGiven) {
  int64_t dims[] = {2, -1, 5};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_BF16, 3, dims, ACL_FORMAT_NHWC);
  ASSERT_NE(desc, nullptr);
  dims[0] = 99;
  EXPECT_EQ(aclGetTensorDescType(desc), ACL_BF16);
  EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_NHWC);
  ASSERT_EQ(aclGetTensorDescNumDims(desc), 3u);
  const int64_t expected[] = {2, -1, 5};
  for (size_t i = 0; i < 3; ++i) {
    int64_t dim = 777;
    EXPECT_ACL(aclGetTensorDescDimV2(desc, i, &dim));
    EXPECT_EQ(dim, expected[i]);
  }
  int64_t dim = 777;
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "index is 3", aclGetTensorDescDimV2, desc, 3, &dim);
  EXPECT_EQ(dim, 777);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "dimSize", aclGetTensorDescDimV2, desc, 0, nullptr);
  EXPECT_STREQ(aclGetTensorDescName(desc), "");
  aclSetTensorDescName(desc, "filter");
  EXPECT_STREQ(aclGetTensorDescName(desc), "filter");
  aclSetTensorDescName(desc, nullptr);
  EXPECT_STREQ(aclGetTensorDescName(desc), "");

  // The storage does not change what the tensor is.
  const int64_t stored[] = {2, 1, 1, 5, 16};
  EXPECT_ACL(aclSetTensorFormat(desc, ACL_FORMAT_NC1HWC0));
  EXPECT_ACL(aclSetTensorShape(desc, 5, stored));
  EXPECT_ACL(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST));
  EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_NHWC);
  EXPECT_EQ(aclGetTensorDescNumDims(desc), 3u);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "memType is 3", aclSetTensorPlaceMent, desc,
                 static_cast<aclMemType>(3));
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "numDims is -1", aclSetTensorShape, desc, -1, stored);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "dims", aclSetTensorShape, desc, 1, nullptr);

  aclDestroyTensorDesc(desc);
  aclDestroyTensorDesc(nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "destroyed aclTensorDesc", aclSetTensorFormat, desc,
                 ACL_FORMAT_ND);
  EXPECT_EQ(aclGetTensorDescType(desc), ACL_DT_UNDEFINED);
  ExpectMessage("aclGetTensorDescType", "desc is ", ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_UNDEFINED);
  ExpectMessage("aclGetTensorDescFormat", "desc is ", ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclGetTensorDescNumDims(nullptr), 0u);
  ExpectMessage("aclGetTensorDescNumDims", "desc is null", ACL_ERROR_INVALID_PARAM);
  aclDestroyTensorDesc(desc);
  ExpectMessage("aclDestroyTensorDesc", "destroyed aclTensorDesc", ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(AclopTest, DescriptorsOfUnknownRankAndOfNothing) {
  const int64_t unknown[] = {-2};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 1, unknown, ACL_FORMAT_ND);
  ASSERT_NE(desc, nullptr);
  EXPECT_EQ(aclGetTensorDescNumDims(desc), ACL_UNKNOWN_RANK);
  aclDestroyTensorDesc(desc);
  desc = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, nullptr, ACL_FORMAT_UNDEFINED);
  ASSERT_NE(desc, nullptr);
  EXPECT_EQ(aclGetTensorDescNumDims(desc), 0u);
  aclDestroyTensorDesc(desc);
}

TEST_F(AclopTest, DescriptorsOfNonsenseAreRefused) {
  const int64_t dims[] = {2, -3};
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND), nullptr);
  ExpectMessage("aclCreateTensorDesc", "dims[1] is -3", ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 2, nullptr, ACL_FORMAT_ND), nullptr);
  ExpectMessage("aclCreateTensorDesc", "dims is null", ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND), nullptr);
  ExpectMessage("aclCreateTensorDesc", "numDims is -1", ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 1 << 30, dims, ACL_FORMAT_ND), nullptr);
  ExpectMessage("aclCreateTensorDesc", "numDims is 1073741824", ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclCreateTensorDesc(static_cast<aclDataType>(5), 0, nullptr, ACL_FORMAT_ND), nullptr);
  ExpectMessage("aclCreateTensorDesc", "dataType is 5", ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(AclopTest, AttributesAreCheckedAsTheyAreSet) {
  aclopAttr* attr = aclopCreateAttr();
  ASSERT_NE(attr, nullptr);
  const int64_t numbers[] = {1, 2};
  const int64_t* const lists[] = {numbers, nullptr};
  const int counts[] = {2, 0};
  EXPECT_ACL(aclopSetAttrListInt(attr, "empty", 0, nullptr));
  EXPECT_ACL(aclopSetAttrListListInt(attr, "lists", 2, counts, lists));
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "attrName", aclopSetAttrInt, attr, nullptr, 1);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "attrValue", aclopSetAttrString, attr, "a", nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "values", aclopSetAttrListInt, attr, "a", 2, nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "numValues is -2", aclopSetAttrListFloat, attr, "a",
                 -2, nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "numValues", aclopSetAttrListListInt, attr, "a", 2,
                 nullptr, lists);
  const int too_many[] = {2, 1};
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "values", aclopSetAttrListListInt, attr, "a", 2, too_many,
                 lists);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "attrValue is 5", aclopSetAttrDataType, attr, "a",
                 static_cast<aclDataType>(5));
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "attr", aclopSetAttrBool, nullptr, "a", 1);
  aclopDestroyAttr(attr);
  aclopDestroyAttr(nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "destroyed aclopAttr", aclopSetAttrBool, attr, "a",
                 1);
}

// One input, one output and attributes, for calls of aclopCompileAndExecute.
class ExecuteTest : public AclopTest {
 protected:
  void SetUp() override {
    AclopTest::SetUp();
    const int64_t dims[] = {1, 3, 8, 8};
    input_ = aclCreateTensorDesc(ACL_FLOAT, 4, dims, ACL_FORMAT_NCHW);
    output_ = aclCreateTensorDesc(ACL_FLOAT16, 4, dims, ACL_FORMAT_NCHW);
    buffer_ = aclCreateDataBuffer(nullptr, 0);
    attr_ = aclopCreateAttr();
    aclSetTensorDescName(input_, "x");
  }
  void TearDown() override {
    aclDestroyTensorDesc(input_);
    aclDestroyTensorDesc(output_);
    EXPECT_ACL(aclDestroyDataBuffer(buffer_));
    aclopDestroyAttr(attr_);
    AclopTest::TearDown();
  }
  aclError Execute(const char* type) {
    const aclTensorDesc* const inputs[] = {input_};
    const aclTensorDesc* const outputs[] = {output_};
    return aclopCompileAndExecute(type, 1, inputs, &buffer_, 1, outputs, &buffer_, attr_,
                                  ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
  }
  std::string Message(const char* type) {
    aclGetRecentErrMsg();
    EXPECT_EQ(Execute(type), ACL_ERROR_API_NOT_SUPPORT);
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    const std::string text = aclGetRecentErrMsg();
    CheckMessage(text, "aclopCompileAndExecute", type, ACL_ERROR_API_NOT_SUPPORT);
    return text;
  }

  aclTensorDesc* input_ = nullptr;
  aclTensorDesc* output_ = nullptr;
  aclDataBuffer* buffer_ = nullptr;
  aclopAttr* attr_ = nullptr;
};

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ExecuteTest, SaysWhatItWasGiven) {
  const int64_t stored[] = {1, 1, 8, 8, 16};
  const int64_t strides[] = {1, 1, 2, 2};
  const float scales[] = {0.5f, 2};
  const uint8_t flags[] = {0, 7};
  const int64_t* const lists[] = {strides};
  const int counts[] = {3};
  EXPECT_ACL(aclSetTensorFormat(input_, ACL_FORMAT_NC1HWC0));
  EXPECT_ACL(aclSetTensorShape(input_, 5, stored));
  EXPECT_ACL(aclopSetAttrListInt(attr_, "strides", 4, strides));
  EXPECT_ACL(aclopSetAttrListFloat(attr_, "scales", 2, scales));
  EXPECT_ACL(aclopSetAttrListBool(attr_, "flags", 2, flags));
  EXPECT_ACL(aclopSetAttrListListInt(attr_, "lists", 1, counts, lists));
  EXPECT_ACL(aclopSetAttrInt(attr_, "groups", 5));
  EXPECT_ACL(aclopSetAttrInt(attr_, "groups", 1));
  EXPECT_ACL(aclopSetAttrFloat(attr_, "alpha", 1.5f));
  EXPECT_ACL(aclopSetAttrBool(attr_, "keep", 1));
  EXPECT_ACL(aclopSetAttrString(attr_, "data_format", "NCHW"));
  EXPECT_ACL(aclopSetAttrDataType(attr_, "dtype", ACL_INT32));
  const std::string text = Message("Conv2D");
  for (const char* part :
       {"x FLOAT [1, 3, 8, 8] NCHW stored as [1, 1, 8, 8, 16] NC1HWC0",
        "#0 FLOAT16 [1, 3, 8, 8] NCHW;", "strides = [1, 1, 2, 2]", "scales = [0.5, 2]",
        "flags = [false, true]", "lists = [[1, 1, 2]]", "groups = 1", "alpha = 1.5", "keep = true",
        "data_format = \"NCHW\"", "dtype = INT32"}) {
    EXPECT_TRUE(Has(text, part)) << part << " is not in\n" << text;
  }
}

TEST_F(ExecuteTest, SaysWhatToCallInstead) {
  // Aclimb has this one, and does not know its type.
  const std::string there = Message("Cumsum");
  EXPECT_TRUE(Has(there, "call aclnnCumsum, which Aclimb has")) << there;
  EXPECT_TRUE(Has(there, "allow_internal_format = False")) << there;
  EXPECT_TRUE(Has(there, "runtime/aclop/by-type")) << there;
  // This one has another name.
  const std::string renamed = Message("GatherV2");
  EXPECT_TRUE(Has(renamed, "call aclnnIndexSelect and aclnnEmbedding, which Aclimb has"))
      << renamed;
  const std::string missing = Message("NoSuchOperator");
  EXPECT_TRUE(Has(missing, "aclnnNoSuchOperator is missing from Aclimb")) << missing;
  EXPECT_TRUE(Has(missing, "runtime/aclop/missing")) << missing;
}

TEST_F(ExecuteTest, SaysWhatOfAKnownTypeIsNotCovered) {
  const std::string count = Message("Conv2DBackpropInput");
  EXPECT_TRUE(Has(count, "expected 3 inputs and 1 output")) << count;
  EXPECT_TRUE(Has(count, "runtime/aclop/arguments")) << count;
}

TEST_F(ExecuteTest, RefusesWhatIsNoCall) {
  aclGetRecentErrMsg();
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "opType", aclopCompileAndExecute, nullptr, 0, nullptr,
                 nullptr, 0, nullptr, nullptr, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr,
                 nullptr);
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "inputDesc", aclopCompileAndExecute, "Add", 1, nullptr,
                 nullptr, 0, nullptr, nullptr, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr,
                 nullptr);
  EXPECT_REFUSED(ACL_ERROR_RT_PARAM_INVALID, "numOutputs is -1", aclopCompileAndExecute, "Add", 0,
                 nullptr, nullptr, -1, nullptr, nullptr, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                 nullptr, nullptr);
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "inputs (none)", aclopCompileAndExecute, "Add", 0,
                 nullptr, nullptr, 0, nullptr, nullptr, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                 nullptr, nullptr);
  const aclTensorDesc* const descs[] = {reinterpret_cast<const aclTensorDesc*>(buffer_)};
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_HANDLE, "inputDesc[0]", aclopCompileAndExecute, "Add", 1,
                 descs, &buffer_, 0, nullptr, nullptr, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS,
                 nullptr, nullptr);
}

TEST_F(ExecuteTest, TheSecondVersionRefusesToo) {
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "MaskedSelect", aclopCompileAndExecuteV2,
                 "MaskedSelect", 1, &input_, &buffer_, 1, &output_, &buffer_, attr_, ACL_ENGINE_SYS,
                 ACL_COMPILE_SYS, nullptr, nullptr);
}

TEST_F(AclopTest, DeviceBinariesAreRefused) {
  void* handle = nullptr;
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", aclrtBinaryLoadFromData, "", 0,
                 nullptr, &handle);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", aclrtBinaryGetFunction, handle,
                 "", &handle);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", aclrtGetFunctionAddr, handle,
                 &handle, &handle);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", rtDevBinaryRegister, "",
                 &handle);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", rtFunctionRegister, handle, "",
                 "", "", 0);
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", rtKernelLaunch, "", 1, nullptr,
                 0, nullptr, nullptr);
  uint64_t address = 0;
  uint32_t length = 0;
  EXPECT_REFUSED(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "instructions", rtGetC2cCtrlAddr, &address,
                 &length);
}

TEST_F(AclopTest, ReportsToTheProfilerGoNowhere) {
  EXPECT_EQ(MsprofRegisterCallback(1, nullptr), 0);
  EXPECT_EQ(MsprofReportApi(0, nullptr), 0);
  EXPECT_EQ(MsprofReportCompactInfo(0, nullptr, 0), 0);
  EXPECT_EQ(MsprofReportAdditionalInfo(0, nullptr, 0), 0);
  EXPECT_EQ(MsprofGetHashId("abc", 3), MsprofGetHashId("abcd", 3));
  EXPECT_NE(MsprofGetHashId("abc", 3), MsprofGetHashId("abd", 3));
  EXPECT_NE(MsprofGetHashId(nullptr, 0), 0u);
  const uint64_t before = MsprofSysCycleTime();
  EXPECT_LE(before, MsprofSysCycleTime());
}

// Again in a process of its own, since each process tells it once.
TEST(AclopDeathTest, TheFirstProfilerIsToldOnStderr) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto starts_twice = [] {
    aclprofInit("", 0);
    aclprofInit("", 0);
    std::_Exit(0);
  };
  EXPECT_EXIT(
      starts_twice(), testing::ExitedWithCode(0),
      testing::MatchesRegex("aclimb: aclprofInit: [^\n]*\n[^\n]*aclimb run --trace[^\n]*\n"));
}

TEST_F(AclopTest, TheProfilerIsRefused) {
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "profiler", aclprofInit, "", 0);
  uint32_t device = 0;
  EXPECT_EQ(aclprofCreateConfig(&device, 1, 0, nullptr, ACL_PROF_ACL_API), nullptr);
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "profiler", aclprofStart, nullptr);
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "profiler", aclprofStop, nullptr);
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "profiler", aclprofDestroyConfig, nullptr);
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "profiler", aclprofFinalize);
}

TEST_F(AclopTest, DumpsAreRefused) {
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "dumps", aclmdlInitDump);
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "dumps", aclmdlSetDump, "dump.json");
  EXPECT_REFUSED(ACL_ERROR_API_NOT_SUPPORT, "dumps", aclmdlFinalizeDump);
}

}  // namespace
