#include "aclimb/executor/describe.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

#include "aclimb/core/complex.h"
#include "aclimb/core/packed.h"
#include "aclimb/core/text.h"

namespace aclimb {
namespace {

std::string Number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  // As an integer, -0 would have no sign.
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  char text[40];  // not snprintf, which writes the locale's decimal point
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

std::string List(const std::vector<int64_t>& values) {
  return ShapeText(values.data(), values.size());
}

std::string Tensor(const TensorDescriptor& tensor) {
  return Cat("{\"tensor\": {\"dtype\": ", JsonText(NameOf(tensor.dtype)),
             ", \"shape\": ", List(tensor.shape), ", \"strides\": ", List(tensor.stride),
             ", \"offset\": ", tensor.offset, ", \"storage\": ", List(tensor.storage_shape),
             ", \"format\": ", JsonText(contract::FormatText(tensor.format)), "}}");
}

std::string Bools(const BoolArrayValue& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    out += i == 0 ? "" : ", ";
    out += values[i] != 0 ? "true" : "false";
  }
  return out + "]";
}

std::string Floats(const FloatArrayValue& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    out += Cat(i == 0 ? "" : ", ", Number(static_cast<double>(values[i])));
  }
  return out + "]";
}

// The number that stands `at` bytes from the begin of the scalar's.
std::string Part(const ScalarValue& scalar, size_t at) {
  ScalarValue part;
  part.dtype = PartOf(scalar.dtype);
  std::memcpy(part.bytes, scalar.bytes + at, SizeOf(part.dtype));
  if (IsFloating(part.dtype)) return Number(part.ToDouble());
  if (part.dtype != DType::kUInt64) return Cat(part.ToInteger());
  return Cat(static_cast<uint64_t>(part.ToWrappedInteger()));
}

std::string Scalar(const ScalarValue& scalar) {
  const bool is_pair = IsComplex(scalar.dtype);
  const std::string number =
      is_pair ? Cat("[", Part(scalar, 0), ", ", Part(scalar, SizeOf(PartOf(scalar.dtype))), "]")
              : Part(scalar, 0);
  return Cat("{\"scalar\": ", number, ", \"dtype\": ", JsonText(NameOf(scalar.dtype)), "}");
}

std::string Value(const contract::Argument& argument);

std::string ElementTexts(std::span<const contract::Argument> elements) {
  std::string out = "[";
  for (size_t i = 0; i < elements.size(); ++i) {
    out += Cat(i == 0 ? "" : ", ", Value(elements[i]));
  }
  return out + "]";
}

std::string Value(const contract::Argument& argument) {
  if (contract::IsPointer(argument.kind) && argument.object == nullptr) {
    if (argument.handle == nullptr) return "null";
    return Cat("{\"invalid\": ", JsonText(argument.handle_state), "}");
  }
  switch (argument.kind) {
    case contract::Kind::kTensor:
      return Tensor(*static_cast<const TensorDescriptor*>(argument.object));
    case contract::Kind::kScalar:
      return Scalar(*static_cast<const ScalarValue*>(argument.object));
    case contract::Kind::kIntArray:
      return List(*static_cast<const IntArrayValue*>(argument.object));
    case contract::Kind::kBoolArray:
      return Bools(*static_cast<const BoolArrayValue*>(argument.object));
    case contract::Kind::kFloatArray:
      return Floats(*static_cast<const FloatArrayValue*>(argument.object));
    case contract::Kind::kTensorList:
    case contract::Kind::kScalarList:
      return ElementTexts(argument.elements);
    case contract::Kind::kString:
      return JsonText(static_cast<const char*>(argument.object));
    case contract::Kind::kBool:
      return argument.integer != 0 ? "true" : "false";
    case contract::Kind::kInteger:
      return Cat(argument.integer);
    case contract::Kind::kReal:
      return Number(argument.real);
  }
  return "null";
}

}  // namespace

std::string DescribeArguments(const contract::Contract& contract,
                              const contract::Arguments& arguments) {
  std::string out = "{";
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    out += Cat(i == 0 ? "" : ", ", JsonText(contract.parameters[i].name), ": ",
               Value(arguments.At(static_cast<int>(i))));
  }
  return out + "}";
}

Description::Description(const Executor& executor, const void* workspace)
    : arguments_(executor.arguments),
      workspace_shape_{static_cast<int64_t>(executor.call->workspace_size)} {
  static constexpr int64_t kDense[1] = {1};
  const PlannedCall& call = *executor.call;
  packed_shapes_.reserve(call.uses.size());  // its elements stay where they are
  for (size_t i = 0; i < call.uses.size(); ++i) {
    const TensorUse& use = call.uses[i];
    if (!use.touched) continue;
    const TensorView& view = use.view;
    AclimbAccess access = {
        .name = call.NameOf(use),
        .address = static_cast<const char*>(executor.tensors[i].data) + use.footprint.begin,
        .dtype = static_cast<int32_t>(view.dtype),
        .element_bytes = static_cast<int32_t>(SizeOf(view.dtype)),
        .rank = view.rank,
        .writes = 0,
        .shape = view.shape,
        .strides = view.stride,
        .offset = use.footprint.begin / static_cast<int64_t>(SizeOf(view.dtype)),
        .moved = static_cast<uint64_t>(use.bytes_read)};
    if (PackedPerByte(view.dtype) > 1) {
      // Tools know whole bytes alone.
      access.rank = 1;
      access.shape = &packed_shapes_.emplace_back(use.footprint.end - use.footprint.begin);
      access.strides = kDense;
    }
    if (contract::IsRead(use.role)) accesses_.push_back(access);
    access.writes = 1;
    access.moved = static_cast<uint64_t>(use.bytes_written);
    if (contract::IsWritten(use.role)) accesses_.push_back(access);
  }
  if (call.workspace_size > 0 && workspace != nullptr) {
    accesses_.push_back({.name = "workspace",
                         .address = workspace,
                         .dtype = static_cast<int32_t>(DType::kUInt8),
                         .element_bytes = 1,
                         .rank = 1,
                         .writes = 1,
                         .shape = workspace_shape_,
                         .strides = kDense,
                         .offset = 0,
                         .moved = call.workspace_size});
  }
  operation_ = {.function = call.contract->function,
                .arguments = arguments_ != nullptr ? arguments_->c_str() : "",
                .accesses = accesses_.data(),
                .access_count = static_cast<int32_t>(accesses_.size()),
                .flops = call.plan ? call.plan->Flops() : 0,
                .inspect = nullptr,
                .run = nullptr};
}

}  // namespace aclimb
