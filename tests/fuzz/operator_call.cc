#include "tests/fuzz/operator_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <tuple>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/product.h"
#include "aclimb/truth/elements.h"
#include "aclnn/aclnn_base.h"
#include "tests/fuzz/finding.h"

namespace aclimb::fuzz {
namespace {

constexpr double kMostOperations = 2e6;
constexpr uint64_t kMostWorkspace = 256 << 20;
constexpr unsigned char kPoison[] = {0xC3, 0x5A};

struct Globals {
  aclrtStream stream = nullptr;
  aclrtStream dead_stream = nullptr;
  aclrtStream foreign_stream = nullptr;
  aclIntArray* dead_array = nullptr;
  aclBoolArray* other_kind = nullptr;
};
Globals globals;

void Must(int code, const char* what) {
  if (code != 0) Finding("%s gives %d: %s", what, code, aclGetRecentErrMsg());
}
#define MUST(call) Must((call), #call)

// A refusal has one of these codes, and its message, which is returned, says it.
std::string CheckRefusal(const char* phase, int code, std::initializer_list<int> expected) {
  std::string message = aclGetRecentErrMsg();
  for (const int each : expected) {
    if (code != each) continue;
    if (message.find("code: " + std::to_string(code)) == std::string::npos) {
      Finding("%s gives %d with the message \"%s\"", phase, code, message.c_str());
    }
    return message;
  }
  Finding("%s gives %d, which is not expected: %s", phase, code, message.c_str());
}

void CheckNoMessage(const char* phase) {
  const char* message = aclGetRecentErrMsg();
  if (message[0] != '\0') Finding("%s succeeds with the message \"%s\"", phase, message);
}

struct Planned {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
};

// False when phase 1 refuses.
bool Plan(const Draw& draw, const OperatorCall& call, Planned& planned) {
  const int code = call.plan(&planned.size, &planned.executor);
  if (code == 0) {
    CheckNoMessage("phase 1");
    if (planned.executor == nullptr) Finding("phase 1 succeeds without an executor");
    return true;
  }
  const std::string message = CheckRefusal("phase 1", code, {161001, 161002, 561002});
  if (planned.executor != nullptr) Finding("phase 1 fails and makes an executor");
  if (draw.strange()) return false;
  Finding("phase 1 refuses a proper call with %d: %s", code, message.c_str());
}

// Exactly what phase 1 asked for, and a canary behind it.
class Workspace {
 public:
  explicit Workspace(uint64_t size) : size_(size) {
    if (size == 0) return;
    if (size > kMostWorkspace) Finding("a small call wants %llu bytes", Long(size));
    MUST(aclrtMalloc(&memory_, size + kCanary, ACL_MEM_MALLOC_HUGE_FIRST));
    std::memset(memory_, 0xE7, size + kCanary);
  }
  ~Workspace() {
    if (memory_ == nullptr) return;
    const auto* bytes = static_cast<const unsigned char*>(memory_);
    for (uint64_t i = size_; i < size_ + kCanary; ++i) {
      if (bytes[i] != 0xE7) Finding("byte %llu behind the workspace was written", Long(i - size_));
    }
    MUST(aclrtFree(memory_));
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* get() const { return memory_; }

 private:
  static constexpr uint64_t kCanary = 128;
  static unsigned long long Long(uint64_t value) { return value; }
  const uint64_t size_;
  void* memory_ = nullptr;
};

// Waits for the run, which may refuse what the data are, and says what it found and expected. What
// it has written is whole and repeats all the same.
void Finish() {
  const int code = aclrtSynchronizeStream(globals.stream);
  if (code == 0) return;
  const std::string message = CheckRefusal("the run", code, {507015});
  // The first line ends with the run's own text, if it has one (RunFailure).
  const std::string what = message.substr(0, message.find('\n'));
  if (what.find("; expected it to succeed") != std::string::npos) {
    Finding("the run fails and does not say why: %s", message.c_str());
  }
  if (what.find("; expected") == std::string::npos || !what.ends_with('.')) {
    Finding("the run fails without a sentence of what it expected: %s", message.c_str());
  }
}

void Upload(const OperatorCall& call, unsigned char poison) {
  for (View* view : call.views) view->Upload(poison);
}

void CheckSurroundings(const OperatorCall& call, const char* what, unsigned char poison) {
  for (const View* view : call.views) view->CheckSurroundings(what, poison);
}

bool AnyBadData(const OperatorCall& call) {
  for (const View* view : call.views) {
    if (view->bad_data()) return true;
  }
  return false;
}

bool TooLarge(const OperatorCall& call) {
  for (const View* view : call.views) {
    if (view->too_large()) return true;
  }
  return call.operations > kMostOperations;
}

// Phase 2 in a way that it refuses, or may refuse; nothing runs then.
void RunWrongly(Draw& draw, const OperatorCall& call, Planned planned) {
  Upload(call, kPoison[0]);
  const Workspace workspace(planned.size);
  void* memory = workspace.get();
  uint64_t size = planned.size;
  aclOpExecutor* executor = planned.executor;
  aclrtStream stream = globals.stream;
  int expected = 0;
  char host[64];
  switch (draw.Below(8)) {
    case 0:
      executor = nullptr;
      expected = 161001;
      break;
    case 1:
      MUST(aclDestroyAclOpExecutor(executor));
      expected = 561103;
      break;
    case 2:
      stream = globals.dead_stream;
      expected = 361001;
      break;
    case 3:
      stream = globals.foreign_stream;
      expected = 361001;
      break;
    case 4:
      if (size > 0) {
        size -= 1 + static_cast<uint64_t>(draw.Byte()) % size;
        expected = 161002;
      }
      break;
    case 5:
      if (size > 0) {
        memory = nullptr;
        expected = 161001;
      }
      break;
    case 6:
      if (size > 0) {
        memory = host;
        expected = 161002;
      }
      break;
    default:
      if (size > 128 + 64) {
        memory = static_cast<char*>(memory) + size + 128;
        expected = 161002;
      }
      break;
  }
  const int code = call.run(memory, size, executor, stream);
  if (code == 0) {
    if (expected != 0) Finding("phase 2 succeeds; expected %d", expected);
    Finish();
    if (AnyBadData(call)) return;
  } else if (AnyBadData(call)) {
    // Which of two mistakes is told first is not the point here.
    CheckRefusal("phase 2", code, {161001, 161002, expected});
  } else {
    CheckRefusal("phase 2", code, {expected});
  }
  CheckSurroundings(call, "phase 2 with a mistake", kPoison[0]);
  if (executor == nullptr) MUST(aclDestroyAclOpExecutor(planned.executor));
}

// One run on fresh memory. False when phase 2 refuses because of a tensor's memory.
bool RunOnce(const OperatorCall& call, const Planned& planned, unsigned char poison,
             std::vector<std::vector<unsigned char>>* results) {
  Upload(call, poison);
  const Workspace workspace(planned.size);
  const int code = call.run(workspace.get(), planned.size, planned.executor, globals.stream);
  if (code != 0) {
    if (!AnyBadData(call)) Finding("phase 2 gives %d: %s", code, aclGetRecentErrMsg());
    CheckRefusal("phase 2", code, {161001, 161002});
  } else {
    CheckNoMessage("phase 2");
    // With its offset a wrong address can be in another tensor.
    Finish();
    if (AnyBadData(call)) return false;
  }
  CheckSurroundings(call, code == 0 ? "phase 2" : "a refused phase 2", poison);
  for (const View* view : call.views) {
    if (code == 0 && view->written() && !view->overlaps()) results->push_back(view->Elements());
  }
  return code == 0;
}

// Twice, over different earlier contents of the outputs: equal results are whole and repeat.
void RunTwice(Draw& draw, const OperatorCall& call, Planned planned) {
  if (call.runs_once) {
    std::vector<std::vector<unsigned char>> results;
    (void)RunOnce(call, planned, kPoison[0], &results);
    return;
  }
  const bool repeatable = draw.Flip();
  if (repeatable) MUST(aclSetAclOpExecutorRepeatable(planned.executor));
  std::vector<std::vector<unsigned char>> results[2];
  const bool ran = RunOnce(call, planned, kPoison[0], &results[0]);
  if (repeatable) {
    if (ran) RunOnce(call, planned, kPoison[1], &results[1]);
    MUST(aclDestroyAclOpExecutor(planned.executor));
  } else {
    if (draw.Flip()) {
      const int code = call.run(nullptr, 0, planned.executor, globals.stream);
      CheckRefusal("phase 2 again", code, {561103});
    }
    Planned second;
    if (!Plan(draw, call, second)) Finding("phase 1 refuses what it took before");
    if (second.size != planned.size) Finding("phase 1 asks for another size than before");
    (void)RunOnce(call, second, kPoison[1], &results[1]);
  }
  for (size_t i = 0; ran && i < results[0].size(); ++i) {
    const auto& [first, again] = std::tie(results[0][i], results[1][i]);
    const auto at = std::mismatch(first.begin(), first.end(), again.begin()).first - first.begin();
    if (first == again) continue;
    Finding("byte %td of %zu of a tensor is 0x%02X, then 0x%02X: not whole, or not repeated", at,
            first.size(), first[static_cast<size_t>(at)], again[static_cast<size_t>(at)]);
  }
}

}  // namespace

void SetUp() {
  static const bool once = [] {
    setenv("ACLIMB_HOST_ACCESS", "1", 0);
    setenv("ACLIMB_MEMORY", "1G", 0);
    setenv("ACLIMB_THREADS", "2", 0);
    setenv("OMP_WAIT_POLICY", "passive", 0);
    setenv("ACLIMB_EXTENSIONS", "1", 0);
    MUST(aclInit(nullptr));
    aclrtContext other = nullptr;
    MUST(aclrtCreateContext(&other, 0));
    MUST(aclrtCreateStream(&globals.foreign_stream));
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&globals.stream));
    MUST(aclrtCreateStream(&globals.dead_stream));
    MUST(aclrtDestroyStream(globals.dead_stream));
    const int64_t one = 1;
    const bool yes = true;
    globals.dead_array = aclCreateIntArray(&one, 1);
    MUST(aclDestroyIntArray(globals.dead_array));
    globals.other_kind = aclCreateBoolArray(&yes, 1);
    return true;
  }();
  (void)once;
}

