#include "aclimb/pieces/pieces.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/copy/stream.h"
#include "aclimb/core/divide.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/walk.h"

namespace aclimb::pieces {
namespace {

using Pieced = std::vector<Piece, RecyclingAllocator<Piece>>;
using Stages = std::vector<size_t, RecyclingAllocator<size_t>>;

int64_t SizeIn(DType dtype) { return static_cast<int64_t>(SizeOf(dtype)); }

// Leaves out dimensions of 1, sorts the others by how the destination lies in memory, and makes one
// of those that follow each other in both parts.
void Simplify(Piece& piece) {
  Axis* const axes = piece.axes.data();
  Axis* end = std::remove_if(axes, axes + piece.rank, [](Axis axis) { return axis.extent == 1; });
  // Insertion keeps equal strides in their order; std::stable_sort would take heap memory.
  for (Axis* next = axes; next != end; ++next) {
    const auto later = [&](Axis axis) { return axis.to < next->to; };
    std::rotate(std::find_if(axes, next, later), next, next + 1);
  }
  Axis* last = axes;
  for (Axis* next = axes + 1; next < end; ++next) {
    if (Spans(last->to, next->to, next->extent) && Spans(last->from, next->from, next->extent)) {
      *last = {last->extent * next->extent, next->from, next->to};
    } else {
      *++last = *next;
    }
  }
  piece.rank = static_cast<int>(end == axes ? 0 : last - axes + 1);
}

// The last dimensions, as many as kernels know.
int InnerRank(const Piece& piece) { return std::min(piece.rank, kMaxRank); }

copy::Job JobOf(const Piece& piece, char* from, char* to) {
  TensorView source{.data = from, .dtype = piece.from.dtype, .rank = InnerRank(piece)};
  TensorView target{.data = to, .dtype = piece.to.dtype, .rank = InnerRank(piece)};
  const Axis* const axes = piece.axes.data() + piece.rank - source.rank;
  for (int d = 0; d < source.rank; ++d) {
    source.shape[d] = target.shape[d] = axes[d].extent;
    source.stride[d] = axes[d].from;
    target.stride[d] = axes[d].to;
  }
  return copy::Job(source, target);
}

// Bytes that a thread moves at once.
constexpr int64_t kGrainBytes = 256 * 1024;

constexpr int64_t kShortRow = 64;  // bytes

// The dimensions before the row of neighbours in the destination, which may be of one element.
int OuterRank(const Piece& piece) {
  return piece.rank > 0 && piece.axes[size_t(piece.rank) - 1].to == 1 ? piece.rank - 1 : piece.rank;
}

Axis RowOf(const Piece& piece) {
  const int outer = OuterRank(piece);
  return outer < piece.rank ? piece.axes[static_cast<size_t>(outer)] : Axis{1, 1, 1};
}

int64_t RowBytes(const Piece& piece) { return RowOf(piece).extent * SizeIn(piece.to.dtype); }

int64_t RowCount(const Piece& piece) {
  int64_t count = 1;
  for (int d = 0; d < OuterRank(piece); ++d) count *= piece.axes[static_cast<size_t>(d)].extent;
  return count;
}

// Whether a piece is one row, which is copied as it is in one chunk.
bool IsShortRow(const Piece& piece) {
  return piece.chunks == 1 && OuterRank(piece) == 0 && RowOf(piece).from == 1 &&
         piece.from.dtype == piece.to.dtype;
}

// Whether no cache holds what so many rows are read from and written to.
bool IsBeyondCache(int64_t rows, int64_t row_bytes) {
  return 2 * rows * row_bytes > CacheShareBytes();
}

// Pieces that follow each other: one, or several whose rows take turns, so that what lies side by
// side is written in its order.
struct Group {
  size_t begin, end;      // the pieces
  int64_t first = 0;      // chunk of the plan
  int64_t row_bytes = 0;  // of all of them together, if rows take turns
};

// What begins with a piece and ends before `last`: all with equally many rows, which are copied as
// they are and on average are neither short nor long.
Group GroupAt(const Pieced& pieces, size_t begin, size_t last) {
  // In a cache the pieces' own loops move short rows faster; memory is faster in order.
  constexpr int64_t kShortRowInCache = 128;
  const auto outer = static_cast<size_t>(OuterRank(pieces[begin]));
  const auto joins = [&](const Piece& piece) {
    const auto alike = [](Axis a, Axis b) { return a.extent == b.extent; };
    const auto axes = piece.axes.begin(), others = pieces[begin].axes.begin();
    if (outer != static_cast<size_t>(OuterRank(piece)) ||
        !std::equal(axes, axes + outer, others, alike)) {
      return false;
    }
    // Longer rows of elements that lie apart may be worth tiles, and of one element streams.
    const int64_t step = RowOf(piece).from, bytes = RowBytes(piece);
    return piece.from.dtype == piece.to.dtype &&
           (step == 1 || bytes < (std::abs(step) <= 1 ? copy::kStreamedRow : kShortRow));
  };
  Group group = {.begin = begin, .end = begin + 1};
  if (outer == 0 || group.end == last) return group;
  size_t end = begin;
  int64_t bytes = 0;
  for (; end < last && joins(pieces[end]); ++end) bytes += RowBytes(pieces[end]);
  const auto count = static_cast<int64_t>(end - begin);
  const int64_t least =
      IsBeyondCache(RowCount(pieces[begin]), bytes) ? kShortRow : kShortRowInCache;
  if (count < 2 || bytes < count * least || bytes > kGrainBytes) return group;
  return {.begin = begin, .end = end, .row_bytes = bytes};
}

class PiecesPlan final : public Plan {
 public:
  // A stage ends before the piece of that number.
  PiecesPlan(Pieced pieces, Stages stages)
      : pieces_(std::move(pieces)), stages_(std::move(stages)) {
    int64_t chunks = 0;
    size_t begin = 0;
    groups_.reserve(pieces_.size() + 1);
    for (size_t& end : stages_) {
      while (begin < end) {
        Group group = GroupAt(pieces_, begin, end);
        group.first = std::exchange(chunks, chunks + Chunks(group));
        begin = group.end;
        groups_.push_back(group);
      }
      end = groups_.size();
    }
    groups_.push_back({.begin = begin, .end = begin, .first = chunks});
    const auto alike = [&](const Piece& piece) {
      return piece.rank > 1 && piece.chunks == pieces_[0].chunks;
    };
    interleaved_ = stages_.size() == 1 && pieces_.size() > 1 &&
                   groups_.size() == pieces_.size() + 1 &&
                   std::all_of(pieces_.begin(), pieces_.end(), alike);
  }

