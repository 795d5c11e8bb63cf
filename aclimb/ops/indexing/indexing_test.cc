// What is particular to the operators; the suite has the rest.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "aclimb/ops/indexing/operators.h"
#include "aclimb/ops/indexing/test_scatter_add.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/device.h"
#include "tests/support/operator_run.h"
#include "tests/support/operator_suite.h"
#include "tests/support/run_failure.h"
#include "tests/support/setting.h"

namespace aclimb::testing::indexing_test {

ACLIMB_OPERATOR_SUITE(Indexing, indexing::kOperators);

}  // namespace aclimb::testing::indexing_test

namespace aclimb::indexing {
namespace {

using aclimb::testing::CallArguments;
using aclimb::testing::ContractHarness;
using aclimb::testing::DeviceTensor;
using aclimb::testing::IntArray;
using aclimb::testing::IsRunFailure;
using aclimb::testing::Near;
using aclimb::testing::OperatorRun;
using aclimb::testing::RunBothPhases;
using aclimb::testing::Scalar;
using aclimb::testing::Setting;

using Values = std::vector<double>;

constexpr auto kLeast = static_cast<double>(std::numeric_limits<int64_t>::min());

class Indexing : public ScatterAddTest {
 protected:
  // Of a list that owns its tensors' descriptors.
  static aclTensorList* ListOf(std::vector<DeviceTensor*> tensors) {
    std::vector<const aclTensor*> handles;
    for (DeviceTensor* const tensor : tensors) handles.push_back(tensor->TakeDescriptor());
    return aclCreateTensorList(handles.data(), handles.size());
  }
};

// Next to the ends, and so far away that an address would overflow.
TEST_F(Indexing, ElementsThatAreNotThereAreZeros) {
  const DeviceTensor self({3}, DType::kFloat32, {1, 2, 3});
  const DeviceTensor index({6}, DType::kInt64, {2, 3, -1, kLeast, 1e15, -4});
  const DeviceTensor gathered({6}, DType::kFloat32), taken({6}, DType::kFloat32);
  EXPECT_TRUE(IsRunFailure(
      RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnGatherGetWorkspaceSize(self, 0, index, gathered, size, executor);
          },
          &aclnnGather, stream_),
      "failed with 507015 ACL_ERROR_RT_AICORE_EXCEPTION: "
      "index[1] is 3, and 4 more are wrong; expected 0 to 2 (self has 3 elements "
      "there)."));
  EXPECT_EQ(gathered.Values(), (Values{3, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnTakeGetWorkspaceSize(self, index, taken, size,
                                                                  executor);
                               },
                               &aclnnTake, stream_),
                           "index[1] is 3, and 3 more are wrong; expected -3 to 2"));
  EXPECT_EQ(taken.Values(), (Values{3, 0, 3, 0, 0, 0}));
}

TEST_F(Indexing, ElementsThatAreNotThereAreNotChanged) {
  const DeviceTensor index({6}, DType::kInt64, {2, 3, -1, kLeast, 1e15, 0});
  const DeviceTensor src({6}, DType::kFloat32, {10, 20, 30, 40, 50, 60});
  const DeviceTensor added({3}, DType::kFloat32, {1, 2, 3});
  EXPECT_TRUE(IsRunFailure(ScatterAdd(added, 0, index, src), "index[1] is 3, and 3 more"));
  EXPECT_EQ(added.Values(), (Values{61, 2, 13}));
  EXPECT_TRUE(added.SurroundingsIntact());
  const DeviceTensor put({3}, DType::kFloat32, {1, 2, 3});
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnInplacePutGetWorkspaceSize(put, index, src, false,
                                                                        size, executor);
                               },
                               &aclnnInplacePut, stream_),
                           "index[1] is 3, and 2 more are wrong; expected -3 to 2"));
  EXPECT_EQ(put.Values(), (Values{60, 2, 30}));
  EXPECT_TRUE(put.SurroundingsIntact());
}

