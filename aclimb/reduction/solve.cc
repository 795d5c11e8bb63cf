#include <algorithm>
#include <cmath>
#include <cstring>

#include "aclimb/copy/gather.h"
#include "aclimb/copy/transpose.h"
#include "aclimb/reduction/problem.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::reduction {
namespace {

using copy::Place;

// Elements that are gathered or converted at once.
constexpr int64_t kPiece = 2048;
// Rows of a tile; those among whose elements the kernel finds the best before it is looked for.
constexpr int64_t kTileRows = 8;
constexpr int64_t kSearchRows = 32;
constexpr int64_t kMostBytes = 8;

// Results of neighbours in the order of Problem::kept, and what is folded to them so far.
struct Block {
  int64_t begin;
  int64_t count;
  int64_t at;  // of the first element of the first, in elements
  Slot first[kBlock + kSlack];
  Slot second[kBlock + kSlack];
  double shift[kBlock + kSlack];
};

// What one thread needs to fold a chunk into a block.
class Folder {
 public:
  Folder(const Problem& problem, const Addresses& addresses)
      : problem_(problem),
        base_(static_cast<const char*>(addresses.input)),
        size_(SizeOf(problem.read)) {}

  // Which results the block with this number has.
  void Enter(int64_t number, Block& block) const {
    const auto& kept = problem_.kept;
    const int64_t inner = problem_.by_columns ? kept.extent[kept.rank - 1] : kept.count;
    const int64_t each = (inner + problem_.width - 1) / problem_.width;
    const int64_t past = number % each * problem_.width;
    block.begin = number / each * inner + past;
    block.count = std::min(problem_.width, inner - past);
    kept.Visit(block.begin, block.begin + 1,
               [&](const int64_t* offset, int64_t) { block.at = offset[Problem::kInput]; });
  }

  void Start(Fold fold, Block& block) const {
    std::fill_n(block.first, block.count, StartOf(fold, problem_.whole));
    if (!problem_.HasSecond()) return;
    std::fill_n(block.second, block.count,
                problem_.request.finds ? Slot{.whole = 0} : Slot{.real = 0});
  }

  // The first element of each result as the shift: differences to it are exact enough in double,
  // whatever it is.
  void ShiftByFirst(Block& block) {
    std::fill_n(block.shift, block.count, 0.0);
    if (problem_.reduced.count == 0) return;
    VisitResults(block, [&](int64_t i, int64_t at, int64_t count) {
      for (const int64_t end = i + count; i < end; ++i, at += KeptStride()) {
        std::memcpy(raw_ + i * size_, At(at), static_cast<size_t>(size_));
      }
    });
    Slot elements[kBlock + kSlack];
    std::fill_n(elements, block.count, StartOf(Fold::kSum, false));
    KernelOf(Fold::kSum, problem_.compute)
        .columns(Converted(raw_, block.count), 0, 1, block.count, {}, elements, nullptr);
    for (int64_t i = 0; i < block.count; ++i) {
      if (std::isfinite(elements[i].real)) block.shift[i] = elements[i].real;
    }
  }

  // Folds elements [begin, end) of each result to what the block holds.
  void Run(Fold fold, const Kernel& kernel, int64_t begin, int64_t end, Block& block) {
    fold_ = fold;
    kernel_ = &kernel;
    problem_.by_columns ? RunColumns(begin, end, block) : RunRows(begin, end, block);
  }

 private:
  const char* At(int64_t element) const { return base_ + element * size_; }
  int64_t ReducedStride() const { return problem_.reduced.stride[0][problem_.reduced.rank - 1]; }
  int64_t KeptStride() const {
    return problem_.kept.stride[Problem::kInput][problem_.kept.rank - 1];
  }
  // Calls body(i, at, count) for results [i, i + count) of the block whose first elements stand
  // KeptStride() apart, the first of them at `at`.
  template <typename F>
  void VisitResults(const Block& block, F&& body) const {
    int64_t i = 0;
    problem_.kept.Visit(block.begin, block.begin + block.count,
                        [&](const int64_t* offset, int64_t count) {
                          body(i, offset[Problem::kInput], count);
                          i += count;
                        });
  }
  Terms TermsOf(const Block& block, int64_t i) const {
    return {block.shift + i, problem_.request.number};
  }

  const void* Converted(const void* from, int64_t count) {
    if (problem_.reading.Changes()) {
      problem_.reading.Run(from, count, converted_);
      from = converted_;
    }
    if (problem_.widening.Changes()) {
      problem_.widening.Run(from, count, widened_);
      from = widened_;
    }
    return from;
  }

