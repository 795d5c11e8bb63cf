// Finds an operator and the base functions as frameworks do: nothing of the toolkit is linked.
//   lookup lazy|now run       looks aclnnEluBackward up, runs it through function pointers only
//   lookup lazy|now silent    opens every library and exits without a call
#include <dirent.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace {

int g_mode = RTLD_LAZY;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> Files(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> names;
  if (DIR* directory = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(directory)) {
      const std::string name = entry->d_name;
      if (name.compare(0, prefix.size(), prefix) == 0) {
        names.push_back(name);
      }
    }
    closedir(directory);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The libraries in the order in which operators are looked up; most of them do not exist.
std::vector<std::string> OperatorLibraries() {
  std::vector<std::string> libraries;
  const std::string custom = Environment("ASCEND_CUSTOM_OPP_PATH");
  if (!custom.empty()) {
    libraries.push_back(custom + "/op_api/lib/libcust_opapi.so");
  }
  libraries.push_back(Environment("ASCEND_OPP_PATH") +
                      "/vendors/customize/op_api/lib/libcust_opapi.so");
  // By bare name: the search path must lead there.
  for (const std::string& name : Files(Environment("ASCEND_HOME_PATH") + "/lib64", "libopapi_")) {
    libraries.push_back(name);
  }
  for (const char* name :
       {"libopapi.so", "libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_math.so",
        "libaclnn_sparse.so", "libaclnn_fft.so", "libaclnn_rand.so"}) {
    libraries.push_back(name);
  }
  return libraries;
}

void* Find(const char* name) {
  for (const std::string& library : OperatorLibraries()) {
    void* handle = dlopen(library.c_str(), g_mode);
    void* symbol = handle == nullptr ? nullptr : dlsym(handle, name);
    if (symbol != nullptr) {
      std::printf("%s from %s\n", name, library.c_str());
      return symbol;
    }
  }
  std::printf("%s not found\n", name);
  std::exit(1);
}

void* g_operators = nullptr;

// Through the operator library's handle, which reaches the libraries it depends on.
template <typename F>
F* Base(F*, const char* name) {
  void* symbol = dlsym(g_operators, name);
  if (symbol == nullptr) {
    std::printf("%s is not reachable through libopapi.so\n", name);
    std::exit(1);
  }
  return reinterpret_cast<F*>(symbol);
}
#define BASE(name) Base(static_cast<decltype(&name)>(nullptr), #name)

#define EXPECT(condition)                                           \
  do {                                                              \
    if (!(condition)) {                                             \
      std::printf("line %d: not true: %s\n", __LINE__, #condition); \
      return 1;                                                     \
    }                                                               \
  } while (false)

int Run() {
  g_operators = dlopen("libopapi.so", g_mode);
  EXPECT(g_operators != nullptr);
  // One library, one state, whatever name it was opened by.
  for (const char* alias : {"libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so",
                            "libaclnn_ops_infer.so", "libaclnn_ops_train.so"}) {
    EXPECT(dlopen(alias, g_mode) == g_operators);
  }
  EXPECT(dlopen("libacl_rt.so", g_mode) == dlopen("libascendcl.so", g_mode));
  void* compiler = dlopen("libacl_op_compiler.so", g_mode);
  EXPECT(compiler != nullptr);
  for (const char* name :
       {"aclrtCtxSetSysParamOpt", "aclrtSetSysParamOpt", "aclrtGetSysParamOpt"}) {
    EXPECT(dlsym(compiler, name) != nullptr);
  }

  auto phase1 = reinterpret_cast<decltype(&aclnnEluBackwardGetWorkspaceSize)>(
      Find("aclnnEluBackwardGetWorkspaceSize"));
  auto phase2 = reinterpret_cast<decltype(&aclnnEluBackward)>(Find("aclnnEluBackward"));

  EXPECT(BASE(aclInit)(nullptr) == 0);
  EXPECT(BASE(aclrtSetDevice)(0) == 0);
  aclrtStream stream = nullptr;
  EXPECT(BASE(aclrtCreateStream)(&stream) == 0);
  const float grad[4] = {1, -2, 3, 0.5f};
  const float self[4] = {-2, -1, 0, 5};
  float result[4] = {777, 777, 777, 777};
  const int64_t shape[1] = {4};
  void* memory[3] = {};
  const void* content[3] = {grad, self, result};
  aclTensor* tensors[3] = {};
  for (int i = 0; i < 3; ++i) {
    EXPECT(BASE(aclrtMalloc)(&memory[i], sizeof(grad), ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    EXPECT(BASE(aclrtMemcpy)(memory[i], sizeof(grad), content[i], sizeof(grad),
                             ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    tensors[i] =
        BASE(aclCreateTensor)(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, memory[i]);
    EXPECT(tensors[i] != nullptr);
  }
  int64_t* dims = nullptr;
  uint64_t rank = 0;
  EXPECT(BASE(aclGetViewShape)(tensors[0], &dims, &rank) == 0);
  EXPECT(rank == 1 && dims[0] == 4);
  delete[] dims;

  float one = 1;
  aclScalar* scalar = BASE(aclCreateScalar)(&one, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(phase1(tensors[0], scalar, scalar, scalar, true, tensors[1], tensors[2], &bytes,
                &executor) == 0);
  void* workspace = nullptr;
  EXPECT(bytes == 0 || BASE(aclrtMalloc)(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(phase2(workspace, bytes, executor, stream) == 0);
  EXPECT(BASE(aclrtSynchronizeStream)(stream) == 0);
  EXPECT(BASE(aclrtMemcpy)(result, sizeof(result), memory[2], sizeof(result),
                           ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  // g * (v + 1) up to 0, g above.
  EXPECT(result[0] == -1 && result[1] == 0 && result[2] == 3 && result[3] == 0.5f);

  for (int i = 0; i < 3; ++i) {
    EXPECT(BASE(aclDestroyTensor)(tensors[i]) == 0);
    EXPECT(BASE(aclrtFree)(memory[i]) == 0);
  }
  EXPECT(BASE(aclDestroyScalar)(scalar) == 0);
  EXPECT(BASE(aclrtDestroyStream)(stream) == 0);
  EXPECT(BASE(aclrtResetDevice)(0) == 0);
  EXPECT(BASE(aclFinalize)() == 0);
  std::printf("done\n");
  return 0;
}

int Silent() {
  for (const std::string& name : Files(Environment("ASCEND_HOME_PATH") + "/lib64", "lib")) {
    void* handle = dlopen(name.c_str(), g_mode);
    EXPECT(handle != nullptr);
    // Clients close while work is pending; the library stays.
    EXPECT(dlclose(handle) == 0);
    EXPECT(dlopen(name.c_str(), g_mode | RTLD_NOLOAD) != nullptr);
  }
  // ".", ".." and this thread: loading starts none.
  EXPECT(Files("/proc/self/task", "").size() == 3);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  g_mode = std::strcmp(argv[1], "now") == 0 ? RTLD_NOW : RTLD_LAZY;
  return std::strcmp(argv[2], "run") == 0 ? Run() : Silent();
}
