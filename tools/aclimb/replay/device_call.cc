#include "tools/aclimb/replay/device_call.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <functional>
#include <memory>
#include <stdexcept>

#include "aclimb/truth/all_operators.h"
#include "aclimb/truth/elements.h"
#include "tools/aclimb/replay/public_functions.h"

namespace aclimb::cli {
namespace {

// Outputs start with these bytes, NaN in every floating dtype: what nobody writes shows.
constexpr int kUntouched = 0xFF;

class DeviceCall {
 public:
  DeviceCall(const Recording& recording, const std::string& toolkit)
      : recording_(recording), acl_(toolkit) {}

  CallOutcome Run() {
    Check("aclInit", acl_.aclInit(nullptr));
    Check("aclrtSetDevice", acl_.aclrtSetDevice(0));
    if (recording_.deterministic) {
      Check("aclrtSetSysParamOpt", acl_.aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    }
    aclrtStream stream = nullptr;
    Check("aclrtCreateStream", acl_.aclrtCreateStream(&stream));
    if (recording_.HasRun()) FillMemory();
    Call(stream);
    for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
    Check("aclrtDestroyStream", acl_.aclrtDestroyStream(stream));
    Check("aclrtResetDevice", acl_.aclrtResetDevice(0));
    Check("aclFinalize", acl_.aclFinalize());
    return std::move(outcome_);
  }

 private:
  std::string Message() const {
    const char* text = acl_.aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
  }

  void Check(const char* function, int code) const {
    if (code == 0) return;
    throw std::runtime_error(fmt::format("{} failed with {}: {}", function, code, Message()));
  }

  // The code; its message when it is the first that is not 0.
  int Told(int code) {
    if (code != 0 && outcome_.message.empty()) outcome_.message = Message();
    return code;
  }

  char* Allocate(uint64_t bytes) {
    void* memory = nullptr;
    Check("aclrtMalloc", acl_.aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    undo_.push_back([this, memory] { Check("aclrtFree", acl_.aclrtFree(memory)); });
    return static_cast<char*>(memory);
  }

  void FillMemory() {
    for (uint64_t bytes : recording_.blocks) {
      blocks_.push_back(Allocate(bytes));
      Check("aclrtMemset", acl_.aclrtMemset(blocks_.back(), bytes, kUntouched, bytes));
    }
    for (const truth::Slot slot : recording_.Tensors()) {
      const RecordedArgument& tensor = recording_.At(slot);
      if (!tensor.touched || !tensor.is_input) continue;
      if (!tensor.data) {
        throw Unreadable(fmt::format("{} was left out: {}", tensor.name, tensor.left_out));
      }
      Check("aclrtMemcpy", acl_.aclrtMemcpy(FirstOf(tensor), tensor.bytes, tensor.data->data(),
                                            tensor.bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
  }

  char* FirstOf(const RecordedArgument& tensor) const {
    return blocks_[tensor.block] + tensor.First();
  }

  truth::CallValue Made(const void* object, const std::string& name) const {
    if (object == nullptr) throw std::runtime_error(name + ": " + Message());
    truth::CallValue value;
    value.pointer = object;
    return value;
  }

  const aclTensor* NewTensor(const RecordedArgument& tensor) {
    char* memory = tensor.has_place ? blocks_[tensor.block] + tensor.begin : nullptr;
    return acl_.aclCreateTensor(tensor.shape.data(), tensor.shape.size(),
                                static_cast<aclDataType>(tensor.dtype), tensor.strides.data(),
                                tensor.offset, static_cast<aclFormat>(tensor.format),
                                tensor.storage.data(), tensor.storage.size(), memory);
  }

  const aclScalar* NewScalar(const RecordedArgument& scalar) {
    std::array<unsigned char, 16> value = scalar.scalar;
    return acl_.aclCreateScalar(value.data(), static_cast<aclDataType>(scalar.dtype));
  }

  truth::CallValue MakeTensor(const RecordedArgument& tensor) {
    const aclTensor* made = NewTensor(tensor);
    undo_.push_back([this, made] { Check("aclDestroyTensor", acl_.aclDestroyTensor(made)); });
    return Made(made, tensor.name);
  }

  truth::CallValue MakeScalar(const RecordedArgument& scalar) {
    const aclScalar* made = NewScalar(scalar);
    undo_.push_back([this, made] { Check("aclDestroyScalar", acl_.aclDestroyScalar(made)); });
    return Made(made, scalar.name);
  }

  // A list destroys its elements.
  truth::CallValue MakeTensors(const RecordedArgument& list) {
    std::vector<const aclTensor*> elements;
    for (const RecordedArgument& element : list.elements) {
      elements.push_back(element.null ? nullptr : NewTensor(element));
    }
    const aclTensorList* made = acl_.aclCreateTensorList(elements.data(), elements.size());
    undo_.push_back(
        [this, made] { Check("aclDestroyTensorList", acl_.aclDestroyTensorList(made)); });
    return Made(made, list.name);
  }

  truth::CallValue MakeScalars(const RecordedArgument& list) {
    std::vector<const aclScalar*> elements;
    for (const RecordedArgument& element : list.elements) {
      elements.push_back(element.null ? nullptr : NewScalar(element));
    }
    const aclScalarList* made = acl_.aclCreateScalarList(elements.data(), elements.size());
    undo_.push_back(
        [this, made] { Check("aclDestroyScalarList", acl_.aclDestroyScalarList(made)); });
    return Made(made, list.name);
  }

  truth::CallValue MakeFloats(const RecordedArgument& array) {
    const std::vector<float> values(array.reals.begin(), array.reals.end());
    const aclFloatArray* made = acl_.aclCreateFloatArray(values.data(), values.size());
    undo_.push_back(
        [this, made] { Check("aclDestroyFloatArray", acl_.aclDestroyFloatArray(made)); });
    return Made(made, array.name);
  }

  truth::CallValue MakeInts(const RecordedArgument& array) {
    const aclIntArray* made = acl_.aclCreateIntArray(array.integers.data(), array.integers.size());
    undo_.push_back([this, made] { Check("aclDestroyIntArray", acl_.aclDestroyIntArray(made)); });
    return Made(made, array.name);
  }

  truth::CallValue MakeBools(const RecordedArgument& array) {
    const auto flags = std::make_unique<bool[]>(array.integers.size() + 1);
    for (size_t i = 0; i < array.integers.size(); ++i) flags[i] = array.integers[i] != 0;
    const aclBoolArray* made = acl_.aclCreateBoolArray(flags.get(), array.integers.size());
    undo_.push_back([this, made] { Check("aclDestroyBoolArray", acl_.aclDestroyBoolArray(made)); });
    return Made(made, array.name);
  }

  truth::CallValue Value(const RecordedArgument& argument) {
    truth::CallValue value;
    if (argument.null) return value;
    switch (argument.kind) {
      case contract::Kind::kTensor:
        return MakeTensor(argument);
      case contract::Kind::kScalar:
        return MakeScalar(argument);
      case contract::Kind::kIntArray:
        return MakeInts(argument);
      case contract::Kind::kBoolArray:
        return MakeBools(argument);
      case contract::Kind::kString:
        value.pointer = argument.text.c_str();
        return value;
      case contract::Kind::kBool:
      case contract::Kind::kInteger:
      case contract::Kind::kReal:
        value.integer = argument.integer;
        value.real = argument.real;
        return value;
      case contract::Kind::kFloatArray:
        return MakeFloats(argument);
      case contract::Kind::kTensorList:
        return MakeTensors(argument);
      case contract::Kind::kScalarList:
        return MakeScalars(argument);
    }
    return value;
  }

  void Call(aclrtStream stream) {
    const std::string name = recording_.contract->function;
    std::vector<truth::CallValue> values;
    for (const RecordedArgument& argument : recording_.arguments) values.push_back(Value(argument));
    aclOpExecutor* executor = nullptr;
    outcome_.phase1 = Told(OperatorOf(*recording_.contract)
                               .phase1(acl_.Operator(name + "GetWorkspaceSize"), values,
                                       &outcome_.workspace, &executor));
    if (outcome_.phase1 != 0 || !recording_.HasRun()) return;
    void* workspace = outcome_.workspace > 0 ? Allocate(outcome_.workspace) : nullptr;
    using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);
    outcome_.phase2 = Told(reinterpret_cast<Phase2>(acl_.Operator(name))(
        workspace, outcome_.workspace, executor, stream));
    if (*outcome_.phase2 != 0) return;
    outcome_.run = Told(acl_.aclrtSynchronizeStream(stream));
    for (const truth::Slot slot : recording_.Tensors()) {
      const RecordedArgument& tensor = recording_.At(slot);
      if (!tensor.touched || !tensor.is_output) continue;
      std::vector<unsigned char>& bytes = outcome_.outputs[slot];
      bytes.resize(tensor.bytes);
      Check("aclrtMemcpy", acl_.aclrtMemcpy(bytes.data(), bytes.size(), FirstOf(tensor),
                                            bytes.size(), ACL_MEMCPY_DEVICE_TO_HOST));
    }
  }

  const Recording& recording_;
  const PublicFunctions acl_;
  std::vector<char*> blocks_;
  std::vector<std::function<void()>> undo_;
  CallOutcome outcome_;
};

}  // namespace

CallOutcome RunCall(const Recording& recording, const std::string& toolkit) {
  // Read when the libraries are first called.
  setenv("ACLIMB_SOC", recording.soc.c_str(), 1);
  setenv("ACLIMB_EXTENSIONS", recording.extensions ? "1" : "0", 1);
  return DeviceCall(recording, toolkit).Run();
}

}  // namespace aclimb::cli
