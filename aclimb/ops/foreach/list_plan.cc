#include "aclimb/ops/foreach/list_plan.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/elementwise/problem.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::foreach {
namespace {

using contract::Arguments;
using contract::Kind;
using elementwise::Addresses;
using elementwise::kMostInputs;
using elementwise::kOutput;
using elementwise::Problem;

// Clock cycles that a thread takes at once where tensors share a loop, about.
constexpr double kPieceCycles = 24e3;

// The scalars of the tensors that are in device memory.
struct DeviceScalars {
  int parameter = -1;  // none
  int64_t step = 0;    // bytes from the scalar of a tensor to the next one's
  bool whole = false;
  copy::Converter to_real;
  copy::Converter to_whole;

  void Read(const RunContext& run, size_t element, Attributes& attributes) const {
    const void* const at =
        static_cast<const char*>(run.Data(parameter)) + static_cast<int64_t>(element) * step;
    if (whole) {
      to_whole.Run(at, 1, &attributes.whole);
    } else {
      to_real.Run(at, 1, &attributes.real);
    }
  }
};

// A tensor of each list.
struct Item {
  size_t element;
  Problem problem;
  Attributes attributes;
};

// Of a tensor that shares a loop with others.
struct Piece {
  size_t item;
  int64_t begin;
  int64_t end;
};

struct ListPlan final : Plan {
  void Run(const RunContext& run) const override {
    uint32_t found_any = 0;
    const bool stream = is_large && Streams(run);
    if (!pieces.empty()) {
      ParallelFor(static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          RunPiece(run, pieces[size_t(i)], stream, &found_any);
        }
        if (stream) hwy::FlushStream();
      });
    }
    for (const size_t i : alone) {
      Problem problem = items[i].problem;
      problem.SetAttributes(AttributesOf(run, items[i], &found_any));
      problem.streams = stream;
      Solve(problem, AddressesOf(run, items[i]));
    }
    if (found >= 0 && found_any != 0) *static_cast<float*>(run.Data(found)) = 1;
  }

  // As for one tensor: what all of them read and write does not stay in the cache.
  bool Streams(const RunContext& run) const {
    int64_t bytes = 0;
    for (const Item& item : items) {
      const Addresses addresses = AddressesOf(run, item);
      bytes += BytesOf(item.problem,
                       [&addresses](int n) { return addresses.input[n] == addresses.output; });
    }
    return bytes > CacheShareBytes();
  }
  template <typename IsInPlace>
  static int64_t BytesOf(const Problem& problem, IsInPlace&& is_in_place) {
    int64_t bytes = problem.size[kOutput];
    for (int n = 0; n < problem.inputs; ++n) bytes += is_in_place(n) ? 0 : problem.size[n];
    return bytes * problem.walk.count;
  }

  Attributes AttributesOf(const RunContext& run, const Item& item, uint32_t* found_any) const {
    Attributes attributes = item.attributes;
    attributes.found = found_any;
    if (scalars.parameter >= 0) scalars.Read(run, item.element, attributes);
    return attributes;
  }

  Addresses AddressesOf(const RunContext& run, const Item& item) const {
    Addresses addresses;
    for (int n = 0; n < item.problem.inputs; ++n) {
      addresses.input[n] = run.Data(inputs[n], item.element);
    }
    addresses.output = run.Data(output, item.element);
    return addresses;
  }

  void RunPiece(const RunContext& run, const Piece& piece, bool stream, uint32_t* found_any) const {
    const Item& item = items[piece.item];
    const Problem& problem = item.problem;
    const Addresses addresses = AddressesOf(run, item);
    const void* in[kMostInputs];
    for (int n = 0; n < problem.inputs; ++n) {
      in[n] = static_cast<const char*>(addresses.input[n]) + piece.begin * problem.size[n];
    }
    char* const out = static_cast<char*>(addresses.output) + piece.begin * problem.size[kOutput];
    const Attributes attributes = AttributesOf(run, item, found_any);
    problem.run(in, out, piece.end - piece.begin, stream, &attributes);
  }

  // In order, those whose elements lie side by side and are few: they share one loop.
  void Divide(Planner& planner) {
    double cycles = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      const Problem& problem = items[i].problem;
      cycles += problem.cycles;
      bytes += BytesOf(problem, [](int) { return false; });
      const bool shares =
          problem.is_direct && problem.walk.rank == 1 && problem.cycles <= elementwise::kTeamCycles;
      if (!shares) {
        alone.push_back(i);
        continue;
      }
      const int64_t count = problem.walk.count;
      const double each = problem.cycles / static_cast<double>(count);
      const int64_t length = RoundUp(static_cast<int64_t>(kPieceCycles / each), int64_t{1024});
      for (int64_t begin = 0; begin < count; begin += length) {
        pieces.push_back({i, begin, std::min(begin + length, count)});
      }
    }
    // Half types take longer to compute than to write.
    is_large = bytes > CacheShareBytes() && items[0].problem.size[kOutput] >= 4;
    planner.Costs({.cycles = cycles});
  }

  bool is_large = false;
  std::vector<Item> items;
  std::vector<Piece> pieces;
  std::vector<size_t> alone;  // items that have a loop each
  int inputs[kMostInputs] = {};
  int output = 0;
  int found = -1;
  DeviceScalars scalars;
};

