#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "aclimb/ops/products/operators.h"
#include "tests/support/compare.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::testing::products_test {

ACLIMB_OPERATOR_SUITE(Products, products::kOperators);

namespace {

constexpr DType kF32 = DType::kFloat32, kF16 = DType::kFloat16, kBF16 = DType::kBFloat16;

class ProductsTest : public DeviceTest {
 protected:
  // What phase 1 of a product says, and its code.
  template <typename Phase1>
  static std::string Refusal(int code, Phase1 phase1, const DeviceTensor& a, const DeviceTensor& b,
                             const DeviceTensor& out, int8_t cube_math_type = 0) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(phase1(a, b, out, cube_math_type, &size, &executor), code);
    EXPECT_EQ(executor, nullptr);
    return aclGetRecentErrMsg();
  }
  static void ExpectSays(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
};

TEST_F(ProductsTest, RefusesOtherShapes) {
  const DeviceTensor a({2, 3}, kF32), b({3, 4}, kF32), c({4, 3}, kF32), out({2, 4}, kF32);
  const auto mm = &aclnnMmGetWorkspaceSize;
  ExpectSays(Refusal(161002, mm, a, c, out), "self.shape is [2, 3]");
  ExpectSays(Refusal(161002, mm, a, b, c), "out.shape is [4, 3]");
  const auto matmul = &aclnnMatmulGetWorkspaceSize;
  ExpectSays(
      Refusal(161002, matmul, a, c, out),
      "self.shape is [2, 3] (FLOAT) and mat2.shape is [4, 3] (FLOAT); expected self.shape[1], "
      "which is 3, and mat2.shape[0], which is 4, to be equal, as with mat2 transposed.");
  const DeviceTensor d({3, 2}, kF32), five({5}, kF32), single({2}, kF32);
  ExpectSays(Refusal(161002, matmul, d, b, out),
             "expected self.shape[1], which is 2, and mat2.shape[0], which is 3, to be equal, as "
             "with self transposed.");
  ExpectSays(Refusal(161002, matmul, a, five, single),
             "expected self.shape[1], which is 3, and mat2.shape[0], which is 5, to be equal.");
  ExpectSays(Refusal(161002, matmul, a, b, c),
             "out.shape is [4, 3] (FLOAT) but self.shape is [2, 3] (FLOAT) and mat2.shape is "
             "[3, 4] (FLOAT); expected [2, 4].");
  const DeviceTensor batch({2, 2, 3}, kF32), three({3, 3, 4}, kF32), batch_out({2, 2, 4}, kF32);
  ExpectSays(Refusal(161002, matmul, batch, three, batch_out),
             "expected self.shape[0], which is 2, and mat2.shape[0], which is 3, to be equal, or "
             "one of them 1.");
  ExpectSays(Refusal(161002, &aclnnBatchMatMulGetWorkspaceSize, batch, three, batch_out),
             "mat2.shape is [3, 3, 4]");
  ExpectSays(Refusal(161002, &aclnnBatchMatMulGetWorkspaceSize, a, b, out), "rank");
}

TEST_F(ProductsTest, RefusesOtherDTypes) {
  const auto mm = &aclnnMmGetWorkspaceSize;
  const DeviceTensor a({2, 3}, kF16), b({3, 4}, kF32), out({2, 4}, kF16);
  ExpectSays(Refusal(161002, mm, a, b, out),
             "out.dtype is FLOAT16 (shape [2, 4]) but self.dtype is FLOAT16 (shape [2, 3]), "
             "mat2.dtype is FLOAT (shape [3, 4]); expected FLOAT.");
  const DeviceTensor ints({2, 3}, DType::kInt32), wide({2, 4}, DType::kFloat64);
  ExpectSays(Refusal(161002, mm, ints, b, out), "self.dtype is INT32");
  const DeviceTensor half({3, 4}, kF16), bfloat({2, 4}, kBF16);
  ExpectSays(Refusal(161002, mm, a, half, bfloat), "expected FLOAT16 or FLOAT.");
  ExpectSays(Refusal(161002, mm, a, half, wide), "out.dtype is DOUBLE");
}

TEST_F(ProductsTest, MathTypes) {
  const auto mm = &aclnnMmGetWorkspaceSize;
  const DeviceTensor a({2, 3}, kF32), b({3, 4}, kF32), out({2, 4}, kF32);
  ExpectSays(Refusal(161002, mm, a, b, out, 4), "cubeMathType is 4");
  ExpectSays(Refusal(161002, mm, a, b, out, -1), "cubeMathType is -1");
  const Setting old_chip("ACLIMB_SOC", "Ascend310P3");
  ExpectSays(Refusal(161002, mm, a, b, out, 0), "cubeMathType is 0 and self.dtype is FLOAT");
  ExpectSays(Refusal(161002, mm, a, b, out, 3), "expected 1 or 2");
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ACLIMB_ASSERT_OK(mm(a, b, out, 1, &size, &executor));
  ACLIMB_ASSERT_OK(aclDestroyAclOpExecutor(executor));
}

TEST_F(ProductsTest, NullsAndStrangeFormats) {
  const DeviceTensor a({2, 3}, kF32), b({3, 4}, kF32), out({2, 4}, kF32);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnMmGetWorkspaceSize(nullptr, b, out, 0, &size, &executor), 161001);
  EXPECT_EQ(aclnnMmGetWorkspaceSize(a, nullptr, out, 0, &size, &executor), 161001);
  EXPECT_EQ(aclnnMmGetWorkspaceSize(a, b, nullptr, 0, &size, &executor), 161001);
  // A prepared weight is what it was.
  const DeviceTensor weight({3, 4}, kF32, std::vector<double>(12, 1.5),
                            {.format = ACL_FORMAT_FRACTAL_NZ});
  const DeviceTensor ones({2, 3}, kF32, std::vector<double>(6, 1.0));
  const int code = RunBothPhases(
      [&](uint64_t* bytes, aclOpExecutor** made) {
        return aclnnMmGetWorkspaceSize(ones, weight, out, 0, bytes, made);
      },
      &aclnnMm, stream_);
  ACLIMB_ASSERT_OK(code);
  EXPECT_EQ(out.Values(), std::vector<double>(8, 4.5));
}

