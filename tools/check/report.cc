#include "tools/check/report.h"

#include <cstdio>

#include "aclimb/core/text.h"
#include "tools/check/symbols.h"

namespace aclimb::check {
namespace {

// What ACLIMB_CHECK=all alone tells.
bool IsUnclean(std::string_view rule) {
  return rule == "check/memory/slack" || rule == "check/event/destroyed-busy";
}

// A note says that something may be wrong, and leaves the program its exit status.
bool IsNote(std::string_view rule) { return IsUnclean(rule) || rule == "check/call/unread"; }

std::string JsonOf(const Symbol& symbol) {
  return Cat("{\"function\":", JsonText(symbol.function), ",\"file\":", JsonText(symbol.file),
             ",\"line\":", symbol.line, ",\"library\":", JsonText(symbol.library),
             ",\"offset\":", symbol.offset, "}");
}

}  // namespace

bool Report::IsMuted(std::string_view rule) const {
  for (const std::string& muted : settings_.muted) {
    if (rule.starts_with(muted) && (rule.size() == muted.size() || rule[muted.size()] == '/')) {
      return true;
    }
  }
  return false;
}

void Report::Add(Finding finding) {
  const Rule* rule = FindRule(finding.rule);
  if (rule == nullptr || (IsUnclean(finding.rule) && !settings_.all)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (IsMuted(finding.rule)) {
    ++muted_;
    return;
  }
  // Without a place the text has to tell findings apart.
  std::string place = finding.involved.empty() || finding.involved.front().site == 0
                          ? finding.what
                          : Cat("#", finding.involved.front().site);
  const auto [known, fresh] =
      known_.try_emplace({finding.rule, std::move(place)}, findings_.size());
  if (!fresh) {
    ++findings_[known->second].count;
    return;
  }
  Print(finding, *rule);
  findings_.push_back({std::move(finding), 1});
}

const std::vector<std::string>& Report::PlacesOf(SiteId site) {
  const auto [known, fresh] = places_.try_emplace(site);
  if (fresh) {
    for (const uintptr_t counter : FramesOf(site)) {
      const Symbol symbol = SymbolOf(counter);
      if (IsStart(symbol.function)) break;
      known->second.push_back(TextOf(symbol));
      if (symbol.function == "main") break;
    }
  }
  return known->second;
}

std::string Report::InnermostPlace(SiteId site) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<std::string>& places = PlacesOf(site);
  return places.empty() ? std::string() : places.front();
}

std::string Report::PlaceText(SiteId site) {
  std::string text;
  for (const std::string& place : PlacesOf(site)) text += "\n    at " + place;
  return text;
}

void Report::Print(const Finding& finding, const Rule& rule) {
  std::string text = "aclimb check: ";
  if (IsNote(finding.rule)) text += "note: ";
  if (!finding.function.empty()) text += finding.function + ": ";
  text += finding.what;
  for (const Involved& involved : finding.involved) {
    text += "\n  " + involved.what + PlaceText(involved.site);
  }
  text += Cat("\n  fix: ", rule.fix, "\n  rule: ", rule.id, "\n");
  std::fputs(text.c_str(), stderr);
}

void Report::Write(const Counted& counted, const Rule& rule) {
  const Finding& finding = counted.finding;
  std::string text =
      Cat("{\"rule\":\"", rule.id, "\",\"note\":", IsNote(rule.id), ",\"count\":", counted.count,
          ",\"function\":", JsonText(finding.function), ",\"what\":", JsonText(finding.what),
          ",\"fix\":", JsonText(rule.fix), ",\"involved\":[");
  for (size_t i = 0; i < finding.involved.size(); ++i) {
    text +=
        Cat(i == 0 ? "" : ",", "{\"what\":", JsonText(finding.involved[i].what), ",\"frames\":[");
    bool first = true;
    for (const uintptr_t counter : FramesOf(finding.involved[i].site)) {
      text += Cat(first ? "" : ",", JsonOf(SymbolOf(counter)));
      first = false;
    }
    text += "]}";
  }
  file_->Append(text + "]}");
}

int Report::Finish(uint64_t undecided) {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t wrong = 0;
  std::string repeated;
  for (const Counted& counted : findings_) {
    const Rule& rule = *FindRule(counted.finding.rule);
    if (!IsNote(rule.id)) ++wrong;
    if (counted.count > 1) repeated += Cat("\n  ", rule.id, ": ", counted.count, " times");
    if (counted.count > 1 && !counted.finding.involved.empty()) {
      const std::string place = PlaceText(counted.finding.involved.front().site);
      const size_t second = place.find('\n', 1);
      if (place.size() > 4) repeated += "," + place.substr(4, second - 4);
    }
    if (file_ != nullptr) Write(counted, rule);
  }
  if (file_ != nullptr) file_->Finish();
  if (!settings_.all) undecided = 0;
  if (findings_.empty() && muted_ == 0 && undecided == 0) return 0;
  std::string text = Cat("aclimb check: ", wrong, wrong == 1 ? " mistake" : " mistakes");
  if (findings_.size() > wrong) text += Cat(", ", findings_.size() - wrong, " to note");
  if (muted_ > 0) text += Cat(", ", muted_, " muted");
  if (undecided > 0) text += Cat(", ", undecided, " pairs of strided views not compared");
  std::fputs((text + repeated + "\n").c_str(), stderr);
  return wrong > 0 ? settings_.exit_status : 0;
}

}  // namespace aclimb::check
