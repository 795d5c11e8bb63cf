#include "tools/aclimb/settings_problems.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "aclimb/collectives/settings.h"
#include "aclimb/core/environment.h"
#include "aclimb/runtime/settings.h"
#include "tools/aclimb/near.h"
#include "tools/problems.h"

namespace aclimb::cli {

std::vector<std::string> EnvironmentProblems() {
  // The reader joins its complaints in one text; each begins like this.
  constexpr std::string_view kBegin = "the environment variable ";
  aclimb_settings_reload();
  const std::string& all = CurrentSettings().problem;
  std::vector<std::string> problems;
  for (size_t begin = all.find(kBegin); begin != std::string::npos;) {
    const size_t next = all.find(kBegin, begin + 1);
    std::string problem = all.substr(begin, next == std::string::npos ? next : next - begin);
    problem.erase(0, kBegin.size());
    while (problem.ends_with(' ')) problem.pop_back();
    problems.push_back(std::move(problem));
    begin = next;
  }
  for (std::string& problem : collectives::SettingsProblems()) {
    problems.push_back(problem.substr(kBegin.size()));
  }
  for (const auto& list : {tools::ValueProblems(), tools::FileProblems()}) {
    for (const tools::Problem& problem : list) problems.push_back(problem.what);
  }
  return problems;
}

std::optional<std::string> ProblemOf(std::string_view variable) {
  for (std::string& problem : EnvironmentProblems()) {
    if (problem.starts_with(std::string(variable) + ' ')) return std::move(problem);
  }
  return std::nullopt;
}

std::vector<std::string> UnknownVariables() {
  std::vector<std::string> unknown;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("ACLIMB_") && FindEnvironmentVariable(name) == nullptr) {
      unknown.emplace_back(name);
    }
  }
  std::sort(unknown.begin(), unknown.end());
  return unknown;
}

std::string MeantVariable(const std::string& name) {
  std::vector<std::string> names;
  for (const EnvironmentVariable& row : kEnvironment) names.emplace_back(row.name);
  const std::vector<std::string> near = NearMatches(name, names, 1);
  return near.empty() ? "" : near[0];
}

std::vector<std::string> UnknownVariableTexts() {
  std::vector<std::string> texts;
  for (const std::string& name : UnknownVariables()) {
    const std::string meant = MeantVariable(name);
    texts.push_back(name + " is set, but nothing reads it" +
                    (meant.empty() ? "" : "; " + meant + " is meant?"));
  }
  return texts;
}

void TellUnknownVariables() {
  for (const std::string& text : UnknownVariableTexts()) {
    std::fprintf(stderr, "aclimb: %s\n", text.c_str());
  }
}

}  // namespace aclimb::cli
