// The kernel alone, on every instruction set of this processor, against truth.h.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/core/half.h"
#include "aclimb/ops/cross_entropy_loss_grad/cpu.h"
#include "aclimb/ops/cross_entropy_loss_grad/truth.h"
#include "aclimb/simd/each_target.h"
#include "aclimb/simd/parallel.h"
#include "tests/support/compare.h"

namespace aclimb::cross_entropy_loss_grad {
namespace {

using aclimb::testing::Random;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename T>
constexpr DType kDType = DType::kFloat32;
template <>
constexpr DType kDType<Float16> = DType::kFloat16;
template <>
constexpr DType kDType<BFloat16> = DType::kBFloat16;

TensorView View(const void* data, DType dtype, std::vector<int64_t> shape,
                std::vector<int64_t> stride) {
  TensorView view;
  view.data = const_cast<void*>(data);
  view.dtype = dtype;
  view.rank = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    view.shape[d] = shape[d];
    view.stride[d] = stride[d];
  }
  return view;
}

// Where log_prob and x_grad lie in their storages: elements before them, and their strides.
struct Layout {
  int64_t in_offset = 0;
  int64_t out_offset = 0;
  std::vector<int64_t> in_stride = {};  // empty: contiguous
  std::vector<int64_t> out_stride = {};
  bool in_place = false;
  int64_t stream_above = -1;
};

constexpr unsigned char kPoison = 0xC3;
constexpr int64_t kCanary = 70;  // elements behind the views, longer than any vector

// A problem in the kernel's own types. Rounds the problem's numbers to T, so that the truth sees
// what the kernel reads.
template <typename T>
class Call {
 public:
  explicit Call(Problem& problem) : problem_(problem) {
    Store(problem.log_prob, log_prob_);
    Store(problem.grad_loss, grad_loss_);
    Store(problem.grad_zloss, grad_zloss_);
    Store(problem.lse, lse_);
    for (double& value : problem.weight) {
      weight_.push_back(static_cast<float>(value));
      value = weight_.back();
    }
  }

