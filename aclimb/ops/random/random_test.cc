#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "aclimb/ops/random/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::random_test {

ACLIMB_OPERATOR_SUITE(Random, random::kOperators);

namespace {

using Values = std::vector<double>;

class RandomNumbers : public DeviceTest {
 protected:
  Values Normal(int64_t count, DType dtype, float mean, float deviation, int64_t seed,
                int64_t offset) {
    const DeviceTensor self({count}, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnInplaceNormalGetWorkspaceSize(self, mean, deviation, seed, offset, size,
                                                    executor);
        },
        &aclnnInplaceNormal, stream_));
    return self.Values();
  }
  Values Uniform(int64_t count, DType dtype, double from, double to, uint64_t seed) {
    const DeviceTensor self({count}, dtype);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnInplaceUniformGetWorkspaceSize(self, from, to, seed, 0, size, executor);
        },
        &aclnnInplaceUniform, stream_));
    return self.Values();
  }
};

// The mean of the powers of what is left after taking away a number.
double Moment(const Values& values, double middle, int power) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value - middle, power);
  return sum / static_cast<double>(values.size());
}

// How far counts are from equal ones: about as many as there are, within a few
// roots of twice that.
double ChiSquare(const std::vector<int64_t>& counts) {
  double all = 0, sum = 0;
  for (const int64_t count : counts) all += static_cast<double>(count);
  const double expected = all / static_cast<double>(counts.size());
  for (const int64_t count : counts) {
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected);
  }
  return sum / expected;
}

TEST_F(RandomNumbers, NormalHasTheMomentsOfItsDistribution) {
  constexpr int64_t kCount = 400'000;
  const double root = std::sqrt(double{kCount});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
    const Values values = Normal(kCount, dtype, 2, 3, 17, 0);
    const double mean = Moment(values, 0, 1);
    EXPECT_NEAR(mean, 2, 4 * 3 / root);
    EXPECT_NEAR(Moment(values, mean, 2), 9, 4 * 9 * std::sqrt(2) / root);
    EXPECT_NEAR(Moment(values, mean, 3), 0, 4 * 27 * std::sqrt(15) / root);
    EXPECT_NEAR(Moment(values, mean, 4), 243, 4 * 81 * std::sqrt(96) / root);
    double neighbours = 0;
    for (size_t i = 1; i < values.size(); ++i) neighbours += (values[i] - 2) * (values[i - 1] - 2);
    EXPECT_NEAR(neighbours / kCount, 0, 4 * 9 / root);
  }
}

TEST_F(RandomNumbers, UniformFillsItsRange) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kInt32}) {
    std::vector<int64_t> counts(16);
    for (const double value : Uniform(200'000, dtype, 0, 16, 5)) {
      ASSERT_GE(value, 0);
      ASSERT_LT(value, 16);
      ++counts[static_cast<size_t>(value)];
    }
    const double chi = ChiSquare(counts);
    EXPECT_LT(chi, 45) << NameOf(dtype);
    EXPECT_GT(chi, 3) << NameOf(dtype);
  }
}

// The end is not among the numbers, even where most of them would be rounded to
// it.
TEST_F(RandomNumbers, UniformStaysBelowItsEnd) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32}) {
    for (const auto& [from, to] : {std::pair{0.0, 1.0}, {-1.0, 0.0}, {-3.0, -2.0}, {1.0, 1.01}}) {
      for (const double value : Uniform(100'000, dtype, from, to, 1)) ASSERT_LT(value, to);
    }
  }
  EXPECT_EQ(Uniform(3, DType::kFloat32, 2.5, 2.5, 1), Values({2.5, 2.5, 2.5}));
}

TEST_F(RandomNumbers, OtherSeedsAndOffsetsGiveOtherNumbers) {
  const Values one = Normal(1000, DType::kFloat32, 0, 1, 1, 0);
  EXPECT_EQ(one, Normal(1000, DType::kFloat32, 0, 1, 1, 0));
  const std::pair<int64_t, int64_t> others[] = {
      {2, 0}, {1, 1}, {1, 4}, {1 + (int64_t{1} << 32), 0}, {1, int64_t{1} << 32}, {-1, -1}};
  for (const auto& [seed, offset] : others) {
    const Values other = Normal(1000, DType::kFloat32, 0, 1, seed, offset);
    size_t same = 0;
    for (const double value : other) same += std::count(one.begin(), one.end(), value) > 0;
    EXPECT_LT(same, 10u) << seed << " " << offset;
  }
  // A longer tensor goes on where a shorter one ends.
  const Values more = Normal(5000, DType::kFloat32, 0, 1, 1, 0);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), more.begin()));
}