// So many that threads share them; one is wrong, far behind.
TEST_F(Indexing, OneOfManyIndicesFailsTheRun) {
  const Setting setting("ACLIMB_THREADS", "5");
  constexpr int64_t kCount = 100'000;
  Values indices(kCount, 1);
  indices[90'001] = 3;
  const DeviceTensor index({kCount}, DType::kInt64, indices);
  const DeviceTensor self({3}, DType::kFloat32, {1, 2, 3}), gathered({kCount}, DType::kFloat32);
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnGatherGetWorkspaceSize(self, 0, index, gathered, size,
                                                                    executor);
                               },
                               &aclnnGather, stream_),
                           "index[90001] is 3; expected 0 to 2"));
  const DeviceTensor whole({3}, DType::kInt32, {1, 2, 3});
  const DeviceTensor src({kCount}, DType::kInt32, Values(kCount, 7));
  EXPECT_TRUE(IsRunFailure(ScatterAdd(whole, 0, index, src), "index[90001] is 3"));
  EXPECT_EQ(whole.Values(), (Values{1, 2 + 7.0 * (kCount - 1), 3}));
  // The stream goes on.
  const DeviceTensor right({1}, DType::kInt64, {0}), one({1}, DType::kInt32, {5});
  ACLIMB_EXPECT_OK(ScatterAdd(whole, 0, right, one));
  EXPECT_EQ(whole.Values()[0], 6);
}

// Rows that threads share by where they go: each row is of one entry, or of the last of some.
TEST_F(Indexing, ManyRowsOfIntegersWithAnyTeam) {
  constexpr int64_t kRows = 20'000, kPlaces = 700, kColumns = 6;
  Values indices, source;
  for (int64_t s = 0; s < kRows; ++s) {
    indices.push_back(static_cast<double>(s % 1013 == 1012 ? kPlaces : s * 7919 % kPlaces));
    for (int64_t c = 0; c < kColumns; ++c) source.push_back(static_cast<double>(s * 3 + c));
  }
  Values sums(kPlaces * kColumns, 1), last(kPlaces * kColumns, 1);
  for (int64_t s = 0; s < kRows; ++s) {
    const auto place = static_cast<int64_t>(indices[static_cast<size_t>(s)]);
    for (int64_t c = 0; c < kColumns && place < kPlaces; ++c) {
      const double x = source[static_cast<size_t>(s * kColumns + c)];
      sums[static_cast<size_t>(place * kColumns + c)] += x;
      last[static_cast<size_t>(place * kColumns + c)] = x;
    }
  }
  const DeviceTensor index({kRows}, DType::kInt64, indices);
  const DeviceTensor src({kRows, kColumns}, DType::kInt32, source);
  for (const char* const threads : {"1", "3", "8"}) {
    const Setting setting("ACLIMB_THREADS", threads);
    const DeviceTensor added({kPlaces, kColumns}, DType::kInt32, Values(kPlaces * kColumns, 1));
    EXPECT_TRUE(IsRunFailure(RunBothPhases(
                                 [&](uint64_t* size, aclOpExecutor** executor) {
                                   return aclnnIndexAddGetWorkspaceSize(added, 0, index, src,
                                                                        Scalar(1, DType::kInt32),
                                                                        added, size, executor);
                                 },
                                 &aclnnIndexAdd, stream_),
                             "index[1012] is 700"));
    EXPECT_EQ(added.Values(), sums) << threads;
    const DeviceTensor replaced({kPlaces, kColumns}, DType::kInt32, Values(kPlaces * kColumns, 1));
    const DeviceTensor places({kRows, kColumns}, DType::kInt64, [&] {
      Values each;
      for (const double i : indices) each.insert(each.end(), kColumns, i);
      return each;
    }());
    EXPECT_TRUE(IsRunFailure(RunBothPhases(
                                 [&](uint64_t* size, aclOpExecutor** executor) {
                                   return aclnnInplaceScatterGetWorkspaceSize(
                                       replaced, 0, places, src, 0, size, executor);
                                 },
                                 &aclnnInplaceScatter, stream_),
                             "index[1012, 0] is 700"));
    EXPECT_EQ(replaced.Values(), last) << threads;
  }
}

// A tensor without elements has none at any index.
TEST_F(Indexing, NothingCanBeTakenOfNothing) {
  const DeviceTensor self({0}, DType::kFloat32), index({2}, DType::kInt64, {0, 1});
  const DeviceTensor out({2}, DType::kFloat32);
  EXPECT_TRUE(IsRunFailure(
      RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnGatherGetWorkspaceSize(self, 0, index, out, size, executor);
          },
          &aclnnGather, stream_),
      "index[0] is 0, and 1 more is wrong; expected none (self has 0 elements there)."));
  EXPECT_EQ(out.Values(), (Values{0, 0}));
}

