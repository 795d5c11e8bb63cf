#include "tools/aclimb/report/argument_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace aclimb::cli::report {
namespace {

bool IsContiguous(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  if (shape.size() != strides.size()) return false;
  int64_t expected = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    if (shape[i - 1] != 1 && strides[i - 1] != expected) return false;
    expected *= shape[i - 1];
  }
  return true;
}

std::string TensorText(const Json& tensor) {
  const auto shape = tensor.value("shape", std::vector<int64_t>());
  const auto strides = tensor.value("strides", std::vector<int64_t>());
  std::string text = fmt::format("{} [{}]", tensor.value("dtype", "?"), fmt::join(shape, ", "));
  if (!IsContiguous(shape, strides))
    text += fmt::format(", strides [{}]", fmt::join(strides, ", "));
  const auto offset = tensor.value("offset", int64_t{0});
  if (offset != 0) text += fmt::format(", offset {}", offset);
  const std::string format = tensor.value("format", "ND");
  if (format != "ND") text += ", " + format;
  return text;
}

std::string PlainText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string TextOf(const Json& argument) {
  if (argument.is_null()) return "none";
  if (argument.is_array()) {
    std::vector<std::string> items;
    for (const Json& item : argument) items.push_back(PlainText(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  if (!argument.is_object()) return PlainText(argument);
  const auto tensor = argument.find("tensor");
  if (tensor != argument.end() && tensor->is_object()) return TensorText(*tensor);
  const auto scalar = argument.find("scalar");
  if (scalar != argument.end()) {
    return fmt::format("{} ({})", PlainText(*scalar), argument.value("dtype", "?"));
  }
  return argument.dump();
}

}  // namespace

Json ArgumentTexts(const Json& arguments) {
  Json texts = Json::array();
  for (const auto& [name, argument] : arguments.items()) {
    texts.push_back({name, TextOf(argument)});
  }
  return texts;
}

}  // namespace aclimb::cli::report