TEST_F(RandomNumbers, WholeNumbersAreEquallyLikely) {
  const DeviceTensor self({300'000}, DType::kInt64);
  const auto run = [&](int64_t from, int64_t to) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnInplaceRandomGetWorkspaceSize(self, from, to, 3, 0, size, executor);
        },
        &aclnnInplaceRandom, stream_));
    return self.Values();
  };
  std::vector<int64_t> counts(7);
  for (const double value : run(-3, 4)) ++counts[static_cast<size_t>(value + 3)];
  EXPECT_LT(ChiSquare(counts), 30);
  EXPECT_GT(ChiSquare(counts), 0.3);
  // The widest range: half of the numbers are below 0.
  const Values widest = run(INT64_MIN, INT64_MAX);
  const auto below = std::count_if(widest.begin(), widest.end(), [](double x) { return x < 0; });
  EXPECT_NEAR(static_cast<double>(below), 150'000, 1500);
}

TEST_F(RandomNumbers, RandpermHasEachNumberOnceAndEachOrderAsOften) {
  const auto run = [&](int64_t n, int64_t seed) {
    const DeviceTensor out({n}, DType::kInt32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnRandpermGetWorkspaceSize(n, seed, 0, out, size, executor);
        },
        &aclnnRandperm, stream_));
    return out.Values();
  };
  Values long_one = run(50'000, 1);
  EXPECT_NE(long_one[0], 0);
  std::sort(long_one.begin(), long_one.end());
  for (size_t i = 0; i < long_one.size(); ++i) ASSERT_EQ(long_one[i], static_cast<double>(i));
  std::vector<int64_t> counts(6);
  for (int64_t seed = 0; seed < 1200; ++seed) {
    const Values order = run(3, seed);
    ++counts[static_cast<size_t>(2 * order[0] + (order[1] > order[2] ? 1 : 0))];
  }
  EXPECT_LT(ChiSquare(counts), 25);
  EXPECT_GT(ChiSquare(counts), 0.2);
}

// The mask keeps as many as it says, and what is kept has the mean of all.
TEST_F(RandomNumbers, DropoutKeepsTheMean) {
  constexpr int64_t kCount = 100'001;
  const DeviceTensor mask({random::MaskBytes(kCount)}, DType::kUInt8);
  const IntArray shape({kCount});
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnDropoutGenMaskV2GetWorkspaceSize(shape, 0.3, 9, 4, ACL_FLOAT, mask, size,
                                                     executor);
      },
      &aclnnDropoutGenMaskV2, stream_));
  const DeviceTensor self({kCount}, DType::kFloat32, Values(kCount, 1.0));
  const DeviceTensor out({kCount}, DType::kFloat32);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnDropoutDoMaskGetWorkspaceSize(self, mask, 0.3, out, size, executor);
      },
      &aclnnDropoutDoMask, stream_));
  EXPECT_NEAR(Moment(out.Values(), 0, 1), 1, 0.01);
  EXPECT_NEAR(Moment(out.Values(), 0, 2), 1 / 0.7, 0.02);
}

constexpr DType kFloat = DType::kFloat32;

template <typename Function>
using Harness = ContractHarness<Function>;

TEST(RandomContracts, InplaceNormal) {
  using namespace random::inplace_normal;  // NOLINT: the positions
  Harness<decltype(aclnnInplaceNormalGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceNormalGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, kFloat);
        a.Real(kMean, 0);
        a.Real(kStd, 1);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"inplace_normal/product"});
}

