#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "aclimb/ops/indexing/add_rows.h"
#include "aclimb/ops/indexing/contracts.h"
#include "aclimb/truth/call.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::indexing {

using Shape = std::vector<int64_t>;

inline int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}
inline size_t NumberOf(const Shape& shape, const Shape& index) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + index[d];
  return static_cast<size_t>(number);
}
// body(index) for each index of the shape, in row-major order.
template <typename Body>
void ForEachIndex(const Shape& shape, Body body) {
  Shape index(shape.size());
  for (int64_t n = CountOf(shape); n > 0; --n) {
    body(static_cast<const Shape&>(index));
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
}

// Whether a dimension has the index.
inline bool IsIn(int64_t index, int64_t extent) { return index >= 0 && index < extent; }
// Counted from the end if it is negative; no index of the dimension where there is none.
inline int64_t FromEnd(int64_t index, int64_t extent) {
  return index < 0 && index >= -extent ? index + extent : index;
}

// A tensor whose elements change one after the other.
class Changing {
 public:
  Changing(const truth::Call& call, int self)
      : dtype_(call.DTypeOf(self)), values_(call.Values(self)), sizes_(values_.size()) {
    values_.resize(static_cast<size_t>(call.ElementCount(self)));
    sizes_.resize(values_.size());
    roundings_.resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) sizes_[i] = std::fabs(values_[i]);
  }

  Changing(DType dtype, size_t zeros)
      : dtype_(dtype), values_(zeros), sizes_(zeros), roundings_(zeros) {}

  void Replace(size_t at, double x) {
    values_[at] = x;
    sizes_[at] = std::fabs(x);
    roundings_[at] = 0;
  }
  void Add(size_t at, double alpha, double x) {
    if (IsFloating(dtype_)) {
      values_[at] += alpha * x;
      sizes_[at] += std::fabs(alpha * x);
      roundings_[at] += Rounding(sizes_[at] + std::fabs(alpha * x));
    } else if (dtype_ == DType::kBool) {
      values_[at] = values_[at] != 0 || (alpha != 0 && x != 0) ? 1 : 0;
    } else {
      values_[at] = Wrapped(static_cast<uint64_t>(static_cast<int64_t>(values_[at])) +
                            static_cast<uint64_t>(static_cast<int64_t>(alpha)) *
                                static_cast<uint64_t>(static_cast<int64_t>(x)));
    }
  }
  void Multiply(size_t at, double x) {
    if (IsFloating(dtype_)) {
      values_[at] *= x;
      sizes_[at] = std::fabs(values_[at]);
      roundings_[at] = roundings_[at] * std::fabs(x) + Rounding(sizes_[at]);
    } else if (dtype_ == DType::kBool) {
      values_[at] = values_[at] != 0 && x != 0 ? 1 : 0;
    } else {
      values_[at] = Wrapped(static_cast<uint64_t>(static_cast<int64_t>(values_[at])) *
                            static_cast<uint64_t>(static_cast<int64_t>(x)));
    }
  }

  // Made in double and rounded once, or, in FLOAT, each rounded; few of a half type in float32.
  void Set(truth::Outputs& outputs, int out) {
    std::vector<double> allowed(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!std::isfinite(values_[i]) || !IsFloating(dtype_)) continue;
      allowed[i] =
          1.1 * truth::RoundingOf(dtype_) * std::fabs(values_[i]) +
          (IsHalf(dtype_) ? kFewRows * truth::RoundingOf(DType::kFloat32) : 1e-14) * sizes_[i] +
          (dtype_ == DType::kFloat32 ? roundings_[i] : 0) + truth::LeastOf(dtype_);
    }
    outputs.Set(out, std::move(values_), std::move(allowed));
  }

 private:
  double Wrapped(uint64_t bits) const {
    switch (dtype_) {
      case DType::kInt32:
        return static_cast<int32_t>(bits);
      case DType::kInt16:
        return static_cast<int16_t>(bits);
      case DType::kInt8:
        return static_cast<int8_t>(bits);
      case DType::kUInt8:
        return static_cast<uint8_t>(bits);
      default:
        return static_cast<double>(static_cast<int64_t>(bits));
    }
  }

  double Rounding(double size) const {
    return truth::RoundingOf(dtype_) * size + truth::LeastOf(dtype_);
  }

  DType dtype_;
  std::vector<double> values_;
  std::vector<double> sizes_;      // of all that was added
  std::vector<double> roundings_;  // of all that was added or multiplied
};

