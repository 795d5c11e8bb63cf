// aclopCompileAndExecute: never executes, but says what stands in its place.

#include <span>
#include <string>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/runtime/aclop/objects.h"
#include "aclimb/runtime/aclop/operator_names.h"
#include "aclimb/runtime/entry.h"

namespace aclimb::aclop {
namespace {

// "x FLOAT [2, 3] ND, #1 FLOAT [3] ND" of descriptors that are live, and have a live buffer each.
Result<std::string> TensorsText(const char* what, int count, const void* const* descs,
                                const void* const* buffers) {
  const std::string desc_argument = Cat(what, "Desc");
  const std::string buffer_argument = Cat(what, "s");
  const std::string count_argument = what[0] == 'i' ? "numInputs" : "numOutputs";
  if (Status bad = CheckCount(count_argument, count, desc_argument, descs); !bad.ok()) return bad;
  if (Status bad = CheckCount(count_argument, count, buffer_argument, buffers); !bad.ok()) {
    return bad;
  }
  std::string text;
  for (int i = 0; i < count; ++i) {
    auto desc = Find<TensorDesc>(Cat(desc_argument, "[", i, "]"), descs[i]);
    if (!desc.ok()) return desc.TakeStatus();
    auto buffer = Find<DataBuffer>(Cat(buffer_argument, "[", i, "]"), buffers[i]);
    if (!buffer.ok()) return buffer.TakeStatus();
    if (i > 0) text += ", ";
    text += desc.value()->name.empty() ? Cat("#", i) : desc.value()->name;
    text += ' ';
    text += Text(*desc.value());
  }
  return text;
}

std::string AttributesText(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes.values) {
    text += Cat(text.empty() ? "" : ", ", name, " = ", Text(value));
  }
  return text;
}

// "aclnnAdd and aclnnAdds".
std::string ListText(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

Status NeverExecuted(const std::string& type, const std::string& what) {
  std::vector<std::string> there;
  std::vector<std::string> missing;
  bool unknown = false;
  for (const std::string& function : FunctionsOf(type)) {
    const int has = HasFunction(function);
    unknown = unknown || has < 0;
    (has == 0 ? missing : there).push_back(function);
  }
  const bool all_there = missing.empty();
  std::string fix;
  if (unknown) {
    fix = Cat("call ", ListText(there), ", if `aclimb ops` lists it");
  } else if (all_there) {
    fix =
        Cat("call ", ListText(there),
            ", which Aclimb has; under PyTorch set torch.npu.config.allow_internal_format = False "
            "before the first operator, and leave JIT compilation off");
  } else {
    fix = Cat(ListText(missing), missing.size() == 1 ? " is" : " are",
              " missing from Aclimb (`aclimb ops` lists what is there): compute this step on the "
              "host, or with operators that are there");
  }
  return Refuse(kApiNotSupport, what, std::move(fix),
                unknown || all_there ? "runtime/aclop/by-type" : "runtime/aclop/missing");
}

Status Execute(const AclimbOpRequest& request) {
  if (request.type == nullptr) return NullArgument("opType");
  Result<std::string> inputs =
      TensorsText("input", request.inputs, request.input_descs, request.input_buffers);
  if (!inputs.ok()) return inputs.TakeStatus();
  Result<std::string> outputs =
      TensorsText("output", request.outputs, request.output_descs, request.output_buffers);
  if (!outputs.ok()) return outputs.TakeStatus();
  std::string what = Cat("opType is \"", request.type, "\" with the inputs ",
                         request.inputs == 0 ? "(none)" : inputs.value(), "; the outputs ",
                         request.outputs == 0 ? "(none)" : outputs.value());
  if (request.attributes != nullptr) {
    auto attributes = Find<Attributes>("attr", request.attributes);
    if (!attributes.ok()) return attributes.TakeStatus();
    if (!attributes.value()->values.empty()) {
      what += Cat("; the attributes ", AttributesText(*attributes.value()));
    }
  }
  what +=
      ". Aclimb executes no operator by its type name; expected a call of the operator's own "
      "function in aclnnop/.";
  return NeverExecuted(request.type, what);
}

}  // namespace
}  // namespace aclimb::aclop

extern "C" int aclimb_op_compile_and_execute(const AclimbOpRequest* request) {
  return aclimb::Enter(request->function, [&] { return aclimb::aclop::Execute(*request); });
}
