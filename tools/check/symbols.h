#pragma once

#include <cstdint>
#include <string>

namespace aclimb::check {

struct Symbol {
  std::string function;  // readable; empty when unknown
  std::string file;      // empty without debug information
  int line = 0;
  std::string library;   // the file that the code was loaded from
  uintptr_t offset = 0;  // in that file, for addr2line
};

// What the code at this address is called. By libdw where it is installed, else by the dynamic
// symbols alone. Slow; not thread-safe.
Symbol SymbolOf(uintptr_t counter);

// Whether the function belongs to the start of a process or a thread, which says nothing.
bool IsStart(const std::string& function);

// "main (train.cc:12)", "main+0x1f (/usr/bin/train)", "0x401f20 (/usr/bin/train)".
std::string TextOf(const Symbol& symbol);

}  // namespace aclimb::check
