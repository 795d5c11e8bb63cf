// The operator through its C interface: what is particular to it; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "aclimb/ops/embedding_dense_backward/contract.h"
#include "aclimb/ops/embedding_dense_backward/operators.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_suite.h"
#include "tests/support/setting.h"

namespace aclimb::embedding_dense_backward {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Setting;

using Values = std::vector<double>;
using Extents = std::vector<int64_t>;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
constexpr uint64_t kNoPadding = ~uint64_t{0};

class EmbeddingDenseBackward : public aclimb::testing::DeviceTest {
 protected:
  struct Indices {
    DType dtype;
    Values values;
  };
  void Expect(const char* name, const Values& of_rows, const Indices& of_indices,
              uint64_t padding_idx, bool scale, const Extents& table, const Values& expected) {
    SCOPED_TRACE(name);
    const auto count = static_cast<int64_t>(of_indices.values.size());
    const DeviceTensor grad({count, table[1]}, DType::kFloat32, of_rows);
    const DeviceTensor indices({count}, of_indices.dtype, of_indices.values);
    const DeviceTensor out(table, DType::kFloat32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnEmbeddingDenseBackwardGetWorkspaceSize(
              grad, indices, static_cast<uint64_t>(table[0]), padding_idx, scale, out, size,
              executor);
        },
        &aclnnEmbeddingDenseBackward, stream_));
    EXPECT_EQ(out.Values(), expected);
  }
};

// Results by hand, from the document.
TEST_F(EmbeddingDenseBackward, DocumentedResults) {
  constexpr DType kInt64 = DType::kInt64;
  Expect("the seed's sample", {1, 2, 3, 4, 5, 6}, {kInt64, {1, 2}}, 0, false, {4, 3},
         {0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0});
  // The example of section 8.
  const Values grad = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Indices six = {kInt64, {2, 0, 2, 5, 2, 0}};
  const Values sums = {14, 16, 0, 0, 15, 18, 0, 0, 0, 0, 7, 8};
  Expect("sums", grad, six, kNoPadding, false, {6, 2}, sums);
  Expect("means", grad, six, kNoPadding, true, {6, 2}, {7, 8, 0, 0, 5, 6, 0, 0, 0, 0, 7, 8});
  Expect("padding", grad, six, 0, false, {6, 2}, {0, 0, 0, 0, 15, 18, 0, 0, 0, 0, 7, 8});
  Expect("padding of means", grad, six, 2, true, {6, 2}, {7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8});
  Expect("padding outside", grad, six, 6, false, {6, 2}, sums);
  Expect("padding below 0", grad, six, uint64_t{1} << 63, false, {6, 2}, sums);

  const Indices outside = {kInt64, {-1, 0, 2, 1, 0}};
  Expect("sums without them", {1, 2, 4, 8, 16}, outside, kNoPadding, false, {2, 1}, {18, 8});
  Expect("counts without them", {1, 2, 4, 8, 16}, outside, kNoPadding, true, {2, 1}, {9, 8});
  const Indices fractions = {DType::kFloat32, {1.75, -0.5, 2.25, kNaN, kInf, -kInf}};
  Expect("towards zero", {1, 2, 4, 8, 16, 32}, fractions, kNoPadding, false, {3, 1}, {2, 1, 4});
  Expect("flags", {1, 2, 4}, {DType::kBool, {1, 0, 1}}, kNoPadding, false, {2, 1}, {2, 5});
}

void FillValidCall(CallArguments& arguments) {
  arguments.Tensor(kGrad, {4, 3}, DType::kFloat32);
  arguments.Tensor(kIndices, {4}, DType::kInt64);
  arguments.Integer(kNumWeights, 6);
  arguments.Integer(kPaddingIdx, -1);
  arguments.Bool(kScaleGradByFreq, false);
  arguments.Tensor(kOut, {6, 3}, DType::kFloat32);
}

class EmbeddingDenseBackwardContract : public aclimb::testing::DeviceTest {
 protected:
  ContractHarness<decltype(aclnnEmbeddingDenseBackwardGetWorkspaceSize)> harness_ = {
      kContract, &aclnnEmbeddingDenseBackwardGetWorkspaceSize, &FillValidCall,
      aclimb::testing::Naming::kEach};
};

