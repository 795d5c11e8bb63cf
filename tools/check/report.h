#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/core/fork.h"
#include "tools/check/finding.h"
#include "tools/check/rule.h"
#include "tools/check/settings.h"
#include "tools/trace/json_file.h"

namespace aclimb::check {

// Tells findings: each once, on stderr as soon as it is made; their counts at the end.
class Report {
 public:
  // `file` also gets them as JSON; null for none.
  Report(Settings settings, tools::JsonFile* file) : settings_(std::move(settings)), file_(file) {}

  void Add(Finding finding);
  // The innermost place, "main (train.cc:12)"; empty when it is unknown.
  std::string InnermostPlace(SiteId site);

  // Sums up. Returns the exit status that the findings ask for; 0 leaves the program's.
  //   undecided  pairs of accesses of which it is not known whether they overlap
  int Finish(uint64_t undecided);

 private:
  struct Counted {
    Finding finding;
    uint64_t count = 0;
  };

  const std::vector<std::string>& PlacesOf(SiteId site);
  bool IsMuted(std::string_view rule) const;
  std::string PlaceText(SiteId site);
  void Print(const Finding& finding, const Rule& rule);
  void Write(const Counted& counted, const Rule& rule);

  const Settings settings_;
  tools::JsonFile* const file_;
  std::mutex mutex_;  // guards what follows
  ForkLock<std::mutex> fork_lock_{mutex_};
  std::vector<Counted> findings_;
  std::map<std::pair<std::string, std::string>, size_t> known_;  // rule and place -> finding
  uint64_t muted_ = 0;
  std::map<SiteId, std::vector<std::string>> places_;  // resolved
};

}  // namespace aclimb::check
