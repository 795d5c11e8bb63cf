#include "aclimb/executor/recent_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "aclimb/executor/operator.h"
#include "aclimb/simd/parallel.h"

namespace aclimb {
namespace {

// One call with an argument of each kind.
struct Call {
  bool deterministic = false;
  bool extensions = false;
  Product product = Product::kA2;
  TensorDescriptor tensor = {.shape = {2, 3},
                             .stride = {3, 1},
                             .storage_shape = {6},
                             .offset = 0,
                             .dtype = DType::kFloat32,
                             .format = 2,
                             .data = nullptr};
  bool has_optional = true;
  TensorDescriptor optional = tensor;
  ScalarValue scalar = {.dtype = DType::kFloat32};
  IntArrayValue ints = {1, 2};
  BoolArrayValue bools = {1, 0, 1};
  std::string text = "mean";
  bool flag = false;
  int64_t integer = -100;
  double real = 0.5;
  const void* handle = &handle;

  std::vector<contract::Argument> List() const {
    using contract::Kind;
    const auto object = [this](Kind kind, const void* of) {
      return contract::Argument{.kind = kind, .handle = handle, .object = of};
    };
    return {
        object(Kind::kTensor, &tensor),
        has_optional ? object(Kind::kTensor, &optional) : contract::Argument{.kind = Kind::kTensor},
        object(Kind::kScalar, &scalar),
        object(Kind::kIntArray, &ints),
        object(Kind::kBoolArray, &bools),
        object(Kind::kString, text.c_str()),
        {.kind = Kind::kBool, .integer = flag ? 1 : 0},
        {.kind = Kind::kInteger, .integer = integer},
        {.kind = Kind::kReal, .real = real}};
  }
  CallKey Key() {
    tensor.SetKey();
    optional.SetKey();
    const std::vector<contract::Argument> list = List();
    return CallKey(contract::Arguments(list, product, extensions), deterministic);
  }
};

bool Same(const CallKey& a, const CallKey& b) {
  return a.hash() == b.hash() && std::ranges::equal(a.words(), b.words());
}

TEST(CallKey, HoldsNothingOfAddressesAndHandles) {
  Call call;
  Call other;
  char memory;
  other.tensor.data = &memory;
  other.handle = &memory;
  EXPECT_TRUE(call.Key().complete());
  EXPECT_TRUE(Same(call.Key(), other.Key()));
}

TEST(CallKey, DiffersWithAllElse) {
  const std::function<void(Call&)> changes[] = {
      [](Call& c) { c.deterministic = true; },
      [](Call& c) { c.extensions = true; },
      [](Call& c) { c.product = Product::kA3; },
      [](Call& c) {
        c.tensor.shape = {3, 2};
      },
      [](Call& c) {
        c.tensor.stride = {1, 2};
      },
      [](Call& c) {
        c.tensor.storage_shape = {2, 3};
      },
      [](Call& c) { c.tensor.storage_shape = {7}; },
      [](Call& c) {
        c.tensor.shape = {2, 3, 1};
        c.tensor.stride = {3, 1, 1};
      },
      [](Call& c) { c.tensor.offset = 1; },
      [](Call& c) { c.tensor.dtype = DType::kFloat16; },
      [](Call& c) { c.tensor.format = 0; },
      [](Call& c) { c.has_optional = false; },
      [](Call& c) { c.optional.dtype = DType::kFloat16; },
      [](Call& c) { c.scalar.dtype = DType::kFloat64; },
      [](Call& c) { c.scalar.bytes[0] = 1; },
      [](Call& c) { c.scalar.bytes[15] = 1; },
      [](Call& c) {
        c.ints = {1, 3};
      },
      [](Call& c) {
        c.ints = {1, 2, 0};
      },
      [](Call& c) { c.ints = {}; },
      [](Call& c) {
        c.bools = {1, 1, 1};
      },
      [](Call& c) {
        c.bools = {1, 0};
      },
      [](Call& c) { c.text = "none"; },
      [](Call& c) { c.text = ""; },
      [](Call& c) { c.text = "mean of all"; },
      [](Call& c) { c.flag = true; },
      [](Call& c) { c.integer = 100; },
      [](Call& c) { c.real = -0.5; },
  };
  std::vector<Call> calls(1);
  for (const auto& change : changes) change(calls.emplace_back());
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_TRUE(calls[i].Key().complete());
    for (size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(std::ranges::equal(calls[i].Key().words(), calls[j].Key().words()))
          << "changes " << i << " and " << j;
      EXPECT_NE(calls[i].Key().hash(), calls[j].Key().hash()) << "changes " << i << " and " << j;
    }
  }
}

// A list of tensors of such extents.
CallKey KeyOfList(const std::vector<int64_t>& extents) {
  std::vector<TensorDescriptor> tensors;
  for (const int64_t extent : extents) {
    tensors.push_back({.shape = {extent}, .stride = {1}, .storage_shape = {extent}});
    tensors.back().SetKey();
  }
  std::vector<contract::Argument> elements;
  for (const TensorDescriptor& tensor : tensors) {
    elements.push_back({.kind = contract::Kind::kTensor, .handle = &tensor, .object = &tensor});
  }
  contract::Argument list = {.kind = contract::Kind::kTensorList,
                             .handle = &elements,
                             .object = &elements,
                             .elements = elements};
  return CallKey(contract::Arguments({&list, 1}, Product::kA2, false), false);
}

TEST(CallKey, TellsListsApart) {
  const std::vector<int64_t> lists[] = {{},        {2},       {3},       {2, 2},
                                        {2, 3},    {3, 2},    {2, 2, 2}, {2, 2, 3},
                                        {2, 3, 2}, {3, 2, 2}, {2, 3, 3}, {2, 2, 3, 3}};
  for (size_t i = 0; i < std::size(lists); ++i) {
    const CallKey key = KeyOfList(lists[i]);
    EXPECT_TRUE(key.complete());
    EXPECT_TRUE(Same(key, KeyOfList(lists[i])));
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(key.hash(), KeyOfList(lists[j]).hash()) << "lists " << i << " and " << j;
    }
  }
}