TEST_F(Indexing, NothingCanBePutIntoNothing) {
  const DeviceTensor self({0, 3}, DType::kFloat32), index({1, 3}, DType::kInt64, {7, 7, 7});
  const DeviceTensor src({1, 3}, DType::kFloat32, {1, 2, 3});
  EXPECT_TRUE(IsRunFailure(ScatterAdd(self, 0, index, src),
                           "index[0, 0] is 7, and 2 more are wrong; expected none"));
  DeviceTensor row({1}, DType::kInt64, {2});
  aclTensorList* const list = ListOf({&row});
  for (const bool accumulate : {false, true}) {
    EXPECT_TRUE(IsRunFailure(RunBothPhases(
                                 [&](uint64_t* size, aclOpExecutor** executor) {
                                   return aclnnIndexPutImplGetWorkspaceSize(
                                       self, list, src, accumulate, false, size, executor);
                                 },
                                 &aclnnIndexPutImpl, stream_),
                             "indices[0][0] is 2; expected none"));
  }
  // Dimensions that are left whole may be of any length.
  const DeviceTensor wide({0, int64_t{1} << 62}, DType::kFloat32);
  const DeviceTensor number({1}, DType::kFloat32, {1});
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnIndexPutImplGetWorkspaceSize(wide, list, number, true,
                                                                          false, size, executor);
                               },
                               &aclnnIndexPutImpl, stream_),
                           "indices[0][0] is 2; expected none"));
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  const DeviceTensor none({0}, DType::kFloat32), at({1}, DType::kInt64, {2});
  const DeviceTensor source({1}, DType::kFloat32, {1});
  EXPECT_TRUE(IsRunFailure(RunBothPhases(
                               [&](uint64_t* size, aclOpExecutor** executor) {
                                 return aclnnInplacePutGetWorkspaceSize(none, at, source, false,
                                                                        size, executor);
                               },
                               &aclnnInplacePut, stream_),
                           "index[0] is 2; expected none"));
}

// Every dimension is whole.
TEST_F(Indexing, AListWithoutIndicesNamesAllOfATensor) {
  const Values numbers = {0, 1, 2, 3, 4, 5};
  DeviceTensor whole({0}, DType::kFloat32);
  for (aclTensorList* const list : {ListOf({&whole}), aclCreateTensorList(nullptr, 0)}) {
    const DeviceTensor self({2, 3}, DType::kFloat32, numbers), out({2, 3}, DType::kFloat32);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnIndexGetWorkspaceSize(self, list, out, size, executor);
        },
        &aclnnIndex, stream_));
    EXPECT_EQ(out.Values(), numbers);
    for (const bool accumulate : {false, true}) {
      ACLIMB_EXPECT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnIndexPutImplGetWorkspaceSize(self, list, out, accumulate, false, size,
                                                     executor);
          },
          &aclnnIndexPutImpl, stream_));
    }
    EXPECT_EQ(self.Values(), (Values{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(aclDestroyTensorList(list), 0);
  }
}

TEST_F(Indexing, NumbersThatHaveNoPlaceAreNotCounted) {
  const DeviceTensor self({5}, DType::kInt8, {2, -1, 2, 3, 0}), out({3}, DType::kInt64);
  EXPECT_TRUE(IsRunFailure(
      RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnBincountGetWorkspaceSize(self, nullptr, 0, out, size, executor);
          },
          &aclnnBincount, stream_),
      "self[1] is -1, and 1 more is wrong; expected 0 to 2 (out has 3 elements)."));
  EXPECT_EQ(out.Values(), (Values{1, 0, 2}));
}

