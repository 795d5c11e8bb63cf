#include "tools/aclimb/replay/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "aclimb/core/complex.h"
#include "aclimb/truth/all_operators.h"
#include "aclimb/truth/elements.h"
#include "tools/aclimb/replay/npy_file.h"

namespace aclimb::cli {
namespace {

using nlohmann::json;

DType DTypeOf(const std::string& name) {
  constexpr int kLast = 41;
  for (int i = 0; i <= kLast; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (IsKnown(dtype) && NameOf(dtype) == name) return dtype;
  }
  throw Unreadable(fmt::format("no dtype is called {}", name));
}

int32_t FormatOf(const std::string& name) {
  constexpr int kLast = 1000;
  for (int i = -1; i <= kLast; ++i) {
    if (contract::FormatText(i) == name) return i;
  }
  throw Unreadable(fmt::format("no format is called {}", name));
}

// NaN and infinities are texts.
double NumberOf(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const std::string text = value.get<std::string>();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (text == "nan") return std::nan("");
  if (text == "inf") return kInf;
  if (text == "-inf") return -kInf;
  throw Unreadable(fmt::format("\"{}\" is no number", text));
}

// Integers exactly; those of a real number are cut off, as of a recording that has all as such.
void ReadNumber(const json& value, DType dtype, unsigned char* to) {
  if (value.is_number_integer() && !IsFloating(dtype)) {
    truth::WriteInteger(to, dtype, value.get<int64_t>());
  } else {
    truth::WriteElement(to, dtype, NumberOf(value));
  }
}

void ReadScalar(const json& value, RecordedArgument& scalar) {
  const DType dtype = scalar.dtype = DTypeOf(value.at("dtype").get<std::string>());
  const json& number = value.at("scalar");
  unsigned char* const to = scalar.scalar.data();
  if (!IsComplex(dtype)) {
    ReadNumber(number, dtype, to);
  } else if (number.is_array() && number.size() == 2) {
    const DType part = PartOf(dtype);
    ReadNumber(number[0], part, to);
    ReadNumber(number[1], part, to + SizeOf(part));
  } else {
    throw Unreadable(fmt::format(
        "{} is {}; expected a complex number as [real, imaginary], which earlier versions did not "
        "record. Record the call again.",
        scalar.name, number.dump()));
  }
  scalar.real = truth::ReadElement(to, dtype);
  if (IsInteger(dtype)) scalar.integers = {truth::ReadInteger(to, dtype)};
}

// The elements from the first of the view to the last.
uint64_t ReachOf(const RecordedArgument& tensor) {
  __extension__ unsigned __int128 last = 0;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] == 0) return 0;
    last += static_cast<unsigned __int128>(tensor.shape[d] - 1) *
            static_cast<unsigned __int128>(tensor.strides[d]);
  }
  if (last >= uint64_t{1} << 56) throw Unreadable(tensor.name + " has too large strides");
  return static_cast<uint64_t>(last) + 1;
}

void ReadTensor(const json& value, RecordedArgument& tensor) {
  tensor.dtype = DTypeOf(value.at("dtype").get<std::string>());
  tensor.shape = value.at("shape").get<std::vector<int64_t>>();
  tensor.strides = value.at("strides").get<std::vector<int64_t>>();
  tensor.storage = value.at("storage").get<std::vector<int64_t>>();
  tensor.offset = value.at("offset").get<int64_t>();
  tensor.format = FormatOf(value.at("format").get<std::string>());
  if (tensor.shape.size() != tensor.strides.size()) {
    throw Unreadable(tensor.name + " has not one stride for each dimension");
  }
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] < 0 || tensor.strides[d] < 0) {
      throw Unreadable(tensor.name + " has a shape or strides below 0");
    }
  }
  if (tensor.offset < 0 || tensor.offset >= int64_t{1} << 56) {
    throw Unreadable(tensor.name + " has an offset that cannot be");
  }
}