TEST(RandomContracts, InplaceUniform) {
  using namespace random::inplace_uniform;  // NOLINT: the positions
  Harness<decltype(aclnnInplaceUniformGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceUniformGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, kFloat);
        a.Real(kFrom, 0);
        a.Real(kTo, 1);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Real(kTo, 0); });
  harness.ExpectGenericRules();
  for (const double to : {-1.0, 1e39, std::nan("")}) {
    harness.ExpectRule("range/from-to", [&](CallArguments& a) { a.Real(kTo, to); });
  }
  harness.ExpectRule("range/from-to", [](CallArguments& a) {
    a.Tensor(kSelfRef, {2}, DType::kUInt8);
    a.Real(kFrom, -1);
  });
  harness.ExpectEveryRuleCovered({"inplace_uniform/product"});
}

TEST(RandomContracts, InplaceRandom) {
  using namespace random::inplace_random;  // NOLINT: the positions
  Harness<decltype(aclnnInplaceRandomGetWorkspaceSize)> harness(
      kContract, &aclnnInplaceRandomGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelfRef, {2, 3}, kFloat);
        a.Integer(kFrom, 0);
        a.Integer(kTo, 2);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(kSelfRef, {2}, DType::kBool); });
  harness.ExpectGenericRules();
  harness.ExpectRule("range/from-to", [](CallArguments& a) { a.Integer(kTo, 0); });
  harness.ExpectRule("range/from-to", [](CallArguments& a) {
    a.Tensor(kSelfRef, {2}, DType::kInt8);
    a.Integer(kTo, 129);
  });
  harness.ExpectRule("range/from-to", [](CallArguments& a) {
    a.Tensor(kSelfRef, {2}, DType::kUInt8);
    a.Integer(kFrom, -1);
  });
  harness.ExpectEveryRuleCovered({"inplace_random/product"});
}

TEST(RandomContracts, Bernoulli) {
  Harness<decltype(aclnnBernoulliGetWorkspaceSize)> harness(
      random::bernoulli::kContract, &aclnnBernoulliGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(random::bernoulli::kSelf, {2, 3}, kFloat);
        a.ScalarOf(random::bernoulli::kProb, 0.5, kFloat);
        a.Tensor(random::bernoulli::kOut, {2, 3}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({"bernoulli/product"});
  Harness<decltype(aclnnInplaceBernoulliGetWorkspaceSize)> inplace(
      random::inplace_bernoulli::kContract, &aclnnInplaceBernoulliGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensor(random::inplace_bernoulli::kSelfRef, {2, 3}, kFloat);
        a.ScalarOf(random::inplace_bernoulli::kProb, 0.5, kFloat);
      });
  inplace.ExpectAccepted();
  inplace.ExpectGenericRules();
  inplace.ExpectEveryRuleCovered({"inplace_bernoulli/product"});
}

TEST(RandomContracts, Randperm) {
  using namespace random::randperm;  // NOLINT: the positions
  Harness<decltype(aclnnRandpermGetWorkspaceSize)> harness(
      kContract, &aclnnRandpermGetWorkspaceSize, [](CallArguments& a) {
        a.Integer(kN, 5);
        a.Tensor(kOut, {5}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  const std::pair<DType, int64_t> most[] = {
      {DType::kFloat16, 2049}, {DType::kBFloat16, 257}, {DType::kInt8, 128}, {DType::kUInt8, 256}};
  for (const auto& [dtype, n] : most) {
    const auto length = [dtype = dtype](int64_t count) {
      return [dtype, count](CallArguments& a) {
        a.Integer(kN, count);
        a.Tensor(kOut, {count}, dtype);
      };
    };
    harness.ExpectAccepted(length(n));
    harness.ExpectRule("range/n-of-dtype", length(n + 1));
  }
  harness.ExpectEveryRuleCovered({"randperm/product"});
}

TEST(RandomContracts, DropoutGenMask) {
  Harness<decltype(aclnnDropoutGenMaskGetWorkspaceSize)> harness(
      random::dropout_gen_mask::kContract, &aclnnDropoutGenMaskGetWorkspaceSize,
      [](CallArguments& a) {
        a.Ints(random::dropout_gen_mask::kShape, {3, 50});
        a.Real(random::dropout_gen_mask::kProb, 0.5);
        a.Tensor(random::dropout_gen_mask::kOut, {32}, DType::kUInt8);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) {
    a.Ints(random::dropout_gen_mask::kShape, {int64_t{1} << 40, int64_t{1} << 40, 0});
    a.Tensor(random::dropout_gen_mask::kOut, {0}, DType::kUInt8);
  });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(random::dropout_gen_mask::kOut, {19}, DType::kUInt8);
  });
  harness.ExpectEveryRuleCovered({"dropout_gen_mask/product"});
  using namespace random::dropout_gen_mask_v2;  // NOLINT: the positions
  Harness<decltype(aclnnDropoutGenMaskV2GetWorkspaceSize)> v2(
      kContract, &aclnnDropoutGenMaskV2GetWorkspaceSize, [](CallArguments& a) {
        a.Ints(kShape, {3, 50});
        a.Real(kProb, 0.5);
        a.Integer(kProbDataType, ACL_FLOAT16);
        a.Tensor(kOut, {32}, DType::kUInt8);
      });
  v2.ExpectAccepted();
  v2.ExpectGenericRules();
  v2.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {16}, DType::kUInt8); });
  v2.ExpectRule("shape/out", [](CallArguments& a) {
    a.Ints(kShape, {int64_t{1} << 40, int64_t{1} << 40});
  });
  v2.ExpectRule("dtype/probDataType",
                [](CallArguments& a) { a.Integer(kProbDataType, ACL_DOUBLE); });
  v2.ExpectEveryRuleCovered({"dropout_gen_mask_v2/product"});
}