// The example that the newer pages have right.
TEST_F(Indexing, ScatterAddOfThePage) {
  const DeviceTensor self({3, 3}, DType::kFloat32, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const DeviceTensor index({2, 3}, DType::kInt64, {0, 2, 1, 0, 0, 1});
  const DeviceTensor src({2, 3}, DType::kFloat32, {10, 11, 12, 13, 14, 15});
  ACLIMB_EXPECT_OK(ScatterAdd(self, 1, index, src));
  EXPECT_EQ(self.Values(), (Values{11, 14, 14, 31, 20, 6, 7, 8, 9}));
}

// As replays meet them.
TEST_F(Indexing, TruthsKnowThatElementsAreNotThere) {
  const Values indices = {2, 3, -1, kLeast, 1e15, 0};
  const auto expect = [&](truth::Call& call) {
    SCOPED_TRACE(call.contract().function);
    for (const truth::OperatorEntry& entry : kOperators) {
      if (entry.contract != &call.contract()) continue;
      OperatorRun run(entry, call);
      // Of aclnnIndex and aclnnIndexPutImpl it is the first list's.
      EXPECT_TRUE(IsRunFailure(run.Run(stream_), "[1] is 3"));
      return run.ExpectTruth();
    }
    FAIL() << "no such operator";
  };
  const Values six = {10, 20, 30, 40, 50, 60};
  constexpr DType kFloat = DType::kFloat32;
  const auto begin = [&](truth::Call& call, int index) {
    call.SetTensor(0, {3}, kFloat, {1, 2, 3});
    call.SetTensor(index, {6}, DType::kInt64, indices);
  };
  truth::Call gathered(gather::kContract);
  begin(gathered, gather::kIndex);
  gathered.SetInteger(gather::kDim, 0);
  gathered.SetTensor(gather::kOut, {6}, kFloat);
  expect(gathered);
  truth::Call taken(take::kContract);
  begin(taken, take::kIndex);
  taken.SetTensor(take::kOut, {6}, kFloat);
  expect(taken);
  truth::Call put(inplace_put::kContract);
  begin(put, inplace_put::kIndex);
  put.SetTensor(inplace_put::kSource, {6}, kFloat, six);
  put.SetInteger(inplace_put::kAccumulate, 0);
  expect(put);
  truth::Call scattered(inplace_scatter::kContract);
  begin(scattered, Scatter::kIndex);
  scattered.SetInteger(Scatter::kDim, 0);
  scattered.SetTensor(Scatter::kSource, {6}, kFloat, six);
  scattered.SetInteger(Scatter::kReduce, 1);
  expect(scattered);
  truth::Call added(index_add::kContract);
  begin(added, index_add::kIndex);
  added.SetInteger(index_add::kDim, 0);
  added.SetTensor(index_add::kSource, {6}, kFloat, six);
  added.SetScalar(index_add::kAlpha, 1);
  added.SetTensor(index_add::kOut, {3}, kFloat);
  expect(added);
  truth::Call selected(index::kContract);
  selected.SetTensor(Index::kSelf, {3}, kFloat, {1, 2, 3});
  selected.SetList(Index::kIndices, 1);
  selected.SetTensor({Index::kIndices, 0}, {6}, DType::kInt64, indices);
  selected.SetTensor(Index::kOut, {6}, kFloat);
  expect(selected);
  truth::Call replaced(index_put_impl::kContract);
  replaced.SetTensor(IndexPut::kSelf, {3}, kFloat, {1, 2, 3});
  replaced.SetList(IndexPut::kIndices, 1);
  replaced.SetTensor({IndexPut::kIndices, 0}, {6}, DType::kInt64, indices);
  replaced.SetTensor(IndexPut::kValues, {6}, kFloat, six);
  replaced.SetInteger(IndexPut::kAccumulate, 0);
  replaced.SetInteger(IndexPut::kUnsafe, 0);
  expect(replaced);
}

// One rounding: by way of float32 each sum would be that of a tie, and so 1.
TEST_F(Indexing, SumsOfHalfTypesAreRoundedOnce) {
  const DeviceTensor index({2}, DType::kInt64, {0, 0});
  const DeviceTensor half({1}, DType::kFloat16, {1});
  ACLIMB_EXPECT_OK(
      ScatterAdd(half, 0, index, DeviceTensor({2}, DType::kFloat16, {0x1p-11, 0x1p-24})));
  EXPECT_EQ(half.Values(), Values{1 + 0x1p-10});
  const DeviceTensor brain({1}, DType::kBFloat16, {1});
  ACLIMB_EXPECT_OK(
      ScatterAdd(brain, 0, index, DeviceTensor({2}, DType::kBFloat16, {0x1p-8, 0x1p-30})));
  EXPECT_EQ(brain.Values(), Values{1 + 0x1p-7});
}

// So many equal terms that a sum in float32 would lose them; the bits of every team are the same.
TEST_F(Indexing, LongSumsOfEqualTerms) {
  constexpr int64_t kCount = 1'000'000;
  for (const int64_t columns : {int64_t{1}, int64_t{4}}) {
    const int64_t rows = kCount / columns;
    Values indices;
    for (int64_t i = 0; i < rows; ++i) indices.push_back(i % 100 == 0 ? 1 : 0);
    const DeviceTensor index({rows}, DType::kInt32, indices);
    const DeviceTensor source({rows, columns}, DType::kFloat32, Values(kCount, 0.1));
    const double all = static_cast<double>(rows) * static_cast<double>(0.1f);
    Values expected;
    for (const double share : {0.99, 0.01}) {
      for (int64_t c = 0; c < columns; ++c) expected.push_back(2 + share * all);
    }
    std::vector<unsigned char> bytes;
    for (const char* threads : {"1", "3", "5"}) {
      const Setting setting("ACLIMB_THREADS", threads);
      const DeviceTensor self({2, columns}, DType::kFloat32, Values(2 * columns, 2));
      ACLIMB_EXPECT_OK(RunBothPhases(
          [&](uint64_t* size, aclOpExecutor** executor) {
            return aclnnIndexAddGetWorkspaceSize(self, 0, index, source, Scalar(1.0f), self, size,
                                                 executor);
          },
          &aclnnIndexAdd, stream_));
      EXPECT_TRUE(Near(self.Values(), expected, {1e-7, 0}));
      if (bytes.empty()) bytes = self.Bytes();
      EXPECT_TRUE(self.Bytes() == bytes);
    }
  }
}

// Enough to be shared out among threads by where they go.
TEST_F(Indexing, OfEqualIndicesTheLastCounts) {
  constexpr int64_t kCount = 200'000;
  Values indices, values, expected(1000);
  for (int64_t i = 0; i < kCount; ++i) {
    indices.push_back(static_cast<double>(i * 7919 % 1000));
    values.push_back(static_cast<double>(i));
    expected[static_cast<size_t>(i * 7919 % 1000)] = static_cast<double>(i);
  }
  for (const char* threads : {"1", "3", "5"}) {
    const Setting setting("ACLIMB_THREADS", threads);
    const DeviceTensor self({1000}, DType::kInt32), src({kCount}, DType::kInt32, values);
    const DeviceTensor index({kCount}, DType::kInt64, indices);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnInplaceScatterGetWorkspaceSize(self, 0, index, src, 0, size, executor);
        },
        &aclnnInplaceScatter, stream_));
    EXPECT_TRUE(self.Values() == expected);
  }
}

