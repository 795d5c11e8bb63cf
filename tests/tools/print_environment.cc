// Prints its words, one a line after "word ", and its environment, one a line after "variable ".
// Ends with the status that the variable END_WITH says.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("word %s\n", argv[i]);
  for (char** entry = environ; *entry != nullptr; ++entry) std::printf("variable %s\n", *entry);
  const char* status = std::getenv("END_WITH");
  return status == nullptr ? 0 : std::atoi(status);
}
