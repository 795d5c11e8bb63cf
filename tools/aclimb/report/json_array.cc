#include "tools/aclimb/report/json_array.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tools/aclimb/report/problem.h"

namespace aclimb::cli::report {
namespace {

size_t SkipSpace(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// Objects and lists within each other at most. Each costs a frame of the stack where values are
// copied and written.
constexpr int kMostDepth = 256;

// Past the end of the object that begins at `begin`; npos when it has none, `begin` when it is
// nested too deeply.
size_t EndOfObject(std::string_view text, size_t begin) {
  int objects = 0, lists = 0;
  bool in_text = false;
  for (size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '{') ++objects;
    if (c == '[') ++lists;
    if (c == ']') --lists;
    if (c == '}' && --objects == 0) return at + 1;
    if (objects + lists > kMostDepth) return begin;
  }
  return std::string_view::npos;
}

}  // namespace

std::string ReadFile(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    throw Problem(fmt::format("{}: {}", path, std::strerror(EISDIR)));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw Problem(fmt::format("{}: {}", path, std::strerror(errno != 0 ? errno : EIO)));
  return std::move(text).str();
}

bool ReadObjects(const std::string& path, const std::string& expected,
                 const std::function<void(const Json&)>& take) {
  const std::string file = ReadFile(path);
  const std::string_view text = file;
  size_t line = 1;
  size_t counted = 0;
  const auto problem_at = [&](size_t at, const std::string& more = "") {
    line += static_cast<size_t>(std::count(text.begin() + static_cast<ptrdiff_t>(counted),
                                           text.begin() + static_cast<ptrdiff_t>(at), '\n'));
    counted = at;
    return Problem(fmt::format("{}, line {}: expected {}{}", path, line, expected, more));
  };
  size_t at = SkipSpace(text, 0);
  if (at == text.size() || text[at] != '[') throw problem_at(at);
  bool first = true;
  for (at = SkipSpace(text, at + 1); at < text.size(); at = SkipSpace(text, at)) {
    if (text[at] == ']') {
      at = SkipSpace(text, at + 1);
      if (at != text.size()) throw problem_at(at);
      return true;
    }
    if (!first) {
      if (text[at] != ',') throw problem_at(at);
      at = SkipSpace(text, at + 1);
      if (at == text.size()) return false;
    }
    first = false;
    if (text[at] != '{') throw problem_at(at);
    const size_t end = EndOfObject(text, at);
    if (end == std::string_view::npos) return false;
    if (end == at) {
      throw problem_at(
          at, fmt::format(", of at most {} objects and lists within each other", kMostDepth));
    }
    try {
      take(Json::parse(text.substr(at, end - at)));
    } catch (const Json::exception&) {
      throw problem_at(at);
    }
    at = end;
  }
  return false;
}

}  // namespace aclimb::cli::report
