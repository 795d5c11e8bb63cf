#include "tests/support/operator_run.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "aclimb/core/text.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/elements.h"
#include "tests/support/stored_elements.h"

namespace aclimb::testing {
namespace {

using contract::Kind;
using contract::Role;
using Phase2 = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

// By its name, as frameworks find it.
void* FunctionOf(const std::string& name) {
  void* function = dlsym(RTLD_DEFAULT, name.c_str());
  EXPECT_NE(function, nullptr) << name << " is not exported";
  return function;
}

template <typename T, typename Text>
std::string ListText(const std::vector<T>& values, const Text& text) {
  std::string out;
  for (const T& value : values) out += Cat(out.empty() ? "" : ", ", text(value));
  return Cat("[", out, "]");
}

std::string TextOf(const truth::Given& given, Kind kind) {
  if (!given.given) return "null";
  switch (kind) {
    case Kind::kTensor:
      return Cat(NameOf(given.dtype), " ", ShapeText(given.shape.data(), given.shape.size()));
    case Kind::kScalar:
      return Cat(NameOf(given.dtype), " ", given.real);
    case Kind::kTensorList:
    case Kind::kScalarList:
      return ListText(given.elements, [&](const truth::Given& element) {
        return TextOf(element, kind == Kind::kTensorList ? Kind::kTensor : Kind::kScalar);
      });
    case Kind::kFloatArray:
      return ListText(given.values, [](double value) { return Cat(value); });
    case Kind::kIntArray:
    case Kind::kBoolArray:
      return ShapeText(given.integers.data(), given.integers.size());
    case Kind::kString:
      return given.text;
    case Kind::kReal:
      return Cat(given.real);
    case Kind::kBool:
    case Kind::kInteger:
      break;
  }
  return Cat(given.integer);
}

}  // namespace

OperatorRun::OperatorRun(const truth::OperatorEntry& entry, const truth::Call& call,
                         const Layout& layout)
    : entry_(entry), call_(call), values_(static_cast<size_t>(call.size())) {
  for (int p = 0; p < call.size(); ++p) {
    if (call.IsGiven(p)) {
      values_[static_cast<size_t>(p)] = Made(p, call.ParameterAt(p).kind, layout);
    }
  }
}

truth::CallValue OperatorRun::Made(truth::Slot slot, Kind kind, const Layout& layout) {
  truth::Given& given = call_.At(slot);
  truth::CallValue value;
  const auto keep = [&](auto object, auto handle) {
    value.pointer = handle;
    objects_.push_back(std::move(object));
    return value;
  };
  switch (kind) {
    case Kind::kTensor: {
      DeviceTensor::Options options = layout ? layout(slot) : DeviceTensor::Options{};
      options.format = static_cast<aclFormat>(given.format);
      const auto tensor =
          std::make_shared<DeviceTensor>(given.shape, given.dtype, given.values, options);
      tensors_[slot] = tensor;
      value.pointer = tensor->get();
      if (given.values.empty()) return value;
      if (given.dtype == DType::kInt64) tensor->SetIntegers(given.integers);
      const std::vector<unsigned char> bytes = tensor->Bytes();
      // Elements of a view may be one in memory: the truth reads what the device holds.
      given.values = truth::ReadElements(bytes, given.dtype);
      if (!given.integers.empty()) given.integers = truth::ReadIntegers(bytes, given.dtype);
      if (call_.ParameterAt(slot.parameter).role == Role::kInput) inputs_[slot] = bytes;
      return value;
    }
    case Kind::kScalar: {
      auto scalar = std::make_shared<Scalar>(given.real, given.dtype);
      aclScalar* handle = *scalar;
      return keep(std::move(scalar), handle);
    }
    case Kind::kIntArray: {
      auto array = std::make_shared<IntArray>(given.integers);
      aclIntArray* handle = *array;
      return keep(std::move(array), handle);
    }
    case Kind::kBoolArray: {
      auto array = std::make_shared<BoolArray>(
          std::vector<uint8_t>(given.integers.begin(), given.integers.end()));
      aclBoolArray* handle = *array;
      return keep(std::move(array), handle);
    }
    case Kind::kFloatArray: {
      const std::vector<float> values(given.values.begin(), given.values.end());
      aclFloatArray* const handle = aclCreateFloatArray(values.data(), values.size());
      return keep(
          std::shared_ptr<void>(handle, [handle](void*) { (void)aclDestroyFloatArray(handle); }),
          handle);
    }
    case Kind::kTensorList:
    case Kind::kScalarList:
      value.pointer = MadeList(slot.parameter, kind, layout);
      return value;
    case Kind::kString:
      value.pointer = given.text.c_str();
      return value;
    case Kind::kBool:
    case Kind::kInteger:
    case Kind::kReal:
      break;
  }
  value.integer = given.integer;
  value.real = given.real;
  return value;
}

const void* OperatorRun::MadeList(int p, Kind kind, const Layout& layout) {
  // A list destroys its elements.
  if (kind == Kind::kTensorList) {
    std::vector<const aclTensor*> tensors;
    for (int i = 0; i < call_.ListSize(p); ++i) {
      (void)Made({p, i}, Kind::kTensor, layout);
      tensors.push_back(tensors_.at({p, i})->TakeDescriptor());
    }
    aclTensorList* const list = aclCreateTensorList(tensors.data(), tensors.size());
    objects_.emplace_back(list, [list](void*) { (void)aclDestroyTensorList(list); });
    return list;
  }
  std::vector<const aclScalar*> scalars;
  for (const truth::Given& given : call_.At(p).elements) {
    alignas(16) unsigned char bytes[16] = {};
    truth::WriteElement(bytes, given.dtype, given.real);
    scalars.push_back(aclCreateScalar(bytes, static_cast<aclDataType>(given.dtype)));
  }
  aclScalarList* const list = aclCreateScalarList(scalars.data(), scalars.size());
  objects_.emplace_back(list, [list](void*) { (void)aclDestroyScalarList(list); });
  return list;
}

void OperatorRun::Share(int output, int input) {
  for (const truth::Slot slot : call_.Tensors()) {
    if (slot.parameter != output) continue;
    const truth::Slot of_input = {input, slot.element};
    tensors_[slot] = tensors_.at(of_input);
    inputs_.erase(of_input);
    // Of an output that is read too.
    call_.At(slot).values = call_.Values(of_input);
    call_.At(slot).integers = call_.Ints(of_input);
  }
  values_[static_cast<size_t>(output)] = values_[static_cast<size_t>(input)];
}

int OperatorRun::Run(aclrtStream stream) {
  const std::string name = entry_.contract->function;
  void* const phase1 = FunctionOf(name + "GetWorkspaceSize");
  const auto phase2 = reinterpret_cast<Phase2>(FunctionOf(name));
  if (phase1 == nullptr || phase2 == nullptr) return -1;
  return RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return entry_.phase1(phase1, values_, size, executor);
      },
      phase2, stream);
}

