// aclopCompileAndExecute: hands the call to whoever has an operator of that type name, or says what
// stands in its place.

#include <dlfcn.h>

#include <atomic>
#include <charconv>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "aclimb/bridge/bridge.h"
#include "aclimb/observe/observe.h"
#include "aclimb/runtime/aclop/missing.h"
#include "aclimb/runtime/aclop/objects.h"
#include "aclimb/runtime/aclop/operator_names.h"
#include "aclimb/runtime/entry.h"

namespace aclimb::aclop {
namespace {

std::atomic<AclimbOpAnswer> answers{nullptr};

// Null when there are no operators.
AclimbOpAnswer Answers() {
  AclimbOpAnswer answer = answers.load(std::memory_order_acquire);
  if (answer != nullptr) return answer;
  // A program that calls by type name alone has not loaded them. They stay.
  (void)dlopen("libopapi.so", RTLD_NOW);
  return answers.load(std::memory_order_acquire);
}

// What a request is about: its objects, held, and the call that refers to them.
class Call {
 public:
  Status Resolve(const AclimbOpRequest& request) {
    if (request.type == nullptr) return NullArgument("opType");
    std::string inputs, outputs;
    if (Status bad = Add("input", request.inputs, request.input_descs, request.input_buffers,
                         &inputs_, &inputs);
        !bad.ok()) {
      return bad;
    }
    if (Status bad = Add("output", request.outputs, request.output_descs, request.output_buffers,
                         &outputs_, &outputs);
        !bad.ok()) {
      return bad;
    }
    text_ =
        Cat("opType is \"", request.type, "\" with the inputs ", inputs, "; the outputs ", outputs);
    if (request.attributes != nullptr) {
      auto attributes = Find<Attributes>("attr", request.attributes);
      if (!attributes.ok()) return attributes.TakeStatus();
      held_attributes_ = std::move(attributes.value());
      AddAttributes();
    }
    call_ = {.function = request.function,
             .type = request.type,
             .text = text_.c_str(),
             .input_count = static_cast<int32_t>(inputs_.size()),
             .inputs = inputs_.data(),
             .output_count = static_cast<int32_t>(outputs_.size()),
             .outputs = outputs_.data(),
             .attribute_count = static_cast<int32_t>(attributes_.size()),
             .attributes = attributes_.data(),
             .stream = request.stream};
    return Ok();
  }

  const AclimbOpCall& get() const { return call_; }

 private:
  // Descriptors that are live, and have a live buffer each; "x FLOAT [2, 3] ND, #1 FLOAT [3] ND".
  Status Add(const char* what, int count, const void* const* descs, const void* const* buffers,
             std::vector<AclimbOpTensor>* tensors, std::string* text) {
    const std::string desc_argument = Cat(what, "Desc");
    const std::string buffer_argument = Cat(what, "s");
    const std::string count_argument = what[0] == 'i' ? "numInputs" : "numOutputs";
    if (Status bad = CheckCount(count_argument, count, desc_argument, descs); !bad.ok()) return bad;
    if (Status bad = CheckCount(count_argument, count, buffer_argument, buffers); !bad.ok()) {
      return bad;
    }
    *text = count == 0 ? "(none)" : "";
    for (int i = 0; i < count; ++i) {
      auto found = Find<TensorDesc>(Cat(desc_argument, "[", i, "]"), descs[i]);
      if (!found.ok()) return found.TakeStatus();
      auto buffer = Find<DataBuffer>(Cat(buffer_argument, "[", i, "]"), buffers[i]);
      if (!buffer.ok()) return buffer.TakeStatus();
      const TensorDesc& desc = *found.value();
      if (i > 0) *text += ", ";
      *text += Cat(desc.name.empty() ? Cat("#", i) : desc.name, " ", Text(desc));
      tensors->push_back({.name = desc.name.c_str(),
                          .dtype = desc.IsAbsent() ? -1 : static_cast<int32_t>(desc.dtype),
                          .format = static_cast<int32_t>(desc.format),
                          .storage_format = static_cast<int32_t>(desc.storage_format),
                          .rank = static_cast<int32_t>(desc.dims.size()),
                          .dims = desc.dims.data(),
                          .storage_rank = static_cast<int32_t>(desc.storage_dims.size()),
                          .storage_dims = desc.storage_dims.data(),
                          .on_host = desc.placement == ACL_MEMTYPE_DEVICE ? 0 : 1,
                          .data = buffer.value()->data,
                          .bytes = buffer.value()->size});
      held_descs_.push_back(std::move(found.value()));
    }
    return Ok();
  }

