#include "tests/support/operator_suite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "aclimb/core/descriptor.h"
#include "aclimb/core/packed.h"
#include "aclimb/simd/each_target.h"
#include "tests/support/accepted_calls.h"
#include "tests/support/compare.h"
#include "tests/support/contract_harness.h"
#include "tests/support/operator_run.h"
#include "tests/support/rule_cases.h"
#include "tests/support/rule_message.h"
#include "tests/support/setting.h"

namespace aclimb::testing {
namespace {

using contract::Kind;
using contract::Role;
using truth::Slot;

// More draws than it takes to see everything that is drawn at all.
constexpr uint64_t kManyDraws = 4000;

bool IsInput(const truth::Call& call, Slot slot) {
  return call.ParameterAt(slot.parameter).role == Role::kInput;
}

bool IsEmpty(const truth::Call& call) {
  for (const Slot slot : call.Tensors()) {
    if (call.ElementCount(slot) == 0) return true;
  }
  return false;
}

// Whether nothing goes in. An output that the run sizes may have no room for anything, as that for
// the indices into a tensor without dimensions.
bool IsEmpty(const truth::Call& call, const truth::OperatorEntry& entry) {
  if (!entry.sizes_output) return IsEmpty(call);
  for (const Slot slot : call.Tensors()) {
    if (IsInput(call, slot) && call.ElementCount(slot) == 0) return true;
  }
  return false;
}

// An output, or a list of outputs, and another tensor that it is given.
struct Pair {
  int output = -1;
  int other = -1;
  auto operator<=>(const Pair&) const = default;
};

std::vector<Pair> PairsOf(const contract::Contract& contract) {
  std::vector<Pair> pairs;
  const int count = static_cast<int>(contract.parameters.size());
  for (int output = 0; output < count; ++output) {
    if (!contract::IsWritten(contract.At(output).role)) continue;
    for (int other = 0; other < count; ++other) {
      const Kind kind = contract.At(other).kind;
      if (other == output || !contract::HasTensors(kind)) continue;
      if (kind == contract.At(output).kind) pairs.push_back({output, other});
    }
  }
  return pairs;
}

// Whether they can be one in this call.
bool CanBeOne(const truth::Call& call, Pair pair) {
  if (!call.Touched(pair.other) || !call.Touched(pair.output) || IsEmpty(call)) return false;
  if (call.ListSize(pair.other) != call.ListSize(pair.output)) return false;
  for (const Slot slot : call.Tensors()) {
    const Slot other = {pair.other, slot.element};
    if (slot.parameter == pair.output &&
        (call.Shape(slot) != call.Shape(other) || call.DTypeOf(slot) != call.DTypeOf(other))) {
      return false;
    }
  }
  return true;
}

// Whether the call writes the output, or one of the list.
bool IsSet(const truth::Outputs& outputs, int p) {
  return std::ranges::any_of(outputs.All(),
                             [p](const auto& each) { return each.first.parameter == p; });
}

bool HasSeveralElements(const truth::Call& call, int p) {
  for (const Slot slot : call.Tensors()) {
    if (slot.parameter == p && call.ElementCount(slot) > 1) return true;
  }
  return false;
}

void ExpectRuns(const truth::OperatorEntry& entry, const truth::Call& call, aclrtStream stream,
                const OperatorRun::Layout& layout = {}) {
  SCOPED_TRACE(TextOf(call));
  OperatorRun run(entry, call, layout);
  const truth::Outputs outputs = run.Truth();
  if (const char* const refusal = outputs.refusal()) {
    EXPECT_EQ(run.Run(stream), kRtAicoreException);
    const std::string message = aclGetRecentErrMsg();
    EXPECT_NE(message.find(refusal), std::string::npos) << message;
    return;
  }
  ACLIMB_ASSERT_OK(run.Run(stream));
  run.Expect(outputs);
}

std::vector<OfTensor> TensorsOf(const contract::Contract& contract) {
  std::vector<OfTensor> named;
  for (int p = 0; p < static_cast<int>(contract.parameters.size()); ++p) {
    const contract::Parameter& parameter = contract.At(p);
    if (!contract::HasTensors(parameter.kind)) continue;
    for (const DType dtype : DTypesOf(parameter.dtypes[Product::kA2])) {
      named.emplace_back(p, dtype);
    }
  }
  return named;
}

std::string TextOf(const contract::Contract& contract, const OfTensor& tensor) {
  return std::string(contract.At(tensor.first).name) + " " + std::string(NameOf(tensor.second));
}

// Any order of the dimensions in memory, gaps between elements or rows, an offset; of an input also
// elements that are one in memory.
DeviceTensor::Options AnyView(Random& random, const std::vector<int64_t>& shape, DType dtype,
                              bool may_overlap) {
  DeviceTensor::Options view;
  std::vector<size_t> order(shape.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  for (size_t d = order.size(); d > 1; --d) {
    std::swap(order[d - 1], order[static_cast<size_t>(random.Integer(0, int64_t(d) - 1))]);
  }
  int64_t step = random.Integer(1, 2);
  view.stride.assign(shape.size(), 0);
  for (const size_t d : order) {
    view.stride[d] = step;
    step *= std::max<int64_t>(1, shape[d] + random.Integer(0, 1));
  }
  if (may_overlap && !shape.empty() && random.Chance(0.2)) {
    view.stride[static_cast<size_t>(random.Integer(0, int64_t(shape.size()) - 1))] = 0;
  }
  const int64_t offset = random.Integer(0, 3);
  // A tensor begins with a byte.
  view.offset = offset * PackedPerByte(dtype);
  // Nobody steps along a dimension of one element.
  for (size_t d = 0; offset == 3 && d < shape.size(); ++d) {
    if (shape[d] == 1) view.stride[d] = int64_t{1} << 62;
  }
  return view;
}

// Such a view for each tensor of the call, but that some are dense, as a loop for dense tensors has
// to see that the others are not; the same for the same seed.
OperatorRun::Layout AnyViews(const truth::Call& call, uint64_t seed) {
  return [&call, random = Random(seed), dense = Random(~seed)](Slot slot) mutable {
    DeviceTensor::Options view =
        AnyView(random, call.Shape(slot), call.DTypeOf(slot), IsInput(call, slot));
    return dense.Chance(0.4) ? DeviceTensor::Options() : view;
  };
}

}  // namespace

truth::Call OperatorSuite::Drawn(uint64_t seed, int64_t most_elements, bool extensions) const {
  for (uint64_t again = 0;; ++again) {
    truth::Draw draw(seed * kManyDraws + again);
    draw.SetMostElements(most_elements);
    draw.SetExtensions(extensions);
    truth::Call call(contract());
    entry().draw(draw, call);
    if (!draw.strange()) return call;
    if (again + 1 == kManyDraws) {
      ADD_FAILURE() << contract().function << ": no proper call is drawn";
      return call;
    }
  }
}

// Every dtype that the contract names for a tensor, in every combination that is drawn; and any two
// of them in which phase 1 accepts a call.
TEST_P(OperatorSuite, EveryDType) {
  std::set<std::vector<DType>> seen;
  std::set<OfTensor> alone;
  std::set<std::pair<OfTensor, OfTensor>> pairs;
  std::vector<truth::Call> samples;
  for (uint64_t seed = 0; seed < kManyDraws / 4; ++seed) {
    const truth::Call call = Drawn(seed, 200);
    if (IsEmpty(call)) continue;
    std::vector<DType> dtypes;
    std::set<OfTensor> tensors;
    for (int p = 0; p < call.size(); ++p) dtypes.push_back(call.DTypeOf(p));
    for (const Slot slot : call.Tensors()) {
      if (slot.element >= 0) dtypes.push_back(call.DTypeOf(slot));
      tensors.insert({slot.parameter, call.DTypeOf(slot)});
    }
    alone.insert(tensors.begin(), tensors.end());
    bool is_new = false;
    for (const OfTensor& one : tensors) {
      for (const OfTensor& other : tensors) {
        if (one.first < other.first) is_new = pairs.insert({one, other}).second || is_new;
      }
    }
    if (is_new && samples.size() < 8) samples.push_back(call);
    is_new = (seen.size() <= 300 && seen.insert(dtypes).second) || is_new;
    if (!is_new) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), call, stream_));
    if (HasFailure()) return;
  }
  const std::vector<OfTensor> named = TensorsOf(contract());
  for (const OfTensor& one : named) {
    EXPECT_EQ(alone.count(one), 1u) << TextOf(contract(), one) << " is never drawn";
    for (const OfTensor& other : named) {
      if (one.first >= other.first || pairs.count({one, other}) != 0) continue;
      for (const truth::Call& call : samples) {
        const auto changed = WithDTypes(entry(), call, {one, other});
        if (!changed) continue;
        ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), *changed, stream_));
        if (HasFailure()) return;
        break;
      }
    }
  }
}