TEST_F(Indexing, WholeDimensionsHaveEmptyTensorsOfAnyDType) {
  const DeviceTensor self({2, 3, 2}, DType::kFloat16, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  DeviceTensor rows({2}, DType::kInt64, {-1, 0}), whole({0}, DType::kFloat16);
  DeviceTensor columns({2}, DType::kInt64, {1, 0});
  aclTensorList* const list = ListOf({&rows, &whole, &columns});
  // What the indices select comes first, since a whole dimension is between them.
  const DeviceTensor out({2, 3}, DType::kFloat16);
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnIndexGetWorkspaceSize(self, list, out, size, executor);
      },
      &aclnnIndex, stream_));
  EXPECT_EQ(out.Values(), (Values{7, 9, 11, 0, 2, 4}));
  const DeviceTensor values({}, DType::kFloat16, {50});
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnIndexPutImplGetWorkspaceSize(self, list, values, true, false, size, executor);
      },
      &aclnnIndexPutImpl, stream_));
  EXPECT_EQ(self.Values(), (Values{50, 1, 52, 3, 54, 5, 6, 57, 8, 59, 10, 61}));
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

// Self is wider than the index: not all lines lie side by side, while shares of the places have one
// scratch.
TEST_F(Indexing, ManyEntriesOfLinesThatLieApart) {
  constexpr int64_t kRows = 40'000, kPlaces = 1000, kHalf = kPlaces / 2;
  constexpr double kTerms = 80;
  static_assert(kTerms * kHalf == kRows);
  Values indices, expected;
  for (int64_t i = 0; i < kRows; ++i) {
    for (const int64_t first : {int64_t{0}, kHalf}) {
      indices.insert(indices.end(), 8, static_cast<double>(first + i % kHalf));
    }
  }
  for (int64_t place = 0; place < kPlaces; ++place) {
    for (const bool is_named : {place < kHalf, place >= kHalf}) {
      expected.insert(expected.end(), 8, is_named ? kTerms : 0.0);
      expected.push_back(0);
    }
  }
  const Setting setting("ACLIMB_THREADS", "8");
  const DeviceTensor self({kPlaces, 2, 9}, DType::kFloat16, Values(kPlaces * 18, 0));
  const DeviceTensor index({kRows, 2, 8}, DType::kInt64, indices);
  const DeviceTensor src({kRows, 2, 8}, DType::kFloat16, Values(kRows * 16, 1));
  for (int again = 0; again < 4; ++again) {
    const DeviceTensor out({kPlaces, 2, 9}, DType::kFloat16);
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnScatterAddGetWorkspaceSize(self, 0, index, src, out, size, executor);
        },
        &aclnnScatterAdd, stream_));
    EXPECT_TRUE(out.Values() == expected);
  }
}