RecordedArgument ReadArgument(const json& value, const contract::Parameter& parameter,
                              const std::string& name, contract::Kind kind) {
  RecordedArgument argument;
  argument.name = name;
  argument.kind = kind;
  argument.is_input = contract::IsRead(parameter.role);
  argument.is_output = contract::IsWritten(parameter.role);
  if (value.is_null()) {
    argument.null = true;
    return argument;
  }
  if (value.is_object() && value.contains("invalid")) {
    throw Unreadable(fmt::format("{} was no live object ({}), which cannot be repeated", name,
                                 value.at("invalid").get<std::string>()));
  }
  switch (kind) {
    case contract::Kind::kTensor:
      ReadTensor(value.at("tensor"), argument);
      break;
    case contract::Kind::kScalar:
      ReadScalar(value, argument);
      break;
    case contract::Kind::kIntArray:
      argument.integers = value.get<std::vector<int64_t>>();
      break;
    case contract::Kind::kBoolArray:
      for (const json& flag : value) argument.integers.push_back(flag.get<bool>() ? 1 : 0);
      break;
    case contract::Kind::kFloatArray:
      for (const json& number : value) argument.reals.push_back(NumberOf(number));
      break;
    case contract::Kind::kTensorList:
    case contract::Kind::kScalarList: {
      const bool tensors = kind == contract::Kind::kTensorList;
      for (const json& element : value) {
        argument.elements.push_back(
            ReadArgument(element, parameter, fmt::format("{}[{}]", name, argument.elements.size()),
                         tensors ? contract::Kind::kTensor : contract::Kind::kScalar));
      }
      break;
    }
    case contract::Kind::kString:
      argument.text = value.get<std::string>();
      break;
    case contract::Kind::kBool:
      argument.integer = value.get<bool>() ? 1 : 0;
      break;
    case contract::Kind::kInteger:
      argument.integer = value.get<int64_t>();
      break;
    case contract::Kind::kReal:
      argument.real = NumberOf(value);
      break;
  }
  return argument;
}

// Where the tensor was, and what was in it.
void ReadMemory(const json& tensors, Recording& recording, RecordedArgument& tensor) {
  tensor.bytes =
      static_cast<uint64_t>(BytesOf(tensor.dtype, static_cast<int64_t>(ReachOf(tensor))));
  if (!tensors.contains(tensor.name)) {
    // The operator does not look at it, but it gets memory of its own.
    if (tensor.bytes == 0) return;
    tensor.block = recording.blocks.size();
    tensor.has_place = true;
    recording.blocks.push_back(static_cast<uint64_t>(tensor.First()) + tensor.bytes);
    return;
  }
  const json& entry = tensors.at(tensor.name);
  tensor.touched = tensor.has_place = true;
  // A tensor of both roles that the operator only overwrote has no entry of its own as an output.
  if (entry.at("role").get<std::string>() == "output") tensor.is_input = false;
  tensor.block = entry.at("block").get<size_t>();
  tensor.begin = entry.at("begin").get<int64_t>();
  if (tensor.block >= recording.blocks.size() || tensor.First() < 0 ||
      static_cast<uint64_t>(tensor.First()) + tensor.bytes > recording.blocks[tensor.block]) {
    throw Unreadable(tensor.name + " does not lie in its block");
  }
  const auto read = [&](const std::string& name) -> std::optional<std::vector<unsigned char>> {
    const json& recorded = tensors.at(name);
    if (recorded.at("file").is_null()) {
      tensor.left_out = recorded.at("left_out").get<std::string>();
      return std::nullopt;
    }
    // The name is always this one, and never leads out of the folder.
    return ReadNpy(recording.folder + "/" + name + ".npy", tensor.dtype,
                   tensor.bytes / tensor.ElementBytes());
  };
  if (tensor.is_input) tensor.data = read(tensor.name);
  if (tensor.is_output) tensor.result = read(tensor.name + (tensor.is_input ? ".out" : ""));
}

template <typename T>
std::optional<T> Optional(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

void Fill(const json& call, Recording& recording) {
  const auto function = call.at("operator").get<std::string>();
  for (const truth::OperatorEntry* entry : AllOperators()) {
    const contract::Contract* contract = entry->contract;
    if (function == contract->function) recording.contract = contract;
  }
  if (recording.contract == nullptr) {
    throw Unreadable(fmt::format("this toolkit has no operator {}", function));
  }
  recording.number = call.at("number").get<int64_t>();
  recording.workspace = call.at("workspace").get<uint64_t>();
  recording.phase1 = call.at("phase1").get<int>();
  recording.phase2 = Optional<int>(call.at("phase2"));
  recording.run = call.at("run").get<std::string>();
  recording.run_code = Optional<int>(call.at("run_code"));
  recording.message = call.at("message").get<std::string>();
  recording.soc = call.at("soc").get<std::string>();
  recording.extensions = call.at("extensions").get<bool>();
  recording.deterministic = call.at("deterministic").get<bool>();
  recording.blocks = call.at("blocks").get<std::vector<uint64_t>>();
  const json& arguments = call.at("arguments");
  if (arguments.is_null()) {
    throw Unreadable("its arguments are not known: phase 2 was called without a live executor");
  }
  for (const contract::Parameter& parameter : recording.contract->parameters) {
    recording.arguments.push_back(
        ReadArgument(arguments.at(parameter.name), parameter, parameter.name, parameter.kind));
  }
  if (!recording.HasRun()) return;
  for (const truth::Slot slot : recording.Tensors()) {
    ReadMemory(call.at("tensors"), recording, const_cast<RecordedArgument&>(recording.At(slot)));
  }
}

// Without the values of tensors.
truth::Given GivenOf(const RecordedArgument& argument) {
  truth::Given given = {.given = !argument.null,
                        .touched = argument.touched,
                        .dtype = argument.dtype,
                        .shape = argument.shape,
                        .format = argument.format,
                        .values = argument.reals,
                        .integers = argument.integers,
                        .real = argument.real,
                        .integer = argument.integer,
                        .text = argument.text};
  for (const RecordedArgument& element : argument.elements) {
    given.elements.push_back(GivenOf(element));
  }
  return given;
}

// A folder of a recorded call in the folder of all; empty when there is none.
std::string FirstCallIn(const std::string& folder) {
  std::string first;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!std::filesystem::exists(entry.path() / "call.json", ignored)) continue;
    const std::string name = entry.path().string();
    if (first.empty() || name < first) first = name;
  }
  return first;
}

}  // namespace

