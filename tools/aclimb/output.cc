#include "tools/aclimb/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tools/new_file.h"

namespace aclimb::cli {
namespace {

bool IsColourful() {
  static const bool colourful = [] {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || no_color[0] == '\0') &&
           (terminal == nullptr || std::string_view(terminal) != "dumb");
  }();
  return colourful;
}

std::string Emphasised(const char* code, std::string_view text) {
  if (!IsColourful()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

// 0: lines are not broken.
size_t Width() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0) return 0;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40) return 80;
  return size.ws_col;
}

[[noreturn]] void RefuseNewFile(std::string_view option, const std::string& path, int error) {
  throw std::runtime_error(fmt::format("{} is \"{}\"; expected {}", option, path,
                                       tools::ExpectedNewFile(error, "pass --force")));
}

}  // namespace

std::string Bold(std::string_view text) { return Emphasised("1", text); }
std::string Alarm(std::string_view text) { return Emphasised("1;31", text); }

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void PrintField(std::string_view label, std::string_view text) {
  constexpr size_t kIndent = 14;
  static const size_t width = Width();
  std::string line =
      fmt::format("  {:<{}}", label.empty() ? "" : fmt::format("{}:", label), kIndent - 2);
  size_t used = kIndent;
  const std::string next = "\n" + std::string(kIndent, ' ');
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (width != 0 && used > kIndent && used + word.size() >= width) {
      line += next;
      used = kIndent;
    }
    line += word;
    used += word.size();
    if (end < text.size()) {
      line += text[end] == '\n' ? next : " ";
      used = text[end] == '\n' ? kIndent : used + 1;
    }
    begin = end + 1;
  }
  Print(line + "\n");
}

std::string BytesText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  double value = static_cast<double>(bytes);
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 10 && unit > 0 && bytes % 1024 != 0 ? 1 : 0,
                     kUnits[unit]);
}

void CheckNewFile(std::string_view option, const std::string& path, bool force) {
  const int error = tools::NewFileError(path, force);
  if (error != 0) RefuseNewFile(option, path, error);
}

void WriteNewFile(std::string_view option, const std::string& path, bool force,
                  std::string_view content) {
  const int descriptor = tools::OpenNewFile(path, force);
  if (descriptor < 0) RefuseNewFile(option, path, errno);
  int error = tools::WriteAll(descriptor, content) ? 0 : errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) {
    throw std::runtime_error(fmt::format("{} ends early: {}", path, std::strerror(error)));
  }
}

}  // namespace aclimb::cli