TEST_F(Indexing, LongSumsOfSlices) {
  constexpr int64_t kRows = 20'000, kColumns = 64, kPlaces = 10;
  Values indices;
  for (int64_t i = 0; i < kRows; ++i) indices.push_back(static_cast<double>(i % kPlaces));
  const DeviceTensor self({kPlaces, kColumns}, DType::kFloat32, Values(kPlaces * kColumns, 0));
  const DeviceTensor values({kRows, kColumns}, DType::kFloat32, Values(kRows * kColumns, 0.1));
  DeviceTensor index({kRows}, DType::kInt64, indices);
  aclTensorList* const list = ListOf({&index});
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnIndexPutImplGetWorkspaceSize(self, list, values, true, false, size, executor);
      },
      &aclnnIndexPutImpl, stream_));
  constexpr int64_t kTerms = kRows / kPlaces;
  const double all = static_cast<double>(kTerms) * static_cast<double>(0.1f);
  EXPECT_TRUE(Near(self.Values(), Values(kPlaces * kColumns, all), {1e-7, 0}));
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

TEST_F(Indexing, AnIndexWithoutEntriesSelectsNothing) {
  const DeviceTensor self({2, 3}, DType::kFloat32, {0, 1, 2, 3, 4, 5});
  const DeviceTensor out({0, 3}, DType::kFloat32), values({3}, DType::kFloat32, {7, 8, 9});
  DeviceTensor none({0}, DType::kInt64);
  aclTensorList* const list = ListOf({&none});
  ACLIMB_EXPECT_OK(RunBothPhases(
      [&](uint64_t* size, aclOpExecutor** executor) {
        return aclnnIndexGetWorkspaceSize(self, list, out, size, executor);
      },
      &aclnnIndex, stream_));
  for (const bool accumulate : {false, true}) {
    ACLIMB_EXPECT_OK(RunBothPhases(
        [&](uint64_t* size, aclOpExecutor** executor) {
          return aclnnIndexPutImplGetWorkspaceSize(self, list, values, accumulate, false, size,
                                                   executor);
        },
        &aclnnIndexPutImpl, stream_));
    EXPECT_EQ(self.Values(), (Values{0, 1, 2, 3, 4, 5}));
  }
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

TEST_F(Indexing, RefusalsNameWhatIsWrong) {
  const DeviceTensor self({2, 3}, DType::kFloat32), out({2, 3}, DType::kFloat32);
  DeviceTensor rows({2}, DType::kInt64), columns({3}, DType::kInt64);
  aclTensorList* const list = ListOf({&rows, &columns});
  uint64_t size;
  aclOpExecutor* executor;
  EXPECT_EQ(aclnnIndexGetWorkspaceSize(self, list, out, &size, &executor), 161002);
  EXPECT_STREQ(
      aclGetRecentErrMsg(),
      "aclnnIndexGetWorkspaceSize: indices[0].shape is [2] (INT64) and indices[1].shape is "
      "[3] (INT64) and self.shape is [2, 3] (FLOAT); expected shapes that broadcast.\n"
      "  fix: pass indices that broadcast, one for each dimension at most\n"
      "  rule: index/shape/indices   code: 161002 ACLNN_ERR_PARAM_INVALID");
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

// ---- Every rule

void FillScatter(CallArguments& a, bool scalar, int reduce, int out) {
  using P = Scatter;
  a.Tensor(P::kSelf, {4, 3}, DType::kFloat32);
  a.Integer(P::kDim, 0);
  a.Tensor(P::kIndex, {2, 3}, DType::kInt64);
  scalar ? a.ScalarOf(P::kSource, 2, DType::kFloat32)
         : a.Tensor(P::kSource, {2, 3}, DType::kFloat32);
  if (reduce >= 0) a.Integer(reduce, 1);
  if (out >= 0) a.Tensor(out, {4, 3}, DType::kFloat32);
}
template <typename Function>
void ExpectScatterRules(const contract::Contract& contract, Function* phase1, bool scalar,
                        int reduce, int out) {
  ContractHarness<Function> harness(contract, phase1,
                                    [=](CallArguments& a) { FillScatter(a, scalar, reduce, out); });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Tensor(Scatter::kIndex, {0}, DType::kInt64); });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/index", [](CallArguments& a) {
    a.Tensor(Scatter::kIndex, {2, 4}, DType::kInt64);
  });
  harness.ExpectEveryRuleCovered({std::string(contract.folder) + "/product"});
}

