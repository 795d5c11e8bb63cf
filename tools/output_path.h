#pragma once

#include <optional>
#include <string>

// What the tools that write files have in common.
namespace aclimb::tools {

// "%p" becomes the process number.
std::string WithProcessNumber(std::string path);

// ACLIMB_FORCE=1: files that exist may be replaced.
bool MayReplace();

// Opens the new file that the environment variable names, "%p" in it being the process number.
// Returns the descriptor; -1 when the variable is not set, and, with a line on stderr, when the
// file exists and may not be replaced, or the folder does not allow it. Calls NoteOpener.
int OpenOutput(const char* variable);
// Why that would print a line now; nothing when it would not. Makes no file.
std::optional<std::string> OutputProblem(const char* variable);

// The process was forked off the one that opened its files, which are not its to write. The
// first call of NoteOpener says which process that is.
void NoteOpener();
bool InForkedChild();

}  // namespace aclimb::tools