// Every instruction set that this processor has, with dense tensors and with others. A plan keeps
// the kernels that it was made with: each set has calls of its own.
TEST_P(OperatorSuite, EveryInstructionSet) {
  uint64_t seed = kManyDraws;
  const int sets = EachTarget([&] {
    SCOPED_TRACE(hwy::TargetName(hwy::SupportedTargets()));
    for (int i = 0; i < 8 && !HasFailure(); ++i, ++seed) {
      const truth::Call call = Drawn(seed);
      ExpectRuns(entry(), call, stream_, i % 2 == 0 ? OperatorRun::Layout() : AnyViews(call, seed));
    }
  });
  EXPECT_GT(sets, 0);
}

TEST_P(OperatorSuite, EveryRank) {
  // Of each tensor; when none is left, another draw has nothing new.
  std::set<std::pair<int, size_t>> unseen;
  for (int p = 0; p < static_cast<int>(contract().parameters.size()); ++p) {
    const contract::Parameter& parameter = contract().At(p);
    if (!contract::HasTensors(parameter.kind)) continue;
    for (int rank = parameter.min_rank; rank <= parameter.max_rank; ++rank) {
      unseen.insert({p, static_cast<size_t>(rank)});
    }
  }
  for (uint64_t seed = 0; seed < kManyDraws / 4 && !unseen.empty(); ++seed) {
    const truth::Call call = Drawn(seed);
    if (IsEmpty(call, entry())) continue;
    bool is_new = false;
    for (const Slot slot : call.Tensors()) {
      is_new = unseen.erase({slot.parameter, call.Shape(slot).size()}) > 0 || is_new;
    }
    if (!is_new) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), call, stream_));
    if (HasFailure()) return;
  }
  for (int p = 0; p < static_cast<int>(contract().parameters.size()); ++p) {
    const contract::Parameter& parameter = contract().parameters[static_cast<size_t>(p)];
    // Without dtypes of its own, a rule says what it has to be.
    if (!contract::HasTensors(parameter.kind) || parameter.dtypes[Product::kA2] == 0) continue;
    for (int rank = parameter.min_rank; rank <= parameter.max_rank; ++rank) {
      EXPECT_EQ(unseen.count({p, static_cast<size_t>(rank)}), 0u)
          << parameter.name << " is never drawn with rank " << rank;
    }
  }
}