inline void GatherTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace gather;  // NOLINT: the positions
  const Shape self = OrOne(call.Shape(kSelf)), shape = OrOne(call.Shape(kIndex));
  const auto dim = WrapDimension(call.Integer(kDim), call.Shape(kSelf).size());
  std::vector<double> out;
  ForEachIndex(shape, [&](const Shape& at) {
    Shape from = at;
    from[dim] = call.Ints(kIndex)[NumberOf(shape, at)];
    const bool known = IsIn(from[dim], self[dim]);
    out.push_back(known ? call.Values(kSelf)[NumberOf(self, from)] : 0);
  });
  outputs.Set(kOut, std::move(out), truth::Allowance{});
}

inline void TakeTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace take;  // NOLINT: the positions
  std::vector<double> out;
  const int64_t elements = call.ElementCount(kSelf);
  for (const int64_t index : call.Ints(kIndex)) {
    const int64_t k = FromEnd(index, elements);
    out.push_back(IsIn(k, elements) ? call.Values(kSelf)[static_cast<size_t>(k)] : 0);
  }
  outputs.Set(kOut, std::move(out), truth::Allowance{});
}

inline void PutTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_put;  // NOLINT: the positions
  Changing self(call, kSelf);
  for (size_t i = 0; i < call.Ints(kIndex).size(); ++i) {
    const int64_t k = FromEnd(call.Ints(kIndex)[i], call.ElementCount(kSelf));
    if (!IsIn(k, call.ElementCount(kSelf))) continue;
    const double x = call.Values(kSource)[i];
    call.Bool(kAccumulate) ? self.Add(static_cast<size_t>(k), 1, x)
                           : self.Replace(static_cast<size_t>(k), x);
  }
  self.Set(outputs, kSelf);
}

// kSource is a tensor or a scalar; `reduce` as aclnnScatter has it.
inline void ScatterTruthOf(const truth::Call& call, truth::Outputs& outputs, bool scalar,
                           int64_t reduce, int out) {
  using P = Scatter;
  const Shape self = OrOne(call.Shape(P::kSelf)), shape = OrOne(call.Shape(P::kIndex));
  const auto dim = WrapDimension(call.Integer(P::kDim), call.Shape(P::kSelf).size());
  const Shape source = scalar ? Shape() : OrOne(call.Shape(P::kSource));
  const DType dtype = call.DTypeOf(P::kSelf);
  const double number = scalar ? truth::CastScalar(call, P::kSource, dtype) : 0;
  Changing changing(call, P::kSelf);
  ForEachIndex(shape, [&](const Shape& at) {
    Shape to = at;
    to[dim] = call.Ints(P::kIndex)[NumberOf(shape, at)];
    if (!IsIn(to[dim], self[dim])) return;
    const double x = scalar ? number : call.Values(P::kSource)[NumberOf(source, at)];
    const size_t place = NumberOf(self, to);
    if (reduce == 0) changing.Replace(place, x);
    if (reduce == 1) changing.Add(place, 1, x);
    if (reduce == 2) changing.Multiply(place, x);
  });
  changing.Set(outputs, out);
}
template <bool kScalar, int kOut>
void ScatterTruth(const truth::Call& call, truth::Outputs& outputs) {
  ScatterTruthOf(call, outputs, kScalar, call.Integer(Scatter::kReduce), kOut);
}
inline void ScatterAddTruth(const truth::Call& call, truth::Outputs& outputs) {
  ScatterTruthOf(call, outputs, false, 1, ScatterAdd::kOut);
}

inline void IndexAddTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace index_add;  // NOLINT: the positions
  const Shape self = OrOne(call.Shape(kSelf)), source = OrOne(call.Shape(kSource));
  const auto dim = WrapDimension(call.Integer(kDim), call.Shape(kSelf).size());
  const bool wide = call.DTypeOf(kSelf) == DType::kFloat64;
  const double alpha = wide ? call.Real(kAlpha) : static_cast<double>(call.Float(kAlpha));
  Changing out(call, kSelf);
  ForEachIndex(source, [&](const Shape& at) {
    Shape to = at;
    to[dim] = call.Ints(kIndex)[static_cast<size_t>(at[dim])];
    if (!IsIn(to[dim], self[dim])) return;
    out.Add(NumberOf(self, to), alpha, call.Values(kSource)[NumberOf(source, at)]);
  });
  out.Set(outputs, kOut);
}

inline void BincountTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace bincount;  // NOLINT: the positions
  const DType dtype = call.DTypeOf(kOut);
  Changing out(dtype, static_cast<size_t>(call.ElementCount(kOut)));
  for (size_t i = 0; i < call.Ints(kSelf).size(); ++i) {
    const int64_t number = call.Ints(kSelf)[i];
    if (number < 0 || number >= call.ElementCount(kOut)) continue;
    const double weight = call.IsGiven(kWeights) ? truth::CastValue(call.Values(kWeights)[i],
                                                                    call.DTypeOf(kWeights), dtype)
                                                 : 1;
    out.Add(static_cast<size_t>(number), 1, weight);
  }
  out.Set(outputs, kOut);
}

