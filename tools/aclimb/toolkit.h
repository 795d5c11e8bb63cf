#pragma once

#include <string>
#include <vector>

namespace aclimb::cli {

// Root of the toolkit that this program belongs to: the folder above its own, wherever the tree was
// moved. Throws std::runtime_error when there are no libraries.
std::string ToolkitRoot();

// `directory` first, and not again further back; empty entries, which would mean the current
// directory, are left out.
std::string Prepended(const std::string& directory, const std::string& list);

// Exports what set_env.sh exports.
void ExportToolkit(const std::string& root);

// Becomes the program `words[0]`, looked up in PATH. Returns only when that fails: 127 when there
// is no such program, 126 when it cannot be run, with a message.
int Become(const std::vector<std::string>& words);

}  // namespace aclimb::cli