  // The bits of x_grad in row-major order. Fails when anything outside the view was written.
  std::vector<T> Run(const Layout& layout = {}) const {
    const int64_t rows = problem_.rows;
    const int64_t columns = problem_.columns;
    const std::vector<int64_t> dense = {columns, 1};
    const auto& in_stride = layout.in_stride.empty() ? dense : layout.in_stride;
    const auto& out_stride = layout.out_stride.empty() ? dense : layout.out_stride;
    std::vector<T> in = Storage(layout.in_offset, in_stride);
    for (int64_t i = 0; i < rows * columns; ++i) {
      in[At(i, layout.in_offset, in_stride)] = log_prob_[static_cast<size_t>(i)];
    }
    std::vector<T> separate = Storage(layout.out_offset, out_stride);
    std::vector<T>& out = layout.in_place ? in : separate;
    const int64_t out_offset = layout.in_place ? layout.in_offset : layout.out_offset;

    Args args;
    const bool none = problem_.reduction == "none";
    args.reduction = none                          ? Reduction::kNone
                     : problem_.reduction == "sum" ? Reduction::kSum
                                                   : Reduction::kMean;
    const std::vector<int64_t> loss_shape =
        none ? std::vector<int64_t>{rows} : std::vector<int64_t>{};
    args.grad_loss = View(grad_loss_.data(), kDType<T>, loss_shape, {1});
    args.log_prob = View(in.data() + layout.in_offset, kDType<T>, {rows, columns}, in_stride);
    args.target = View(problem_.target.data(), DType::kInt64, {rows}, {1});
    if (!weight_.empty()) args.weight = View(weight_.data(), DType::kFloat32, {columns}, {1});
    if (!grad_zloss_.empty())
      args.grad_zloss = View(grad_zloss_.data(), kDType<T>, loss_shape, {1});
    if (!lse_.empty()) args.lse_for_zloss = View(lse_.data(), kDType<T>, {rows}, {1});
    args.x_grad = View(out.data() + out_offset, kDType<T>, {rows, columns}, out_stride);
    args.ignore_index = problem_.ignore_index;
    args.label_smoothing = problem_.label_smoothing;
    args.lse_square_scale = problem_.lse_square_scale;
    args.stream_above = layout.stream_above;
    RunOnCpu(args);

    std::vector<T> result;
    for (int64_t i = 0; i < rows * columns; ++i) {
      T& element = out[At(i, out_offset, out_stride)];
      result.push_back(element);
      std::memset(static_cast<void*>(&element), kPoison, sizeof(T));
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(out.data());
    for (size_t i = 0; i < out.size() * sizeof(T); ++i) {
      if (bytes[i] != kPoison) {
        ADD_FAILURE() << "byte " << i << " outside x_grad was written";
        break;
      }
    }
    return result;
  }

 private:
  static void Store(std::vector<double>& values, std::vector<T>& stored) {
    for (double& value : values) {
      stored.push_back(FromFloat<T>(static_cast<float>(value)));
      value = ToFloat(stored.back());
    }
  }
  std::vector<T> Storage(int64_t offset, const std::vector<int64_t>& stride) const {
    const int64_t last = (problem_.rows - 1) * stride[0] + (problem_.columns - 1) * stride[1];
    std::vector<T> storage(static_cast<size_t>(offset + last + 1 + kCanary));
    std::memset(static_cast<void*>(storage.data()), kPoison, storage.size() * sizeof(T));
    return storage;
  }
  size_t At(int64_t i, int64_t offset, const std::vector<int64_t>& stride) const {
    const int64_t columns = problem_.columns;
    return static_cast<size_t>(offset + i / columns * stride[0] + i % columns * stride[1]);
  }

  const Problem& problem_;
  std::vector<T> log_prob_, grad_loss_, grad_zloss_, lse_;
  std::vector<float> weight_;
};

struct Features {
  std::string_view reduction = "mean";
  bool weighted = false;
  int64_t ignored_percent = 10;
  double label_smoothing = 0;
  double lse_square_scale = 0;
};

Problem MakeProblem(int64_t rows, int64_t columns, const Features& features, Random& random) {
  Problem p;
  p.rows = rows;
  p.columns = columns;
  p.reduction = features.reduction;
  p.log_prob = random.Reals(rows * columns, -12, 0);
  p.grad_loss = random.Reals(features.reduction == "none" ? rows : 1, -2, 2);
  for (int64_t n = 0; n < rows; ++n) {
    const bool ignored = random.Integer(0, 99) < features.ignored_percent;
    p.target.push_back(ignored ? -100 : random.Integer(0, columns - 1));
  }
  if (features.weighted) p.weight = random.Reals(columns, 0, 3);
  p.label_smoothing = features.label_smoothing;
  p.lse_square_scale = features.lse_square_scale;
  if (features.lse_square_scale != 0) {
    p.lse = random.Reals(rows, -3, 3);
    p.grad_zloss = random.Reals(features.reduction == "none" ? rows : 1, -2, 2);
  }
  return p;
}

// Half a unit of the storage type for the one rounding, and the errors of float32 arithmetic (for
// the half types: of the short exponential) in proportion to the terms of the sum.
template <typename T>
void ExpectTruth(const std::vector<T>& got, const Problem& problem) {
  constexpr bool kHalf = sizeof(T) == 2;
  constexpr bool kFloat16 = std::is_same_v<T, Float16>;
  constexpr double kUnit = kFloat16 ? 0x1p-11 : kHalf ? 0x1p-8 : 0x1p-24;
  constexpr double kError = kHalf ? 8e-6 : 3e-7;
  constexpr double kSmallest = kFloat16 ? 0x1p-25 : kHalf ? 0x1p-134 : 0x1p-149;
  const std::vector<double> expected = Truth(problem);
  const std::vector<double> magnitude = Truth(problem, true);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const double value = ToFloat(got[i]);
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(value)) << i << ": " << value;
    } else if (std::isinf(expected[i])) {
      ASSERT_EQ(value, expected[i]) << i;
    } else {
      const double allowed = kUnit * std::fabs(expected[i]) + kError * magnitude[i] + kSmallest;
      ASSERT_LE(std::fabs(value - expected[i]), allowed)
          << "element " << i << " of [" << problem.rows << ", " << problem.columns << "]: got "
          << value << ", expected " << expected[i];
    }
  }
}