TEST(RandomContracts, DropoutDoMask) {
  using namespace random::dropout_do_mask;  // NOLINT: the positions
  Harness<decltype(aclnnDropoutDoMaskGetWorkspaceSize)> harness(
      kContract, &aclnnDropoutDoMaskGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {3, 50}, kFloat);
        a.Tensor(kMask, {32}, DType::kUInt8);
        a.Real(kProb, 0.5);
        a.Tensor(kOut, {3, 50}, kFloat);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/mask", [](CallArguments& a) { a.Tensor(kMask, {19}, DType::kUInt8); });
  harness.ExpectEveryRuleCovered({"dropout_do_mask/product"});
}

// ---- What tensors tell

TEST_F(RandomNumbers, SeedsInTensorsGiveTheSameNumbers) {
  const DeviceTensor seed({1}, DType::kInt64, {7}), offset({1}, DType::kInt64, {5});
  const DeviceTensor self({100}, DType::kFloat32);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnInplaceNormalTensorGetWorkspaceSize(self, 1, 2, seed, offset, 3, size,
                                                        executor);
      },
      &aclnnInplaceNormalTensor, stream_));
  EXPECT_EQ(self.Values(), Normal(100, DType::kFloat32, 1, 2, 7, 8));
}

// Each category as often as its weight says, and each first one of those that
// are drawn once.
TEST_F(RandomNumbers, CategoriesAreDrawnByTheirWeights) {
  constexpr int64_t kRows = 20'000;
  const Values weights = {1, 0, 2, 5};
  Values rows;
  for (int64_t row = 0; row < kRows; ++row) rows.insert(rows.end(), weights.begin(), weights.end());
  const DeviceTensor self({kRows, 4}, DType::kFloat32, rows);
  for (const bool replacement : {false, true}) {
    const DeviceTensor out({kRows, 3}, DType::kInt64);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnMultinomialGetWorkspaceSize(self, 3, replacement, 11, 0, out, size, executor);
        },
        &aclnnMultinomial, stream_));
    const Values drawn = out.Values();
    int64_t first[4] = {};
    for (int64_t row = 0; row < kRows; ++row) {
      const double* const three = drawn.data() + row * 3;
      ++first[static_cast<size_t>(three[0])];
      if (replacement) continue;
      EXPECT_EQ(three[0] + three[1] + three[2], 5) << "all but that of weight 0";
    }
    EXPECT_EQ(first[1], 0);
    EXPECT_NEAR(static_cast<double>(first[0]) / kRows, 1.0 / 8, 0.01);
    EXPECT_NEAR(static_cast<double>(first[3]) / kRows, 5.0 / 8, 0.015);
  }
}

