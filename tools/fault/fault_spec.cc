#include "tools/fault/fault_spec.h"

#include <cstdlib>

#include "aclimb/core/codes.h"
#include "aclimb/core/parse.h"
#include "aclimb/core/text.h"

namespace aclimb::tools {
namespace {

Status Wrong(std::string_view order, std::string_view expected) {
  return Refuse(kInvalidParam,
                Cat("ACLIMB_FAULT has \"", order, "\"; expected ", expected,
                    ", as in aclrtMalloc:3=207001 or aclnnEluBackward@run:p0.1/7=507015."),
                "correct it, or unset it", "runtime/environment");
}

// 0 when it is neither a number above 0 nor the name of a code.
int ParseCode(std::string_view text) {
  int code = 0;
  if (ParseWhole(text, &code)) return code > 0 ? code : 0;
  for (const CodeRow& row : AllCodes()) {
    if (text == row.name) return row.code;
  }
  return 0;
}

// "3", "3+", "p0.1" or "p0.1/7".
bool ParseWhen(std::string_view text, FaultOrder* order) {
  if (!text.empty() && text.front() == 'p') {
    text.remove_prefix(1);
    const size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
      if (!ParseWhole(text.substr(slash + 1), &order->seed)) return false;
      text = text.substr(0, slash);
    }
    return ParseWhole(text, &order->probability) && order->probability > 0 &&
           order->probability <= 1;
  }
  if (!text.empty() && text.back() == '+') {
    order->and_later = true;
    text.remove_suffix(1);
  }
  return ParseWhole(text, &order->first) && order->first > 0;
}

Result<FaultOrder> ParseOrder(std::string_view text, uint64_t seed) {
  const size_t colon = text.find(':');
  const size_t equals = text.find('=');
  if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon) {
    return Wrong(text, "function:when=code");
  }
  FaultOrder order;
  order.seed = seed;
  std::string_view function = text.substr(0, colon);
  constexpr std::string_view kAtRun = "@run";
  if (function.ends_with(kAtRun)) {
    order.at_run = true;
    function.remove_suffix(kAtRun.size());
  }
  if (function.empty()) return Wrong(text, "the name of a function, or *, before the colon");
  order.function = function;
  if (!ParseWhen(text.substr(colon + 1, equals - colon - 1), &order)) {
    return Wrong(text, "a number from 1 (3 or 3+) or a probability (p0.1 or p0.1/seed) as when");
  }
  order.code = ParseCode(text.substr(equals + 1));
  if (order.code == 0) return Wrong(text, "a code above 0, or its name, behind the equals sign");
  return order;
}

// Finaliser of splitmix64: neighbouring inputs give unrelated outputs.
uint64_t Mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

}  // namespace

Result<uint64_t> ReadFaultSeed() {
  const char* text = secure_getenv("ACLIMB_FAULT_SEED");
  uint64_t seed = 1;
  if (text == nullptr || text[0] == '\0' || ParseWhole(std::string_view(text), &seed)) return seed;
  return Refuse(kInvalidParam,
                Cat("ACLIMB_FAULT_SEED is \"", text, "\"; expected a number, 0 to 2^64-1."),
                "correct it, or unset it", "runtime/environment");
}

Result<std::vector<FaultOrder>> ReadFaults() {
  const char* value = secure_getenv("ACLIMB_FAULT");
  Result<uint64_t> seed = ReadFaultSeed();
  std::vector<FaultOrder> orders;
  std::string_view text = value == nullptr ? std::string_view() : value;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    Result<FaultOrder> order = ParseOrder(text.substr(0, comma), seed.ok() ? seed.value() : 1);
    if (!order.ok()) return order.TakeStatus();
    orders.push_back(order.value());
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return orders;
}

bool Fails(const FaultOrder& order, uint64_t nth) {
  if (order.first > 0) return order.and_later ? nth >= order.first : nth == order.first;
  const double draw = static_cast<double>(Mix(Mix(order.seed) + nth) >> 11) * 0x1p-53;
  return draw < order.probability;
}

}  // namespace aclimb::tools