TEST_P(OperatorSuite, AnyViews) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const truth::Call call = Drawn(seed);
    ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), call, stream_, AnyViews(call, seed)));
    if (HasFailure()) return;
  }
}

// The contract holds: each of its checks that are data refuses a call, and tells why.
TEST_P(OperatorSuite, Refusals) {
  const Setting documented("ACLIMB_EXTENSIONS", "0");
  const std::string folder = contract().folder;
  std::set<std::string> missing;
  for (const std::string& id : contract::RuleIds(contract())) missing.insert(id);
  // That needs another chip; and rules of the operator's own are its own tests' matter.
  missing.erase(folder + "/product");
  for (const contract::Rule& rule : contract().rules) {
    if (rule.kind == contract::RuleKind::kCustom) missing.erase(folder + "/" + rule.id);
  }
  for (const contract::Parameter& parameter : contract().parameters) {
    if (parameter.max_rank == 0) missing.erase(folder + "/extent/" + parameter.name);
  }
  // A single element overlaps nothing.
  std::set<int> single;
  for (int p = 0; p < static_cast<int>(contract().parameters.size()); ++p) single.insert(p);
  std::set<std::string> covered;
  for (uint64_t seed = 0; seed < 200 && !missing.empty(); ++seed) {
    const truth::Call call = Drawn(seed, 200, /*extensions=*/false);
    SCOPED_TRACE(TextOf(call));
    ContractChecks checks(
        contract(),
        [&](CallArguments& arguments, uint64_t* size, aclOpExecutor** executor) {
          return CallPhase1(entry(), arguments, size, executor);
        },
        [&](CallArguments& arguments) { Fill(arguments, call); });
    checks.ExpectRefusals(covered);
    if (HasFailure()) return;
    for (const std::string& id : covered) missing.erase(id);
    std::erase_if(single, [&](int p) { return HasSeveralElements(call, p); });
  }
  for (const int p : single) missing.erase(folder + "/overlap/" + contract().At(p).name);
  for (const std::string& id : missing) ADD_FAILURE() << id << " has no negative case";
}

