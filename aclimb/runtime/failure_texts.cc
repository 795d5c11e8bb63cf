#include "aclimb/runtime/failure_texts.h"

#include <deque>
#include <mutex>
#include <utility>

#include "aclimb/core/fork.h"

namespace aclimb {
namespace {

constexpr size_t kMostTexts = 256;

struct FailureText {
  int32_t device_id;
  int32_t stream_id;
  const char* task;
  std::string text;
};

struct FailureTexts {
  std::mutex mutex;
  std::deque<FailureText> kept;
};
FailureTexts& Texts() {
  static auto* const texts = new FailureTexts;
  return *texts;
}
ForkLock texts_lock(Texts().mutex);

}  // namespace

void KeepFailureText(int32_t device_id, int32_t stream_id, const char* task,
                     const char* text) noexcept {
  // Without memory the code alone has to do.
  try {
    FailureTexts& texts = Texts();
    const std::lock_guard<std::mutex> lock(texts.mutex);
    texts.kept.push_back({device_id, stream_id, task, text});
    if (texts.kept.size() > kMostTexts) texts.kept.pop_front();
  } catch (...) {
  }
}

std::string TakeFailureText(int32_t device_id, int32_t stream_id, const char* task) {
  FailureTexts& texts = Texts();
  const std::lock_guard<std::mutex> lock(texts.mutex);
  for (auto it = texts.kept.begin(); it != texts.kept.end(); ++it) {
    if (it->device_id != device_id || it->stream_id != stream_id || it->task != task) continue;
    std::string text = std::move(it->text);
    texts.kept.erase(it);
    return text;
  }
  return {};
}

}  // namespace aclimb
