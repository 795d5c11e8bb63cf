#pragma once

#include <string>

// What the tools that write files have in common.
namespace aclimb::tools {

// "%p" becomes the process number.
std::string WithProcessNumber(std::string path);

// ACLIMB_FORCE=1: files that exist may be replaced.
bool MayReplace();

// The process was forked off the one that opened its files, which are not its to write. Watches
// from the first call of WatchForks on.
void WatchForks();
bool InForkedChild();

}  // namespace aclimb::tools