// The output of two vectors has no dimension, or one.
TEST_F(ProductsTest, MatmulOfVectors) {
  const DeviceTensor a({3}, kF16, {1, 2, 3}), b({3}, kF16, {4, 5, 6});
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, std::vector<int64_t>{1}}) {
    const DeviceTensor out(shape, kF32);
    ACLIMB_ASSERT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnMatmulGetWorkspaceSize(a, b, out, 1, size, executor);
        },
        &aclnnMatmul, stream_));
    EXPECT_EQ(out.Values(), std::vector<double>{32});
  }
}

// What beta = 0 and alpha = 0 leave out is not read, and out may be self.
TEST_F(ProductsTest, SumsReadNothingThatHasNoPart) {
  const double nan = std::nan("");
  const DeviceTensor mat1({2, 3}, kBF16, {1, 2, 3, 4, 5, 6});
  const DeviceTensor mat2({3, 2}, kBF16, {1, 0, 0, 1, 1, 1});
  const DeviceTensor nans({3, 2}, kBF16, std::vector<double>(6, nan));
  const DeviceTensor bias({2}, kBF16, {10, 20}), nan_bias({2}, kBF16, {nan, nan});
  const DeviceTensor out({2, 2}, kBF16);
  const auto addmm = [&](const DeviceTensor& self, const DeviceTensor& second, float beta,
                         float alpha) {
    const Scalar of_self(beta), of_product(alpha);
    EXPECT_EQ(RunBothPhases(
                  [&](uint64_t* size, aclOpExecutor** executor) {
                    return aclnnAddmmGetWorkspaceSize(self, mat1, second, of_self, of_product, out,
                                                      0, size, executor);
                  },
                  &aclnnAddmm, stream_),
              0)
        << aclGetRecentErrMsg();
    return out.Values();
  };
  EXPECT_EQ(addmm(bias, mat2, 1, 1), (std::vector<double>{14, 25, 20, 31}));
  EXPECT_EQ(addmm(nan_bias, mat2, 0, 2), (std::vector<double>{8, 10, 20, 22}));
  EXPECT_EQ(addmm(bias, nans, 0.5, 0), (std::vector<double>{5, 10, 5, 10}));
  EXPECT_EQ(addmm(nan_bias, nans, 0, 0), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(addmm(out, mat2, 2, 1), (std::vector<double>{4, 5, 10, 11}));
}

TEST_F(ProductsTest, SumsRefuse) {
  const DeviceTensor mat1({2, 3}, kF32), mat2({3, 4}, kF32), out({2, 4}, kF32);
  const DeviceTensor bias({3}, kF32), half({2, 4}, kF16);
  const Scalar one(1.0f);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnAddmmGetWorkspaceSize(bias, mat1, mat2, one, one, out, 0, &size, &executor),
            161002);
  ExpectSays(aclGetRecentErrMsg(), "self.shape is [3]");
  EXPECT_EQ(aclnnInplaceAddmmGetWorkspaceSize(half, mat1, mat2, one, one, 0, &size, &executor),
            161002);
  ExpectSays(aclGetRecentErrMsg(),
             "selfRef.dtype is FLOAT16 (shape [2, 4]) but selfRef.dtype is FLOAT16 (shape [2, 4]), "
             "mat1.dtype is FLOAT (shape [2, 3]), mat2.dtype is FLOAT (shape [3, 4]); expected "
             "FLOAT.");
  EXPECT_EQ(aclnnAddmmGetWorkspaceSize(out, mat1, mat2, nullptr, one, out, 0, &size, &executor),
            161001);
  const DeviceTensor batch1({2, 2, 3}, kF32), batch2({2, 3, 4}, kF32), wrong({3, 2, 4}, kF32);
  EXPECT_EQ(
      aclnnBaddbmmGetWorkspaceSize(wrong, batch1, batch2, one, one, wrong, 0, &size, &executor),
      161002);
  ExpectSays(
      aclGetRecentErrMsg(),
      "self.shape is [3, 2, 4] (FLOAT), batch1.shape is [2, 2, 3] (FLOAT) and batch2.shape is "
      "[2, 3, 4] (FLOAT); expected a self that broadcasts with the products, which are "
      "[2, 2, 4].\n"
      "  fix: pass a self that broadcasts with the products, and an out of the shape that "
      "they give\n");
  const DeviceTensor batch_sum({2, 2, 4}, kF32);
  EXPECT_EQ(
      aclnnBaddbmmGetWorkspaceSize(batch_sum, batch1, batch2, one, one, wrong, 0, &size, &executor),
      161002);
  ExpectSays(aclGetRecentErrMsg(),
             "out.shape is [3, 2, 4] (FLOAT) but self.shape is [2, 2, 4] (FLOAT), batch1.shape is "
             "[2, 2, 3] (FLOAT) and batch2.shape is [2, 3, 4] (FLOAT); expected [2, 2, 4].");
}

