#include "aclnnop/aclnn_searchsorted.h"
#include "bench/call_problem.h"

namespace aclimb::search_sorted {
namespace {

bench::Case Make(const char* name, int64_t length, int64_t count, const char* dtype) {
  const auto open = [=](const bench::Tensors& in, const bench::Tensors& out) {
    const auto sequence = std::make_shared<bench::DeviceTensor>(std::vector{length}, dtype);
    std::vector<float> numbers;
    for (int64_t i = 0; i < length; ++i) {
      numbers.push_back(6 * static_cast<float>(i) / static_cast<float>(length) - 3);
    }
    sequence->Upload(numbers);
    return [=](uint64_t* size, aclOpExecutor** executor) {
      return aclnnSearchSortedGetWorkspaceSize(*sequence, in[0], false, false, nullptr, out[0],
                                               size, executor);
    };
  };
  return bench::CaseOf("search_sorted", name, dtype,
                       {{"length", std::to_string(length)}, {"count", std::to_string(count)}},
                       {{{{count}, dtype}}, {{{count}, "int64"}}, open, &aclnnSearchSorted});
}

}  // namespace

std::vector<bench::Case> BenchCases() {
  return {
#define ACLIMB_CASE(name, length, count, dtype) Make(#name, length, count, #dtype),
#include "aclimb/ops/search_sorted/cases.inc"
#undef ACLIMB_CASE
  };
}

}  // namespace aclimb::search_sorted