// A category without weight is drawn by none of them, whatever is lost to the others' rounding.
TEST_F(RandomNumbers, CategoriesOfExtremeWeightsAreDrawn) {
  const Values rows[] = {{5e-324, 0, 0}, {0, 1e-320, 0}, {0, 0, 1e308}};
  for (size_t row = 0; row < 3; ++row) {
    Values weights;
    for (int i = 0; i < 100; ++i) weights.insert(weights.end(), rows[row].begin(), rows[row].end());
    const DeviceTensor self({100, 3}, DType::kFloat64, weights);
    for (const bool replacement : {false, true}) {
      const DeviceTensor out({100, 1}, DType::kInt64);
      ACLIMB_EXPECT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnMultinomialGetWorkspaceSize(self, 1, replacement, 11, 0, out, size,
                                                    executor);
          },
          &aclnnMultinomial, stream_));
      EXPECT_EQ(out.Values(), Values(100, static_cast<double>(row)));
    }
  }
  // All but the category without weight, of which some are lost beside the largest.
  const DeviceTensor wide({4}, DType::kFloat64, {0, 1e-300, 1e308, 1e308});
  const DeviceTensor three({3}, DType::kInt64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMultinomialGetWorkspaceSize(wide, 3, false, 11, 0, three, size, executor);
      },
      &aclnnMultinomial, stream_));
  const Values of_wide = three.Values();
  EXPECT_EQ(std::count(of_wide.begin(), of_wide.end(), 0.0), 0);
  // Their sum is more than a double can have.
  const DeviceTensor self({2}, DType::kFloat64, {1e308, 1e308}), out({1000}, DType::kInt64);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnMultinomialGetWorkspaceSize(self, 1000, true, 11, 0, out, size, executor);
      },
      &aclnnMultinomial, stream_));
  const Values drawn = out.Values();
  EXPECT_NEAR(std::accumulate(drawn.begin(), drawn.end(), 0.0), 500, 80);
}

// As PyTorch refuses them. The other rows are drawn all the same.
TEST_F(RandomNumbers, WeightsThatAreNoneFailTheRun) {
  const double inf = std::numeric_limits<double>::infinity();
  const Values wrong[] = {{1, -1}, {1, inf}, {std::nan(""), 1}, {0, 0}};
  for (const Values& weights : wrong) {
    for (const bool replacement : {false, true}) {
      const DeviceTensor self({2, 2}, DType::kFloat16, {0, 1, weights[0], weights[1]});
      const DeviceTensor out({2, 1}, DType::kInt64);
      EXPECT_EQ(RunBothPhases(
                    [&](uint64_t* size, aclOpExecutor** executor) {
                      return aclnnMultinomialGetWorkspaceSize(self, 1, replacement, 11, 0, out,
                                                              size, executor);
                    },
                    &aclnnMultinomial, stream_),
                507015);
      const std::string message = aclGetRecentErrMsg();
      EXPECT_NE(message.find("(aclnnMultinomial)"), std::string::npos) << message;
      EXPECT_NE(message.find(random::multinomial::kNoWeights), std::string::npos) << message;
      EXPECT_EQ(out.Values(), (Values{1, 0}));
    }
  }
}

// As PyTorch refuses them.
TEST_F(RandomNumbers, ProbabilitiesAndDeviationsThatAreNoneFailTheRun) {
  const DeviceTensor self({2}, DType::kFloat32);
  for (const double wrong : {-0.25, 1.25, std::nan("")}) {
    const DeviceTensor numbers({2}, DType::kFloat32, {1, wrong});
    EXPECT_EQ(RunBothPhases(
                  [&](uint64_t* size, aclOpExecutor** executor) {
                    return aclnnInplaceBernoulliTensorGetWorkspaceSize(self, numbers, 11, 0, size,
                                                                       executor);
                  },
                  &aclnnInplaceBernoulliTensor, stream_),
              507015);
    const std::string message = aclGetRecentErrMsg();
    EXPECT_NE(message.find(random::kNoProbability), std::string::npos) << message;
    const auto normal = [&](uint64_t* size, aclOpExecutor** executor) {
      return aclnnNormalFloatTensorGetWorkspaceSize(0, numbers, 11, 0, self, size, executor);
    };
    if (wrong > 0) {
      ACLIMB_EXPECT_OK(RunBothPhases(normal, &aclnnNormalFloatTensor, stream_));
      continue;
    }
    EXPECT_EQ(RunBothPhases(normal, &aclnnNormalFloatTensor, stream_), 507015);
    const std::string why = aclGetRecentErrMsg();
    EXPECT_NE(why.find(random::kNegativeStd), std::string::npos) << why;
  }
}

