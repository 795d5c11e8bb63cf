#pragma once

#include <cstdint>
#include <string>

namespace aclimb::cli {

// What the installed runtime answers when a program asks it.
struct RuntimeAnswers {
  std::string problem;  // why there are no answers; empty when there are
  std::string soc_name;
  uint32_t devices = 0;
  uint64_t memory_free = 0;  // of device 0, in bytes
  uint64_t memory_total = 0;
};

// Loads libascendcl.so of the toolkit and asks it, as a program would: this finds what is wrong
// with the libraries themselves. Takes the variables of the tools out of this process's
// environment.
RuntimeAnswers AskRuntimeLibrary(const std::string& root);

}  // namespace aclimb::cli
