#include "tools/aclimb/report/findings.h"

#include <fmt/format.h>

#include "tools/check/report.h"
#include "tools/check/symbols.h"

namespace aclimb::cli::report {
namespace {

constexpr const char* kFindingsExpected = "the checker's findings, as ACLIMB_CHECK_OUT writes them";

Json FramesOf(const Json& frames) {
  Json texts = Json::array();
  for (const Json& frame : frames) {
    check::Symbol symbol;
    symbol.function = frame.at("function").get<std::string>();
    symbol.file = frame.at("file").get<std::string>();
    symbol.line = frame.at("line").get<int>();
    symbol.library = frame.at("library").get<std::string>();
    symbol.offset = frame.at("offset").get<uintptr_t>();
    if (check::IsStart(symbol.function)) break;
    texts.push_back(check::TextOf(symbol));
    if (symbol.function == "main") break;
  }
  return texts;
}

}  // namespace

Json ReadFindings(const std::string& path) {
  Json findings = Json::array();
  ReadObjects(path, kFindingsExpected, [&](const Json& from) {
    Json involved = Json::array();
    for (const Json& call : from.at("involved")) {
      involved.push_back(
          {{"what", call.at("what").get<std::string>()}, {"frames", FramesOf(call.at("frames"))}});
    }
    findings.push_back({{"rule", from.at("rule").get<std::string>()},
                        {"note", from.at("note").get<bool>()},
                        {"count", from.at("count").get<uint64_t>()},
                        {"function", from.at("function").get<std::string>()},
                        {"what", from.at("what").get<std::string>()},
                        {"fix", from.at("fix").get<std::string>()},
                        {"involved", std::move(involved)}});
  });
  return findings;
}

}  // namespace aclimb::cli::report
