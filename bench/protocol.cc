#include "bench/protocol.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>

namespace aclimb::bench {

std::string JsonText(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      text += c;
    } else {
      text += ' ';
    }
  }
  return text + "\"";
}

static std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof(text), "%.12g", value);
  return text;
}

std::string JsonArray(const std::vector<std::string>& json) {
  std::string text = "[";
  for (const std::string& item : json) {
    if (text.size() > 1) text += ", ";
    text += item;
  }
  return text + "]";
}

std::string JsonNumbers(const std::vector<double>& values) {
  std::vector<std::string> json;
  for (const double value : values) json.push_back(JsonNumber(value));
  return JsonArray(json);
}

JsonObject& JsonObject::Raw(const std::string& key, const std::string& json) {
  text_ += text_.empty() ? "{" : ", ";
  text_ += JsonText(key);
  text_ += ": ";
  text_ += json;
  return *this;
}
JsonObject& JsonObject::Text(const std::string& key, const std::string& value) {
  return Raw(key, JsonText(value));
}
JsonObject& JsonObject::Number(const std::string& key, double value) {
  return Raw(key, JsonNumber(value));
}

std::map<std::string, std::string> KeyValues(const Words& words, size_t first) {
  std::map<std::string, std::string> values;
  for (size_t i = first; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals != std::string::npos) {
      values[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
  }
  return values;
}

int Serve(const std::map<std::string, std::function<JsonObject(const Words&)>>& commands) {
  FILE* const answers = ::fdopen(::dup(STDOUT_FILENO), "w");
  if (answers == nullptr || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 1;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) continue;
    JsonObject answer;
    try {
      const auto command = commands.find(words[0]);
      if (command == commands.end()) {
        answer.Text("error", "no command " + words[0]);
      } else {
        answer = command->second(words);
      }
    } catch (const std::exception& error) {
      answer = JsonObject().Text("error", error.what());
    }
    std::fprintf(answers, "%s\n", answer.str().c_str());
    std::fflush(answers);
  }
  std::fclose(answers);
  return 0;
}

std::vector<double> TimeBatches(int64_t count, const std::function<void()>& once) {
  constexpr int64_t kBatches = 16;
  using Clock = std::chrono::steady_clock;
  const int64_t batches = std::clamp<int64_t>(count, 1, kBatches);
  std::vector<double> nanoseconds;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t runs = count * (batch + 1) / batches - count * batch / batches;
    const Clock::time_point begin = Clock::now();
    for (int64_t i = 0; i < runs; ++i) once();
    const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
    nanoseconds.push_back(elapsed.count() / static_cast<double>(std::max<int64_t>(runs, 1)));
  }
  return nanoseconds;
}

}  // namespace aclimb::bench