  void Run(const RunContext& run) const override {
    size_t begin = 0;
    for (const size_t end : stages_) {
      if (!RunStage(groups_[begin].first, groups_[end].first, run)) return;
      begin = end;
    }
  }

 private:
  // Chunks of all groups are numbered on. False when the run was cancelled.
  bool RunStage(int64_t first, int64_t last, const RunContext& run) const {
    if (interleaved_) {
      const auto count = static_cast<int64_t>(pieces_.size());
      return ParallelForAll(last, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          RunPiece(pieces_[static_cast<size_t>(i % count)], i / count, i / count + 1, run);
        }
      });
    }
    return ParallelForAll(last - first, 1, [&](int64_t begin, int64_t end) {
      begin += first;
      end += first;
      while (begin < end) {
        const auto later = [](int64_t chunk, const Group& group) { return chunk < group.first; };
        const auto after = std::upper_bound(groups_.begin(), groups_.end(), begin, later);
        const Group& group = *(after - 1);
        const int64_t stop = std::min(end, after->first);
        RunGroup(group, begin - group.first, stop - group.first, run);
        begin = stop;
      }
    });
  }

  static int64_t RowsOfChunk(const Group& group) { return kGrainBytes / group.row_bytes; }

  int64_t Chunks(const Group& group) const {
    const Piece& piece = pieces_[group.begin];
    return group.row_bytes == 0 ? piece.chunks : CeilDivide(RowCount(piece), RowsOfChunk(group));
  }

  void RunGroup(const Group& group, int64_t begin, int64_t end, const RunContext& run) const {
    const Piece& piece = pieces_[group.begin];
    if (group.row_bytes == 0) return RunPiece(piece, begin, end, run);
    const int64_t rows = RowsOfChunk(group);
    RunRows(group, begin * rows, std::min(RowCount(piece), end * rows), run);
  }