template <typename T>
void ExpectBits(const std::vector<T>& got, const std::vector<T>& expected, const char* what) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(std::memcmp(&got[i], &expected[i], sizeof(T)), 0)
        << what << ": element " << i << " is " << ToFloat(got[i]) << ", expected "
        << ToFloat(expected[i]);
  }
}

template <typename F>
void EachType(F&& body) {
  body(float{});
  body(Float16{});
  body(BFloat16{});
}

TEST(CrossEntropyKernel, EveryTargetMeetsTheTruthAroundVectorWidths) {
  const int targets = EachTarget([] {
    EachType([](auto type) {
      using T = decltype(type);
      Random random(1);
      for (int64_t columns :
           {1, 2, 3, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 1000, 4099}) {
        const int64_t rows = columns < 64 ? 131 : columns < 2000 ? 13 : 3;
        for (const Features& features :
             {Features{}, Features{.weighted = true, .label_smoothing = 0.1}}) {
          Problem problem = MakeProblem(rows, columns, features, random);
          const Call<T> call(problem);
          const std::vector<T> plain = call.Run();
          ExpectTruth(plain, problem);
          // Alignment, streaming and aliasing change no bit.
          ExpectBits(call.Run({.in_offset = 1, .out_offset = 5}), plain, "offset");
          ExpectBits(call.Run({.out_offset = 3, .stream_above = 0}), plain, "streamed");
          ExpectBits(call.Run({.in_offset = 2, .in_place = true}), plain, "in place");
          ExpectBits(call.Run({.in_offset = 2, .in_place = true, .stream_above = 0}), plain,
                     "in place, streamed");
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    });
  });
  EXPECT_GE(targets, 1);
}

TEST(CrossEntropyKernel, StridesChangeNoBit) {
  EachTarget([] {
    EachType([](auto type) {
      using T = decltype(type);
      Random random(2);
      for (const auto& [rows, columns] :
           {std::pair<int64_t, int64_t>{1, 1}, {5, 3}, {40, 130}, {3, 1100}, {70, 1}, {1, 70}}) {
        Problem problem = MakeProblem(rows, columns, {.reduction = "none"}, random);
        const Call<T> call(problem);
        const std::vector<T> plain = call.Run();
        ExpectTruth(plain, problem);
        const std::vector<int64_t> transposed = {1, rows + 2};
        const std::vector<int64_t> padded = {columns + 3, 1};
        const std::vector<int64_t> sparse = {3 * columns + 1, 3};
        for (const auto& in : {transposed, padded, sparse}) {
          for (const auto& out : {transposed, padded, sparse}) {
            ExpectBits(call.Run({.in_stride = in, .out_stride = out}), plain, "strided");
          }
          ExpectBits(call.Run({.in_stride = in}), plain, "strided input");
          ExpectBits(call.Run({.out_stride = in}), plain, "strided output");
          ExpectBits(call.Run({.in_stride = in, .out_stride = in, .in_place = true}), plain,
                     "strided in place");
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
    });
  });
}

TEST(CrossEntropyKernel, EveryFeatureMeetsTheTruthDenseAndStrided) {
  EachTarget([] {
    EachType([](auto type) {
      using T = decltype(type);
      Random random(3);
      for (std::string_view reduction : {"none", "mean", "sum"}) {
        for (bool weighted : {false, true}) {
          for (double smoothing : {0.0, 0.3, 1.0}) {
            for (double scale : {0.0, 0.5}) {
              for (int64_t columns : {5, 150}) {
                const Features features = {reduction, weighted, 20, smoothing, scale};
                Problem problem = MakeProblem(9, columns, features, random);
                const Call<T> call(problem);
                const std::vector<T> dense = call.Run();
                ExpectTruth(dense, problem);
                ExpectBits(call.Run({.in_stride = {columns + 1, 1}}), dense, "strided");
                if (::testing::Test::HasFatalFailure()) return;
              }
            }
          }
        }
      }
    });
  });
}

TEST(CrossEntropyKernel, NamedCasesWithFewerRows) {
  Random random(4);
  const auto run = [&](const char* name, int64_t rows, int64_t columns, std::string_view dtype,
                       const Features& features) {
    SCOPED_TRACE(name);
    Problem problem =
        MakeProblem(std::clamp<int64_t>(40000 / columns, 2, rows), columns, features, random);
    if (dtype == "float16") {
      ExpectTruth(Call<Float16>(problem).Run(), problem);
    } else if (dtype == "bfloat16") {
      ExpectTruth(Call<BFloat16>(problem).Run(), problem);
    } else {
      ExpectTruth(Call<float>(problem).Run(), problem);
    }
  };
#define ACLIMB_CASE(name, rows, columns, dtype, reduction, weighted, ignored, smoothing, scale) \
  run(#name, rows, columns, #dtype, {#reduction, (weighted) != 0, ignored, smoothing, scale});
#include "aclimb/ops/cross_entropy_loss_grad/cases.inc"
#undef ACLIMB_CASE
}

// With gradLoss 1 and no target in sight the gradient is the exponential itself.
TEST(CrossEntropyKernel, TheExponentialIsToWithinTwoUnitsInTheLastPlace) {
  constexpr int64_t kColumns = 200000;
  Problem problem{.rows = 1, .columns = kColumns, .reduction = "sum", .grad_loss = {1}};
  problem.target = {0};
  problem.log_prob = {0};
  for (int64_t i = 1; i < kColumns; ++i) {
    problem.log_prob.push_back(
        static_cast<float>(-104.0 + 193.0 * static_cast<double>(i) / kColumns));
  }
  EachTarget([&] {
    Problem rounded = problem;
    const std::vector<float> got = Call<float>(rounded).Run();
    EXPECT_EQ(got[0], 0.0f);
    for (int64_t i = 1; i < kColumns; ++i) {
      const double expected = std::exp(rounded.log_prob[static_cast<size_t>(i)]);
      const float value = got[static_cast<size_t>(i)];
      if (expected > static_cast<double>(std::numeric_limits<float>::max())) {
        ASSERT_EQ(value, std::numeric_limits<float>::infinity()) << i;
        continue;
      }
      const float nearest = static_cast<float>(expected);
      const double unit = static_cast<double>(nearest) - std::nextafter(nearest, 0.0f);
      ASSERT_LE(std::fabs(value - expected), 2 * unit + 0x1p-149)
          << rounded.log_prob[static_cast<size_t>(i)];
    }
  });
}

TEST(CrossEntropyKernel, SpecialLogProbabilities) {
  EachTarget([] {
    EachType([](auto type) {
      using T = decltype(type);
      for (int64_t columns : {6, 70}) {
        Problem problem{.rows = 2, .columns = columns, .reduction = "sum", .grad_loss = {-3}};
        problem.target = {0, -100};
        problem.log_prob.assign(static_cast<size_t>(2 * columns), -1.0);
        problem.log_prob[0] = 0;
        problem.log_prob[1] = -kInf;
        problem.log_prob[2] = kInf;
        problem.log_prob[3] = std::nan("");
        problem.log_prob[4] = -60000;
        problem.log_prob[5] = 60000;
        // The ignored row is zero even where its input is not a number.
        for (int64_t c = 0; c < columns; ++c) {
          problem.log_prob[static_cast<size_t>(columns + c)] = c % 2 == 0 ? std::nan("") : kInf;
        }
        const std::vector<T> got = Call<T>(problem).Run();
        EXPECT_EQ(ToFloat(got[0]), 0);
        EXPECT_EQ(ToFloat(got[1]), 0);
        EXPECT_TRUE(std::signbit(ToFloat(got[1])));
        EXPECT_EQ(ToFloat(got[2]), -kInf);
        EXPECT_TRUE(std::isnan(ToFloat(got[3])));
        EXPECT_EQ(ToFloat(got[4]), 0);
        EXPECT_EQ(ToFloat(got[5]), -kInf);
        for (int64_t c = 0; c < columns; ++c) {
          const float value = ToFloat(got[static_cast<size_t>(columns + c)]);
          ASSERT_EQ(BitsOf(value), 0u) << c;
        }
      }
    });
  });
}

TEST(CrossEntropyKernel, FactorsThatAreNotNumbersStayNotNumbers) {
  // All payload bits set: a careless rounding to bfloat16 carries into the sign.
  const double worst = FloatOfBits(0x7FFFFFFFu);
  EachTarget([&] {
    EachType([&](auto type) {
      using T = decltype(type);
      for (int64_t columns : {5, 80}) {
        Problem problem{.rows = 2, .columns = columns, .reduction = "sum", .grad_loss = {1}};
        problem.target = {0, 1};
        problem.log_prob.assign(static_cast<size_t>(2 * columns), -1.0);
        problem.weight.assign(static_cast<size_t>(columns), 1.0);
        problem.weight[0] = worst;
        const std::vector<T> got = Call<T>(problem).Run();
        for (int64_t c = 0; c < columns; ++c) {
          ASSERT_TRUE(std::isnan(ToFloat(got[static_cast<size_t>(c)]))) << c;
          ASSERT_FALSE(std::isnan(ToFloat(got[static_cast<size_t>(columns + c)]))) << c;
        }
        // Spread over the classes, it reaches every element.
        problem.label_smoothing = 0.1;
        for (const T value : Call<T>(problem).Run()) ASSERT_TRUE(std::isnan(ToFloat(value)));
      }
    });
  });
}

TEST(CrossEntropyKernel, MeanOverNothing) {
  for (int64_t columns : {4, 90}) {
    Problem problem{.rows = 2, .columns = columns, .reduction = "mean", .grad_loss = {1}};
    problem.target = {-100, 1};
    problem.log_prob.assign(static_cast<size_t>(2 * columns), -1.0);
    problem.weight.assign(static_cast<size_t>(columns), 0.0);
    const std::vector<float> got = Call<float>(problem).Run();
    for (int64_t c = 0; c < columns; ++c) {
      EXPECT_EQ(BitsOf(got[static_cast<size_t>(c)]), 0u);
      EXPECT_TRUE(std::isnan(got[static_cast<size_t>(columns + c)]));
    }
  }
}

TEST(CrossEntropyKernel, ThreadsDoNotChangeTheBits) {
  Random random(5);
  // Many rows for the parallel sum, long rows that pieces cut, and strided tiles.
  for (const auto& [rows, columns] :
       {std::pair<int64_t, int64_t>{150001, 3}, {301, 1000}, {2, 150001}}) {
    Problem problem = MakeProblem(rows, columns, {.weighted = true}, random);
    const Call<float> call(problem);
    SetTeamSize(1);
    const std::vector<float> one = call.Run({.out_offset = 1});
    const std::vector<float> tiled = call.Run({.in_stride = {columns + 1, 1}});
    ExpectTruth(one, problem);
    for (int team : {2, 5}) {
      SetTeamSize(team);
      ExpectBits(call.Run({.out_offset = 1}), one, "dense");
      ExpectBits(call.Run({.out_offset = 7, .stream_above = 0}), one, "streamed");
      ExpectBits(call.Run({.in_stride = {columns + 1, 1}}), tiled, "tiled");
    }
  }
  SetTeamSize(0);
}

}  // namespace
}  // namespace aclimb::cross_entropy_loss_grad
