#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool2d_backward.h"
#include "bench/call_problem.h"

namespace aclimb::max_unpool {
namespace {

bench::Case Make(const char* name, const std::string& function, int64_t images, int64_t channels,
                 int64_t size, const char* dtype) {
  const bool backward = function == "max_unpool2d_backward";
  const int64_t windows = size / 2;
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    // Each element comes from a place of its own window.
    const auto places = std::make_shared<bench::DeviceTensor>(
        std::vector{images, channels, windows, windows}, "int64");
    bench::Random random(7);
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < places->count(); ++i) {
      const int64_t row = 2 * (i / windows % windows), column = 2 * (i % windows);
      numbers.push_back((row + random.Below(2)) * size + column + random.Below(2));
    }
    places->Upload(numbers);
    return [=, whole = std::make_shared<bench::IntArray>(std::vector{size, size})](
               uint64_t* workspace, aclOpExecutor** executor) {
      if (backward) {
        return aclnnMaxUnpool2dBackwardGetWorkspaceSize(in[1], in[0], *places, *whole, out[0],
                                                        workspace, executor);
      }
      return aclnnMaxUnpool2dGetWorkspaceSize(in[0], *places, *whole, out[0], workspace, executor);
    };
  };
  const bench::Operand small = {{images, channels, windows, windows}, dtype};
  const bench::Operand large = {{images, channels, size, size}, dtype};
  const double indices = bench::Operand{small.shape, "int64"}.Bytes();
  return bench::CaseOf("max_unpool", name, dtype,
                       {{"function", function},
                        {"images", std::to_string(images)},
                        {"channels", std::to_string(channels)},
                        {"size", std::to_string(size)}},
                       {backward ? std::vector{small, large} : std::vector{small},
                        {backward ? small : large},
                        open,
                        backward ? &aclnnMaxUnpool2dBackward : &aclnnMaxUnpool2d},
                       {.read_bytes = small.Bytes() + indices,
                        .write_bytes = backward ? small.Bytes() : large.Bytes()});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, function, images, channels, size, dtype) \
  Make(#name, #function, images, channels, size, #dtype),
#include "aclimb/ops/max_unpool/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::max_unpool
