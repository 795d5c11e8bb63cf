#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace aclimb::fuzz {

// Ends the process: the input at hand shows a mistake of the library.
[[noreturn, gnu::format(printf, 1, 2)]] inline void Finding(const char* format, ...) {
  std::fputs("FINDING: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::abort();
}

}  // namespace aclimb::fuzz
