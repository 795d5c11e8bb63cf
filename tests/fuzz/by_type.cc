// Calls of operators by their type names from a byte string: proper ones, and ones in which shapes,
// dtypes, formats, buffers, attributes or numbers of tensors are something else. Each is done, or
// refused with a message; what it is not given stays as it was.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "aclimb/core/dtype.h"
#include "tests/fuzz/draw.h"
#include "tests/fuzz/finding.h"
#include "tests/fuzz/types.h"

namespace aclimb::fuzz {
namespace {

using Dims = std::vector<int64_t>;

constexpr size_t kGuard = 64;
constexpr unsigned char kPoison = 0xC3;
constexpr size_t kMostBytes = 1 << 20;

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// One call; objects and memory go with it.
class Call {
 public:
  explicit Call(Draw& draw)
      : draw_(draw), type_(draw.Pick(kTypes)), attributes_(aclopCreateAttr()) {
    for (const char letter : kLetters) extents_[Place(letter)] = 1 + draw.Below(4);
    extents_[Place('Y')] = extents_[Place('H')] - extents_[Place('K')] + 1;
    extents_[Place('X')] = extents_[Place('W')] - extents_[Place('K')] + 1;
    extents_[Place('G')] = 4 * extents_[Place('O')];
    extents_[Place('T')] = 3 * extents_[Place('O')];
    extents_[Place('J')] = extents_[Place('C')] + extents_[Place('O')];
    extents_[Place('Z')] = 16;
    for (const char letter : kLetters) {
      if (Strange()) extents_[Place(letter)] = draw.Wild();
    }
    dtype_ = draw.Below(4) == 3 ? draw.Pick(kDTypes) : ACL_FLOAT;
  }
  ~Call() {
    aclopDestroyAttr(attributes_);
    for (const auto* side : {&inputs_, &outputs_}) {
      for (const Tensor& each : *side) {
        aclDestroyTensorDesc(each.desc);
        aclDestroyDataBuffer(each.buffer);
        if (each.device != nullptr) aclrtFree(each.device);
      }
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Run() {
    for (const std::string& each : Split(type_.inputs)) inputs_.push_back(Make(each));
    for (const std::string& each : Split(type_.outputs)) outputs_.push_back(Make(each));
    if (Strange() && !inputs_.empty()) inputs_.push_back(Make("NC"));
    if (Strange() && !outputs_.empty()) outputs_.push_back(Make("NC"));
    // Overwrites an input.
    if (Strange() && !inputs_.empty() && !outputs_.empty() && inputs_[0].device != nullptr) {
      aclUpdateDataBuffer(outputs_[0].buffer, inputs_[0].device, inputs_[0].bytes);
      shared_ = true;
    }
    for (const std::string& each : Split(type_.attributes)) Set(each);
    Execute();
  }

 private:
  struct Tensor {
    aclTensorDesc* desc = nullptr;
    aclDataBuffer* buffer = nullptr;
    unsigned char* device = nullptr;  // bytes and a guard
    size_t bytes = 0;
    std::vector<unsigned char> before;
    std::unique_ptr<unsigned char[]> host;
  };

  static size_t Place(char letter) { return static_cast<size_t>(letter - 'A'); }
  // Seldom, and never for zeros.
  bool Strange() { return draw_.Byte() >= 0xF8; }

  // Each character is a digit, or a letter that stands for an extent.
  Dims Values(std::string_view text) {
    Dims values;
    for (const char each : text) {
      values.push_back(each <= '9' ? each - '0' : extents_[Place(each)]);
      if (Strange()) values.back() = draw_.Wild();
    }
    if (Strange()) values.push_back(draw_.Number(0, 4));
    if (Strange() && !values.empty()) values.erase(values.begin());
    return values;
  }

  Tensor Make(std::string_view text) {
    if (text[0] == '#') return Ints(Values(text.substr(1)));
    if (text[0] == '%') return Number();
    if (text[0] == '-' || Strange()) return Absent();
    aclDataType dtype = dtype_;
    if (text[0] == '!') dtype = ACL_UINT8;
    if (text[0] == '$') dtype = ACL_UINT16;
    if (text[0] == '!' || text[0] == '$') text.remove_prefix(1);
    if (Strange()) dtype = static_cast<aclDataType>(draw_.Number(-1, 40));
    return Device(dtype, Values(text));
  }

  Tensor Device(aclDataType dtype, const Dims& dims) {
    Tensor tensor;
    const auto rank = static_cast<int>(dims.size());
    aclFormat format = rank == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND;
    if (Strange()) format = static_cast<aclFormat>(draw_.Number(-1, 34));
    tensor.desc = aclCreateTensorDesc(dtype, rank, dims.data(), format);
    if (Strange()) Store(tensor.desc);
    uint64_t bytes = std::max<uint64_t>(SizeOf(static_cast<DType>(dtype)), 1);
    for (const int64_t d : dims) {
      if (d < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(d), &bytes)) bytes = 0;
    }
    tensor.bytes = static_cast<size_t>(std::min<uint64_t>(bytes, kMostBytes));
    uint64_t told = Strange() ? static_cast<uint64_t>(draw_.Wild()) : tensor.bytes;
    void* memory = nullptr;
    if (aclrtMalloc(&memory, tensor.bytes + kGuard, ACL_MEM_MALLOC_HUGE_FIRST) != 0) {
      Finding("aclrtMalloc: %s", aclGetRecentErrMsg());
    }
    tensor.device = static_cast<unsigned char*>(memory);
    std::memset(memory, kPoison, tensor.bytes + kGuard);
    Stream data(draw_.Byte());
    for (size_t n = 0; n < tensor.bytes; ++n) {
      tensor.device[n] = static_cast<unsigned char>(data.Next() & 0x3F);
    }
    tensor.before.assign(tensor.device, tensor.device + tensor.bytes);
    if (Strange()) aclSetTensorPlaceMent(tensor.desc, ACL_MEMTYPE_HOST);
    if (Strange()) {
      memory = nullptr;
    } else if (told > tensor.bytes && told < tensor.bytes + kGuard) {
      told = tensor.bytes;  // the guard is nobody's
    }
    tensor.buffer = aclCreateDataBuffer(memory, told);
    return tensor;
  }

  // Says that the tensor is stored otherwise.
  void Store(aclTensorDesc* desc) {
    constexpr aclFormat kFormats[] = {ACL_FORMAT_NC1HWC0,   ACL_FORMAT_FRACTAL_NZ,
                                      ACL_FORMAT_FRACTAL_Z, ACL_FORMAT_NDC1HWC0,
                                      ACL_FRACTAL_Z_3D,     ACL_FORMAT_ND};
    const aclFormat format = draw_.Pick(kFormats);
    Dims stored = Values(draw_.Flip() ? "NCHWS" : "SSNC");
    if (Strange()) stored = {draw_.Wild(), draw_.Wild(), draw_.Wild(), draw_.Wild()};
    aclSetTensorFormat(desc, format);
    aclSetTensorShape(desc, static_cast<int>(stored.size()), stored.data());
  }

  Tensor OnHost(aclDataType dtype, const Dims& dims, const void* data, size_t bytes) {
    Tensor tensor;
    tensor.desc = aclCreateTensorDesc(Strange() ? draw_.Pick(kDTypes) : dtype,
                                      static_cast<int>(dims.size()), dims.data(), ACL_FORMAT_ND);
    if (!Strange()) aclSetTensorPlaceMent(tensor.desc, ACL_MEMTYPE_HOST);
    if (Strange() && bytes > 0) bytes -= 1;
    tensor.host = std::make_unique<unsigned char[]>(bytes);
    if (bytes > 0) std::memcpy(tensor.host.get(), data, bytes);
    tensor.buffer = aclCreateDataBuffer(Strange() ? nullptr : tensor.host.get(), bytes);
    return tensor;
  }
  Tensor Ints(const Dims& values) {
    const Dims dims = {Strange() ? draw_.Wild() : static_cast<int64_t>(values.size())};
    if (!draw_.Flip()) return OnHost(ACL_INT64, dims, values.data(), values.size() * 8);
    const std::vector<int32_t> narrow(values.begin(), values.end());
    return OnHost(ACL_INT32, dims, narrow.data(), narrow.size() * 4);
  }
  Tensor Number() {
    const float value = draw_.Flip() ? static_cast<float>(draw_.Real()) : 0.5f;
    return OnHost(ACL_FLOAT, {}, &value, sizeof(value));
  }
  Tensor Absent() {
    Tensor tensor;
    tensor.desc = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, nullptr, ACL_FORMAT_UNDEFINED);
    tensor.buffer = aclCreateDataBuffer(nullptr, 0);
    return tensor;
  }

