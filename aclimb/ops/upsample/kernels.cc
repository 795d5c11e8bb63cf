#include "aclimb/ops/upsample/kernels.h"

#include <algorithm>
#include <limits>

#include "aclimb/core/divide.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aclimb/ops/upsample/kernels.cc"
#include <hwy/foreach_target.h>
// foreach_target.h first: the rest is compiled once per instruction set.
#include "aclimb/simd/weighted-inl.h"

#ifndef ACLIMB_UPSAMPLE_KERNELS_ONCE
#define ACLIMB_UPSAMPLE_KERNELS_ONCE
namespace aclimb::upsample {

// Elements of a piece of a loop, about.
inline constexpr int64_t kPiece = 1 << 15;
// Sums of more terms than these are made in double.
inline constexpr int64_t kFew = 16;
// Rows of the source that are kept, changed along their length. A row of the result is made of at
// most that many.
inline constexpr int64_t kKept = 4;

inline constexpr int32_t kFirst = 0;

// A group is as many elements of a row as a vector has lanes. Part k of all of them has indices
// from `base` on, -1 where an element has no such part, and weights side by side.
struct Group {
  int64_t first;    // of the group's indices and weights
  int32_t base;     // element of the source
  int32_t count;    // parts; -1: there are too many for a group
  int32_t vectors;  // from `base` on have all that the group is made of: 1, 2, or 0 for more
  bool has_gaps;
};
// The last axis, along which the elements of a vector have parts of their own.
struct Groups {
  Group* group;
  int32_t* index;
  float* weight;
};

struct Tables {
  Parts parts[kAxes];
  Groups groups;
};

}  // namespace aclimb::upsample
#endif

HWY_BEFORE_NAMESPACE();
namespace aclimb::upsample {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace aclimb::HWY_NAMESPACE;  // NOLINT: AddWeighted, AddTwoWeighted

void FillGroup(const Parts& parts, int64_t first, int64_t end, int64_t lanes, int64_t source,
               Group* group, const Groups& groups) {
  int32_t least = std::numeric_limits<int32_t>::max(), last = 0;
  int64_t count = 0;
  for (int64_t i = first; i < end; ++i) count = std::max(count, parts.CountOf(i));
  for (int64_t k = parts.begin[first]; k < parts.begin[end]; ++k) {
    least = std::min(least, parts.index[k]);
    last = std::max(last, parts.index[k]);
  }
  group->base = std::min(least, last);
  group->vectors = 0;
  for (int32_t vectors = 2; vectors > 0; --vectors) {
    // Where they would leave the row, the last vectors of it may have all.
    const int64_t base = std::min<int64_t>(group->base, source - vectors * lanes);
    if (base < 0 || last - base >= vectors * lanes) continue;
    group->base = static_cast<int32_t>(base);
    group->vectors = vectors;
  }
  group->count = count > kFew ? -1 : static_cast<int32_t>(count);
  group->has_gaps = false;
  if (group->count < 0) return;
  for (int64_t k = 0; k < count; ++k) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t i = first + lane, part = i < end ? parts.begin[i] + k : 0;
      const bool is_there = i < end && k < parts.CountOf(i);
      const int64_t at = group->first + k * lanes + lane;
      groups.index[at] = is_there ? parts.index[part] - group->base : -1;
      groups.weight[at] = is_there ? static_cast<float>(parts.weight[part]) : 0;
      group->has_gaps |= !is_there;
    }
  }
}

void FillGroups(const AxisShape& shape, const Parts& parts, const Groups& groups) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  int64_t next = 0;
  for (int64_t i = 0, g = 0; i < shape.result(); i += lanes, ++g) {
    groups.group[g].first = next;
    FillGroup(parts, i, std::min(shape.result(), i + lanes), lanes, shape.source(),
              &groups.group[g], groups);
    next += std::max(0, groups.group[g].count) * lanes;
  }
}

// ---- Along the other axes

// What one element is made of.
struct Slice {
  Slice(const Parts& parts, int64_t i)
      : count(parts.CountOf(i)),
        index(parts.index + parts.begin[i]),
        weight(parts.weight + parts.begin[i]) {}
  // Element `of` of the source itself.
  explicit Slice(const int32_t* of) : count(1), index(of), weight(&kWhole) {}

  static constexpr double kWhole = 1;
  int64_t count;
  const int32_t* index;
  const double* weight;
};

// Rows of a volume: of each layer, each line.
template <typename T>
struct Rows {
  const T* volume;
  int64_t layer, line;  // elements from one to the next
  Slice layers, lines;

  int64_t count() const { return layers.count * lines.count; }
  // Calls use(row, weight).
  template <class Use>
  HWY_INLINE void operator()(const Use& use) const {
    for (int64_t i = 0; i < layers.count; ++i) {
      const T* const from = volume + layers.index[i] * layer;
      for (int64_t j = 0; j < lines.count; ++j) {
        use(from + lines.index[j] * line, layers.weight[i] * lines.weight[j]);
      }
    }
  }
};

