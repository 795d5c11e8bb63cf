#include "aclimb/runtime/aclop/objects.h"

#include "aclimb/core/dtype.h"
#include "aclimb/core/format.h"
#include "aclimb/core/text.h"

namespace aclimb::aclop {
namespace {

std::string ElementText(bool value) { return value ? "true" : "false"; }
std::string ElementText(uint8_t value) { return ElementText(value != 0); }
std::string ElementText(int64_t value) { return Cat(value); }
std::string ElementText(float value) { return Cat(value); }
std::string ElementText(const std::string& value) { return JsonText(value); }
std::string ElementText(aclDataType value) { return DTypeText(value); }

template <typename T>
std::string ElementText(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) {
    if (text.size() > 1) text += ", ";
    text += ElementText(value);
  }
  return text + "]";
}

}  // namespace

std::string DTypeText(aclDataType dtype) {
  if (dtype == ACL_DT_UNDEFINED) return "undefined";
  const auto known = static_cast<DType>(dtype);
  return IsKnown(known) ? std::string(NameOf(known)) : Cat("dtype ", static_cast<int>(dtype));
}

std::string Text(const TensorDesc& desc) {
  if (desc.IsAbsent()) return "left out";
  std::string text = Cat(DTypeText(desc.dtype), " ", ElementText(desc.dims), " ",
                         FormatText(static_cast<int32_t>(desc.format)));
  if (desc.storage_format != desc.format || desc.storage_dims != desc.dims) {
    text += Cat(" stored as ", ElementText(desc.storage_dims), " ",
                FormatText(static_cast<int32_t>(desc.storage_format)));
  }
  if (desc.placement != ACL_MEMTYPE_DEVICE) text += " in host memory";
  return text;
}

std::string Text(const AttributeValue& value) {
  return std::visit([](const auto& held) { return ElementText(held); }, value);
}

Status CheckCount(std::string_view count_name, int64_t count, std::string_view values_name,
                  const void* values) {
  if (count < 0) return BadValue(count_name, count, "0 or more", "aclop/count");
  if (count > 0 && values == nullptr) return NullArgument(values_name);
  return Ok();
}

}  // namespace aclimb::aclop
