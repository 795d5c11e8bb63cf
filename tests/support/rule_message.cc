#include "tests/support/rule_message.h"

#include <gtest/gtest.h>

#include <cctype>
#include <utility>

#include "aclimb/bridge/bridge.h"
#include "aclimb/contract/contract.h"
#include "aclimb/core/descriptor.h"
#include "aclimb/core/status.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/objects.h"

namespace aclimb::testing {
namespace {

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string ListText(const std::vector<int64_t>& values) {
  return ShapeText(values.data(), values.size());
}

std::vector<std::string> TensorTexts(const TensorDescriptor& tensor) {
  std::vector<std::string> texts = {ListText(tensor.shape), ListText(tensor.stride),
                                    contract::FormatText(tensor.format)};
  if (IsKnown(tensor.dtype)) texts.emplace_back(NameOf(tensor.dtype));
  if (tensor.IsEmpty()) texts.emplace_back("empty");
  return texts;
}

template <typename T>
const T* Resolve(const contract::Argument& argument, int kind) {
  return static_cast<const T*>(aclimb_handle_resolve(argument.handle, kind));
}

// Of an element of a list.
void AddTexts(contract::Kind kind, const void* handle, std::vector<std::string>& texts) {
  for (std::string& text : ValueTexts(kind, {.kind = kind, .handle = handle})) {
    texts.push_back(std::move(text));
  }
}

}  // namespace

bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWordCharacter(text[at - 1])) &&
        (end == text.size() || !IsWordCharacter(text[end]))) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> ValueTexts(contract::Kind kind, const contract::Argument& argument) {
  using contract::Kind;
  if (contract::IsPointer(kind) && argument.handle == nullptr) return {"null"};
  // A message may show the flag or element that matters, or how many there are.
  std::vector<std::string> texts = {"not a live"};
  switch (kind) {
    case Kind::kBool:
      return {argument.integer != 0 ? "true" : "false"};
    case Kind::kInteger:
      // A number that names a dtype is shown so.
      return {Cat(argument.integer), Cat(static_cast<uint64_t>(argument.integer)),
              std::string(NameOf(static_cast<DType>(argument.integer)))};
    case Kind::kReal:
      return {Cat(argument.real), Cat(static_cast<float>(argument.real))};
    case Kind::kString:
      return {static_cast<const char*>(argument.handle)};
    case Kind::kTensor:
      if (auto* tensor = Resolve<TensorDescriptor>(argument, ACLIMB_HANDLE_TENSOR)) {
        return TensorTexts(*tensor);
      }
      break;
    case Kind::kScalar:
      if (auto* scalar = Resolve<ScalarValue>(argument, ACLIMB_HANDLE_SCALAR)) {
        return {scalar->Text(), std::string(NameOf(scalar->dtype))};
      }
      break;
    case Kind::kIntArray:
      if (auto* ints = Resolve<IntArrayValue>(argument, ACLIMB_HANDLE_INT_ARRAY)) {
        return {ListText(*ints)};
      }
      break;
    case Kind::kFloatArray:
      if (auto* floats = Resolve<FloatArrayValue>(argument, ACLIMB_HANDLE_FLOAT_ARRAY)) {
        std::string list;
        for (float value : *floats) list += Cat(list.empty() ? "" : ", ", value);
        return {Cat("[", list, "]")};
      }
      break;
    case Kind::kBoolArray:
      if (auto* bools = Resolve<BoolArrayValue>(argument, ACLIMB_HANDLE_BOOL_ARRAY)) {
        texts = {Cat(bools->size(), " entr")};
        for (uint8_t flag : *bools) texts.emplace_back(flag != 0 ? "is true" : "is false");
      }
      break;
    case Kind::kTensorList:
      if (auto* list = Resolve<TensorListValue>(argument, ACLIMB_HANDLE_TENSOR_LIST)) {
        texts = {Cat(list->members.size(), " entr"), Cat(list->members.size(), " tensor"), "null"};
        for (const aclTensor* member : list->members) AddTexts(Kind::kTensor, member, texts);
      }
      break;
    case Kind::kScalarList:
      if (auto* list = Resolve<ScalarListValue>(argument, ACLIMB_HANDLE_SCALAR_LIST)) {
        texts = {Cat(list->members.size(), " entr"), "null"};
        for (const aclScalar* member : list->members) AddTexts(Kind::kScalar, member, texts);
      }
      break;
  }
  return texts;
}

RuleMessage::RuleMessage(std::string text)
    : text_(std::move(text)), what_(text_.substr(0, text_.find("\n  fix: "))) {}

void RuleMessage::ExpectWhole(const std::string& function, const std::string& rule,
                              int code) const {
  EXPECT_EQ(Count(text_, "rule: "), 1u) << text_;
  EXPECT_EQ(what_.find(function + ": "), 0u) << text_;
  EXPECT_NE(what_.find("; expected "), std::string::npos) << text_;
  EXPECT_EQ(what_.back(), '.') << text_;
  const size_t fix = text_.find("\n  fix: ");
  const size_t tail = text_.find("\n  rule: " + rule + "   code: " + CodeText(code));
  ASSERT_NE(fix, std::string::npos) << text_;
  ASSERT_NE(tail, std::string::npos) << text_;
  EXPECT_GT(tail, fix + 10) << "an empty fix in: " << text_;
}

std::string RuleMessage::rule() const {
  const std::string_view before = "\n  rule: ";
  const size_t at = text_.find(before);
  if (at == std::string::npos) return "";
  const size_t begin = at + before.size();
  return text_.substr(begin, text_.find(' ', begin) - begin);
}

bool RuleMessage::ShowsOneOf(const std::vector<std::string>& values) const {
  for (const std::string& value : values) {
    if (what_.find(value) != std::string::npos) return true;
  }
  return false;
}

}  // namespace aclimb::testing
