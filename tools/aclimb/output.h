#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aclimb::cli {

// Text for stdout, emphasised where a terminal shows it and NO_COLOR does not forbid it.
std::string Bold(std::string_view text);
std::string Alarm(std::string_view text);

// "  label:  text" with the text's later lines below its first one. Lines are broken to the width
// of the terminal, and not at all elsewhere, so that other programs see one line.
void PrintField(std::string_view label, std::string_view text);

// "1.5 GiB"
std::string BytesText(uint64_t bytes);

void Print(std::string_view text);

// Throws std::runtime_error when WriteNewFile could not write the file now. Makes none.
void CheckNewFile(std::string_view option, const std::string& path, bool force);

// The whole content of a file that the user names. Throws std::runtime_error when it cannot be
// written, or exists and `force` does not allow to replace it.
//   option  the command line's name for the path, as "--output"
void WriteNewFile(std::string_view option, const std::string& path, bool force,
                  std::string_view content);

}  // namespace aclimb::cli