void ChooseSettings(Draw& draw) {
  // Reading the settings anew is not for every call: the library keeps the older ones.
  constexpr const char* kSocs[] = {"Ascend910B3", "Ascend910A", "Ascend310P3", "Ascend910_9391",
                                   "Ascend950PR"};
  static int chosen_soc = 0;
  static int chosen_extensions = 1;
  const uint8_t byte = draw.Byte();
  const int soc = byte < 224 ? 0 : byte % 5;
  const int extensions = byte < 192 ? 1 : 0;
  if (soc != chosen_soc || extensions != chosen_extensions) {
    chosen_soc = soc;
    chosen_extensions = extensions;
    setenv("ACLIMB_SOC", kSocs[soc], 1);
    setenv("ACLIMB_EXTENSIONS", extensions != 0 ? "1" : "0", 1);
    aclimb_settings_reload();
  }
  if (byte >= 192) draw.MarkStrange();
  draw.SetExtensions(extensions != 0);
  draw.SetProduct(*ProductOfSoc(kSocs[soc]));
  MUST(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, byte & 1));
}

void Check(Draw& draw, const OperatorCall& call) {
  (void)aclGetRecentErrMsg();
  Planned planned;
  if (draw.Byte() == 0xFF) {
    const bool no_size = draw.Flip();
    CheckRefusal(
        "phase 1",
        call.plan(no_size ? nullptr : &planned.size, no_size ? &planned.executor : nullptr),
        {161001});
    return;
  }
  if (!Plan(draw, call, planned)) return;
  if (TooLarge(call)) {
    MUST(aclDestroyAclOpExecutor(planned.executor));
    return;
  }
  if (draw.Byte() >= 240) {
    RunWrongly(draw, call, planned);
  } else {
    RunTwice(draw, call, planned);
  }
}