TEST(CallKey, HasRoomForEqualTensors) {
  std::vector<int64_t> extents(1000, 2);
  EXPECT_TRUE(KeyOfList(extents).complete());
  for (size_t i = 0; i < extents.size(); i += 2) extents[i] = 3;
  EXPECT_FALSE(KeyOfList(extents).complete());
}

TEST(CallKey, DiffersWithTheTeam) {
  Call call;
  const int before = TeamSize();
  const CallKey one = call.Key();
  SetTeamSize(before + 1);
  EXPECT_FALSE(Same(one, call.Key()));
  SetTeamSize(before);
}

TEST(CallKey, IsIncompleteWithoutRoomOrObject) {
  Call call;
  call.ints.assign(1000, 1);
  EXPECT_FALSE(call.Key().complete());

  call = Call();
  std::vector<contract::Argument> list = call.List();
  list[2].object = nullptr;
  const contract::Arguments dead(list, call.product, false);
  EXPECT_FALSE(CallKey(dead, false).complete());

  call = Call();
  list = call.List();
  const contract::Arguments unkeyed(list, call.product, false);
  EXPECT_FALSE(CallKey(unkeyed, false).complete());
}

constexpr contract::Contract kContract = {};
Result<PlanPointer> PlanNothing(const contract::Arguments&, Planner&) { return PlanPointer(); }

class OfAnOperator : public ::testing::Test {
 protected:
  void Keep(Call& call, uint64_t workspace_size) {
    const auto planned = std::make_shared<PlannedCall>();
    planned->contract = &kContract;
    planned->workspace_size = workspace_size;
    operator_.recent_calls().Keep(call.Key(), planned);
  }
  PlannedCallPointer Find(Call& call) { return operator_.recent_calls().Find(call.Key()); }

  Operator operator_{kContract, PlanNothing};
};

TEST_F(OfAnOperator, RecentCallsGiveWhatWasKeptForOtherAddresses) {
  Call call;
  call.integer = 1;
  EXPECT_EQ(Find(call), nullptr);
  Keep(call, 7);
  char memory;
  call.tensor.data = &memory;
  call.handle = &memory;
  const PlannedCallPointer found = Find(call);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->workspace_size, 7u);
  call.integer = 2;
  EXPECT_EQ(Find(call), nullptr);
}

TEST_F(OfAnOperator, TheLastAnswerCounts) {
  Call call;
  call.integer = 3;
  Keep(call, 1);
  Keep(call, 2);
  ASSERT_NE(Find(call), nullptr);
  EXPECT_EQ(Find(call)->workspace_size, 2u);
}

TEST_F(OfAnOperator, RecentCallsForgetTheLeastRecentlyUsed) {
  Call used, unused;
  used.integer = 4;
  unused.integer = 5;
  Keep(used, 1);
  Keep(unused, 1);
  for (int64_t i = 0; i + 1 < static_cast<int64_t>(RecentCalls::kKept); ++i) {
    Call other;
    other.integer = 1000 + i;
    Keep(other, 1);
    if (i % 100 == 0) {
      EXPECT_NE(Find(used), nullptr);
    }
  }
  EXPECT_NE(Find(used), nullptr);
  EXPECT_EQ(Find(unused), nullptr);
}

TEST_F(OfAnOperator, RecentCallsAreNoOtherOperators) {
  Operator other{kContract, PlanNothing};
  Call call;
  Keep(call, 1);
  EXPECT_NE(Find(call), nullptr);
  EXPECT_EQ(other.recent_calls().Find(call.Key()), nullptr);
  EXPECT_EQ(&operator_.recent_calls(), &operator_.recent_calls());
}

}  // namespace
}  // namespace aclimb