// Tensors of one shape; numbers are 1, seeds have one element.
template <typename Function>
void ExpectRulesOfTensors(const contract::Contract& contract, Function* phase1) {
  Harness<Function> harness(contract, phase1, [&contract](CallArguments& a) {
    for (int p = 0; p < static_cast<int>(contract.parameters.size()); ++p) {
      const contract::Parameter& parameter = contract.At(p);
      if (parameter.kind == contract::Kind::kTensor) {
        parameter.HasShape() ? a.Tensor(p, {1}, DType::kInt64) : a.Tensor(p, {2, 3}, kFloat);
      } else if (parameter.kind == contract::Kind::kReal) {
        a.Real(p, 1);
      } else {
        a.Integer(p, p);
      }
    }
  });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
}

TEST(RandomContracts, WithTensors) {
  using namespace random;  // NOLINT: the contracts
  ExpectRulesOfTensors(inplace_normal_tensor::kContract, &aclnnInplaceNormalTensorGetWorkspaceSize);
  ExpectRulesOfTensors(bernoulli_tensor::kContract, &aclnnBernoulliTensorGetWorkspaceSize);
  ExpectRulesOfTensors(inplace_bernoulli_tensor::kContract,
                       &aclnnInplaceBernoulliTensorGetWorkspaceSize);
  ExpectRulesOfTensors(normal_float_float::kContract, &aclnnNormalFloatFloatGetWorkspaceSize);
  ExpectRulesOfTensors(normal_tensor_float::kContract, &aclnnNormalTensorFloatGetWorkspaceSize);
  ExpectRulesOfTensors(normal_float_tensor::kContract, &aclnnNormalFloatTensorGetWorkspaceSize);
  ExpectRulesOfTensors(normal_tensor_tensor::kContract, &aclnnNormalTensorTensorGetWorkspaceSize);
  Harness<decltype(aclnnInplaceUniformTensorGetWorkspaceSize)> uniform(
      inplace_uniform_tensor::kContract, &aclnnInplaceUniformTensorGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensor(0, {2, 3}, kFloat);
        a.Real(1, 0);
        a.Real(2, 1);
        a.Tensor(3, {1}, DType::kInt64);
        a.Tensor(4, {1}, DType::kUInt64);
      });
  uniform.ExpectAccepted();
  uniform.ExpectGenericRules();
  uniform.ExpectRule("range/from-to", [](CallArguments& a) { a.Real(2, -1); });
  uniform.ExpectEveryRuleCovered({"inplace_uniform_tensor/product"});
  Harness<decltype(aclnnInplaceRandomTensorGetWorkspaceSize)> whole(
      inplace_random_tensor::kContract, &aclnnInplaceRandomTensorGetWorkspaceSize,
      [](CallArguments& a) {
        a.Tensor(0, {2, 3}, kFloat);
        a.Integer(1, 0);
        a.Integer(2, 2);
        a.Tensor(3, {1}, DType::kInt64);
        a.Tensor(4, {1}, DType::kInt64);
      });
  whole.ExpectAccepted();
  whole.ExpectGenericRules();
  whole.ExpectRule("range/from-to", [](CallArguments& a) { a.Integer(2, 0); });
  whole.ExpectEveryRuleCovered({"inplace_random_tensor/product"});
}

TEST(RandomContracts, Multinomial) {
  using namespace random::multinomial;  // NOLINT: the positions
  Harness<decltype(aclnnMultinomialGetWorkspaceSize)> harness(
      kContract, &aclnnMultinomialGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {2, 3}, kFloat);
        a.Integer(kNumSamples, 2);
        a.Bool(kReplacement, false);
        a.Tensor(kOut, {2, 2}, DType::kInt64);
      });
  harness.ExpectAccepted();
  harness.ExpectGenericRules();
  for (const int64_t samples : {0, 4}) {
    harness.ExpectRule("range/numSamples", [&](CallArguments& a) {
      a.Integer(kNumSamples, samples);
      a.Tensor(kOut, {2, samples}, DType::kInt64);
    });
  }
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Tensor(kOut, {2, 3}, DType::kInt64); });
  harness.ExpectEveryRuleCovered({"multinomial/product"});
}

}  // namespace
}  // namespace aclimb::testing::random_test