size_t RecordedArgument::ElementCount() const {
  size_t count = 1;
  for (int64_t extent : shape) count *= static_cast<size_t>(extent);
  return null ? 0 : count;
}

std::string RecordedArgument::Identifier() const {
  std::string identifier = name;
  std::replace(identifier.begin(), identifier.end(), '[', '_');
  std::erase(identifier, ']');
  return identifier;
}

std::vector<double> RecordedArgument::ValuesOf(const std::vector<unsigned char>& content) const {
  std::vector<double> values;
  for (int64_t place : truth::PlacesOf(shape, strides)) {
    unsigned char element[16];
    truth::LoadElement(content.data(), place, dtype, element);
    values.push_back(truth::ReadElement(element, dtype));
  }
  return values;
}

std::vector<int64_t> RecordedArgument::IntegersOf(const std::vector<unsigned char>& content) const {
  std::vector<int64_t> values;
  for (int64_t place : truth::PlacesOf(shape, strides)) {
    unsigned char element[16];
    truth::LoadElement(content.data(), place, dtype, element);
    values.push_back(truth::ReadInteger(element, dtype));
  }
  return values;
}

std::vector<truth::Slot> Recording::Tensors() const {
  std::vector<truth::Slot> slots;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int parameter = static_cast<int>(i);
    if (arguments[i].kind == contract::Kind::kTensor && !arguments[i].null) {
      slots.emplace_back(parameter);
    }
    if (arguments[i].kind != contract::Kind::kTensorList) continue;
    for (size_t e = 0; e < arguments[i].elements.size(); ++e) {
      if (!arguments[i].elements[e].null) slots.emplace_back(parameter, static_cast<int>(e));
    }
  }
  return slots;
}

truth::Call Recording::ToCall() const {
  truth::Call call(*contract);
  for (int p = 0; p < call.size(); ++p) call.At(p) = GivenOf(At(p));
  for (const truth::Slot slot : Tensors()) {
    if (!contract::IsRead(contract->At(slot.parameter).role)) continue;
    const RecordedArgument& argument = At(slot);
    truth::Given& tensor = call.At(slot);
    if (!argument.touched || !argument.is_input) {
      tensor.values.assign(argument.ElementCount(), 0);
      continue;
    }
    if (!argument.data) {
      throw Unreadable(fmt::format("{} was left out: {}", argument.name, argument.left_out));
    }
    tensor.values = argument.ValuesOf(*argument.data);
    if (IsInteger(tensor.dtype)) tensor.integers = argument.IntegersOf(*argument.data);
  }
  return call;
}

Recording ReadRecording(const std::string& folder) {
  const std::string path = folder + "/call.json";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw Unreadable(fmt::format("{}: expected the folder of a recorded call", folder));
  }
  std::ifstream file(path);
  if (!file) {
    const std::string call = FirstCallIn(folder);
    throw Unreadable(call.empty()
                         ? fmt::format("{}: there is no call.json", folder)
                         : fmt::format("{}: a recording has a folder for each call; expected one "
                                       "of them, as {}",
                                       folder, call));
  }
  Recording recording;
  recording.folder = folder;
  try {
    Fill(json::parse(file), recording);
  } catch (const json::exception& problem) {
    throw Unreadable(fmt::format("{}: {}", path, problem.what()));
  } catch (const Unreadable& problem) {
    const std::string text = problem.what();
    if (text.starts_with(folder)) throw;
    throw Unreadable(fmt::format("{}: {}", path, text));
  }
  return recording;
}

}  // namespace aclimb::cli