  // One row of each piece in turn, or, where there are short ones, some, so few that a first-level
  // cache holds them: several short rows take little longer than one. What edges are made of often
  // is in other rows, whose copies have read it by then: the long ones come first.
  void RunRows(const Group& group, int64_t begin, int64_t end, const RunContext& run) const {
    constexpr int64_t kTurnBytes = 8192, kLongRow = 256;
    const Piece& first = pieces_[group.begin];
    const auto outer = static_cast<size_t>(OuterRank(first));
    const bool are_long =
        std::all_of(pieces_.begin() + static_cast<ptrdiff_t>(group.begin),
                    pieces_.begin() + static_cast<ptrdiff_t>(group.end),
                    [](const Piece& piece) { return RowBytes(piece) >= kLongRow; });
    const int64_t turn = are_long ? 1 : std::max<int64_t>(1, kTurnBytes / group.row_bytes);
    const copy::RowCopier copier(IsBeyondCache(RowCount(first), group.row_bytes));
    struct Rows {
      Rows(const Piece& piece, const RunContext& run, size_t outer)
          : axes(piece.axes.data()),
            row(RowOf(piece)),
            size(SizeIn(piece.to.dtype)),
            bytes(row.extent * size),
            step{axes[outer - 1].from, axes[outer - 1].to},
            from_step(step.from * size),
            to_step(step.to * size),
            source(piece.from.parameter < 0 ? reinterpret_cast<const char*>(piece.number.data())
                                            : AddressOf(piece.from, run)),
            target(AddressOf(piece.to, run)) {}

      const Axis* axes;
      Axis row;
      int64_t size, bytes;
      copy::Steps step;
      int64_t from_step, to_step;  // bytes
      const char* source;
      char* target;
      // The next rows.
      const char* from = nullptr;
      char* to = nullptr;
    };
    std::vector<Rows, RecyclingAllocator<Rows>> all;
    all.reserve(group.end - group.begin);
    for (const bool is_long : {true, false}) {
      for (size_t i = group.begin; i < group.end; ++i) {
        const bool now = (RowBytes(pieces_[i]) >= kShortRow) == is_long;
        if (now) all.emplace_back(pieces_[i], run, outer);
      }
    }
    while (begin < end) {
      const int64_t in_last = first.axes[outer - 1].extent;
      const int64_t count = std::min(end - begin, in_last - begin % in_last);
      for (Rows& rows : all) {
        int64_t from = 0, to = 0, rest = begin;
        for (size_t d = outer; d-- > 0;) {
          const int64_t index = d == 0 ? rest : rest % rows.axes[d].extent;
          from += index * rows.axes[d].from;
          to += index * rows.axes[d].to;
          rest /= rows.axes[d].extent;
        }
        rows.from = rows.source + from * rows.size;
        rows.to = rows.target + to * rows.size;
      }
      for (int64_t row = 0; row < count; row += turn) {
        const int64_t several = std::min(turn, count - row);
        for (Rows& rows : all) {
          if (rows.row.from != 1) {
            copy::GatherRows(static_cast<size_t>(rows.size), rows.from, rows.row.from,
                             rows.row.extent, several, rows.step, rows.to);
          } else if (several == 1) {
            copier.Copy(rows.from, rows.bytes, rows.to);
          } else {
            copier.CopyRows(rows.from, rows.from_step, rows.bytes, several, rows.to, rows.to_step);
          }
          rows.from += several * rows.from_step;
          rows.to += several * rows.to_step;
        }
      }
      begin += count;
    }
  }

  static char* AddressOf(const Piece::End& end, const RunContext& run) {
    void* const data = end.element < 0 ? run.Data(end.parameter)
                                       : run.Data(end.parameter, static_cast<size_t>(end.element));
    return static_cast<char*>(data) + end.offset;
  }

  static void RunPiece(const Piece& piece, int64_t begin, int64_t end, const RunContext& run) {
    alignas(8) std::array<std::byte, 8> number = piece.number;
    char* const to = AddressOf(piece.to, run);
    char* const from = piece.from.parameter < 0 ? reinterpret_cast<char*>(number.data())
                                                : AddressOf(piece.from, run);
    // Of a short piece most of the time would pass before its first byte is copied.
    if (IsShortRow(piece)) return copy::RowCopier(false).Copy(from, RowBytes(piece), to);
    const int64_t chunks = piece.chunks / piece.outer;
    while (begin < end) {
      int64_t from_at = 0, to_at = 0;
      int64_t rest = begin / chunks;
      for (int d = piece.rank - kMaxRank - 1; d >= 0; --d) {
        const Axis& axis = piece.axes[static_cast<size_t>(d)];
        from_at += rest % axis.extent * axis.from;
        to_at += rest % axis.extent * axis.to;
        rest /= axis.extent;
      }
      const copy::Job job = JobOf(piece, from + from_at * SizeIn(piece.from.dtype),
                                  to + to_at * SizeIn(piece.to.dtype));
      const int64_t stop = std::min(end, (begin / chunks + 1) * chunks);
      for (; begin < stop; ++begin) job.Run(begin % chunks);
    }
  }