truth::Outputs OperatorRun::Truth() const {
  truth::Outputs outputs;
  entry_.truth(call_, outputs);
  return outputs;
}

void OperatorRun::Expect(const truth::Outputs& outputs) const {
  for (const auto& [p, tensor] : tensors_) {
    const std::string name = call_.NameOf(p);
    const auto [bytes, surroundings_intact] = tensor->Read();
    EXPECT_TRUE(surroundings_intact) << name << ": written outside of its view";
    if (const auto input = inputs_.find(p); input != inputs_.end()) {
      EXPECT_TRUE(bytes == input->second) << name << ": an input was written";
    }
    if (!contract::IsWritten(call_.ParameterAt(p.parameter).role)) continue;
    const truth::Expected* found = outputs.Find(p);
    if (found == nullptr) {
      EXPECT_TRUE(tensor->Untouched()) << name << ": written, although nobody wants it";
      continue;
    }
    if (!found->integers.empty()) {
      ExpectIntegers(p, found->integers, bytes);
      continue;
    }
    const std::vector<double> got = truth::ReadElements(bytes, call_.DTypeOf(p));
    const truth::Expected expected = truth::InDType(*found, call_.DTypeOf(p));
    ASSERT_EQ(got.size(), expected.values.size()) << name << ": the truth has another size";
    const truth::Difference difference =
        truth::DifferenceOf(got, expected.values, expected.allowed);
    if (difference.beyond == 0) continue;
    const size_t first = difference.first_beyond;
    ADD_FAILURE() << name << ": " << difference.beyond << " of " << got.size()
                  << " are beyond the tolerance, first " << IndexText(p, first) << ": "
                  << got[first] << ", expected " << expected.values[first] << " within "
                  << expected.allowed[first] << InputsText(p, first);
  }
}