TEST(IndexingContract, EveryRuleOfScatters) {
  ExpectScatterRules(scatter::kContract, &aclnnScatterGetWorkspaceSize, false, Scatter::kReduce,
                     Scatter::kOut);
  ExpectScatterRules(inplace_scatter::kContract, &aclnnInplaceScatterGetWorkspaceSize, false,
                     Scatter::kReduce, -1);
  ExpectScatterRules(scatter_value::kContract, &aclnnScatterValueGetWorkspaceSize, true,
                     Scatter::kReduce, Scatter::kOut);
  ExpectScatterRules(inplace_scatter_value::kContract, &aclnnInplaceScatterValueGetWorkspaceSize,
                     true, Scatter::kReduce, -1);
  ExpectScatterRules(scatter_add::kContract, &aclnnScatterAddGetWorkspaceSize, false, -1,
                     ScatterAdd::kOut);
}

TEST(IndexingContract, EveryRuleOfIndexAddAndFill) {
  ContractHarness<decltype(aclnnIndexAddGetWorkspaceSize)> add(
      index_add::kContract, &aclnnIndexAddGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(index_add::kSelf, {4, 3}, DType::kFloat32);
        a.Integer(index_add::kDim, 0);
        a.Tensor(index_add::kIndex, {2}, DType::kInt64);
        a.Tensor(index_add::kSource, {2, 3}, DType::kFloat32);
        a.ScalarOf(index_add::kAlpha, 2, DType::kFloat32);
        a.Tensor(index_add::kOut, {4, 3}, DType::kFloat32);
      });
  add.ExpectAccepted();
  // With integers alone, alpha is what does not fit.
  add.ExpectGenericRules({"fits/alpha"});
  add.ExpectRule("fits/alpha", [](CallArguments& a) {
    for (const int tensor : {index_add::kSelf, index_add::kOut}) {
      a.Tensor(tensor, {4, 3}, DType::kInt32);
    }
    a.Tensor(index_add::kSource, {2, 3}, DType::kInt32);
  });
  add.ExpectRule("shape/source", [](CallArguments& a) {
    a.Tensor(index_add::kSource, {3, 3}, DType::kFloat32);
  });
  add.ExpectEveryRuleCovered({"index_add/product"});

  const auto fill = [](CallArguments& a) {
    a.Tensor(IndexFill::kSelf, {4, 3}, DType::kFloat32);
    a.Integer(IndexFill::kDim, 0);
    a.Ints(IndexFill::kIndex, {3, -4});
    a.ScalarOf(IndexFill::kValue, 2, DType::kFloat32);
  };
  const auto outside = [](CallArguments& a) { a.Ints(IndexFill::kIndex, {0, 4}); };
  ContractHarness<decltype(aclnnInplaceIndexFillTensorGetWorkspaceSize)> in_place(
      inplace_index_fill_tensor::kContract, &aclnnInplaceIndexFillTensorGetWorkspaceSize, fill);
  in_place.ExpectAccepted();
  in_place.ExpectGenericRules();
  in_place.ExpectRule("range/index", outside);
  in_place.ExpectEveryRuleCovered({"inplace_index_fill_tensor/product"});
  ContractHarness<decltype(aclnnIndexFillTensorGetWorkspaceSize)> filled(
      index_fill_tensor::kContract, &aclnnIndexFillTensorGetWorkspaceSize,
      [fill](CallArguments& a) {
        fill(a);
        a.Tensor(IndexFill::kOut, {4, 3}, DType::kFloat32);
      });
  filled.ExpectAccepted();
  filled.ExpectGenericRules();
  filled.ExpectRule("range/index", outside);
  filled.ExpectEveryRuleCovered({"index_fill_tensor/product"});
}

TEST(IndexingContract, EveryRuleOfBincount) {
  using namespace bincount;  // NOLINT: the positions
  ContractHarness<decltype(aclnnBincountGetWorkspaceSize)> harness(
      kContract, &aclnnBincountGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(kSelf, {5}, DType::kInt32);
        a.Tensor(kWeights, {5}, DType::kFloat32);
        a.Integer(kMinlength, 3);
        a.Tensor(kOut, {4}, DType::kFloat32);
      });
  harness.ExpectAccepted();
  harness.ExpectAccepted([](CallArguments& a) { a.Null(kWeights); });
  harness.ExpectGenericRules();
  harness.ExpectRule("shape/out", [](CallArguments& a) { a.Integer(kMinlength, 5); });
  harness.ExpectEveryRuleCovered();
}