  const Pieced pieces_;
  std::vector<Group, RecyclingAllocator<Group>> groups_;  // and the end
  Stages stages_;                                         // the group after each
  // Pieces with equally many chunks may lie between each other, and share lines of the cache: their
  // chunks take turns.
  bool interleaved_ = false;
};

// The number as an element of the dtype; of a complex one only the real part is taken.
std::array<std::byte, 8> NumberIn(const ScalarValue& number, DType dtype) {
  std::array<std::byte, 8> element = {};
  const copy::Converter converter(number.dtype, dtype);
  if (converter.Changes()) {
    converter.Run(number.bytes, 1, element.data());
  } else {
    std::memcpy(element.data(), number.bytes, SizeOf(dtype));
  }
  return element;
}

// The part of a complex number, 0 being the imaginary one of a real number.
ScalarValue PartOf(const ScalarValue& number, bool imaginary) {
  ScalarValue part = number;
  if (number.dtype == DType::kComplex64 || number.dtype == DType::kComplex128) {
    part.dtype = number.dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    const size_t bytes = SizeOf(part.dtype);
    std::memcpy(part.bytes, number.bytes + (imaginary ? bytes : 0), bytes);
  } else if (imaginary) {
    part = {.dtype = DType::kFloat32};
  }
  return part;
}

}  // namespace

void Pieces::Copy(const View& from, const View& to) {
  const bool whole = from.dtype() == to.dtype() && SizeOf(to.dtype()) <= 8;
  if (!whole && IsComplex(to.dtype())) {
    const bool is_complex = IsComplex(from.dtype());
    Copy(is_complex ? from.Real() : from, to.Real());
    return is_complex ? Copy(from.Imaginary(), to.Imaginary()) : Fill(0, to.Imaginary());
  }
  const View source = whole || !IsComplex(from.dtype()) ? from : from.Real();
  Add({.from = {.parameter = source.parameter(),
                .element = source.element(),
                .offset = source.offset() * SizeIn(source.dtype()),
                .dtype = source.dtype()}},
      &source, to);
}

void Pieces::Fill(const ScalarValue& number, const View& to) {
  if (IsComplex(to.dtype())) {
    Fill(PartOf(number, false), to.Real());
    return Fill(PartOf(number, true), to.Imaginary());
  }
  Add({.from = {.dtype = to.dtype()}, .number = NumberIn(PartOf(number, false), to.dtype())},
      nullptr, to);
}

void Pieces::Fill(double number, const View& to) {
  ScalarValue value = {.dtype = DType::kFloat64};
  std::memcpy(value.bytes, &number, sizeof(number));
  Fill(value, to);
}

void Pieces::Add(Piece piece, const View* from, const View& to) {
  if (to.IsEmpty()) return;
  piece.to = {.parameter = to.parameter(),
              .element = to.element(),
              .offset = to.offset() * SizeIn(to.dtype()),
              .dtype = to.dtype()};
  piece.rank = to.rank();
  double count = 1;
  for (int d = 0; d < piece.rank; ++d) {
    piece.axes[static_cast<size_t>(d)] = {to.extent(d), from == nullptr ? 0 : from->stride(d),
                                          to.stride(d)};
    count *= static_cast<double>(to.extent(d));
  }
  Simplify(piece);
  for (int d = 0; d < piece.rank - kMaxRank; ++d) {
    piece.outer *= piece.axes[static_cast<size_t>(d)].extent;
  }
  piece.chunks = piece.outer * JobOf(piece, nullptr, nullptr).chunks();
  // Elements side by side are moved as fast as memory gives and takes them, others one by one.
  const Axis* const inner = piece.rank == 0 ? nullptr : &piece.axes[size_t(piece.rank) - 1];
  const bool side_by_side = inner == nullptr || (inner->from <= 1 && inner->to == 1);
  const bool converts = piece.from.dtype != piece.to.dtype;
  cycles_ += count * (side_by_side ? 0 : 1) + count * (converts ? 0.5 : 0);
  pieces_.push_back(piece);
}

void Pieces::Then() {
  if (stages_.empty() ? !pieces_.empty() : stages_.back() < pieces_.size()) {
    stages_.push_back(pieces_.size());
  }
}

Result<PlanPointer> Pieces::Finish(Planner& planner) {
  if (pieces_.empty()) return PlanPointer();
  for (const Piece& piece : pieces_) {
    if (piece.from.parameter >= 0) planner.Reads(piece.from.parameter);
    planner.Writes(piece.to.parameter);
  }
  planner.Costs({.cycles = cycles_});
  Then();
  return PlanPointer(NewPlan<PiecesPlan>(std::move(pieces_), std::move(stages_)));
}

}  // namespace aclimb::pieces