template <typename T, class Terms>
HWY_INLINE void SumOf(const Terms& terms, int64_t count, int64_t length, bool stream, T* to) {
  if (count == 2 && length >= static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()))) {
    AddTwoWeighted(hn::ScalableTag<T>(), terms, length, stream, to);
  } else if (count <= kFew) {
    AddWeighted(hn::ScalableTag<T>(), terms, length, stream, to);
  } else {
    AddWeighted(hn::ScalableTag<double>(), terms, length, false, to);
  }
}

// ---- Along a row

// The lanes of one vector, or of two that follow each other, that the indices name.
template <class D>
HWY_INLINE hn::Vec<D> LookUp(D d, hn::Vec<D> first, hn::Vec<D> second, bool two,
                             hn::Vec<hn::RebindToSigned<D>> at) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<int32_t>(hn::Lanes(d));
  if (!two) return hn::TableLookupLanes(first, hn::IndicesFromVec(d, at));
  const auto in_vector = hn::IndicesFromVec(d, hn::And(at, hn::Set(di, lanes - 1)));
  return hn::IfThenElse(hn::RebindMask(d, hn::Gt(at, hn::Set(di, lanes - 1))),
                        hn::TableLookupLanes(second, in_vector),
                        hn::TableLookupLanes(first, in_vector));
}

template <bool kGaps, class D, class Elements>
HWY_INLINE hn::Vec<D> SumOfParts(D d, const Group& group, const Groups& groups,
                                 const Elements& elements) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int32_t* const index = groups.index + group.first;
  const float* const weight = groups.weight + group.first;
  auto sum = hn::Zero(d);
  for (int64_t k = 0; k < group.count * lanes; k += lanes) {
    auto at = hn::LoadU(di, index + k);
    if constexpr (kGaps) {
      const auto is_there = hn::RebindMask(d, hn::Gt(at, hn::Set(di, -1)));
      const auto value = elements(hn::Max(at, hn::Zero(di)));
      sum = hn::MulAdd(hn::IfThenElseZero(is_there, value), hn::LoadU(d, weight + k), sum);
    } else {
      sum = hn::MulAdd(elements(at), hn::LoadU(d, weight + k), sum);
    }
  }
  return sum;
}

template <class D>
HWY_INLINE hn::Vec<D> SumOfGroup(D d, const Group& group, const Groups& groups, const float* row) {
  const hn::RebindToSigned<D> di;
  using At = hn::Vec<decltype(di)>;
  const float* const from = row + group.base;
  const auto gather = [&](At at) HWY_ATTR { return hn::GatherIndex(d, from, at); };
  if (group.has_gaps) return SumOfParts<true>(d, group, groups, gather);
  if (group.vectors == 0) return SumOfParts<false>(d, group, groups, gather);
  const auto first = hn::LoadU(d, from);
  if (group.vectors == 1) {
    return SumOfParts<false>(d, group, groups,
                             [&](At at) HWY_ATTR { return LookUp(d, first, first, false, at); });
  }
  const auto second = hn::LoadU(d, from + hn::Lanes(d));
  return SumOfParts<false>(d, group, groups,
                           [&](At at) HWY_ATTR { return LookUp(d, first, second, true, at); });
}

// to[i] = the sum of what element i is made of in the row.
template <typename T>
void Along(const Problem& problem, const Tables& tables, const T* row, bool stream, T* to) {
  const int64_t length = problem.axes[2].result(), inner = problem.inner;
  const Parts& parts = tables.parts[2];
  const auto one = [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i) {
      double sum = 0;
      for (int64_t k = parts.begin[i]; k < parts.begin[i + 1]; ++k) {
        sum += parts.weight[k] * static_cast<double>(row[parts.index[k]]);
      }
      to[i] = static_cast<T>(sum);
    }
  };
  if (inner > 1) {
    for (int64_t i = 0; i < length; ++i) {
      const Rows<T> elements = {row, 0, inner, Slice(&kFirst), Slice(parts, i)};
      SumOf(elements, elements.count(), inner, stream, to + i * inner);
    }
    return;
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const Group* group = tables.groups.group;
    for (int64_t i = 0; i < length; i += lanes, ++group) {
      const int64_t end = std::min(length, i + lanes);
      if (group->count < 0) {
        one(i, end);
        continue;
      }
      const auto sum = SumOfGroup(d, *group, tables.groups, row);
      if (i + lanes <= length) {
        StoreAs(d, sum, stream, to + i);
      } else {
        HWY_ALIGN float last[hn::MaxLanes(d)];
        hn::StoreU(sum, d, last);
        std::copy_n(last, end - i, to + i);
      }
    }
  } else {
    one(0, length);
  }
}

