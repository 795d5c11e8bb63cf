#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

// The line protocol between bench/compare and the processes that it lets take turns: commands of
// blank-separated words on stdin, one JSON object a line on stdout.
//
//   info                              what this process is, and its thread settings
//   list                              (Aclimb only) the cases
//   open OPERATOR CASE [KEY=VALUE..]  makes a case ready: {"variants": [...]}, or {"none": "why"}
//   run N [VARIANT]                   N runs: {"ns": [...]}, nanoseconds a run of up to 16 batches
//   close                             frees it
//
// Anything that fails answers {"error": "why"} and the process goes on.
namespace aclimb::bench {

// One JSON object, built in order of its members.
class JsonObject {
 public:
  JsonObject& Text(const std::string& key, const std::string& value);
  JsonObject& Number(const std::string& key, double value);
  JsonObject& Raw(const std::string& key, const std::string& json);
  std::string str() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

std::string JsonText(const std::string& value);
std::string JsonNumbers(const std::vector<double>& values);
std::string JsonArray(const std::vector<std::string>& json);

using Words = std::vector<std::string>;
// KEY=VALUE words from `first` on.
std::map<std::string, std::string> KeyValues(const Words& words, size_t first);

// Reads commands until stdin ends; an exception's text becomes the error. Answers go to a private
// copy of stdout and stdout itself to stderr, so that nobody's printing disturbs the protocol.
int Serve(const std::map<std::string, std::function<JsonObject(const Words&)>>& commands);

// Runs `once` `count` times in up to 16 batches and returns the batches' nanoseconds a run.
std::vector<double> TimeBatches(int64_t count, const std::function<void()>& once);

}  // namespace aclimb::bench
