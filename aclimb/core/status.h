#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace aclimb {

// The parts of one refusal. `what` starts with the path of the bad value and what it is, then what
// was expected; `fix` says what to change; `rule` is a stable id such as
// "elu_backward/same-shape/selfOrResult".
struct Refusal {
  int code = 0;
  std::string what;
  std::string fix;
  std::string rule;
};

// Success, or a refusal with its text. Costs one null pointer when all is well.
class [[nodiscard]] Status {
 public:
  Status() = default;
  explicit Status(Refusal refusal) : refusal_(std::make_unique<Refusal>(std::move(refusal))) {}

  bool ok() const { return refusal_ == nullptr; }
  int code() const { return refusal_ ? refusal_->code : 0; }
  const Refusal& refusal() const { return *refusal_; }

 private:
  std::unique_ptr<Refusal> refusal_;
};

inline Status Ok() { return Status(); }
inline Status Refuse(int code, std::string what, std::string fix, std::string rule) {
  return Status(Refusal{code, std::move(what), std::move(fix), std::move(rule)});
}

// A value, or the refusal that stands in its place.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) {}  // NOLINT: implicit on purpose

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  Status&& TakeStatus() { return std::move(status_); }
  T& value() { return *value_; }
  const T& value() const { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

// The text that aclGetRecentErrMsg returns: "<function>: <what>\n  fix: ...\n  rule: ...   code:
// ...".
std::string MessageOf(std::string_view function, const Refusal& refusal);

// "161002 ACLNN_ERR_PARAM_INVALID"; the number alone when the code has no name.
std::string CodeText(int code);

}  // namespace aclimb