// ---- Rows [begin, end) of the results

template <typename T>
class RowMaker {
 public:
  RowMaker(const Problem& problem, const Tables& tables, const Args& args, T* scratch)
      : problem_(problem),
        tables_(tables),
        source_row_(problem.SourceRow()),
        result_row_(problem.ResultRow()),
        from_(static_cast<const T*>(args.from)),
        to_(static_cast<T*>(args.to)),
        scratch_(scratch),
        kept_(scratch + source_row_) {
    // What is written at once is whole cache lines.
    const auto size = static_cast<int64_t>(sizeof(T));
    const bool lines = (problem.inner > 1 ? problem.inner : result_row_) * size % 64 == 0 &&
                       reinterpret_cast<uintptr_t>(args.to) % 64 == 0;
    stream_ =
        lines && problem.count * problem.ResultRows() * result_row_ * size > CacheShareBytes();
  }

  void Make(int64_t begin, int64_t end) {
    const Parts &layers = tables_.parts[0], &lines = tables_.parts[1];
    const int64_t source_lines = problem_.axes[1].source(), line_count = problem_.axes[1].result();
    // Rows of the source that become several of the result change their length before they are
    // added up, and others after; so do the long rows of channels that lie side by side, which the
    // nearest cache would not keep.
    const bool keeps = problem_.inner == 1 && lines.most <= kKept && line_count > source_lines;
    const int64_t layer_count = problem_.axes[0].result();
    int64_t line = begin % line_count, layer = begin / line_count;
    for (int64_t r = begin; r < end; ++r) {
      const Rows<T> rows = {from_ + layer / layer_count * problem_.SourceSize(),
                            source_lines * source_row_, source_row_,
                            Slice(layers, layer % layer_count), Slice(lines, line)};
      T* const to = to_ + r * result_row_;
      if (keeps) {
        AddKept(rows, layer * source_lines, to);
      } else {
        Along(problem_, tables_, SumOrOnly(rows), stream_, to);
      }
      if (++line == line_count) {
        line = 0;
        ++layer;
      }
    }
    if (stream_) hwy::FlushStream();
  }

 private:
  const T* SumOrOnly(const Rows<T>& rows) {
    if (rows.count() == 1 && rows.layers.weight[0] * rows.lines.weight[0] == 1) {
      return rows.volume + rows.layers.index[0] * rows.layer + rows.lines.index[0] * rows.line;
    }
    SumOf(rows, rows.count(), source_row_, false, scratch_);
    return scratch_;
  }

  // Line i of the source, in these layers, has number `first_number` + i among all that are kept.
  void AddKept(const Rows<T>& rows, int64_t first_number, T* to) {
    const Slice& lines = rows.lines;
    const T* kept[kKept];
    T weight[kKept];
    for (int64_t k = 0; k < lines.count; ++k) {
      const int64_t line = lines.index[k], place = line % kKept;
      T* const row = kept_ + place * result_row_;
      kept[k] = row;
      weight[k] = static_cast<T>(lines.weight[k]);
      if (numbers_[place] == first_number + line) continue;
      Rows<T> one = rows;
      one.lines = Slice(&lines.index[k]);
      Along(problem_, tables_, SumOrOnly(one), false, row);
      numbers_[place] = first_number + line;
    }
    const auto terms = [&](const auto& use) HWY_ATTR {
      for (int64_t k = 0; k < lines.count; ++k) use(kept[k], weight[k]);
    };
    SumOf(terms, lines.count, result_row_, stream_, to);
  }

  const Problem& problem_;
  const Tables& tables_;
  const int64_t source_row_, result_row_;
  const T* const from_;
  T* const to_;
  T* const scratch_;
  T* const kept_;
  int64_t numbers_[kKept] = {-1, -1, -1, -1};
  bool stream_;
};

