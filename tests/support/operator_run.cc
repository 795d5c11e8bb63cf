#include "tests/support/operator_run.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "aclimb/core/text.h"
#include "aclimb/truth/compare.h"
#include "aclimb/truth/elements.h"

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

}  // namespace

OperatorRun::OperatorRun(const truth::OperatorEntry& entry, const truth::Call& call,
                         const Layout& layout)
    : entry_(entry), call_(call), values_(static_cast<size_t>(call.size())) {
  for (int p = 0; p < call.size(); ++p) {
    if (call.IsGiven(p)) Make(p, layout);
  }
}

void OperatorRun::Make(int p, const Layout& layout) {
  truth::Given& given = call_.At(p);
  truth::CallValue& value = values_[static_cast<size_t>(p)];
  const auto keep = [&](auto object, auto handle) {
    value.pointer = handle;
    objects_.push_back(std::move(object));
  };
  switch (call_.ParameterAt(p).kind) {
    case Kind::kTensor: {
      DeviceTensor::Options options = layout ? layout(p) : DeviceTensor::Options{};
      options.format = static_cast<aclFormat>(given.format);
      tensors_[p] = std::make_shared<DeviceTensor>(given.shape, given.dtype, given.values, options);
      value.pointer = tensors_[p]->get();
      if (given.values.empty()) return;
      const std::vector<unsigned char> bytes = tensors_[p]->Bytes();
      // Elements of a view may be one in memory: the truth reads what the device holds.
      given.values = tensors_[p]->Values();
      for (size_t i = 0; i < given.integers.size(); ++i) {
        given.integers[i] = truth::ReadInteger(bytes.data() + i * SizeOf(given.dtype), given.dtype);
      }
      if (call_.ParameterAt(p).role == Role::kInput) inputs_[p] = bytes;
      return;
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
    case Kind::kString:
      value.pointer = given.text.c_str();
      return;
    default:
      value.integer = given.integer;
      value.real = given.real;
  }
}

void OperatorRun::Share(truth::InPlace pair) {
  tensors_[pair.output] = tensors_.at(pair.input);
  values_[static_cast<size_t>(pair.output)] = values_[static_cast<size_t>(pair.input)];
  inputs_.erase(pair.input);
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

void OperatorRun::ExpectOnlyOutputsWritten() const {
  for (const auto& [p, tensor] : tensors_) {
    const char* const name = call_.ParameterAt(p).name;
    EXPECT_TRUE(tensor->SurroundingsIntact()) << name << ": written outside of its view";
    if (const auto input = inputs_.find(p); input != inputs_.end()) {
      EXPECT_TRUE(tensor->Bytes() == input->second) << name << ": an input was written";
    }
  }
}

void OperatorRun::ExpectTruth() const {
  ExpectOnlyOutputsWritten();
  truth::Outputs outputs;
  entry_.truth(call_, outputs);
  for (const auto& [p, tensor] : tensors_) {
    const char* const name = call_.ParameterAt(p).name;
    if (!contract::IsWritten(call_.ParameterAt(p).role)) continue;
    const truth::Expected* found = outputs.Find(p);
    if (found == nullptr) {
      EXPECT_TRUE(tensor->Untouched()) << name << ": written, although nobody wants it";
      continue;
    }
    const std::vector<double> got = tensor->Values();
    const truth::Expected expected = truth::InDType(*found, call_.DTypeOf(p));
    ASSERT_EQ(got.size(), expected.values.size()) << name << ": the truth has another size";
    const truth::Difference difference =
        truth::DifferenceOf(got, expected.values, expected.allowed);
    if (difference.beyond == 0) continue;
    const size_t first = difference.first_beyond;
    ADD_FAILURE() << name << ": " << difference.beyond << " of " << got.size()
                  << " are beyond the tolerance, first " << first << ": " << got[first]
                  << ", expected " << expected.values[first] << " within "
                  << expected.allowed[first];
  }
}

std::string TextOf(const truth::Call& call) {
  std::string text = call.contract().function;
  for (int p = 0; p < call.size(); ++p) {
    const truth::Given& given = call.At(p);
    text += Cat(", ", call.ParameterAt(p).name, " ");
    if (!given.given) {
      text += "null";
    } else if (call.ParameterAt(p).kind == Kind::kTensor) {
      text += Cat(NameOf(given.dtype), " ", ShapeText(given.shape.data(), given.shape.size()));
    } else if (call.ParameterAt(p).kind == Kind::kScalar) {
      text += Cat(NameOf(given.dtype), " ", given.real);
    } else if (call.ParameterAt(p).kind == Kind::kString) {
      text += given.text;
    } else if (call.ParameterAt(p).kind == Kind::kReal) {
      text += Cat(given.real);
    } else if (contract::IsPointer(call.ParameterAt(p).kind)) {
      text += ShapeText(given.integers.data(), given.integers.size());
    } else {
      text += Cat(given.integer);
    }
  }
  return text;
}

}  // namespace aclimb::testing
