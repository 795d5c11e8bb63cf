#include "tools/check/refusals.h"

#include <cstdlib>
#include <string_view>

#include "aclimb/bridge/bridge.h"
#include "aclimb/core/answers.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/text.h"

namespace aclimb::check {
namespace {

// A refusal's text, taken apart.
struct Message {
  std::string rule;
  std::string what;      // the first line without the function
  std::string fix;       // "pass ..."
  std::string code;      // what the call returns: "1 HCCL_E_PARA"
  uint64_t address = 0;  // the first that it names; 0 when it names none
};

Message Parse(const std::string& text) {
  Message message;
  const size_t line = text.find('\n');
  message.what = text.substr(0, line);
  const size_t colon = message.what.find(": ");
  // Functions have no spaces in their names.
  if (colon != std::string::npos && message.what.find(' ') == colon + 1) {
    message.what.erase(0, colon + 2);
  }
  constexpr std::string_view kFix = "\n  fix: ";
  const size_t fix = text.find(kFix);
  if (fix != std::string::npos) {
    const size_t begin = fix + kFix.size();
    message.fix = text.substr(begin, text.find('\n', begin) - begin);
  }
  constexpr std::string_view kRule = "\n  rule: ";
  const size_t rule = text.find(kRule);
  if (rule != std::string::npos) {
    const size_t begin = rule + kRule.size();
    message.rule = text.substr(begin, text.find_first_of(" \n", begin) - begin);
  }
  constexpr std::string_view kCode = "   code: ";
  const size_t code = text.find(kCode, rule);
  if (code != std::string::npos) {
    const size_t begin = code + kCode.size();
    message.code = text.substr(begin, text.find('\n', begin) - begin);
  }
  const size_t address = message.what.find("0x");
  if (address != std::string::npos) {
    message.address = std::strtoull(message.what.c_str() + address, nullptr, 16);
  }
  return message;
}

enum class Subject {
  kAddress,  // of memory that is no live allocation, or none of the wanted kind
  kFree,     // of what cannot be freed
  kPastEnd,
  kObject,  // a handle that is not live
  kExecutor,
  kLaunch,  // refused by the runtime: its code is in the text
  kAsItIs,
};

struct Row {
  std::string_view refusal;  // one that ends in '/' stands for all that begin so
  Subject subject;
  const char* rule;  // where the subject does not decide
};

constexpr Row kRows[] = {
    {"runtime/memory/past-end", Subject::kPastEnd, nullptr},
    {"runtime/memcpy/count-over-destmax", Subject::kPastEnd, nullptr},
    {"runtime/memset/count-over-room", Subject::kPastEnd, nullptr},
    {"phase2/past-allocation", Subject::kPastEnd, nullptr},
    {"runtime/memory/not-live", Subject::kAddress, nullptr},
    {"runtime/memory/host-address", Subject::kAddress, nullptr},
    {"phase2/not-device-memory", Subject::kAddress, nullptr},
    {"runtime/memset/pageable", Subject::kAsItIs, "check/memory/host-for-device"},
    {"runtime/memory/free-interior", Subject::kAsItIs, "check/memory/interior-free"},
    {"collective/memory/", Subject::kAddress, nullptr},
    {"collective/past-end/", Subject::kPastEnd, nullptr},
    {"runtime/capture/freed-memory", Subject::kAsItIs, "check/memory/use-after-free"},
    {"runtime/memory/free-mapped", Subject::kAsItIs, "check/memory/wrong-free"},
    {"runtime/memory/free-unknown", Subject::kFree, nullptr},
    {"runtime/mapping/not-mapped", Subject::kFree, nullptr},
    {"runtime/host-memory/free-unknown", Subject::kFree, nullptr},
    {"runtime/memcpy/kind", Subject::kAsItIs, "check/memory/copy-kind"},
    {"runtime/stream/context", Subject::kAsItIs, "check/stream/other-context"},
    {"runtime/capture/other-context", Subject::kAsItIs, "check/stream/other-context"},
    {"runtime/callback/not-subscribed", Subject::kAsItIs, "check/callback/not-subscribed"},
    {"runtime/handle/", Subject::kObject, nullptr},
    {"tensor/handle", Subject::kObject, nullptr},
    {"array/handle", Subject::kObject, nullptr},
    {"destroy/", Subject::kObject, nullptr},
    {"collective/handle", Subject::kObject, nullptr},
    {"phase2/consumed-executor", Subject::kExecutor, nullptr},
    {"executor/consumed", Subject::kExecutor, nullptr},
    {"phase2/runtime", Subject::kLaunch, nullptr},
};

const Row* FindRow(std::string_view rule) {
  for (const Row& row : kRows) {
    if (rule == row.refusal || (row.refusal.ends_with('/') && rule.starts_with(row.refusal))) {
      return &row;
    }
  }
  // <operator>/handle/<parameter>
  static constexpr Row kArgument = {"", Subject::kObject, nullptr};
  return rule.find("/handle/") != std::string_view::npos ? &kArgument : nullptr;
}

const char* RuleOfAddress(const Message& message, Book& book, bool (*is_device)(const void*),
                          Finding& finding) {
  if (const Block* freed = book.FindFreed(message.address)) {
    AddBlock(*freed, finding);
    return "check/memory/use-after-free";
  }
  if (const Block* live = book.Find(message.address)) AddBlock(*live, finding);
  if (!is_device(reinterpret_cast<const void*>(message.address))) {
    return "check/memory/host-for-device";
  }
  if (const Block* below = book.FindBelow(message.address)) {
    AddBlock(*below, finding);
    return "check/memory/past-end";
  }
  return "check/memory/not-allocated";
}

// What the refused call frees.
Memory FreedBy(const Message& message) {
  if (message.rule == "runtime/mapping/not-mapped") return Memory::kMapped;
  return message.rule == "runtime/host-memory/free-unknown" ? Memory::kPinned : Memory::kDevice;
}

const char* RuleOfFree(const Message& message, Book& book, bool (*is_device)(const void*),
                       Finding& finding) {
  if (const Block* live = book.Find(message.address)) {
    AddBlock(*live, finding);
    return live->memory == FreedBy(message) ? "check/memory/interior-free"
                                            : "check/memory/wrong-free";
  }
  if (const Block* freed = book.FindFreed(message.address)) {
    AddBlock(*freed, finding);
    return "check/memory/double-free";
  }
  return is_device(reinterpret_cast<const void*>(message.address)) ? "check/memory/not-allocated"
                                                                   : "check/memory/wrong-free";
}

bool Destroys(std::string_view function) {
  return function.find("Destroy") != std::string_view::npos || function == "aclrtFreePhysical";
}

// Null when the handle is not known: garbage is refused, and no more can be said of it.
const char* RuleOfObject(const Message& message, const Objects& objects, Finding& finding) {
  const Object* object = objects.Find(reinterpret_cast<const void*>(message.address));
  if (object == nullptr || object->live) return nullptr;
  const std::string kind = KindName(object->kind);
  finding.involved.push_back({"the " + kind + ", from " + object->made.what, object->made.site});
  finding.involved.push_back({"ended by " + object->released.what, object->released.site});
  // A device that is reset ends objects too.
  if (!Destroys(finding.function) || !Destroys(object->released.what)) {
    return "check/object/use-after-destroy";
  }
  const bool by_list = object->released.what.ends_with("List") && !kind.ends_with("List");
  return by_list ? "check/object/list-and-member" : "check/object/double-destroy";
}

const char* RuleOfExecutor(const Message& message, const Objects& objects, Finding& finding) {
  const Object* object = objects.Find(reinterpret_cast<const void*>(message.address));
  if (object == nullptr || object->live) return nullptr;
  finding.involved.push_back({"made by " + object->made.what, object->made.site});
  finding.involved.push_back({"ended by " + object->released.what, object->released.site});
  return object->released.what.starts_with("aclnn") ? "check/object/executor-reused"
                                                    : "check/object/use-after-destroy";
}

const char* RuleOfLaunch(const Message& message, const Objects& objects, Finding& finding) {
  if (message.what.find("answered 107003") != std::string::npos) {
    return "check/stream/other-context";
  }
  if (message.what.find("answered 107017") != std::string::npos) {
    return RuleOfObject(message, objects, finding);
  }
  return nullptr;
}

// Whether right programs are refused with the code, and go on without asking why.
bool IsExpected(std::string_view function, int code) {
  // Its threads ask in a loop, also before the subscription.
  if (IsAnswer(function, code) || function == "aclrtProcessReport") return true;
  // Collectives have codes of their own, and `code` is only the runtime's that comes next to it.
  if (!function.starts_with("acl")) return false;
  switch (code) {
    case kRepeatFinalize:
    case kRtMemoryAllocation:  // an allocator frees its cache and tries again
    case kRtEventNotComplete:  // a loop waits, as after the timeouts
    case kRtStreamSyncTimeout:
    case kRtEventSyncTimeout:
      return true;
    case kRtFeatureNotSupport:  // a probe; no copy is one
      return !function.starts_with("aclrtMemcpy");
    default:
      return false;
  }
}

}  // namespace

void Unread::Add(const Here& here, int code, const std::string& text) {
  if (IsExpected(here.function, code) || ++count_ > 1) return;
  const Message message = Parse(text);
  first_ = {"check/call/unread", here.function, message.what, {{"called", here.site}}};
  std::string told = "refused";
  if (!message.code.empty()) told += Cat(" with ", message.code);
  told += ", and the program ended without asking why";
  if (!message.fix.empty()) told += Cat("; for that call: ", message.fix);
  first_.involved.push_back({std::move(told), 0});
}

std::optional<Finding> Unread::Told() const {
  if (count_ == 0) return std::nullopt;
  Finding finding = first_;
  if (count_ > 1) {
    const char* const more = count_ == 2 ? " later refusal" : " later refusals";
    finding.involved.push_back({Cat("unread as well: ", count_ - 1, more), 0});
  }
  return finding;
}

std::optional<Finding> FindingOf(const Here& here, const std::string& text, Book& book,
                                 const Objects& objects, bool (*is_device)(const void*)) {
  const Message message = Parse(text);
  const Row* row = FindRow(message.rule);
  if (row == nullptr) return std::nullopt;
  Finding finding;
  finding.function = here.function;
  finding.what = message.what;
  finding.involved.push_back({"called", here.site});
  switch (row->subject) {
    case Subject::kAddress:
      finding.rule = RuleOfAddress(message, book, is_device, finding);
      break;
    case Subject::kFree:
      finding.rule = RuleOfFree(message, book, is_device, finding);
      break;
    case Subject::kPastEnd:
      finding.rule = "check/memory/past-end";
      if (const Block* block = book.Find(message.address)) AddBlock(*block, finding);
      break;
    case Subject::kObject:
      finding.rule = RuleOfObject(message, objects, finding);
      break;
    case Subject::kExecutor:
      finding.rule = RuleOfExecutor(message, objects, finding);
      break;
    case Subject::kLaunch:
      finding.rule = RuleOfLaunch(message, objects, finding);
      break;
    case Subject::kAsItIs:
      finding.rule = row->rule;
      if (const Block* block = book.Find(message.address)) AddBlock(*block, finding);
      break;
  }
  if (finding.rule == nullptr) return std::nullopt;
  return finding;
}

}  // namespace aclimb::check
