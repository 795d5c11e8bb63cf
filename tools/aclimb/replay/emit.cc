#include "tools/aclimb/replay/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "aclimb/core/complex.h"
#include "tools/aclimb/replay/emit_text.h"
#include "tools/aclimb/replay/literals.h"

namespace aclimb::cli {
namespace {

constexpr size_t kFewElements = 256;
constexpr size_t kWidth = 98;

bool HasReals(DType dtype) { return IsFloating(PartOf(dtype)); }

// How Print reads an element with HasReals, or its parts.
std::string ReaderOf(DType dtype) {
  switch (PartOf(dtype)) {
    case DType::kFloat64:
      return "Double";
    case DType::kFloat16:
      return "Float16";
    case DType::kBFloat16:
      return "BFloat16";
    default:
      return "Float";
  }
}

// How Print writes an element.
std::string WriterOf(DType dtype) {
  if (!HasReals(dtype)) return fmt::format("Integer<{}>", ElementType(dtype));
  if (!IsComplex(dtype)) return fmt::format("Real<{}>", ReaderOf(dtype));
  return fmt::format("Complex<{}, {}>", ReaderOf(dtype), SizeOf(PartOf(dtype)));
}

class Program {
 public:
  Program(const Recording& recording, const std::string& folder)
      : recording_(recording), folder_(folder) {
    for (const truth::Slot slot : recording.Tensors()) tensors_.push_back(&recording.At(slot));
    for (const RecordedArgument* tensor : tensors_) {
      const RecordedArgument& argument = *tensor;
      if (!IsRead(argument)) continue;
      if (!argument.data) {
        throw Unreadable(fmt::format("{} was left out: {}", argument.name, argument.left_out));
      }
      if (argument.bytes / argument.ElementBytes() >= kFewElements) loads_ = true;
    }
  }

