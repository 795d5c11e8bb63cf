#pragma once

#include <string>
#include <vector>

namespace aclimb::cli {

// The functions of the public interface that the toolkit's libraries export, from their own tables;
// loads none. Throws std::runtime_error when a library cannot be read.
std::vector<std::string> ExportedFunctions(const std::string& toolkit);

}  // namespace aclimb::cli