const void* SpoiltHandle(Draw& draw, const void* good) {
  const uint8_t byte = draw.Byte();
  if (byte < 248) return good;
  draw.MarkStrange();
  const void* const bad[] = {nullptr, globals.dead_array, globals.other_kind,
                             reinterpret_cast<const void*>(static_cast<uintptr_t>(draw.Wild()))};
  return bad[byte % 4];
}

Ints::Ints(const std::vector<int64_t>& values)
    : handle(aclCreateIntArray(values.data(), values.size())) {}
Ints::~Ints() { MUST(aclDestroyIntArray(handle)); }

Bools::Bools(const std::vector<uint8_t>& values)
    : handle(aclCreateBoolArray(reinterpret_cast<const bool*>(values.data()), values.size())) {}
Bools::~Bools() { MUST(aclDestroyBoolArray(handle)); }

Floats::Floats(const std::vector<float>& values)
    : handle(aclCreateFloatArray(values.data(), values.size())) {}
Floats::~Floats() { MUST(aclDestroyFloatArray(handle)); }

Tensors::Tensors(const std::vector<const aclTensor*>& elements)
    : handle(aclCreateTensorList(elements.data(), elements.size())) {}
Tensors::~Tensors() { MUST(aclDestroyTensorList(handle)); }

Scalars::Scalars(const std::vector<const aclScalar*>& elements)
    : handle(aclCreateScalarList(elements.data(), elements.size())) {}
Scalars::~Scalars() { MUST(aclDestroyScalarList(handle)); }

Scalar::Scalar(Draw& draw, const truth::Given& given) {
  alignas(16) unsigned char bytes[16] = {};
  DType dtype = given.dtype;
  const uint8_t byte = draw.Byte();
  if (byte >= 232) {
    constexpr DType kTypes[] = {DType::kFloat64,   DType::kFloat16,   DType::kBFloat16,
                                DType::kInt32,     DType::kInt64,     DType::kBool,
                                DType::kComplex64, DType::kComplex128};
    draw.MarkStrange();
    dtype = kTypes[byte % std::size(kTypes)];
  }
  truth::WriteElement(bytes, dtype, given.real);
  handle = aclCreateScalar(bytes, static_cast<aclDataType>(dtype));
}
Scalar::~Scalar() { MUST(aclDestroyScalar(handle)); }

}  // namespace aclimb::fuzz