// Unless none is accepted, or the draw leaves them to the operator's own tests: it calls them
// strange.
TEST_P(OperatorSuite, EmptyTensors) {
  int found = 0;
  std::vector<truth::Call> others;
  for (uint64_t seed = 0; seed < kManyDraws && found < 20; ++seed) {
    const truth::Call call = Drawn(seed, 200);
    if (!IsEmpty(call)) {
      if (others.size() < 20) others.push_back(call);
      if (found == 0 && seed > kManyDraws / 10) break;
      continue;
    }
    ++found;
    ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), call, stream_));
    if (HasFailure()) return;
  }
  for (uint64_t seed = 0; seed < kManyDraws && found == 0; ++seed) {
    truth::Draw draw(seed);
    draw.SetMostElements(200);
    truth::Call call(contract());
    entry().draw(draw, call);
    found += draw.strange() && IsEmpty(call) ? 1 : 0;
  }
  for (const truth::Call& call : others) {
    if (found > 0) return;
    EXPECT_FALSE(AcceptsEmpty(entry(), call))
        << "no call with an empty tensor is drawn, as this would be: " << TextOf(call);
  }
}

// What the contract says an output may be, in any view, and what it may be in none.
TEST_P(OperatorSuite, InPlace) {
  for (const Pair pair : PairsOf(contract())) {
    if (!contract().At(pair.output).MayBe(pair.other)) continue;
    int found = 0;
    for (uint64_t seed = 0; seed < kManyDraws && found < 10; ++seed) {
      truth::Call call = Drawn(seed);
      if (!CanBeOne(call, pair)) continue;
      SCOPED_TRACE(TextOf(call));
      Random random(seed);
      OperatorRun run(entry(), call, [&](Slot slot) {
        return slot.parameter == pair.other && found % 2 == 1
                   ? AnyView(random, call.Shape(slot), call.DTypeOf(slot), false)
                   : DeviceTensor::Options{};
      });
      run.Share(pair.output, pair.other);
      ACLIMB_ASSERT_OK(run.Run(stream_));
      ASSERT_NO_FATAL_FAILURE(run.ExpectTruth());
      if (HasFailure()) return;
      ++found;
    }
    EXPECT_GT(found, 0) << "no call is drawn in which " << contract().At(pair.output).name
                        << " may be " << contract().At(pair.other).name;
  }
}

// Single elements may be more; and what an operator does not read it cannot spoil.
TEST_P(OperatorSuite, OtherOutputsAreRefusedInPlace) {
  std::map<std::pair<Pair, bool>, int> found;
  for (uint64_t seed = 0; seed < kManyDraws / 10; ++seed) {
    const truth::Call call = Drawn(seed, 200);
    for (const Pair pair : PairsOf(contract())) {
      const contract::Parameter& output = contract().At(pair.output);
      const contract::Parameter& other = contract().At(pair.other);
      if (output.MayBe(pair.other) || !CanBeOne(call, pair)) continue;
      const bool single = !HasSeveralElements(call, pair.output);
      if (++found[{pair, single}] > 3) continue;
      SCOPED_TRACE(TextOf(call));
      OperatorRun run(entry(), call);
      run.Share(pair.output, pair.other);
      const int code = run.Run(stream_);
      if (code == 0) {
        // Of two outputs, or an output that nobody wants, one stays as it is.
        if (contract::IsWritten(other.role) || !IsSet(run.Truth(), pair.output)) continue;
        run.ExpectTruth();
        EXPECT_FALSE(HasFailure())
            << "where " << output.name << " is " << other.name
            << (single ? "; is it one that contract::WrittenEarly marks?" : "");
      } else {
        EXPECT_FALSE(contract().WorksInPlace(pair.output, pair.other, single));
        const RuleMessage message(aclGetRecentErrMsg());
        message.ExpectWhole(contract().function, "phase2/not-in-place", code);
        EXPECT_EQ(code, kAclnnInvalid);
        EXPECT_NE(message.what().find(output.name), std::string::npos) << message.what();
        EXPECT_NE(message.what().find(other.name), std::string::npos) << message.what();
      }
      if (HasFailure()) return;
    }
  }
}