  // Whether a is a better extreme than b.
  bool IsBetter(Slot a, Slot b) const {
    const bool smallest = fold_ == Fold::kMin;
    if (problem_.whole) return smallest ? a.whole < b.whole : a.whole > b.whole;
    if (std::isnan(a.real)) return !std::isnan(b.real);
    return smallest ? a.real < b.real : a.real > b.real;
  }

  // ---- Neighbours of one result

  void RunRows(int64_t begin, int64_t end, Block& block) {
    const bool whole_runs = problem_.direct && !problem_.request.finds;
    VisitResults(block, [&](int64_t i, int64_t first, int64_t results) {
      if (problem_.direct && problem_.reduced.rank == 1) {
        if (problem_.request.finds) return FindInRows(begin, end, first, results, block, i);
        const int64_t pitch = problem_.width == 1 ? 0 : KeptStride();
        return kernel_->rows(At(first + begin), pitch, results, end - begin, TermsOf(block, i),
                             &block.first[i], SecondOf(block, i));
      }
      for (const int64_t last = i + results; i < last; ++i, first += KeptStride()) {
        RunRow(begin, end, first, whole_runs, block, i);
      }
    });
  }

  void RunRow(int64_t begin, int64_t end, int64_t first, bool whole_runs, Block& block, int64_t i) {
    int64_t position = begin;
    problem_.reduced.Visit(begin, end, [&](const int64_t(&at)[1], int64_t count) {
      const char* from = At(first + at[0]);
      const int64_t piece = whole_runs ? count : kPiece;
      for (int64_t done = 0; done < count; done += piece) {
        const int64_t n = std::min(piece, count - done);
        FoldRow(Gathered(from + done * ReducedStride() * size_, n), n, position + done, block, i);
      }
      position += count;
    });
  }

  // Some rows side by side, piece by piece, so that what is looked for is still in a cache.
  void FindInRows(int64_t begin, int64_t end, int64_t first, int64_t results, Block& block,
                  int64_t i) {
    constexpr int64_t kRows = 4;
    const int64_t pitch = KeptStride(), last = i + results;
    for (; i < last; i += kRows, first += kRows * pitch) {
      const int64_t rows = std::min(kRows, last - i), piece = rows == 1 ? kRows * kPiece : kPiece;
      for (int64_t at = begin; at < end; at += piece) {
        const int64_t count = std::min(piece, end - at);
        Slot best[kRows];
        std::fill_n(best, rows, StartOf(fold_, problem_.whole));
        kernel_->rows(At(first + at), rows == 1 ? 0 : pitch, rows, count, TermsOf(block, i), best,
                      nullptr);
        for (int64_t r = 0; r < rows; ++r) {
          Take(best[r], At(first + at + r * pitch), 1, count, at, block, i + r);
        }
      }
    }
  }

  // What is the best of elements from `position` on, if it is better than those before.
  void Take(Slot best, const void* from, int64_t stride, int64_t count, int64_t position,
            Block& block, int64_t i) const {
    if (!IsBetter(best, block.first[i])) return;
    block.second[i].whole = position + problem_.search(from, stride, count, best);
    block.first[i] = best;
  }

  const void* Gathered(const char* from, int64_t count) {
    const int64_t stride = ReducedStride();
    if (stride == 1) return Converted(from, count);
    copy::Gather(static_cast<size_t>(size_), copy::RowAt(const_cast<char*>(from), stride, count),
                 count, raw_);
    return Converted(raw_, count);
  }

  void FoldRow(const void* from, int64_t count, int64_t position, Block& block, int64_t i) {
    const Terms terms = TermsOf(block, i);
    if (!problem_.request.finds) {
      return kernel_->rows(from, 0, 1, count, terms, &block.first[i], SecondOf(block, i));
    }
    Slot best = StartOf(fold_, problem_.whole);
    kernel_->rows(from, 0, 1, count, terms, &best, nullptr);
    Take(best, from, 1, count, position, block, i);
  }

  Slot* SecondOf(Block& block, int64_t i) const {
    return problem_.request.fold == Fold::kMoments ? &block.second[i] : nullptr;
  }

  // ---- Neighbours of different results

