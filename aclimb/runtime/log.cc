#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "acl/acl_base.h"
#include "aclimb/bridge/bridge.h"
#include "aclimb/core/cancel_guard.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "aclimb/runtime/settings.h"

namespace aclimb {
namespace {

constexpr size_t kLongestLine = 1024;

const char* LevelName(int level) {
  switch (level) {
    case ACL_DEBUG:
      return "DEBUG";
    case ACL_INFO:
      return "INFO";
    case ACL_WARNING:
      return "WARNING";
    default:
      return "ERROR";
  }
}

constinit std::mutex write_mutex;
ForkLock write_lock(write_mutex);

// Where lines go. Nowhere, unless the program's environment names a place.
struct LogPlaces {
  explicit LogPlaces(const Settings& settings)
      : to_stdout(settings.log_stdout),
        to_stderr(settings.log_stderr),
        file(settings.log_file.empty() ? nullptr : settings.log_file.c_str()) {}
  bool any() const { return to_stdout || to_stderr || file != nullptr; }

  bool to_stdout;
  bool to_stderr;
  const char* file;
};

void Write(const LogPlaces& places, int level, const char* module, const char* text) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm date;
  localtime_r(&now.tv_sec, &date);
  char stamp[40];
  std::strftime(stamp, sizeof(stamp), "%Y-%m-%d-%H:%M:%S", &date);
  char fraction[24];
  std::snprintf(fraction, sizeof(fraction), ".%03ld", static_cast<long>(now.tv_nsec / 1000000));
  const std::string line = Cat("[", LevelName(level), "] ", module, "(", getpid(), "):", stamp,
                               fraction, " ", text, "\n");
  std::lock_guard<std::mutex> lock(write_mutex);
  if (places.to_stdout) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }
  if (places.to_stderr) std::fwrite(line.data(), 1, line.size(), stderr);
  if (places.file != nullptr) {
    if (std::FILE* file = std::fopen(places.file, "a")) {
      std::fwrite(line.data(), 1, line.size(), file);
      std::fclose(file);
    }
  }
}

}  // namespace
}  // namespace aclimb

extern "C" {

void aclimb_log(int level, const char* text) {
  try {
    const aclimb::Settings& settings = aclimb::CurrentSettings();
    const aclimb::LogPlaces places(settings);
    if (text != nullptr && level >= settings.log_level && places.any()) {
      aclimb::Write(places, level, "ASCENDCL", text);
    }
  } catch (...) {  // A log line is not worth an error.
  }
}

void aclimb_log_plan(const char* text) {
  try {
    const aclimb::Settings& settings = aclimb::CurrentSettings();
    if (text == nullptr || settings.shared.log_plan == 0) return;
    aclimb::LogPlaces places(settings);
    // Who asks for a topic wants to see it somewhere.
    if (!places.any()) places.to_stderr = true;
    aclimb::Write(places, ACL_INFO, "ASCENDCL", text);
  } catch (...) {
  }
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
               const char* fmt, ...) {
  const aclimb::CancelGuard uncancelled;
  try {
    const aclimb::Settings& settings = aclimb::CurrentSettings();
    const aclimb::LogPlaces places(settings);
    if (fmt == nullptr || logLevel < settings.app_log_level || !places.any()) return;
    char text[aclimb::kLongestLine + 1];
    va_list arguments;
    va_start(arguments, fmt);
    const int length = std::vsnprintf(text, sizeof(text), fmt, arguments);
    va_end(arguments);
    if (length < 0) return;
    const char* name = file != nullptr ? file : "";
    for (const char* at = name; *at != '\0'; ++at) {
      if (*at == '/') name = at + 1;
    }
    aclimb::Write(
        places, logLevel, "APP",
        aclimb::Cat("[", name, ":", line, "] ", func != nullptr ? func : "", ": ", text).c_str());
  } catch (...) {
  }
}

}  // extern "C"
