#include "aclimb/truth/draw_call.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclimb/truth/obeys.h"

namespace aclimb::truth {
namespace {

using contract::Kind;
using contract::Parameter;
using contract::Role;
using contract::Rule;
using contract::RuleKind;

// Parameters that have to be equal in something, by the rules of one kind: each one's group is the
// smallest index in it.
std::vector<int> GroupsOf(const contract::Contract& contract, RuleKind kind) {
  std::vector<int> groups(contract.parameters.size());
  for (size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int>(i);
  for (const Rule& rule : contract.rules) {
    if (rule.kind != kind) continue;
    const int a = groups[static_cast<size_t>(rule.subject)];
    const int b = groups[static_cast<size_t>(rule.other)];
    for (int& group : groups) {
      if (group == a || group == b) group = std::min(a, b);
    }
  }
  return groups;
}

// The tensors of a group may differ in what they accept: what all of them do.
struct Common {
  contract::DTypeMask dtypes = ~contract::DTypeMask{0};
  int least_rank = 0;
  int most_rank = 8;
};

Common CommonOf(const contract::Contract& contract, const std::vector<int>& groups, int group,
                Product product) {
  Common common;
  for (size_t i = 0; i < groups.size(); ++i) {
    const Parameter& parameter = contract.parameters[i];
    if (groups[i] != group || !contract::HasTensors(parameter.kind)) continue;
    const contract::DTypeMask mask = parameter.dtypes[product];
    if (mask != 0) common.dtypes &= mask;
    common.least_rank = std::max(common.least_rank, parameter.min_rank);
    common.most_rank = std::min(common.most_rank, parameter.max_rank);
  }
  return common;
}

bool IsList(const Call& call, int p) { return contract::IsList(call.ParameterAt(p).kind); }

// Whether a rule of this kind relates the tensors of a list with each other, or with one tensor.
bool IsUniform(const Call& call, RuleKind kind, int list) {
  for (const Rule& rule : call.contract().rules) {
    if (rule.kind != kind || (rule.subject != list && rule.other != list)) continue;
    const int other = rule.subject == list ? rule.other : rule.subject;
    if (other == list || !IsList(call, other)) return true;
  }
  return false;
}

// The tensor drawn before that this one has to be like, by the rules of one kind; itself if none.
Slot LeaderOf(const Call& call, RuleKind kind, const std::vector<int>& groups, Slot slot) {
  if (slot.element > 0 && IsUniform(call, kind, slot.parameter)) return {slot.parameter, 0};
  const int first = groups[static_cast<size_t>(slot.parameter)];
  if (first >= slot.parameter || !call.IsGiven(first)) return slot;
  if (!IsList(call, first)) return first;
  const int element = std::max(slot.element, 0);
  return element < call.ListSize(first) ? Slot{first, element} : slot;
}

void DrawTensor(Draw& draw, Slot slot, const std::vector<int>& dtype_groups,
                const std::vector<int>& shape_groups, Call& call) {
  const auto at = static_cast<size_t>(slot.parameter);
  const Slot first_dtype = LeaderOf(call, RuleKind::kSameDType, dtype_groups, slot);
  const Slot first_shape = LeaderOf(call, RuleKind::kSameShape, shape_groups, slot);
  const Common dtypes = CommonOf(call.contract(), dtype_groups, dtype_groups[at], draw.product());
  const Common ranks = CommonOf(call.contract(), shape_groups, shape_groups[at], draw.product());
  // A chip without the operator refuses whatever dtype; a call has to have one.
  contract::DTypeMask mask = dtypes.dtypes;
  if (mask == 0 || mask == ~contract::DTypeMask{0}) mask = contract::kFloatDTypes;
  const DType dtype = first_dtype == slot ? DrawDType(draw, mask) : call.DTypeOf(first_dtype);
  std::vector<int64_t> shape = first_shape == slot
                                   ? DrawShape(draw, ranks.least_rank, ranks.most_rank)
                                   : call.Shape(first_shape);
  std::vector<double> values;
  if (call.ParameterAt(slot.parameter).role != Role::kOutput) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    values = DrawValues(draw, dtype, count);
  }
  call.SetTensor(slot, std::move(shape), dtype, std::move(values));
}

// Of the scalars' dtypes that convert to float32; float32 itself most often.
DType DrawScalarDType(Draw& draw) {
  constexpr DType kTypes[] = {DType::kFloat64, DType::kInt32, DType::kFloat16, DType::kBFloat16,
                              DType::kInt64,   DType::kUInt8, DType::kBool,    DType::kInt8};
  return draw.Byte() < 192 ? DType::kFloat32 : draw.Pick(kTypes);
}

double DrawNumber(Draw& draw) { return (draw.Byte() % 32 - 8) / 8.0; }

// How many entries a list or an array has.
int64_t DrawSize(Draw& draw, const Call& call, int p) {
  constexpr int kSizes[] = {2, 1, 3, 5, 4, 1, 2, 20};
  // Lists of one call are about the same things.
  for (int before = 0; before < p && IsList(call, p); ++before) {
    if (IsList(call, before) && call.IsGiven(before)) return call.ListSize(before);
  }
  for (const Rule& rule : call.contract().rules) {
    if (rule.kind != RuleKind::kCount || rule.subject != p) continue;
    const double least = std::max(rule.bounds.least, 0.0);
    const double most = std::min(rule.bounds.most, least + 4);
    return static_cast<int64_t>(least) + draw.Below(static_cast<int64_t>(most - least) + 1);
  }
  return IsList(call, p) ? draw.Pick(kSizes) : draw.Below(4);
}

}  // namespace

std::vector<int64_t> DrawShape(Draw& draw, int least_rank, int most_rank) {
  std::vector<int64_t> shape(
      static_cast<size_t>(least_rank + draw.Below(most_rank - least_rank + 1)));
  constexpr int64_t kExtents[] = {3, 1, 2, 5, 8, 17, 1, 0, 33, 4, 7, 64, 2, 130, 257, 1000};
  int64_t count = 1;
  for (int64_t& extent : shape) {
    extent = draw.Pick(kExtents);
    if (count * extent > draw.most_elements()) extent = 1;
    if (extent > 0) count *= extent;
  }
  return shape;
}

DType DrawDType(Draw& draw, contract::DTypeMask mask) {
  std::vector<DType> dtypes;
  for (int i = 0; i < 64; ++i) {
    if (contract::Has(mask, static_cast<DType>(i))) dtypes.push_back(static_cast<DType>(i));
  }
  return dtypes[static_cast<size_t>(draw.Below(static_cast<int64_t>(dtypes.size())))];
}

std::vector<double> DrawValues(Draw& draw, DType dtype, int64_t count) {
  const uint8_t mode = draw.Byte();
  Stream stream(mode);
  std::vector<double> values;
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    double value = stream.Unit() * 8 - 4;
    const bool whole = !IsFloating(dtype) || (mode % 4 == 3 && stream.Next() % 4 == 0);
    if (whole) value = std::trunc(value);
    if (!IsFloating(dtype) && dtype != DType::kInt8 && dtype != DType::kInt16 &&
        dtype != DType::kInt32 && dtype != DType::kInt64) {
      value = std::fabs(value);
    }
    values.push_back(value);
  }
  return values;
}

