#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/runtime/support.h"

namespace {

// A folder of this process's own, so that several runs may go on at once.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "aclimb_init_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string WriteFile(const std::string& name, const std::string& text) const {
    std::string path = path_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

 private:
  std::string path_;
};

class Config : public testing::Test {
 protected:
  std::string WriteFile(const std::string& name, const std::string& text) const {
    return folder_.WriteFile(name, text);
  }

 private:
  const TemporaryFolder folder_;
};

TEST(Init, SecondInitAndSecondFinalizeTellSo) {
  EXPECT_REFUSED(ACL_ERROR_REPEAT_FINALIZE, "aclInit", aclFinalize);
  ASSERT_ACL(aclInit(nullptr));
  EXPECT_REFUSED(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before", aclInit, nullptr);
  // Where nobody asks, its text does not stand before that of the next failure.
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_NE(aclrtFree(nullptr), 0);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_NE(text.find("devPtr"), text.npos) << text;
  EXPECT_EQ(text.find("aclInit"), text.npos) << text;
  ASSERT_ACL(aclFinalize());
  EXPECT_REFUSED(ACL_ERROR_REPEAT_FINALIZE, "aclInit", aclFinalize);
  ASSERT_ACL(aclInit(nullptr));
  ASSERT_ACL(aclFinalize());
}

TEST(Init, ReferencesCount) {
  ASSERT_ACL(aclInit(nullptr));
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  uint64_t left = 99;
  ASSERT_ACL(aclFinalizeReference(&left));
  EXPECT_EQ(left, 1u);
  ASSERT_ACL(aclFinalizeReference(nullptr));
  left = 99;
  EXPECT_REFUSED(ACL_ERROR_REPEAT_FINALIZE, "aclInit", aclFinalizeReference, &left);
  EXPECT_EQ(left, 99u);
}

TEST(Init, WorksBeforeInitAndFirstInitSucceeds) {
  uint32_t count = 0;
  ASSERT_ACL(aclrtGetDeviceCount(&count));
  EXPECT_EQ(count, 1u);
  ASSERT_ACL(aclrtSetDevice(0));
  ASSERT_ACL(aclInit(nullptr));
  ASSERT_ACL(aclrtResetDevice(0));
  ASSERT_ACL(aclFinalize());
}

TEST(Init, FinalizeLeavesMemoryAlone) {
  ASSERT_ACL(aclInit(nullptr));
  ASSERT_ACL(aclrtSetDevice(0));
  void* memory = nullptr;
  ASSERT_ACL(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_NORMAL_ONLY));
  ASSERT_ACL(aclFinalize());
  ASSERT_ACL(aclrtMemset(memory, 16, 3, 16));
  ASSERT_ACL(aclrtFree(memory));
  ASSERT_ACL(aclrtResetDevice(0));
}

TEST_F(Config, BadFilesHaveTheirCodes) {
  EXPECT_REFUSED(ACL_ERROR_INVALID_FILE, "/nonexistent/acl.json", aclInit, "/nonexistent/acl.json");
  EXPECT_REFUSED(ACL_ERROR_INVALID_FILE, "readable file", aclInit, "/tmp");
  const std::string empty = WriteFile("empty.json", "");
  EXPECT_REFUSED(ACL_ERROR_PARSE_FILE, "object", aclInit, empty.c_str());
  const std::string broken = WriteFile("broken.json", "{\"dump\": ");
  EXPECT_REFUSED(ACL_ERROR_PARSE_FILE, broken, aclInit, broken.c_str());
  const std::string list = WriteFile("list.json", "[1]");
  EXPECT_REFUSED(ACL_ERROR_PARSE_FILE, "object", aclInit, list.c_str());
  const std::string deep = WriteFile("deep.json", std::string(5000, '['));
  EXPECT_REFUSED(ACL_ERROR_PARSE_FILE, "nested", aclInit, deep.c_str());
  const std::string eleven = WriteFile("eleven.json", "{\"a\":[[[[[[[[[[1]]]]]]]]]]}");
  EXPECT_REFUSED(ACL_ERROR_PARSE_FILE, "nested", aclInit, eleven.c_str());
  const std::string dump = WriteFile("dump.json", "{\"dump\": 3}");
  EXPECT_REFUSED(ACL_ERROR_INVALID_DUMP_CONFIG, "dump", aclInit, dump.c_str());
  const std::string profiler = WriteFile("profiler.json", "{\"profiler\": \"on\"}");
  EXPECT_REFUSED(ACL_ERROR_INVALID_PROFILING_CONFIG, "profiler", aclInit, profiler.c_str());
  const std::string mode = WriteFile("mode.json", "{\"err_msg_mode\": \"7\"}");
  EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "err_msg_mode", aclInit, mode.c_str());
  EXPECT_REFUSED(ACL_ERROR_REPEAT_FINALIZE, "aclInit", aclFinalize);
}

