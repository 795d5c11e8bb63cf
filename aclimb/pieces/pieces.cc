#include "aclimb/pieces/pieces.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/stream.h"
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

class PiecesPlan final : public Plan {
 public:
  // A stage ends before the piece of that number.
  PiecesPlan(Pieced pieces, Stages stages)
      : pieces_(std::move(pieces)), stages_(std::move(stages)) {
    int64_t chunks = 0;
    for (const Piece& piece : pieces_)
      first_.push_back(std::exchange(chunks, chunks + piece.chunks));
    first_.push_back(chunks);
    const auto alike = [&](const Piece& piece) {
      return piece.rank > 1 && piece.chunks == pieces_[0].chunks;
    };
    interleaved_ = stages_.size() == 1 && pieces_.size() > 1 &&
                   std::all_of(pieces_.begin(), pieces_.end(), alike);
    if (stages_.size() == 1 && pieces_.size() > 1) row_bytes_ = RowBytes();
  }

  void Run(const RunContext& run) const override {
    size_t begin = 0;
    for (const size_t end : stages_) {
      if (!RunStage(first_[begin], first_[end], run)) return;
      begin = end;
    }
  }

 private:
  // Chunks of all pieces are numbered on. False when the run was cancelled.
  bool RunStage(int64_t first, int64_t last, const RunContext& run) const {
    if (row_bytes_ > 0) return RunRows(run);
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
        const auto after = std::upper_bound(first_.begin(), first_.end(), begin);
        const auto index = static_cast<size_t>(after - first_.begin() - 1);
        const int64_t stop = std::min(end, *after);
        RunPiece(pieces_[index], begin - first_[index], stop - first_[index], run);
        begin = stop;
      }
    });
  }

  // What all pieces have in a row if they have equally many rows, neither short nor long, of
  // consecutive elements that are copied as they are; else 0.
  int64_t RowBytes() const {
    // In a cache the pieces' own loops move short rows faster; memory is faster in order.
    constexpr int64_t kShortRow = 64, kShortRowInCache = 128;
    int64_t bytes = 0, shortest = std::numeric_limits<int64_t>::max();
    for (const Piece& piece : pieces_) {
      const Axis& row = piece.axes[1];
      const int64_t row_bytes = row.extent * SizeIn(piece.to.dtype);
      if (piece.rank != 2 || row.from != 1 || row.to != 1 || row_bytes < kShortRow ||
          piece.from.dtype != piece.to.dtype || piece.axes[0].extent != pieces_[0].axes[0].extent) {
        return 0;
      }
      bytes += row_bytes;
      shortest = std::min(shortest, row_bytes);
    }
    if (shortest < kShortRowInCache && !IsBeyondCache(bytes)) return 0;
    return bytes <= kGrainBytes ? bytes : 0;
  }

  // Whether no cache holds what rows of so many bytes are read from and written to.
  bool IsBeyondCache(int64_t row_bytes) const {
    return 2 * pieces_[0].axes[0].extent * row_bytes > CacheShareBytes();
  }

  // A row of each piece in turn: what lies side by side is written in its order.
  bool RunRows(const RunContext& run) const {
    struct Rows {
      const char* from;
      char* to;
      int64_t from_step, to_step, bytes;
    };
    std::vector<Rows, RecyclingAllocator<Rows>> all;
    all.reserve(pieces_.size());
    for (const Piece& piece : pieces_) {
      const int64_t size = SizeIn(piece.to.dtype);
      all.push_back({.from = AddressOf(piece.from, run),
                     .to = AddressOf(piece.to, run),
                     .from_step = piece.axes[0].from * size,
                     .to_step = piece.axes[0].to * size,
                     .bytes = piece.axes[1].extent * size});
    }
    const int64_t count = pieces_[0].axes[0].extent;
    const copy::RowCopier copier(IsBeyondCache(row_bytes_));
    return ParallelForAll(count, kGrainBytes / row_bytes_, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        for (const Rows& rows : all) {
          copier.Copy(rows.from + row * rows.from_step, rows.bytes, rows.to + row * rows.to_step);
        }
      }
    });
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
  const Stages stages_;
  std::vector<int64_t, RecyclingAllocator<int64_t>> first_;  // chunk of each piece, and the end
  // Pieces with equally many chunks may lie between each other, and share lines of the cache: their
  // chunks take turns.
  bool interleaved_ = false;
  int64_t row_bytes_ = 0;  // if rows take turns
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