TEST_F(EmbeddingDenseBackwardContract, OneIndexForEachRow) {
  for (const Extents& shape : {Extents{4, 3}, Extents{0}, Extents{}}) {
    harness_.ExpectRule("one-index-per-row/indices",
                        [&](CallArguments& a) { a.Tensor(kIndices, shape, DType::kInt64); });
  }
  // Without columns nothing is summed: rows are not compared, those of out are.
  const auto no_columns = [](CallArguments& a) {
    a.Tensor(kGrad, {9, 0}, DType::kFloat32);
    a.Tensor(kOut, {6, 0}, DType::kFloat32);
  };
  harness_.ExpectAccepted(no_columns);
  harness_.ExpectRule("shape/out", [&](CallArguments& a) {
    no_columns(a);
    a.Tensor(kOut, {6, 3}, DType::kFloat32);
  });
}

TEST_F(EmbeddingDenseBackwardContract, PlainFormatsAreTakenAsNd) {
  for (const aclFormat format : {ACL_FORMAT_NDHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NCHW}) {
    harness_.ExpectAccepted([format](CallArguments& a) {
      a.Tensor(kGrad, {4, 3}, DType::kFloat32, format);
      a.Tensor(kIndices, {4}, DType::kInt64, format);
      a.Tensor(kOut, {6, 3}, DType::kFloat32, format);
    });
  }
}

// A workspace in proportion to a stride-0 view can be past any number.
TEST_F(EmbeddingDenseBackwardContract, AWorkspacePastInt64IsRefused) {
  harness_.ExpectViolation(
      "embedding_dense_backward/workspace-overflow", 161002, [](CallArguments& a) {
        a.Tensor(kGrad, {int64_t{1} << 59, 9}, DType::kFloat32, ACL_FORMAT_ND, {0, 1});
        a.Tensor(kIndices, {int64_t{1} << 59}, DType::kInt64, ACL_FORMAT_ND, {0});
        a.Tensor(kOut, {6, 9}, DType::kFloat32);
      });
}

TEST_F(EmbeddingDenseBackwardContract, ProductsDiffer) {
  const auto bfloat16 = [](CallArguments& a) {
    a.Tensor(kGrad, {4, 3}, DType::kBFloat16);
    a.Tensor(kOut, {6, 3}, DType::kBFloat16);
  };
  for (const char* chip : {"Ascend310P", "Ascend310P3"}) {
    const Setting product("ACLIMB_SOC", chip);
    harness_.ExpectViolation("embedding_dense_backward/product", 161002, [](CallArguments&) {});
  }
  for (const char* chip : {"Ascend910A", "Ascend910B"}) {
    const Setting product("ACLIMB_SOC", chip);
    harness_.ExpectAccepted();
    harness_.ExpectViolation("embedding_dense_backward/dtype/grad", 161002, bfloat16);
    harness_.ExpectViolation("embedding_dense_backward/dtype/out", 161002, [](CallArguments& a) {
      a.Tensor(kOut, {6, 3}, DType::kBFloat16);
    });
  }
  for (const char* chip : {"Ascend910B1", "Ascend910B3", "Ascend910_9391", "Ascend950PR_9599"}) {
    const Setting product("ACLIMB_SOC", chip);
    harness_.ExpectAccepted(bfloat16);
  }
}

// One message, whole, as people read it.
TEST_F(EmbeddingDenseBackwardContract, TheMessageNamesBothShapes) {
  const DeviceTensor grad({4, 3}, DType::kFloat32), indices({5}, DType::kInt64);
  const DeviceTensor out({6, 3}, DType::kFloat32);
  (void)aclGetRecentErrMsg();
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad, indices, 6, 0, false, out, &size,
                                                        &executor),
            161002);
  EXPECT_STREQ(aclGetRecentErrMsg(),
               "aclnnEmbeddingDenseBackwardGetWorkspaceSize: grad.shape is [4, 3], which is 4 rows "
               "of 3, but indices.shape is [5], which is 5 indices; expected one index per row.\n"
               "  fix: pass the indices of the forward call and the gradient of its output\n"
               "  rule: embedding_dense_backward/one-index-per-row/indices   code: 161002 "
               "ACLNN_ERR_PARAM_INVALID");
}

}  // namespace
}  // namespace aclimb::embedding_dense_backward

namespace aclimb::testing::embedding_dense_backward_test {

ACLIMB_OPERATOR_SUITE(EmbeddingDenseBackward, embedding_dense_backward::kOperators);

}  // namespace aclimb::testing::embedding_dense_backward_test