  std::string Text() {
    Head();
    Helpers();
    Main();
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void Line(fmt::format_string<Parts...> format, Parts&&... parts) {
    std::string line = "  " + fmt::format(format, std::forward<Parts>(parts)...);
    // Lists are broken between their members; nothing else is that long.
    while (line.size() > kWidth) {
      const size_t comma = line.rfind(", ", kWidth);
      if (comma == std::string::npos || comma < 8) break;
      text_ += line.substr(0, comma + 1) + "\n";
      line = "      " + line.substr(comma + 2);
    }
    text_ += line + "\n";
  }

  bool IsRead(const RecordedArgument& argument) const {
    return argument.touched && argument.is_input;
  }
  bool IsPrinted(const RecordedArgument& argument) const {
    return argument.touched && argument.is_output;
  }

  void Head() {
    const std::string function = recording_.contract->function;
    const std::string place = std::filesystem::path(folder_).lexically_normal().string();
    text_ +=
        fmt::format("// One call of {}, as `aclimb replay --emit-cpp` wrote it.\n//\n", function);
    text_ +=
        fmt::format("//   aclimb c++ FILE.cpp -o call && ./call{}\n//\n", loads_ ? " FOLDER" : "");
    if (loads_) {
      // A line break in a name would end the comment.
      std::string shown = place;
      std::replace(shown.begin(), shown.end(), '\n', ' ');
      text_ += fmt::format("// FOLDER has the .npy files: {} .\n", shown);
    }
    text_ += fmt::format("// Recorded with ACLIMB_SOC={}{}.\n", recording_.soc,
                         recording_.extensions ? " ACLIMB_EXTENSIONS=1" : "");
    text_ +=
        "\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
        "#include <cstring>\n";
    if (loads_) text_ += "#include <string>\n";
    text_ += fmt::format(
        "#include <vector>\n\n#include \"acl/acl.h\"\n"
        "#include \"aclnnop/{}\"\n",
        DeclarationOf(*recording_.contract).header);
  }

  void Helpers() {
    text_ += "\nnamespace {\n";
    text_ += emitted::kTold;
    if (recording_.HasRun()) text_ += emitted::kMemory;
    bool reads = false;
    std::set<std::string> readers, writers;
    for (const RecordedArgument* tensor : tensors_) {
      reads = reads || IsRead(*tensor);
      if (!IsPrinted(*tensor)) continue;
      const DType dtype = tensor->dtype;
      if (HasReals(dtype)) readers.insert(ReaderOf(dtype));
      writers.insert(!HasReals(dtype)   ? emitted::kInteger
                     : IsComplex(dtype) ? emitted::kComplex
                                        : emitted::kReal);
    }
    if (reads) text_ += emitted::kCopy;
    if (!tensors_.empty()) text_ += emitted::kTensor;
    if (loads_) text_ += emitted::kNpy;
    for (const std::string& reader : readers) {
      text_ += reader == "Double"     ? emitted::kDouble
               : reader == "Float16"  ? emitted::kFloat16
               : reader == "BFloat16" ? emitted::kBFloat16
                                      : emitted::kFloat;
    }
    for (const std::string& writer : writers) text_ += writer;
    if (!writers.empty()) text_ += emitted::kPrint;
    text_ += "\n}  // namespace\n";
  }

  void Main() {
    text_ += loads_ ? "\nint main(int argc, char** argv) {\n" : "\nint main() {\n";
    if (loads_) {
      Line("if (argc != 2) {{");
      Line("  std::fprintf(stderr, \"usage: %s FOLDER (with the .npy files)\\n\", argv[0]);");
      Line("  return 2;");
      Line("}}");
      Line("const std::string folder = std::string(argv[1]) + \"/\";");
    }
    Line("Need(\"aclInit\", aclInit(nullptr));");
    Line("Need(\"aclrtSetDevice\", aclrtSetDevice(0));");
    if (recording_.deterministic) {
      Line("Need(\"aclrtSetSysParamOpt\", aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));");
    }
    Line("aclrtStream stream = nullptr;");
    Line("Need(\"aclrtCreateStream\", aclrtCreateStream(&stream));");
    Memory();
    text_ += "\n";
    for (const RecordedArgument& argument : recording_.arguments) Argument(argument);
    Phases();
    Cleanup();
    text_ += "}\n";
  }

  void Memory() {
    for (size_t i = 0; i < recording_.blocks.size(); ++i) {
      Line("char* memory{} = Allocate({});", i, recording_.blocks[i]);
    }
    for (const RecordedArgument* each : tensors_) {
      const RecordedArgument& tensor = *each;
      if (!IsRead(tensor)) continue;
      if (loads_) {
        Line("CopyTo(memory{}, LoadNpy(folder + \"{}.npy\", {}).data(), {});",
             Offset(tensor.block, tensor.First()), tensor.name, tensor.bytes, tensor.bytes);
        continue;
      }
      text_ += "\n";
      const bool half = IsHalf(PartOf(tensor.dtype));
      if (half) Line("// The bits of {} numbers.", NameOf(tensor.dtype));
      const std::string name = tensor.Identifier();
      Line("const {} {}_data[] = {};", ElementType(tensor.dtype), name,
           ElementList(*tensor.data, tensor.dtype));
      Line("CopyTo(memory{}, {}_data, sizeof({}_data));", Offset(tensor.block, tensor.First()),
           name, name);
    }
  }

  // "0", "0 + 16", "0 - 16"
  static std::string Offset(size_t block, int64_t bytes) {
    if (bytes == 0) return std::to_string(block);
    return fmt::format("{} {} {}", block, bytes < 0 ? '-' : '+', std::abs(bytes));
  }

  void Argument(const RecordedArgument& argument) {
    if (argument.null) return;
    const std::string name = argument.Identifier();
    switch (argument.kind) {
      case contract::Kind::kTensor:
        Line("aclTensor* {} = View({}, {}, {}, {}, {}, {}, {});", name,
             DTypeConstant(argument.dtype), FormatConstant(argument.format),
             IntegerList(argument.shape), IntegerList(argument.strides), argument.offset,
             IntegerList(argument.storage),
             argument.has_place ? "memory" + Offset(argument.block, argument.begin) : "nullptr");
        return;
      case contract::Kind::kScalar:
        Scalar(argument);
        return;
      case contract::Kind::kIntArray:
        Line("const std::vector<int64_t> {}_values = {};", name, IntegerList(argument.integers));
        Line("aclIntArray* {} = aclCreateIntArray({}_values.data(), {}_values.size());", name, name,
             name);
        return;
      case contract::Kind::kBoolArray: {
        std::string flags;
        for (int64_t flag : argument.integers) flags += flag != 0 ? "true, " : "false, ";
        // An array has at least one element.
        Line("const bool {}_values[] = {{{}}};", name,
             flags.empty() ? "false" : flags.substr(0, flags.size() - 2));
        Line("aclBoolArray* {} = aclCreateBoolArray({}_values, {});", name, name,
             argument.integers.size());
        return;
      }
      case contract::Kind::kFloatArray: {
        std::string numbers;
        for (double number : argument.reals) {
          numbers += (numbers.empty() ? "" : ", ") + RealLiteral(number, /*single=*/true);
        }
        Line("const std::vector<float> {}_values = {{{}}};", name, numbers);
        Line("aclFloatArray* {} = aclCreateFloatArray({}_values.data(), {}_values.size());", name,
             name, name);
        return;
      }
      case contract::Kind::kTensorList:
        return List(argument, "Tensor");
      case contract::Kind::kScalarList:
        return List(argument, "Scalar");
      case contract::Kind::kString:
      case contract::Kind::kBool:
      case contract::Kind::kInteger:
      case contract::Kind::kReal:
        return;
    }
  }

  void List(const RecordedArgument& list, const char* type) {
    std::string elements;
    for (const RecordedArgument& element : list.elements) {
      Argument(element);
      elements += elements.empty() ? "" : ", ";
      elements += element.null ? "nullptr" : element.Identifier();
    }
    Line("const std::vector<const acl{}*> {}_elements = {{{}}};", type, list.name, elements);
    Line("acl{}List* {} = aclCreate{}List({}_elements.data(), {}_elements.size());", type,
         list.name, type, list.name, list.name);
  }

  void Scalar(const RecordedArgument& scalar) {
    const auto first = scalar.scalar.begin();
    const std::string list =
        ElementList({first, first + static_cast<ptrdiff_t>(SizeOf(scalar.dtype))}, scalar.dtype);
    const std::string name = scalar.Identifier();
    const bool is_pair = IsComplex(scalar.dtype);
    Line("{} {}_value{} = {};", ElementType(scalar.dtype), name, is_pair ? "[]" : "",
         is_pair ? list : list.substr(1, list.size() - 2));
    Line("aclScalar* {} = aclCreateScalar({}{}_value, {});", name, is_pair ? "" : "&", name,
         DTypeConstant(scalar.dtype));
  }

  std::string CallArgument(const RecordedArgument& argument) const {
    switch (argument.kind) {
      case contract::Kind::kBool:
        return argument.integer != 0 ? "true" : "false";
      case contract::Kind::kInteger:
        return IntegerLiteral(argument.integer);
      case contract::Kind::kReal:
        return RealLiteral(argument.real, /*single=*/false);
      case contract::Kind::kString:
        return argument.null ? "nullptr" : TextLiteral(argument.text);
      case contract::Kind::kTensor:
      case contract::Kind::kScalar:
      case contract::Kind::kIntArray:
      case contract::Kind::kFloatArray:
      case contract::Kind::kBoolArray:
      case contract::Kind::kTensorList:
      case contract::Kind::kScalarList:
        break;
    }
    return argument.null ? "nullptr" : argument.name;
  }

  void Phases() {
    const std::string function = recording_.contract->function;
    text_ += "\n";
    Line("uint64_t workspace_size = 0;");
    Line("aclOpExecutor* executor = nullptr;");
    std::string words;
    for (const RecordedArgument& argument : recording_.arguments) {
      words += CallArgument(argument) + ", ";
    }
    Line("int code = {}GetWorkspaceSize(", function);
    Line("    {}&workspace_size, &executor);", words);
    Line("Told(\"{}GetWorkspaceSize\", code);", function);
    if (!recording_.HasRun()) return;
    Line("char* workspace = nullptr;");
    Line("if (code == 0) {{");
    Line("  if (workspace_size > 0) workspace = Allocate(workspace_size);");
    Line("  code = Told(\"{}\",", function);
    Line("              {}(workspace, workspace_size, executor, stream));", function);
    Line("}}");
    Line("if (code == 0) {{");
    Line("  code = Told(\"aclrtSynchronizeStream\", aclrtSynchronizeStream(stream));");
    for (const RecordedArgument* each : tensors_) {
      const RecordedArgument& tensor = *each;
      if (!IsPrinted(tensor)) continue;
      Line("  Print(\"{}\", memory{}, {}, {}, {}, {}, &{});", tensor.name,
           Offset(tensor.block, tensor.First()), tensor.bytes, IntegerList(tensor.shape),
           IntegerList(tensor.strides), tensor.ElementBytes(), WriterOf(tensor.dtype));
    }
    Line("}}");
  }

  void Cleanup() {
    text_ += "\n";
    for (const RecordedArgument& argument : recording_.arguments) {
      const char* type = argument.kind == contract::Kind::kTensor       ? "Tensor"
                         : argument.kind == contract::Kind::kScalar     ? "Scalar"
                         : argument.kind == contract::Kind::kIntArray   ? "IntArray"
                         : argument.kind == contract::Kind::kBoolArray  ? "BoolArray"
                         : argument.kind == contract::Kind::kFloatArray ? "FloatArray"
                         : argument.kind == contract::Kind::kTensorList ? "TensorList"
                         : argument.kind == contract::Kind::kScalarList ? "ScalarList"
                                                                        : nullptr;
      if (type == nullptr || argument.null) continue;
      Line("Need(\"aclDestroy{}\", aclDestroy{}({}));", type, type, argument.name);
    }
    if (recording_.HasRun()) {
      Line("if (workspace != nullptr) Need(\"aclrtFree\", aclrtFree(workspace));");
    }
    for (size_t i = 0; i < recording_.blocks.size(); ++i) {
      Line("Need(\"aclrtFree\", aclrtFree(memory{}));", i);
    }
    Line("Need(\"aclrtDestroyStream\", aclrtDestroyStream(stream));");
    Line("Need(\"aclrtResetDevice\", aclrtResetDevice(0));");
    Line("Need(\"aclFinalize\", aclFinalize());");
    Line("return code == 0 ? 0 : 1;");
  }

  const Recording& recording_;
  const std::string folder_;
  std::vector<const RecordedArgument*> tensors_;
  std::string text_;
  bool loads_ = false;
};

}  // namespace

std::string ProgramOf(const Recording& recording, const std::string& folder) {
  return Program(recording, folder).Text();
}

}  // namespace aclimb::cli