// The addend may be larger than the product where that is 1.
TEST_F(ProductsTest, SumOfBatchesLargerThanTheProduct) {
  const DeviceTensor self({1, 2, 3}, kF32, {1, 2, 3, 4, 5, 6});
  const DeviceTensor batch1({2, 2, 2}, kF32, {1, 0, 0, 1, 2, 0, 0, 2});
  const DeviceTensor batch2({2, 2, 1}, kF32, {10, 20, 30, 40});
  const DeviceTensor out({2, 2, 3}, kF32);
  const Scalar one(1.0f);
  ACLIMB_ASSERT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnBaddbmmGetWorkspaceSize(self, batch1, batch2, one, one, out, 0, size, executor);
      },
      &aclnnBaddbmm, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{11, 12, 13, 24, 25, 26, 61, 62, 63, 84, 85, 86}));
}

// Integers wrap, alpha stands before beta, and a self of one element needs a product.
TEST_F(ProductsTest, Addmv) {
  constexpr DType kI8 = DType::kInt8;
  const DeviceTensor mat({2, 3}, kI8, {100, 100, 0, 1, 2, 3}), vec({3}, kI8, {1, 1, 1});
  const DeviceTensor self({1}, kI8, {7}), out({2}, kI8);
  const Scalar one(1, DType::kInt32), two(2, DType::kInt32), zero(0, DType::kInt32), half(0.5f);
  const auto phase1 = [&](const Scalar& alpha, const Scalar& beta) {
    return [&](uint64_t* size, aclOpExecutor** executor) {
      return aclnnAddmvGetWorkspaceSize(self, mat, vec, alpha, beta, out, 0, size, executor);
    };
  };
  ACLIMB_ASSERT_OK(RunBothPhases(phase1(one, two), &aclnnAddmv, stream_));
  EXPECT_EQ(out.Values(), (std::vector<double>{-42, 20}));
  EXPECT_EQ(RunBothPhases(phase1(zero, two), &aclnnAddmv, stream_), 161002);
  ExpectSays(aclGetRecentErrMsg(), "expected equal shapes when alpha is 0");
  EXPECT_EQ(RunBothPhases(phase1(half, two), &aclnnAddmv, stream_), 161002);
  ExpectSays(aclGetRecentErrMsg(), "alpha.dtype is FLOAT, beta.dtype is INT32; expected FLOAT.");
}

}  // namespace
}  // namespace aclimb::testing::products_test