template <typename T>
bool CombineTyped(const Problem& problem, const Tables& tables, const Args& args) {
  if constexpr (sizeof(T) == sizeof(float)) {
    FillGroups(problem.axes[2], tables.parts[2], tables.groups);
  }
  Slots slots(args.scratch.count);
  const int64_t row = std::max(problem.ResultRow(), problem.SourceRow());
  return ParallelForAll(
      problem.count * problem.ResultRows(), std::max<int64_t>(16, kPiece / row),
      [&](int64_t begin, int64_t end) {
        const Slots::Lease slot(slots);
        char* const scratch =
            static_cast<char*>(args.scratch.data) + slot.number() * args.scratch.bytes;
        RowMaker<T>(problem, tables, args, reinterpret_cast<T*>(scratch)).Make(begin, end);
      });
}
bool CombineFloats(const Problem& problem, const Tables& tables, const Args& args) {
  return CombineTyped<float>(problem, tables, args);
}
bool CombineDoubles(const Problem& problem, const Tables& tables, const Args& args) {
  return CombineTyped<double>(problem, tables, args);
}

}  // namespace HWY_NAMESPACE
}  // namespace aclimb::upsample
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclimb::upsample {
namespace {

HWY_EXPORT(CombineFloats);
HWY_EXPORT(CombineDoubles);

// Lanes of a vector, at most.
constexpr int64_t kMostLanes = 64;
// What the groups of a row have room for.
int64_t GroupParts(const AxisShape& shape) {
  const int64_t each = shape.backward ? kFew : MostTaps(shape.way);
  return each * (shape.result() + kMostLanes);
}

// Of the axes before `axis`.
int64_t PartsBytesBefore(const Problem& problem, int axis) {
  int64_t bytes = 0;
  for (int d = 0; d < axis; ++d) bytes += PartsBytes(problem.axes[d]);
  return bytes;
}
char* PartsAt(const Problem& problem, void* memory, int axis) {
  return static_cast<char*>(memory) + PartsBytesBefore(problem, axis);
}

template <typename T>
Tables MakeTables(const Problem& problem, void* memory) {
  Tables tables;
  for (int d = 0; d < kAxes; ++d) {
    tables.parts[d] = MakeParts<T>(problem.axes[d], PartsAt(problem, memory, d));
  }
  const AxisShape& last = problem.axes[kAxes - 1];
  tables.groups.group = reinterpret_cast<Group*>(PartsAt(problem, memory, kAxes));
  tables.groups.weight = reinterpret_cast<float*>(tables.groups.group + last.result());
  tables.groups.index = reinterpret_cast<int32_t*>(tables.groups.weight + GroupParts(last));
  return tables;
}

// ---- The nearest

template <typename T>
bool RepeatTyped(const Problem& problem, const Tables& tables, const Args& args) {
  const Parts &layers = tables.parts[0], &lines = tables.parts[1], &columns = tables.parts[2];
  const int64_t line_count = problem.axes[1].result(), layer_count = problem.axes[0].result();
  const int64_t row = problem.ResultRow(), inner = problem.inner;
  return ParallelForAll(problem.count * problem.ResultRows(), std::max<int64_t>(1, kPiece / row),
                        [&](int64_t begin, int64_t end) {
                          const T* last = nullptr;
                          for (int64_t r = begin; r < end; ++r) {
                            const int64_t layer = layers.index[r / line_count % layer_count];
                            const T* const from =
                                static_cast<const T*>(args.from) +
                                r / problem.ResultRows() * problem.SourceSize() +
                                (layer * problem.axes[1].source() + lines.index[r % line_count]) *
                                    problem.SourceRow();
                            T* to = static_cast<T*>(args.to) + r * row;
                            if (from == last) {
                              std::copy_n(to - row, row, to);
                            } else if (inner == 1) {
                              for (int64_t i = 0; i < row; ++i) to[i] = from[columns.index[i]];
                            } else {
                              for (int64_t i = 0; i < row; i += inner) {
                                std::copy_n(from + columns.index[i / inner] * inner, inner, to + i);
                              }
                            }
                            last = from;
                          }
                        });
}

}  // namespace

bool Repeat(const Problem& problem, size_t element, const Args& args) {
  // Of these dtypes only FLOAT64 has 8 bytes.
  const Tables tables = element == 8 ? MakeTables<double>(problem, args.tables)
                                     : MakeTables<float>(problem, args.tables);
  switch (element) {
    case 1:
      return RepeatTyped<uint8_t>(problem, tables, args);
    case 2:
      return RepeatTyped<uint16_t>(problem, tables, args);
    case 4:
      return RepeatTyped<uint32_t>(problem, tables, args);
    default:
      return RepeatTyped<uint64_t>(problem, tables, args);
  }
}

template <>
bool Combine<float>(const Problem& problem, const Args& args) {
  return HWY_DYNAMIC_DISPATCH(CombineFloats)(problem, MakeTables<float>(problem, args.tables),
                                             args);
}
template <>
bool Combine<double>(const Problem& problem, const Args& args) {
  return HWY_DYNAMIC_DISPATCH(CombineDoubles)(problem, MakeTables<double>(problem, args.tables),
                                              args);
}

int64_t TableBytes(const Problem& problem) {
  const AxisShape& last = problem.axes[kAxes - 1];
  return PartsBytesBefore(problem, kAxes) + last.result() * int64_t{sizeof(Group)} +
         GroupParts(last) * int64_t{sizeof(float) + sizeof(int32_t)};
}
int64_t ScratchElements(const Problem& problem) {
  return problem.SourceRow() + kKept * problem.ResultRow();
}

}  // namespace aclimb::upsample
#endif