TEST(IndexingContract, EveryRuleOfGathers) {
  ContractHarness<decltype(aclnnGatherGetWorkspaceSize)> gather(
      gather::kContract, &aclnnGatherGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(gather::kSelf, {4, 3}, DType::kFloat32);
        a.Integer(gather::kDim, 0);
        a.Tensor(gather::kIndex, {2, 3}, DType::kInt64);
        a.Tensor(gather::kOut, {2, 3}, DType::kFloat32);
      });
  gather.ExpectAccepted();
  gather.ExpectGenericRules();
  gather.ExpectRule("shape/index", [](CallArguments& a) {
    a.Tensor(gather::kIndex, {2, 4}, DType::kInt64);
  });
  gather.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnTakeGetWorkspaceSize)> take(
      take::kContract, &aclnnTakeGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(take::kSelf, {4, 3}, DType::kFloat32);
        a.Tensor(take::kIndex, {2, 3}, DType::kInt64);
        a.Tensor(take::kOut, {2, 3}, DType::kFloat32);
      });
  take.ExpectAccepted();
  take.ExpectGenericRules();
  take.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnInplacePutGetWorkspaceSize)> put(
      inplace_put::kContract, &aclnnInplacePutGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(inplace_put::kSelf, {4, 3}, DType::kFloat32);
        a.Tensor(inplace_put::kIndex, {2, 3}, DType::kInt64);
        a.Tensor(inplace_put::kSource, {6}, DType::kFloat32);
        a.Bool(inplace_put::kAccumulate, true);
      });
  put.ExpectAccepted();
  put.ExpectGenericRules();
  put.ExpectRule("count/source",
                 [](CallArguments& a) { a.Tensor(inplace_put::kSource, {5}, DType::kFloat32); });
  put.ExpectEveryRuleCovered({"inplace_put/product"});
}

TEST(IndexingContract, EveryRuleOfSelections) {
  const auto mask = [](CallArguments& a) { a.Tensors(1, {{{4, 3}, DType::kBool, ACL_FORMAT_ND}}); };
  const auto many = [](CallArguments& a) {
    a.Tensors(1, {{{2}, DType::kInt64, ACL_FORMAT_ND},
                  {{2}, DType::kInt64, ACL_FORMAT_ND},
                  {{2}, DType::kInt64, ACL_FORMAT_ND}});
  };
  ContractHarness<decltype(aclnnIndexGetWorkspaceSize)> index(
      index::kContract, &aclnnIndexGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(Index::kSelf, {4, 3}, DType::kFloat32);
        a.Tensors(Index::kIndices, {{{2}, DType::kInt64, ACL_FORMAT_ND}});
        a.Tensor(Index::kOut, {2, 3}, DType::kFloat32);
      });
  index.ExpectAccepted();
  index.ExpectGenericRules();
  index.ExpectRule("dtype/indices", mask);
  index.ExpectRule("shape/indices", many);
  index.ExpectRule("shape/out", [](CallArguments& a) {
    a.Tensor(Index::kOut, {3, 3}, DType::kFloat32);
  });
  index.ExpectEveryRuleCovered();
  ContractHarness<decltype(aclnnIndexPutImplGetWorkspaceSize)> put(
      index_put_impl::kContract, &aclnnIndexPutImplGetWorkspaceSize, [](CallArguments& a) {
        a.Tensor(IndexPut::kSelf, {4, 3}, DType::kFloat32);
        a.Tensors(IndexPut::kIndices, {{{2}, DType::kInt64, ACL_FORMAT_ND}});
        a.Tensor(IndexPut::kValues, {2, 3}, DType::kFloat32);
        a.Bool(IndexPut::kAccumulate, false);
        a.Bool(IndexPut::kUnsafe, false);
      });
  put.ExpectAccepted();
  put.ExpectGenericRules();
  put.ExpectRule("dtype/indices", mask);
  put.ExpectRule("shape/indices", many);
  put.ExpectRule("shape/values", [](CallArguments& a) {
    a.Tensor(IndexPut::kValues, {4, 3}, DType::kFloat32);
  });
  put.ExpectEveryRuleCovered({"index_put_impl/product"});
}

}  // namespace
}  // namespace aclimb::indexing
