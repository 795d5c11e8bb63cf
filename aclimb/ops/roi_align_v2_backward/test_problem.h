#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "aclimb/ops/roi_align_v2_backward/truth.h"
#include "tests/support/compare.h"

namespace aclimb::roi_align_v2_backward {

// A problem with its data; box sizes as cases.inc describes them.
struct TestProblem {
  std::string name;
  TruthProblem shape;
  std::vector<float> grad_output;
  std::vector<float> boxes;

  void FillGrad(aclimb::testing::Random& random) {
    grad_output.resize(static_cast<size_t>(shape.regions * shape.channels * shape.pooled_height *
                                           shape.pooled_width));
    for (float& value : grad_output) value = static_cast<float>(random.Real(-1, 1));
  }
  void FillBoxes(aclimb::testing::Random& random, double smallest, double largest) {
    const double width = static_cast<double>(shape.width) / shape.spatial_scale;
    const double height = static_cast<double>(shape.height) / shape.spatial_scale;
    boxes.clear();
    for (int64_t k = 0; k < shape.regions; ++k) {
      const double size = std::exp(random.Real(std::log(smallest), std::log(largest)));
      const double aspect = std::exp(random.Real(-0.7, 0.7));
      const double w = std::min(size * std::sqrt(aspect), width);
      const double h = std::min(size / std::sqrt(aspect), height);
      const double x = random.Real(0, width - w);
      const double y = random.Real(0, height - h);
      const double image = static_cast<double>(k * shape.images / shape.regions);
      for (double value : {image, x, y, x + w, y + h}) boxes.push_back(static_cast<float>(value));
    }
  }
};

// The problems of cases.inc at a size for tests.
inline std::vector<TestProblem> SmallCases() {
  std::vector<TestProblem> problems;
  aclimb::testing::Random random(3);
#define ACLIMB_CASE(name, k, b, c, ph, pw, h, w, scale, ratio, aligned, smallest, largest)       \
  problems.push_back(                                                                            \
      {#name,                                                                                    \
       {std::min<int64_t>(k, 8), b, 3, ph, pw, h, w, static_cast<float>(scale), ratio, aligned}, \
       {},                                                                                       \
       {}});                                                                                     \
  problems.back().FillGrad(random);                                                              \
  problems.back().FillBoxes(random, smallest, largest);
#include "aclimb/ops/roi_align_v2_backward/cases.inc"
#undef ACLIMB_CASE
  return problems;
}

// Rounding in float32: each pixel's error is in proportion to the magnitudes it adds up.
inline ::testing::AssertionResult MeetsTruth(const std::vector<double>& got,
                                             const TestProblem& problem) {
  std::vector<double> touched;
  const std::vector<double> expected =
      Truth(problem.shape, problem.grad_output.data(), problem.boxes.data(), &touched);
  if (got.size() != expected.size()) return ::testing::AssertionFailure() << "size";
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::fabs(got[i] - expected[i]) <= 3e-6 * touched[i]) continue;
    return ::testing::AssertionFailure()
           << problem.name << " at " << i << ": got " << got[i] << ", expected " << expected[i]
           << ", magnitudes " << touched[i];
  }
  return ::testing::AssertionSuccess();
}

}  // namespace aclimb::roi_align_v2_backward