TEST_F(Config, UnknownKeysAndTenLevelsAreFine) {
  const std::string path =
      WriteFile("good.json",
                "{\"new_key\": {\"b\":[[[[[[[[1]]]]]]]]}, \"dump\": {\"dump_path\": \"/tmp/]]]]\"},"
                " \"profiler\": {}, \"max_opqueue_num\": \"10\", \"err_msg_mode\": \"0\"}");
  ASSERT_ACL(aclInit(path.c_str()));
  ASSERT_ACL(aclFinalize());
}

TEST_F(Config, DefaultDeviceBindsEachThread) {
  const std::string path =
      WriteFile("device.json", "{\"defaultDevice\": {\"default_device\": \"0\"}}");
  ASSERT_ACL(aclInit(path.c_str()));
  std::thread([] {
    int32_t device = -1;
    EXPECT_ACL(aclrtGetDevice(&device));
    EXPECT_EQ(device, 0);
    void* memory = nullptr;
    EXPECT_ACL(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_ACL(aclrtFree(memory));
  }).join();
  ASSERT_ACL(aclFinalize());
  ASSERT_ACL(aclrtResetDeviceForce(0));
  const std::string far = WriteFile("far.json", "{\"defaultDevice\": {\"default_device\": \"7\"}}");
  EXPECT_REFUSED(ACL_ERROR_RT_INVALID_DEVICEID, "default_device is 7", aclInit, far.c_str());
  // As int, the first three are 0, 0 and -1.
  for (const char* number : {"4294967296", "18446744069414584320", "18446744073709551615", "-1",
                             "1e3", "\"4294967296\""}) {
    const std::string wrong = WriteFile(
        "wrong.json", std::string("{\"defaultDevice\": {\"default_device\": ") + number + "}}");
    EXPECT_REFUSED(ACL_ERROR_INVALID_PARAM, "defaultDevice in", aclInit, wrong.c_str());
  }
  const std::string plain = WriteFile("plain.json", "{\"defaultDevice\": {\"default_device\": 0}}");
  ASSERT_ACL(aclInit(plain.c_str()));
  ASSERT_ACL(aclFinalize());
}

TEST_F(Config, SharedMessagesAreSeenByAnotherThread) {
  const std::string path = WriteFile("shared.json", "{\"err_msg_mode\": \"1\"}");
  ASSERT_ACL(aclInit(path.c_str()));
  std::thread([] { EXPECT_NE(aclrtFree(nullptr), ACL_SUCCESS); }).join();
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("devPtr is null"), std::string::npos);
  // What nobody has read outlives the mode.
  std::thread([] { EXPECT_NE(aclrtFree(nullptr), ACL_SUCCESS); }).join();
  ASSERT_ACL(aclFinalize());
  EXPECT_NE(std::string(aclGetRecentErrMsg()).find("devPtr is null"), std::string::npos);
  std::thread([] { EXPECT_NE(aclrtFree(nullptr), ACL_SUCCESS); }).join();
  EXPECT_STREQ(aclGetRecentErrMsg(), "");
}

}  // namespace
