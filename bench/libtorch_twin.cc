// PyTorch's side of the comparison called from C++, for rows of a few microseconds. Speaks the
// protocol of protocol.h.

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "bench/protocol.h"

namespace aclimb::bench {
namespace {

using Parameters = std::map<std::string, std::string>;

at::ScalarType TypeOf(const std::string& dtype) {
  if (dtype == "float32") return at::kFloat;
  if (dtype == "float16") return at::kHalf;
  if (dtype == "bfloat16") return at::kBFloat16;
  throw std::runtime_error("no dtype " + dtype);
}

// One run of aten::elu_backward into an existing tensor, which is its fastest form.
std::function<void()> EluBackward(const Parameters& parameters) {
  const int64_t count = std::stoll(parameters.at("rows")) * std::stoll(parameters.at("columns"));
  const at::ScalarType type = TypeOf(parameters.at("dtype"));
  const bool is_result = parameters.at("is_result") == "1";
  if (parameters.at("layout") != "contiguous" || type == at::kHalf || count > 100000) return {};
  const at::Tensor grad = at::randn({count}).to(type);
  at::Tensor value = at::randn({count});
  if (is_result) value = at::elu(value);
  value = value.to(type);
  auto out = std::make_shared<at::Tensor>(at::empty({count}, at::TensorOptions(type)));
  return [grad, value, out, is_result] {
    at::elu_backward_out(*out, grad, 1, 1, 1, is_result, value);
  };
}

class Twin {
 public:
  JsonObject Info() const {
    return JsonObject()
        .Text("name", "libtorch")
        .Raw("threads", JsonObject().Number("at::get_num_threads", at::get_num_threads()).str());
  }
  JsonObject Open(const Words& words) {
    run_ = {};
    if (words.size() > 2 && words[1] == "elu_backward") run_ = EluBackward(KeyValues(words, 3));
    if (!run_) return JsonObject().Text("none", "not a short row");
    run_();
    return JsonObject().Raw("variants", "[\"C++\"]");
  }
  JsonObject Run(const Words& words) {
    if (!run_) throw std::runtime_error("no case is open");
    const c10::InferenceMode inference;
    return JsonObject().Raw(
        "ns", JsonNumbers(TimeBatches(words.size() > 1 ? std::stoll(words[1]) : 1, run_)));
  }
  JsonObject Close() {
    run_ = {};
    return JsonObject().Text("closed", "yes");
  }

 private:
  std::function<void()> run_;
};

}  // namespace
}  // namespace aclimb::bench

int main() {
  using aclimb::bench::Words;
  if (const char* const threads = std::getenv("OMP_NUM_THREADS")) {
    at::set_num_threads(std::atoi(threads));
  }
  aclimb::bench::Twin twin;
  return aclimb::bench::Serve({
      {"info", [&](const Words&) { return twin.Info(); }},
      {"open", [&](const Words& words) { return twin.Open(words); }},
      {"run", [&](const Words& words) { return twin.Run(words); }},
      {"close", [&](const Words&) { return twin.Close(); }},
  });
}
