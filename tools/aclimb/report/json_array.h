#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace aclimb::cli::report {

using Json = nlohmann::ordered_json;

// The whole file. Throws Problem.
std::string ReadFile(const std::string& path);

// Hands each object of the JSON array in the file to `take`, one at a time: a trace can be larger
// than its events should be in memory. A file that breaks off, as that of a crashed program does,
// gives the objects that are complete.
//   expected  what the file should have been, for the message
// Returns whether the array is complete. Throws Problem with the line, also for exceptions of
// nlohmann's that `take` throws because an object is not what it should be.
bool ReadObjects(const std::string& path, const std::string& expected,
                 const std::function<void(const Json&)>& take);

}  // namespace aclimb::cli::report
