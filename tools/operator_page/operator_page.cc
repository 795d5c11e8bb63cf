// operator_page FOLDER: prints the page of one operator, from its contract, as Markdown.

#include <cstdio>
#include <cstring>

#include "aclimb/contract/page.h"
#include "all_contracts.h"

int main(int argc, char** argv) {
  if (argc == 2) {
    for (const aclimb::contract::Contract* contract : aclimb::kAllContracts) {
      if (std::strcmp(contract->folder, argv[1]) == 0) {
        std::fputs(aclimb::contract::Page(*contract).c_str(), stdout);
        return 0;
      }
    }
  }
  std::fputs("usage: operator_page FOLDER, one of:\n", stderr);
  for (const aclimb::contract::Contract* contract : aclimb::kAllContracts) {
    std::fprintf(stderr, "  %s\n", contract->folder);
  }
  return 2;
}