std::vector<double> DrawIndices(Draw& draw, int64_t count, int64_t end) {
  const uint8_t mode = draw.Byte();
  Stream stream(mode);
  const int64_t most = std::max<int64_t>(1, mode % 4 == 3 ? std::min<int64_t>(end, 3) : end);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<double>(stream.Next() % static_cast<uint64_t>(most)));
  }
  return values;
}

void DrawFromContract(Draw& draw, Call& call) {
  const std::vector<int> dtype_groups = GroupsOf(call.contract(), RuleKind::kSameDType);
  const std::vector<int> shape_groups = GroupsOf(call.contract(), RuleKind::kSameShape);
  for (int p = 0; p < call.size(); ++p) {
    const Parameter& parameter = call.ParameterAt(p);
    if (parameter.optional && draw.Flip()) continue;
    switch (parameter.kind) {
      case Kind::kTensor:
        DrawTensor(draw, p, dtype_groups, shape_groups, call);
        break;
      case Kind::kTensorList:
        call.SetList(p, static_cast<int>(DrawSize(draw, call, p)));
        for (int i = 0; i < call.ListSize(p); ++i) {
          DrawTensor(draw, {p, i}, dtype_groups, shape_groups, call);
        }
        break;
      case Kind::kScalarList: {
        const DType dtype = DrawScalarDType(draw);
        call.SetList(p, static_cast<int>(DrawSize(draw, call, p)));
        for (int i = 0; i < call.ListSize(p); ++i) {
          call.SetScalar({p, i}, DrawNumber(draw), dtype);
        }
        break;
      }
      case Kind::kScalar:
        call.SetScalar(p, DrawNumber(draw), DrawScalarDType(draw));
        break;
      case Kind::kReal:
        call.SetReal(p, DrawNumber(draw));
        break;
      case Kind::kBool:
        call.SetInteger(p, draw.Flip() ? 1 : 0);
        break;
      case Kind::kInteger:
        call.SetInteger(p, draw.Below(4));
        break;
      case Kind::kIntArray:
      case Kind::kBoolArray: {
        std::vector<int64_t> values(static_cast<size_t>(DrawSize(draw, call, p)));
        for (int64_t& value : values) {
          value = draw.Below(parameter.kind == Kind::kBoolArray ? 2 : 4);
        }
        call.SetInts(p, std::move(values));
        break;
      }
      case Kind::kString:
        call.SetText(p, "");
        break;
      case Kind::kFloatArray: {
        std::vector<double> values(static_cast<size_t>(DrawSize(draw, call, p)));
        for (double& value : values) value = DrawNumber(draw);
        call.SetFloats(p, values);
        break;
      }
    }
  }
  if (!Obeys(call, draw.product(), draw.extensions())) draw.MarkStrange();
}

}  // namespace aclimb::truth
