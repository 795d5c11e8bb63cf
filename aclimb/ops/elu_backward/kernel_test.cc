// The kernel alone, on every instruction set of this processor, against truth.h.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/ops/elu_backward/cpu.h"
#include "aclimb/ops/elu_backward/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::elu_backward {
namespace {

using aclimb::testing::Near;
using aclimb::testing::Random;

TensorView Vector(void* data, DType dtype, int64_t count) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = 1;
  view.shape[0] = count;
  view.stride[0] = 1;
  return view;
}

template <typename T>
constexpr DType kDType = DType::kFloat32;
template <>
constexpr DType kDType<Float16> = DType::kFloat16;
template <>
constexpr DType kDType<BFloat16> = DType::kBFloat16;

template <typename T>
std::vector<T> Compute(const std::vector<T>& grad, const std::vector<T>& value, bool is_result) {
  std::vector<T> out(grad.size());
  std::memset(static_cast<void*>(out.data()), 0xC3, out.size() * sizeof(T));
  const auto count = static_cast<int64_t>(grad.size());
  RunOnCpu({.grad_output = Vector(const_cast<T*>(grad.data()), kDType<T>, count),
            .self_or_result = Vector(const_cast<T*>(value.data()), kDType<T>, count),
            .grad_input = Vector(out.data(), kDType<T>, count),
            .alpha = 1.5f,
            .scale = 2.0f,
            .input_scale = 0.5f,
            .is_result = is_result});
  return out;
}

template <typename T>
void ExpectTruth(double relative, double absolute) {
  Random random(1);
  std::vector<T> grad, value;
  for (int i = 0; i < 70001; ++i) {
    grad.push_back(FromFloat<T>(static_cast<float>(random.Real(-4, 4))));
    value.push_back(FromFloat<T>(static_cast<float>(random.Real(-30, 3))));
  }
  for (bool is_result : {false, true}) {
    const std::vector<T> out = Compute(grad, value, is_result);
    std::vector<double> got, expected;
    for (size_t i = 0; i < out.size(); ++i) {
      got.push_back(ToFloat(out[i]));
      expected.push_back(Truth(ToFloat(grad[i]), ToFloat(value[i]), 1.5f, 2.0f, 0.5f, is_result));
    }
    EXPECT_TRUE(Near(got, expected, {relative, absolute}));
  }
}

TEST(EluBackwardKernel, EveryTargetMeetsTheTruth) {
  const int targets = EachTarget([] {
    ExpectTruth<float>(1e-6, 1e-6);
    ExpectTruth<Float16>(5e-4, 1e-7);
    ExpectTruth<BFloat16>(4e-3, 1e-7);
  });
  EXPECT_GE(targets, 1);
}

TEST(EluBackwardKernel, ThreadsDoNotChangeTheBits) {
  Random random(2);
  std::vector<float> grad, value;
  for (int i = 0; i < 300007; ++i) {
    grad.push_back(static_cast<float>(random.Real(-4, 4)));
    value.push_back(static_cast<float>(random.Real(-4, 4)));
  }
  SetTeamSize(1);
  const std::vector<float> one = Compute(grad, value, false);
  for (int team : {2, 5}) {
    SetTeamSize(team);
    const std::vector<float> many = Compute(grad, value, false);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0);
  }
  SetTeamSize(0);
}

}  // namespace
}  // namespace aclimb::elu_backward