template <int kOut>
void IndexFillTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = IndexFill;
  const Shape self = OrOne(call.Shape(P::kSelf));
  const auto dim = WrapDimension(call.Integer(P::kDim), call.Shape(P::kSelf).size());
  const double value = truth::CastScalar(call, P::kValue, call.DTypeOf(P::kSelf));
  Changing out(call, P::kSelf);
  ForEachIndex(self, [&](const Shape& at) {
    for (const int64_t k : call.Ints(P::kIndex)) {
      if ((k < 0 ? k + self[dim] : k) == at[dim]) out.Replace(NumberOf(self, at), value);
    }
  });
  out.Set(outputs, kOut);
}

// body(number of the element of self, its index in what is selected), for each selected element;
// self may have no such element.
template <typename Body>
void ForEachSelected(const truth::Call& call, Body body) {
  const Shape& self = call.Shape(0);
  Shape selected;
  std::vector<bool> indexed(self.size());
  size_t first = 0, last = 0, count = 0;
  for (size_t d = 0; d < static_cast<size_t>(call.ListSize(1)); ++d) {
    const Shape& shape = call.Shape({1, static_cast<int>(d)});
    if (shape == Shape{0}) continue;
    indexed[d] = true;
    if (count++ == 0) first = d;
    last = d;
    if (shape.size() > selected.size())
      selected.insert(selected.begin(), shape.size() - selected.size(), 1);
    for (size_t e = 0; e < shape.size(); ++e) {
      int64_t& extent = selected[selected.size() - shape.size() + e];
      if (shape[e] != 1) extent = shape[e];
    }
  }
  if (count == 0 || last - first + 1 != count) first = 0;
  Shape result;
  for (size_t d = 0; d < self.size(); ++d) {
    if (!indexed[d]) result.push_back(self[d]);
  }
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(first), selected.begin(),
                selected.end());
  ForEachIndex(result, [&](const Shape& at) {
    const auto begin = at.begin() + static_cast<std::ptrdiff_t>(first);
    const Shape entry(begin, begin + static_cast<std::ptrdiff_t>(selected.size()));
    Shape rest(at.begin(), begin);
    rest.insert(rest.end(), begin + static_cast<std::ptrdiff_t>(selected.size()), at.end());
    Shape place;
    bool known = true;
    size_t left = 0;
    for (size_t d = 0; d < self.size(); ++d) {
      if (!indexed[d]) {
        place.push_back(rest[left++]);
        continue;
      }
      const truth::Slot slot = {1, static_cast<int>(d)};
      const Shape& shape = call.Shape(slot);
      Shape own(entry.end() - static_cast<std::ptrdiff_t>(shape.size()), entry.end());
      for (size_t e = 0; e < own.size(); ++e) own[e] = shape[e] == 1 ? 0 : own[e];
      place.push_back(FromEnd(call.Ints(slot)[NumberOf(shape, own)], self[d]));
      known = known && IsIn(place.back(), self[d]);
    }
    body(known ? std::optional<size_t>(NumberOf(self, place)) : std::nullopt, at);
  });
}

inline void IndexTruth(const truth::Call& call, truth::Outputs& outputs) {
  std::vector<double> out;
  if (call.ElementCount(Index::kOut) > 0) {
    ForEachSelected(call, [&](std::optional<size_t> from, const Shape&) {
      out.push_back(from ? call.Values(Index::kSelf)[*from] : 0);
    });
  }
  outputs.Set(Index::kOut, std::move(out), truth::Allowance{});
}

inline void IndexPutTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = IndexPut;
  const Shape& values = call.Shape(P::kValues);
  Changing self(call, P::kSelf);
  if (call.ElementCount(P::kValues) > 0) {
    ForEachSelected(call, [&](std::optional<size_t> to, const Shape& at) {
      if (!to) return;
      Shape own(at.end() - static_cast<std::ptrdiff_t>(values.size()), at.end());
      for (size_t e = 0; e < own.size(); ++e) own[e] = values[e] == 1 ? 0 : own[e];
      const double x = call.Values(P::kValues)[NumberOf(values, own)];
      call.Bool(P::kAccumulate) ? self.Add(*to, 1, x) : self.Replace(*to, x);
    });
  }
  self.Set(outputs, P::kSelf);
}

}  // namespace aclimb::indexing