  void RunColumns(int64_t begin, int64_t end, Block& block) {
    int64_t position = begin;
    problem_.reduced.Visit(begin, end, [&](const int64_t(&at)[1], int64_t count) {
      const char* from = At(block.at + at[0]);
      const int64_t step = ReducedStride() * size_;
      if (problem_.direct) {
        FoldRows(from, ReducedStride(), count, position, block);
      } else {
        for (int64_t r = 0; r < count; r += kTileRows) {
          const int64_t rows = std::min(kTileRows, count - r);
          FoldRows(Tile(from + r * step, rows, block.count), block.count, rows, position + r,
                   block);
        }
      }
      position += count;
    });
  }

  // Rows of as many elements as the block has results, without gaps.
  const void* Tile(const char* from, int64_t rows, int64_t columns) {
    const auto size = static_cast<size_t>(size_);
    const int64_t stride = KeptStride();
    if (problem_.transposes) {
      copy::Transpose(size, from, stride, columns, rows, raw_, columns);
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        const char* const row = from + r * ReducedStride() * size_;
        copy::Gather(size, copy::RowAt(const_cast<char*>(row), stride, columns), columns,
                     raw_ + r * columns * size_);
      }
    }
    return Converted(raw_, rows * columns);
  }

  void FoldRows(const void* from, int64_t pitch, int64_t rows, int64_t position, Block& block) {
    const Terms terms = TermsOf(block, 0);
    if (!problem_.request.finds) {
      return kernel_->columns(from, pitch, rows, block.count, terms, block.first,
                              SecondOf(block, 0));
    }
    const auto size = static_cast<int64_t>(SizeOf(problem_.compute));
    Slot best[kBlock + kSlack];
    for (int64_t r = 0; r < rows; r += kSearchRows) {
      const int64_t count = std::min(kSearchRows, rows - r);
      const char* const first = static_cast<const char*>(from) + r * pitch * size;
      std::fill_n(best, block.count, StartOf(fold_, problem_.whole));
      kernel_->columns(first, pitch, count, block.count, terms, best, nullptr);
      for (int64_t j = 0; j < block.count; ++j) {
        Take(best[j], first + j * size, pitch, count, position + r, block, j);
      }
    }
  }

  const Problem& problem_;
  const char* const base_;
  const int64_t size_;
  Fold fold_ = Fold::kSum;
  const Kernel* kernel_ = nullptr;
  alignas(64) char raw_[kPiece * kMostBytes];
  alignas(64) char converted_[kPiece * kMostBytes];
  alignas(64) char widened_[kPiece * kMostBytes];
};

class Solver {
 public:
  Solver(const Problem& problem, const Addresses& addresses)
      : problem_(problem), addresses_(addresses), kept_(problem.kept) {
    if (problem.chunks == 1) return;
    auto* slots = static_cast<Slot*>(addresses.scratch);
    const int64_t all = problem.chunks * kept_.count;
    firsts_ = slots;
    seconds_ = slots + all;
    shifts_ = reinterpret_cast<double*>(problem.HasSecond() ? seconds_ + all : seconds_);
  }

  void Solve() {
    if (problem_.chunks == 1) return SolveAtOnce();
    const bool peaks = problem_.request.fold == Fold::kExponentials;
    if (peaks && !(FoldChunks(Fold::kMax, problem_.peak) && JoinPeaks())) return;
    if (!FoldChunks(problem_.request.fold, problem_.kernel)) return;
    ParallelFor(problem_.blocks, problem_.grain, [&](int64_t begin, int64_t end) {
      Folder folder(problem_, addresses_);
      Block block;
      for (int64_t number = begin; number < end; ++number) {
        folder.Enter(number, block);
        folder.Start(problem_.request.fold, block);
        if (problem_.request.fold == Fold::kMoments) folder.ShiftByFirst(block);
        if (peaks) std::copy_n(shifts_ + block.begin, block.count, block.shift);
        JoinChunks(problem_.request.fold, block);
        Store(block);
      }
    });
  }

 private:
  void SolveAtOnce() {
    ParallelFor(problem_.blocks, problem_.grain, [&](int64_t begin, int64_t end) {
      Folder folder(problem_, addresses_);
      Block block;
      for (int64_t number = begin; number < end; ++number) {
        folder.Enter(number, block);
        if (problem_.request.fold == Fold::kExponentials) {
          folder.Start(Fold::kMax, block);
          folder.Run(Fold::kMax, problem_.peak, 0, problem_.reduced.count, block);
          ShiftsOf(block.first, block.count, block.shift);
        }
        FoldAll(folder, problem_.request.fold, problem_.kernel, 0, problem_.reduced.count, block);
        Store(block);
      }
    });
  }