  void AddAttributes() {
    for (const auto& [name, value] : held_attributes_->values) {
      text_ += Cat(attributes_.empty() ? "; the attributes " : ", ", name, " = ", Text(value));
      AclimbOpAttribute attribute = {};
      attribute.name = name.c_str();
      if (const bool* flag = std::get_if<bool>(&value)) {
        attribute.kind = ACLIMB_OP_ATTRIBUTE_BOOL;
        attribute.integer = *flag ? 1 : 0;
      } else if (const int64_t* integer = std::get_if<int64_t>(&value)) {
        attribute.kind = ACLIMB_OP_ATTRIBUTE_INTEGER;
        attribute.integer = *integer;
      } else if (const float* number = std::get_if<float>(&value)) {
        // A float travels as the digits that give it back.
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof(digits), *number).ptr;
        attribute.kind = ACLIMB_OP_ATTRIBUTE_TEXT;
        attribute.text = numbers_.emplace_back(digits, end).c_str();
      } else if (const std::string* text = std::get_if<std::string>(&value)) {
        attribute.kind = ACLIMB_OP_ATTRIBUTE_TEXT;
        attribute.text = text->c_str();
      } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
        attribute.kind = ACLIMB_OP_ATTRIBUTE_INTEGERS;
        attribute.count = static_cast<int32_t>(integers->size());
        attribute.integers = integers->data();
      }
      attributes_.push_back(attribute);
    }
  }

  AclimbOpCall call_ = {};
  std::string text_;
  std::vector<AclimbOpTensor> inputs_, outputs_;
  std::vector<AclimbOpAttribute> attributes_;
  std::deque<std::string> numbers_;
  std::vector<std::shared_ptr<TensorDesc>> held_descs_;
  std::shared_ptr<Attributes> held_attributes_;
};

// "aclnnAdd and aclnnAdds".
std::string ListText(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

Status NotAnswered(const AclimbOpCall& call) {
  std::vector<std::string> there;
  std::vector<std::string> missing;
  bool unknown = false;
  for (const std::string& function : FunctionsOf(call.type)) {
    const int has = HasFunction(function);
    unknown = unknown || has < 0;
    (has == 0 ? missing : there).push_back(function);
  }
  const bool all_there = missing.empty();
  NoteMissing(call.type,
              !missing.empty() && !unknown
                  ? Cat(ListText(missing), missing.size() == 1 ? " is" : " are", " missing")
                  : Cat("not by its type name; there is ", ListText(there)));
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
  return Refuse(kApiNotSupport,
                Cat(call.text,
                    ". Aclimb does not execute operators of this type by their type name; expected "
                    "a call of the operator's own function in aclnnop/."),
                std::move(fix),
                unknown || all_there ? "runtime/aclop/by-type" : "runtime/aclop/missing");
}

int Execute(const AclimbOpRequest& request) {
  Call call;
  const int code = RunBody(request.function, [&] { return call.Resolve(request); });
  if (code != 0) return code;
  // It calls the operator's own functions, which report for themselves.
  const AclimbOpAnswer answer = Answers();
  const int answered = answer == nullptr ? ACLIMB_OP_UNKNOWN : answer(&call.get());
  if (answered == kApiNotSupport) NoteMissing(request.type, "not with these arguments");
  if (answered != ACLIMB_OP_UNKNOWN) return answered;
  return RunBody(request.function, [&] { return NotAnswered(call.get()); });
}

}  // namespace
}  // namespace aclimb::aclop

extern "C" int aclimb_op_compile_and_execute(const AclimbOpRequest* request) {
  const aclimb::CancelGuard uncancelled;
  if (!aclimb::observe::On()) return aclimb::aclop::Execute(*request);
  int code = aclimb::observe::CallBegin(request->function);
  if (code == 0) code = aclimb::aclop::Execute(*request);
  aclimb::observe::CallEnd(request->function, code);
  return code;
}

extern "C" void aclimb_op_answers(AclimbOpAnswer answer) {
  aclimb::aclop::answers.store(answer, std::memory_order_release);
}