// The scalar that the host knows.
Attributes AttributesOf(const Arguments& arguments, int parameter, size_t element, bool minus) {
  Attributes attributes;
  if (parameter < 0) return attributes;
  const ScalarValue& scalar = arguments.At(parameter).kind == Kind::kScalar
                                  ? arguments.Scalar(parameter)
                                  : arguments.Scalar(parameter, element);
  attributes.real = scalar.ToDouble();
  attributes.whole = scalar.ToWrappedInteger();
  if (minus) {
    attributes.real = -attributes.real;
    attributes.whole = static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(attributes.whole));
  }
  return attributes;
}

DeviceScalars ScalarsIn(const TensorDescriptor& tensor, int parameter, DType computed) {
  const TensorView& view = tensor.View();
  const bool many = view.rank == 1 && view.shape[0] > 1;
  return {.parameter = parameter,
          .step = many ? view.stride[0] * static_cast<int64_t>(SizeOf(view.dtype)) : 0,
          .whole = !IsFloating(computed),
          .to_real = copy::Converter(view.dtype, DType::kFloat64),
          .to_whole = copy::Converter(view.dtype, DType::kInt64)};
}

// The parameters by their roles.
struct Parameters {
  explicit Parameters(const Arguments& arguments) {
    for (int p = 0; p < static_cast<int>(arguments.size()); ++p) {
      const Kind kind = arguments.At(p).kind;
      if (kind == Kind::kTensorList) {
        lists.push_back(p);
      } else {
        (kind == Kind::kTensor ? device_scalars : scalars) = p;
      }
    }
  }

  std::vector<int> lists = {};
  int scalars = -1;
  int device_scalars = -1;  // the last tensor
};

Result<PlanPointer> MakePlan(const Arguments& arguments, Planner& planner, Number number,
                             bool minus, int found) {
  const Parameters parameters(arguments);
  const elementwise::Formula formula = {&FormulaRuns, number};
  const auto plan = NewPlan<ListPlan>();
  const auto inputs = static_cast<size_t>(formula.Get().inputs);
  std::copy_n(parameters.lists.begin(), inputs, plan->inputs);
  plan->output = parameters.lists[parameters.lists.size() > inputs ? inputs : 0];
  plan->found = found;
  for (size_t e = 0; e < arguments.ElementCount(plan->output); ++e) {
    const TensorDescriptor& output = arguments.Tensor(plan->output, e);
    if (output.IsEmpty()) continue;
    TensorView views[kMostInputs];
    for (size_t n = 0; n < inputs; ++n) views[n] = arguments.Tensor(plan->inputs[n], e).View();
    Item item = {e, Problem(formula, {views, inputs}, output.View(), output.dtype),
                 AttributesOf(arguments, parameters.scalars, e, minus)};
    item.problem.SetAttributes(item.attributes);
    plan->items.push_back(item);
  }
  if (plan->items.empty()) return PlanPointer();
  if (parameters.device_scalars >= 0) {
    plan->scalars = ScalarsIn(arguments.Tensor(parameters.device_scalars),
                              parameters.device_scalars, arguments.Tensor(plan->output, 0).dtype);
    planner.Reads(parameters.device_scalars);
  }
  for (size_t n = 0; n < inputs; ++n) planner.Reads(plan->inputs[n]);
  planner.Writes(plan->output);
  plan->Divide(planner);
  return PlanPointer(plan);
}

}  // namespace

Result<PlanPointer> MakeListPlan(const Arguments& arguments, Planner& planner, Number number,
                                 bool minus) {
  return MakePlan(arguments, planner, number, minus, -1);
}

Result<PlanPointer> MakeUnscalePlan(const Arguments& arguments, Planner& planner) {
  constexpr int kFound = 1;
  planner.Reads(kFound);
  planner.Writes(kFound);
  return MakePlan(arguments, planner, kUnscale, false, kFound);
}

}  // namespace aclimb::foreach
