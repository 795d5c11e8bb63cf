#include "acl/acl_op.h"
#include "aclimb/core/dtype.h"
#include "aclimb/runtime/aclop/objects.h"
#include "aclimb/runtime/entry.h"

namespace aclimb::aclop {
namespace {

Status Set(aclopAttr* handle, const char* name, AttributeValue value) {
  auto attributes = Find<Attributes>("attr", handle);
  if (!attributes.ok()) return attributes.TakeStatus();
  if (name == nullptr) return NullArgument("attrName");
  attributes.value()->values.insert_or_assign(name, std::move(value));
  return Ok();
}

template <typename T>
int SetList(const char* function, aclopAttr* handle, const char* name, int count, const T* values) {
  return Enter(function, [&]() -> Status {
    ACLIMB_CHECK_OK(CheckCount("numValues", count, "values", values));
    return Set(handle, name, std::vector<T>(values, values + count));
  });
}

Status SetLists(aclopAttr* handle, const char* name, int lists, const int* counts,
                const int64_t* const* values) {
  ACLIMB_CHECK_OK(CheckCount("numLists", lists, "numValues", counts));
  ACLIMB_CHECK_OK(CheckCount("numLists", lists, "values", values));
  std::vector<std::vector<int64_t>> made;
  for (int i = 0; i < lists; ++i) {
    ACLIMB_CHECK_OK(CheckCount(Cat("numValues[", i, "]"), counts[i], "values", values[i]));
    made.emplace_back(values[i], values[i] + counts[i]);
  }
  return Set(handle, name, std::move(made));
}

}  // namespace
}  // namespace aclimb::aclop

extern "C" {

aclopAttr* aclopCreateAttr() {
  aclopAttr* made = nullptr;
  aclimb::Enter("aclopCreateAttr", [&] {
    return aclimb::aclop::Make(std::make_shared<aclimb::aclop::Attributes>(), &made);
  });
  return made;
}

void aclopDestroyAttr(const aclopAttr* attr) {
  if (attr == nullptr) return;
  aclimb::Enter("aclopDestroyAttr",
                [&] { return aclimb::aclop::End<aclimb::aclop::Attributes>("attr", attr); });
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
  return aclimb::Enter("aclopSetAttrBool",
                       [&] { return aclimb::aclop::Set(attr, attrName, attrValue != 0); });
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
  return aclimb::Enter("aclopSetAttrInt",
                       [&] { return aclimb::aclop::Set(attr, attrName, attrValue); });
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
  return aclimb::Enter("aclopSetAttrFloat",
                       [&] { return aclimb::aclop::Set(attr, attrName, attrValue); });
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
  return aclimb::Enter("aclopSetAttrString", [&]() -> aclimb::Status {
    if (attrValue == nullptr) return aclimb::NullArgument("attrValue");
    return aclimb::aclop::Set(attr, attrName, std::string(attrValue));
  });
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
  return aclimb::Enter("aclopSetAttrDataType", [&]() -> aclimb::Status {
    if (!aclimb::IsKnown(static_cast<aclimb::DType>(attrValue))) {
      return aclimb::BadValue("attrValue", attrValue, "an aclDataType", "aclop/dtype");
    }
    return aclimb::aclop::Set(attr, attrName, attrValue);
  });
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues,
                              const uint8_t* values) {
  return aclimb::aclop::SetList("aclopSetAttrListBool", attr, attrName, numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues,
                             const int64_t* values) {
  return aclimb::aclop::SetList("aclopSetAttrListInt", attr, attrName, numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues,
                               const float* values) {
  return aclimb::aclop::SetList("aclopSetAttrListFloat", attr, attrName, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists,
                                 const int* numValues, const int64_t* const values[]) {
  return aclimb::Enter("aclopSetAttrListListInt", [&] {
    return aclimb::aclop::SetLists(attr, attrName, numLists, numValues, values);
  });
}

}  // extern "C"