  // "name=ABC" is a list, "name:A" an integer, "name?" a flag, "name~" a float, "name"text" a text.
  void Set(std::string_view attribute) {
    const size_t at = attribute.find_first_of("=:?~\"");
    const std::string name(attribute.substr(0, at));
    const std::string_view value = attribute.substr(at + 1);
    if (Strange()) return;
    const char kind = Strange() ? "=:?~\""[draw_.Below(5)] : attribute[at];
    const Dims list = kind == '=' || kind == ':' ? Values(value) : Dims();
    if (kind == '=') {
      aclopSetAttrListInt(attributes_, name.c_str(), static_cast<int>(list.size()), list.data());
    } else if (kind == ':') {
      aclopSetAttrInt(attributes_, name.c_str(), list.empty() ? draw_.Wild() : list[0]);
    } else if (kind == '?') {
      aclopSetAttrBool(attributes_, name.c_str(), draw_.Flip() ? 1 : 0);
    } else if (kind == '~') {
      aclopSetAttrFloat(attributes_, name.c_str(),
                        draw_.Flip() ? static_cast<float>(draw_.Real()) : 1);
    } else {
      aclopSetAttrString(attributes_, name.c_str(), std::string(value).c_str());
    }
  }

  void Execute() {
    std::vector<const aclTensorDesc*> from_descs, to_descs;
    std::vector<const aclDataBuffer*> from;
    std::vector<aclDataBuffer*> to;
    for (const Tensor& each : inputs_) {
      from_descs.push_back(Strange() ? nullptr : each.desc);
      from.push_back(Strange() ? nullptr : each.buffer);
    }
    for (const Tensor& each : outputs_) {
      to_descs.push_back(Strange() ? nullptr : each.desc);
      to.push_back(Strange() ? nullptr : each.buffer);
    }
    const int less = Strange() ? static_cast<int>(draw_.Number(-1, 1)) : 0;
    const int count = std::max(static_cast<int>(from.size()) - std::max(less, 0), 0);
    aclGetRecentErrMsg();
    const int code =
        aclopCompileAndExecute(type_.name, less < 0 ? less : count, from_descs.data(), from.data(),
                               static_cast<int>(to.size()), to_descs.data(), to.data(), attributes_,
                               ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr);
    const std::string message = aclGetRecentErrMsg();
    if ((code == 0) != message.empty()) {
      Finding("%s gives %d with the message \"%s\"", type_.name, code, message.c_str());
    }
    const int done = aclrtSynchronizeDevice();
    if (done != 0) Finding("the work of %s gives %d: %s", type_.name, done, aclGetRecentErrMsg());
    for (const Tensor& each : outputs_) CheckGuard(each, "an output");
    for (const Tensor& each : inputs_) {
      CheckGuard(each, "an input");
      const bool kept = std::equal(each.before.begin(), each.before.end(), each.device);
      if (!kept && !(shared_ && &each == &inputs_[0])) Finding("%s writes an input", type_.name);
    }
    // It worked, whether or not it should have.
    if (std::getenv("ACLIMB_FUZZ_TRACE") != nullptr) {
      std::printf("%s %d %s\n", type_.name, code, message.c_str());
    }
  }

  void CheckGuard(const Tensor& tensor, const char* what) {
    if (tensor.device == nullptr) return;
    const unsigned char* const guard = tensor.device + tensor.bytes;
    if (std::any_of(guard, guard + kGuard, [](unsigned char c) { return c != kPoison; })) {
      Finding("%s writes behind %s", type_.name, what);
    }
  }

  Draw& draw_;
  const Type& type_;
  aclopAttr* const attributes_;
  int64_t extents_[26] = {};
  aclDataType dtype_;
  std::vector<Tensor> inputs_, outputs_;
  bool shared_ = false;
};

}  // namespace
}  // namespace aclimb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int initialised = [] {
    setenv("ACLIMB_HOST_ACCESS", "1", 0);
    setenv("ACLIMB_MEMORY", "256M", 0);
    const int code = aclInit(nullptr);
    return code != 0 ? code : aclrtSetDevice(0);
  }();
  if (initialised != 0) aclimb::fuzz::Finding("the library starts with %d", initialised);
  aclimb::fuzz::Draw draw(data, size);
  aclimb::fuzz::Call(draw).Run();
  return 0;
}