// NaN, infinities and both zeros, among others and alone. Numbers close to zero are not among them:
// a product that underflows in float32 and then meets an infinity is NaN there alone.
TEST_P(OperatorSuite, NumbersThatAreNotFinite) {
  if (!entry().holds_beyond_finite) GTEST_SKIP();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double specials[] = {std::nan(""), kInf, -kInf, 0.0, -0.0};
  Random random(2);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    truth::Call call = Drawn(seed);
    for (const Slot slot : call.Tensors()) {
      if (!IsInput(call, slot) || !IsFloating(call.DTypeOf(slot))) continue;
      std::vector<double> values = call.Values(slot);
      const double single = values.empty() ? 0 : 1 / static_cast<double>(values.size());
      const double share = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 0.1 : single;
      for (double& value : values) {
        if (random.Chance(share)) value = specials[random.Integer(0, 4)];
      }
      call.SetTensor(slot, call.Shape(slot), call.DTypeOf(slot), std::move(values));
    }
    ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), call, stream_));
    if (HasFailure()) return;
  }
}

// Integers that no double holds.
TEST_P(OperatorSuite, LargeIntegers) {
  if (!entry().exact_integers) GTEST_SKIP();
  Random random(3);
  int found = 0;
  for (uint64_t seed = 0; seed < kManyDraws && found < 30; ++seed) {
    truth::Call call = Drawn(seed);
    bool any = false;
    for (const Slot slot : call.Tensors()) {
      if (!IsInput(call, slot) || call.DTypeOf(slot) != DType::kInt64) continue;
      std::vector<int64_t> integers(static_cast<size_t>(call.ElementCount(slot)));
      for (int64_t& integer : integers) integer = static_cast<int64_t>(random.Next());
      any = any || !integers.empty();
      call.SetIntegers(slot, call.Shape(slot), DType::kInt64, std::move(integers));
    }
    if (!any) continue;
    ++found;
    ASSERT_NO_FATAL_FAILURE(ExpectRuns(entry(), call, stream_));
    if (HasFailure()) return;
  }
}

// The largest calls of several, one of them in any views, with teams of several sizes: the truth on
// one thread, and the same bits from every other team, and when the largest does it again.
TEST_P(OperatorSuite, TeamsOfAnySize) {
  ACLIMB_ASSERT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, depends_on_threads_ ? 1 : 0));
  const auto elements = [](const truth::Call& call) {
    int64_t count = 0;
    for (const Slot slot : call.Tensors()) count += call.At(slot).ElementCount();
    return count;
  };
  // The two largest of a few, or of more where those have too little to share out.
  constexpr int64_t kWorthATeam = 40'000;
  std::vector<truth::Call> calls;
  int large = 0;
  for (uint64_t seed = 0; seed < 5 || (seed < 40 && large < 2); ++seed) {
    calls.push_back(Drawn(seed, 200'000));
    large += elements(calls.back()) >= kWorthATeam ? 1 : 0;
  }
  std::ranges::sort(calls, std::greater<>(), elements);
  calls.resize(2, calls.front());
  bool views = true;
  const auto layout = [&](size_t i) {
    return i == 0 || !views ? OperatorRun::Layout() : AnyViews(calls[i], i);
  };
  // The bits of outputs on one thread.
  std::vector<std::map<Slot, std::vector<unsigned char>>> known(calls.size());
  struct Team {
    const char* threads;
    size_t runs;
  };
  for (const Team team : {Team{"1", 1}, {"3", 1}, {"8", 2}}) {
    // Another size makes another team: calls are inside.
    const Setting setting("ACLIMB_THREADS", team.threads);
    SCOPED_TRACE(team.threads);
    for (size_t run = 0; run < team.runs * calls.size(); ++run) {
      const size_t i = run / team.runs;
      SCOPED_TRACE(TextOf(calls[i]));
      OperatorRun again(entry(), calls[i], layout(i));
      std::optional<truth::Outputs> outputs;
      if (known[i].empty()) outputs = again.Truth();
      if (outputs && outputs->refusal() != nullptr) {
        // Elements that are one in memory have made wrong data of it: it runs with dense tensors.
        ASSERT_TRUE(i == 1 && views);
        views = false;
        --run;
        continue;
      }
      ACLIMB_ASSERT_OK(again.Run(stream_));
      if (outputs) {
        ASSERT_NO_FATAL_FAILURE(again.Expect(*outputs));
      }
      for (const Slot slot : calls[i].Tensors()) {
        if (IsInput(calls[i], slot)) continue;
        const std::vector<unsigned char> bits = again.Tensor(slot).Bytes();
        EXPECT_TRUE(bits == known[i].emplace(slot, bits).first->second)
            << "other bits than on one thread, or than before";
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace aclimb::testing