void OperatorRun::ExpectIntegers(truth::Slot output, const std::vector<int64_t>& expected,
                                 const std::vector<unsigned char>& bytes) const {
  const std::vector<int64_t> got = truth::ReadIntegers(bytes, call_.DTypeOf(output));
  ASSERT_EQ(got.size(), expected.size()) << "the truth has another size";
  for (size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    ADD_FAILURE() << call_.NameOf(output) << " at " << IndexText(output, i) << ": " << got[i]
                  << ", expected " << expected[i] << InputsText(output, i);
    return;
  }
}

std::string OperatorRun::IndexText(truth::Slot slot, size_t number) const {
  return truth::IndexText(call_.Shape(slot), number);
}

std::string OperatorRun::InputsText(truth::Slot output, size_t number) const {
  const std::vector<int64_t>& shape = call_.Shape(output);
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(), rest = number; d-- > 0;) {
    index[d] = static_cast<int64_t>(rest % static_cast<size_t>(shape[d]));
    rest /= static_cast<size_t>(shape[d]);
  }
  std::string text;
  for (const truth::Slot slot : call_.Tensors()) {
    const truth::Given& given = call_.At(slot);
    const size_t rank = given.shape.size();
    if (given.values.empty() || rank > shape.size()) continue;
    int64_t at = 0;
    bool broadcasts = true;
    for (size_t d = 0; d < rank; ++d) {
      const size_t of_output = shape.size() - rank + d;
      broadcasts = broadcasts && (given.shape[d] == 1 || given.shape[d] == shape[of_output]);
      at = at * given.shape[d] + (given.shape[d] == 1 ? 0 : index[of_output]);
    }
    if (!broadcasts) continue;
    const auto place = static_cast<size_t>(at);
    const bool exact = place < given.integers.size();
    text += Cat(text.empty() ? "; there " : ", ", call_.NameOf(slot), " is ",
                exact ? Cat(given.integers[place]) : Cat(given.values[place]));
  }
  return text;
}

void Fill(CallArguments& arguments, const truth::Call& call) {
  const auto spec = [](const truth::Given& given) {
    return TensorSpec{given.shape, given.dtype, static_cast<aclFormat>(given.format)};
  };
  for (int p = 0; p < call.size(); ++p) {
    const truth::Given& given = call.At(p);
    if (!given.given) continue;
    switch (call.ParameterAt(p).kind) {
      case Kind::kTensor:
        arguments.Tensor(p, spec(given));
        break;
      case Kind::kTensorList: {
        std::vector<TensorSpec> specs;
        for (const truth::Given& element : given.elements) specs.push_back(spec(element));
        arguments.Tensors(p, specs);
        break;
      }
      case Kind::kScalar:
        arguments.ScalarOf(p, given.real, given.dtype);
        break;
      case Kind::kScalarList: {
        std::vector<double> values;
        for (const truth::Given& element : given.elements) values.push_back(element.real);
        arguments.Scalars(p, values, values.empty() ? DType::kFloat32 : given.elements[0].dtype);
        break;
      }
      case Kind::kIntArray:
        arguments.Ints(p, given.integers);
        break;
      case Kind::kBoolArray:
        arguments.Bools(p, {given.integers.begin(), given.integers.end()});
        break;
      case Kind::kFloatArray:
        arguments.Floats(p, {given.values.begin(), given.values.end()});
        break;
      case Kind::kString:
        arguments.String(p, given.text.c_str());
        break;
      case Kind::kBool:
      case Kind::kInteger:
        arguments.Integer(p, given.integer);
        break;
      case Kind::kReal:
        arguments.Real(p, given.real);
        break;
    }
  }
}

aclnnStatus CallPhase1(const truth::OperatorEntry& entry, CallArguments& arguments, uint64_t* size,
                       aclOpExecutor** executor) {
  std::vector<truth::CallValue> values;
  for (int p = 0; p < static_cast<int>(entry.contract->parameters.size()); ++p) {
    const contract::Argument& argument = arguments.At(p);
    values.push_back({argument.handle, argument.integer, argument.real});
  }
  void* const phase1 = FunctionOf(std::string(entry.contract->function) + "GetWorkspaceSize");
  return phase1 == nullptr ? -1 : entry.phase1(phase1, values, size, executor);
}

std::string TextOf(const truth::Call& call) {
  std::string text = call.contract().function;
  for (int p = 0; p < call.size(); ++p) {
    text += Cat(", ", call.ParameterAt(p).name, " ", TextOf(call.At(p), call.ParameterAt(p).kind));
  }
  return text;
}

}  // namespace aclimb::testing