  void FoldAll(Folder& folder, Fold fold, const Kernel& kernel, int64_t begin, int64_t end,
               Block& block) const {
    if (fold == Fold::kMoments) folder.ShiftByFirst(block);
    folder.Start(fold, block);
    folder.Run(fold, kernel, begin, end, block);
  }

  // The largest element, if the others can be told from it.
  static void ShiftsOf(const Slot* peaks, int64_t count, double* shifts) {
    for (int64_t i = 0; i < count; ++i) {
      shifts[i] = std::isfinite(peaks[i].real) ? peaks[i].real : 0;
    }
  }

  [[nodiscard]] bool FoldChunks(Fold fold, const Kernel& kernel) {
    return ParallelForAll(problem_.blocks * problem_.chunks, 1, [&](int64_t begin, int64_t end) {
      Folder folder(problem_, addresses_);
      Block block;
      for (int64_t task = begin; task < end; ++task) {
        const int64_t chunk = task % problem_.chunks;
        folder.Enter(task / problem_.chunks, block);
        if (fold == Fold::kExponentials) {
          std::copy_n(shifts_ + block.begin, block.count, block.shift);
        }
        const int64_t first = chunk * problem_.chunk;
        FoldAll(folder, fold, kernel, first,
                std::min(first + problem_.chunk, problem_.reduced.count), block);
        const int64_t at = chunk * kept_.count + block.begin;
        std::copy_n(block.first, block.count, firsts_ + at);
        if (problem_.HasSecond()) std::copy_n(block.second, block.count, seconds_ + at);
      }
    });
  }

  [[nodiscard]] bool JoinPeaks() {
    return ParallelForAll(problem_.blocks, problem_.grain, [&](int64_t begin, int64_t end) {
      Folder folder(problem_, addresses_);
      Block block;
      for (int64_t number = begin; number < end; ++number) {
        folder.Enter(number, block);
        folder.Start(Fold::kMax, block);
        JoinChunks(Fold::kMax, block);
        ShiftsOf(block.first, block.count, shifts_ + block.begin);
      }
    });
  }

  // In order.
  void JoinChunks(Fold fold, Block& block) const {
    for (int64_t chunk = 0; chunk < problem_.chunks; ++chunk) {
      const Slot* const first = firsts_ + chunk * kept_.count + block.begin;
      const Slot* const second = seconds_ + chunk * kept_.count + block.begin;
      if (!problem_.request.finds) {
        Join(fold, problem_.whole, first, block.count, block.first);
        if (fold == Fold::kMoments) Join(fold, false, second, block.count, block.second);
        continue;
      }
      for (int64_t i = 0; i < block.count; ++i) {
        Slot joined = block.first[i];
        Join(fold, problem_.whole, &first[i], 1, &joined);
        // The first chunk says where it is even if it found nothing better than the start.
        if (chunk > 0 && IsSame(joined, block.first[i])) continue;
        block.first[i] = joined;
        block.second[i] = second[i];
      }
    }
  }

  bool IsSame(Slot a, Slot b) const {
    if (problem_.whole) return a.whole == b.whole;
    return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
  }

  // Makes results of what was folded, and outputs of those.
  void Store(Block& block) const {
    const Request& request = problem_.request;
    if (request.finish != nullptr) {
      request.finish({problem_.reduced.count, request.number, problem_.whole, block.shift},
                     block.count, block.first, block.second);
    }
    for (int n = 0; n < request.output_count; ++n) {
      alignas(64) char rounded[kBlock * kMostBytes];
      alignas(64) char stored[kBlock * kMostBytes];
      const void* result = request.outputs[n].second ? block.second : block.first;
      if (problem_.rounding[n].Changes()) {
        problem_.rounding[n].Run(result, block.count, rounded);
        result = rounded;
      }
      if (problem_.storing[n].Changes()) {
        problem_.storing[n].Run(result, block.count, stored);
        result = stored;
      }
      const Place place = {.at = static_cast<char*>(addresses_.output[n]),
                           .axes = {kept_.rank, kept_.extent, kept_.stride[n]},
                           .begin = block.begin};
      copy::Scatter(static_cast<size_t>(problem_.output_size[n]), result, block.count, place);
    }
  }

  const Problem& problem_;
  const Addresses& addresses_;
  const Walk<kMostOutputs + 1>& kept_;
  // Of each chunk and result; the shifts of each result.
  Slot* firsts_ = nullptr;
  Slot* seconds_ = nullptr;
  double* shifts_ = nullptr;
};

}  // namespace

void Solve(const Problem& problem, const Addresses& addresses) {
  Solver(problem, addresses).Solve();
}

}  // namespace aclimb::reduction
