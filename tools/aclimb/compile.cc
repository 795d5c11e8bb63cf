// aclimb c++: calls the compiler with the flags that programs for this toolkit need.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "tools/aclimb/command.h"
#include "tools/aclimb/toolkit.h"

namespace aclimb::cli {
namespace {

// As the documents' samples order them; collectives where the program calls them.
constexpr const char* kLibraries[] = {"-lascendcl", "-lnnopbase",
                                      "-lopapi",    "-Wl,--push-state,--as-needed",
                                      "-lhccl",     "-Wl,--pop-state"};

// With one of these the compiler does not link.
bool IsLinked(const std::vector<std::string>& words) {
  return std::none_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "-c" || word == "-S" || word == "-E" || word == "-M" || word == "-MM" ||
           word == "-fsyntax-only";
  });
}

std::vector<std::string> CompilerLine(const std::string& root,
                                      const std::vector<std::string>& words) {
  std::vector<std::string> line;
  const char* compiler = std::getenv("CXX");
  // It may be several words, as "ccache g++".
  std::istringstream split(compiler != nullptr && compiler[0] != '\0' ? compiler : "g++");
  for (std::string word; split >> word;) line.push_back(word);
  line.insert(line.end(), words.begin(), words.end());
  // Behind the program's own folders, which come first in the search.
  line.push_back("-I" + root + "/include");
  line.push_back("-I" + root + "/include/aclnn");
  if (!IsLinked(words)) return line;
  line.push_back("-L" + root + "/lib64");
  line.insert(line.end(), std::begin(kLibraries), std::end(kLibraries));
  line.push_back("-Wl,-rpath," + root + "/lib64");
  return line;
}

// As a shell would have to read it.
std::string Quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

int Compile(bool show, const std::vector<std::string>& words) {
  if (words.empty() && !show) {
    std::fputs("aclimb c++: nothing to compile\nTry: aclimb c++ --help\n", stderr);
    return kWrongUse;
  }
  const std::vector<std::string> line = CompilerLine(ToolkitRoot(), words);
  if (!show) return Become(line);
  for (size_t i = 0; i < line.size(); ++i) {
    std::printf("%s%s", i == 0 ? "" : " ", Quoted(line[i]).c_str());
  }
  std::printf("\n");
  return kDone;
}

}  // namespace

Command AddCompile(CLI::App& tool) {
  CLI::App* app = AddSubcommand(tool, "c++", "[--show] FILE... -o PROGRAM [COMPILER FLAGS]",
                                "Compile and link a program against this toolkit");
  app->footer(
      "Calls $CXX (g++ if unset) with the words given, this toolkit's headers, libraries and run\n"
      "path. With -c it only compiles. The exit status is the compiler's.\n\n"
      "Examples:\n"
      "  aclimb c++ elu.cpp -o elu\n"
      "  aclimb c++ -O2 -std=c++17 -c layer.cpp && aclimb c++ main.cpp layer.o -o train\n"
      "  CXX=clang++ aclimb c++ --show elu.cpp -o elu");
  auto show = std::make_shared<bool>(false);
  app->add_flag("--show", *show, "print the compiler's line instead of running it");
  return {app, [show](const std::vector<std::string>& words) { return Compile(*show, words); },
          true};
}

}  // namespace aclimb::cli
