#include "aclimb/ops/cumulate/cpu.h"

#include <algorithm>
#include <type_traits>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/gather.h"
#include "aclimb/copy/transpose.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/lines.h"
#include "aclimb/ops/cumulate/scan.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::cumulate {
namespace {

constexpr int64_t kTaskElements = 64 * 1024;
// Tasks that are enough for a team; fewer are cut into chunks, which are read twice, and which the
// second-level cache holds.
constexpr int64_t kEnoughTasks = 16;
// Elements that are converted and added at once.
constexpr int64_t kPiece = 512;
// Lines side by side, and elements of each, that are transposed at once where only one of the
// operands has lines so.
constexpr int64_t kTile = 64;
// Lines of a task that are enough to read memory well.
constexpr int64_t kLeastLines = 64;
// Lines whose chains of results are made side by side: each result waits for the one before it.
constexpr int64_t kChains = 4;

int64_t Distance(int64_t stride) { return stride == 0 ? INT64_MAX : stride; }

// What results are made by, in double or int64. Integers wrap.
template <typename N>
struct Sums {
  using T = N;
  static constexpr T kStart = 0;
  template <typename E>
  static void TakeRows(const E* x, const LineRows& rows, T* totals, E* y) {
    SumRows(x, rows, totals, y);
  }
  static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
template <typename N>
struct Products {
  using T = N;
  static constexpr T kStart = 1;
  template <typename E>
  static void TakeRows(const E* x, const LineRows& rows, T* totals, E* y) {
    MultiplyRows(x, rows, totals, y);
  }
  static T Of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

// The last of them alone. Parts of a product may overflow where all of it is 0: it has none.
template <typename T, typename E>
T TotalOf(Sums<T>, const E* x, int64_t count, T total) {
  return Sums<T>::Of(total, SumOf(x, count));
}
template <typename T, typename E>
T TotalOf(Products<T>, const E*, int64_t, T total) {
  return total;
}

}  // namespace

Problem::Problem(const TensorView& self, int dim, const TensorView& out, Operation operation)
    : operation_(operation),
      from_(self.dtype),
      to_(out.dtype),
      in_order_(self.dtype == DType::kFloat64) {
  const TensorView out_lines = Without(out, dim), self_lines = Without(self, dim);
  lines_ = Walk<2>::Make({&out_lines, &self_lines});
  length_ = self.rank == 0 ? 1 : self.shape[dim];
  self_stride_ = self.rank == 0 ? 1 : self.stride[dim];
  out_stride_ = out.rank == 0 ? 1 : out.stride[dim];
  const int64_t side = lines_.extent[lines_.rank - 1];
  const auto lies_across = [&](int operand, int64_t stride) {
    return Distance(lines_.stride[operand][lines_.rank - 1]) < Distance(stride);
  };
  across_ = side >= 8 &&
            (lies_across(1, self_stride_) || (self_stride_ == 1 && lies_across(0, out_stride_)));
  const int64_t inner = across_ ? side : lines_.count, outer = lines_.count / inner;
  const int64_t wanted = CeilDivide(inner, CeilDivide(kEnoughTasks, outer));
  const int64_t most = across_ ? std::clamp(RoundUp(wanted, int64_t{16}), kLeastLines, kLines)
                               : std::max<int64_t>(1, kTaskElements / length_);
  width_ = std::min(inner, most);
  tasks_ = outer * CeilDivide(inner, width_);
  const bool in_parts = operation == Operation::kSum && !in_order_ && tasks_ < kEnoughTasks;
  chunk_ = in_parts ? std::min(length_, CeilDivide(kTaskElements, width_)) : length_;
  chunks_ = CeilDivide(length_, chunk_);
  grain_ = std::max<int64_t>(1, kTaskElements / (width_ * chunk_));
}

int64_t Problem::ScratchBytes() const {
  return chunks_ == 1 ? 0 : chunks_ * lines_.count * static_cast<int64_t>(sizeof(double));
}

// Folds lines on one thread, by sums or products F of double or int64_t.
class Worker {
 public:
  Worker(const Problem& problem, const void* self, void* out)
      : problem_(problem),
        self_(static_cast<const char*>(self)),
        out_(static_cast<char*>(out)),
        self_size_(static_cast<int64_t>(SizeOf(problem.from_))),
        out_size_(static_cast<int64_t>(SizeOf(problem.to_))),
        sums_(IsFloating(problem.to_) ? DType::kFloat64 : DType::kInt64),
        rounding_(problem.from_, problem.to_),
        widening_(problem.to_, sums_),
        storing_(sums_, problem.to_) {}

  // Elements [begin, end) of each of `count` lines from `line` on, to which totals[] belong.
  //   stores  whether results are written, or only totals wanted
  template <class F, typename T = typename F::T>
  void Run(int64_t line, int64_t count, int64_t begin, int64_t end, bool stores, T* totals) {
    const Walk<2>& lines = problem_.lines_;
    const int inner = lines.rank - 1;
    lines.Visit(line, line + count, [&](const int64_t(&at)[2], int64_t n) {
      const char* self = self_ + (at[1] + begin * problem_.self_stride_) * self_size_;
      char* out = out_ + (at[0] + begin * problem_.out_stride_) * out_size_;
      if (problem_.across_) {
        RunAcross<F>(self, out, n, end - begin, stores, totals);
      } else {
        const int64_t chains = AreSumsOfNeighbours<F>() ? 1 : kChains;
        for (int64_t i = 0; i < n; i += chains) {
          RunAlong<F>(self + i * lines.stride[1][inner] * self_size_,
                      out + i * lines.stride[0][inner] * out_size_, std::min(chains, n - i),
                      end - begin, stores, totals + i);
        }
      }
      totals += n;
    });
  }

 private:
  template <class F>
  bool AreSumsOfNeighbours() const {
    return std::is_same_v<F, Sums<typename F::T>> && !problem_.in_order_;
  }

  template <class F, typename T = typename F::T>
  void RunAlong(const char* self, char* out, int64_t lines, int64_t count, bool stores, T* totals) {
    const int inner = problem_.lines_.rank - 1;
    const int64_t piece = kPiece / lines, self_step = problem_.self_stride_ * self_size_;
    const int64_t out_step = problem_.out_stride_ * out_size_;
    if constexpr (std::is_same_v<T, double>) {
      // Without a copy in double: conversions of elements wait for no other.
      if (problem_.from_ == DType::kFloat32 && problem_.to_ == DType::kFloat32 &&
          self_step == self_size_ && out_step == out_size_) {
        const float* x[kChains];
        float* y[kChains];
        for (int64_t i = 0; i < lines; ++i) {
          x[i] = reinterpret_cast<const float*>(self) + i * problem_.lines_.stride[1][inner];
          y[i] = reinterpret_cast<float*>(out) + i * problem_.lines_.stride[0][inner];
        }
        if (stores) return Accumulate<F>(x, lines, count, totals, y);
        for (int64_t i = 0; i < lines; ++i) totals[i] = TotalOf(F(), x[i], count, totals[i]);
        return;
      }
    }
    const bool direct = problem_.out_stride_ == 1 && !storing_.Changes();
    for (int64_t done = 0; done < count; done += piece) {
      const int64_t n = std::min(piece, count - done);
      const T* x[kChains];
      T* y[kChains];
      char* to[kChains];
      for (int64_t i = 0; i < lines; ++i) {
        const char* const from = self + i * problem_.lines_.stride[1][inner] * self_size_;
        to[i] = out + i * problem_.lines_.stride[0][inner] * out_size_ + done * out_step;
        x[i] = Load<T>(from + done * self_step, problem_.self_stride_, n, i * piece);
        y[i] = direct ? reinterpret_cast<T*>(to[i]) : reinterpret_cast<T*>(results_) + i * piece;
      }
      if (!stores) {
        for (int64_t i = 0; i < lines; ++i) totals[i] = TotalOf(F(), x[i], n, totals[i]);
        continue;
      }
      Accumulate<F>(x, lines, n, totals, y);
      for (int64_t i = 0; i < lines && !direct; ++i) Store(y[i], n, to[i], problem_.out_stride_);
    }
  }

  template <class F, typename T = typename F::T>
  void RunAcross(const char* self, char* out, int64_t lines, int64_t count, bool stores,
                 T* totals) {
    if constexpr (std::is_same_v<T, double>) {
      if (problem_.from_ == DType::kFloat32 && problem_.to_ == DType::kFloat32) {
        return RunTiles<F, float>(self, out, lines, count, stores, totals);
      }
    }
    RunTiles<F, T>(self, out, lines, count, stores, totals);
  }

  // Rows of elements of E, the dtype of both operands unless they are converted.
  template <class F, typename E, typename T = typename F::T>
  void RunTiles(const char* self, char* out, int64_t lines, int64_t count, bool stores, T* totals) {
    const int inner = problem_.lines_.rank - 1;
    const int64_t self_side = problem_.lines_.stride[1][inner], self_step = problem_.self_stride_;
    const int64_t out_side = problem_.lines_.stride[0][inner], out_step = problem_.out_stride_;
    // Lines along which elements are neighbours are turned, a tile at a time.
    const bool turns_in = self_side != 1 && self_step == 1;
    const bool turns_out = stores && out_side != 1 && out_step == 1;
    const bool turns = turns_in || turns_out;
    const int64_t width = turns ? kTile : lines, height = turns ? kTile : count;
    for (int64_t first = 0; first < lines; first += width) {
      const int64_t n = std::min(width, lines - first);
      for (int64_t begin = 0; begin < count; begin += height) {
        const int64_t rows = std::min(height, count - begin);
        const char* from = self + (first * self_side + begin * self_step) * self_size_;
        char* const to = out + (first * out_side + begin * out_step) * out_size_;
        if (turns_in) {
          copy::Transpose(static_cast<size_t>(self_size_), from, self_side, n, rows, turned_in_,
                          kTile);
          from = turned_in_;
        }
        TakeRows<F, E>(from, turns_in ? 1 : self_side, turns_in ? kTile : self_step,
                       turns_out ? turned_out_ : to, turns_out ? 1 : out_side,
                       turns_out ? kTile : out_step, n, rows, stores, totals + first);
        if (turns_out) {
          copy::Transpose(static_cast<size_t>(out_size_), turned_out_, kTile, rows, n, to,
                          out_side);
        }
      }
    }
  }

  // `rows` rows, `step` elements apart, whose elements of neighbouring lines are `side` apart.
  template <class F, typename E, typename T = typename F::T>
  void TakeRows(const char* self, int64_t self_side, int64_t self_step, char* out, int64_t out_side,
                int64_t out_step, int64_t lines, int64_t rows, bool stores, T* totals) {
    const bool converts = !std::is_same_v<E, float> &&
                          (rounding_.Changes() || widening_.Changes() || storing_.Changes());
    const bool direct = !converts && self_side == 1 && out_side == 1;
    if (direct) {
      const LineRows all = {.count = rows, .lines = lines, .from = self_step, .to = out_step};
      return F::TakeRows(reinterpret_cast<const E*>(self), all, totals,
                         stores ? reinterpret_cast<E*>(out) : nullptr);
    }
    for (int64_t i = 0; i < rows; ++i) {
      const T* const x = Load<T>(self + i * self_step * self_size_, self_side, lines);
      F::TakeRows(x, LineRows{.count = 1, .lines = lines, .from = 0, .to = 0}, totals,
                  static_cast<T*>(nullptr));
      if (stores) Store(totals, lines, out + i * out_step * out_size_, out_side);
    }
  }

  // Running results of a piece of each line, from its total on, which becomes the last of them.
  template <class F, typename E, typename T = typename F::T>
  void Accumulate(const E* const (&x)[kChains], int64_t lines, int64_t count, T* totals,
                  E* const (&y)[kChains]) const {
    if constexpr (std::is_same_v<F, Sums<T>>) {
      if (AreSumsOfNeighbours<F>()) {
        totals[0] = RunningSums(x[0], count, totals[0], y[0]);
        return;
      }
    }
    if (lines == kChains) {
      T a = totals[0], b = totals[1], c = totals[2], d = totals[3];
      for (int64_t i = 0; i < count; ++i) {
        y[0][i] = static_cast<E>(a = F::Of(a, x[0][i]));
        y[1][i] = static_cast<E>(b = F::Of(b, x[1][i]));
        y[2][i] = static_cast<E>(c = F::Of(c, x[2][i]));
        y[3][i] = static_cast<E>(d = F::Of(d, x[3][i]));
      }
      totals[0] = a, totals[1] = b, totals[2] = c, totals[3] = d;
      return;
    }
    for (int64_t line = 0; line < lines; ++line) {
      T total = totals[line];
      for (int64_t i = 0; i < count; ++i)
        y[line][i] = static_cast<E>(total = F::Of(total, x[line][i]));
      totals[line] = total;
    }
  }

  // Neighbours, where they lie or in the buffers from element `place` on.
  template <typename T>
  const T* Load(const char* from, int64_t stride, int64_t count, int64_t place = 0) {
    const void* x = from;
    const auto at = [&](char* buffer) { return buffer + place * int64_t{sizeof(double)}; };
    if (stride != 1) {
      char* const gathered = at(gathered_);
      copy::Gather(static_cast<size_t>(self_size_),
                   copy::RowAt(const_cast<char*>(from), stride, count), count, gathered);
      x = gathered;
    }
    if (rounding_.Changes()) {
      rounding_.Run(x, count, at(rounded_));
      x = at(rounded_);
    }
    if (widening_.Changes()) {
      widening_.Run(x, count, at(widened_));
      x = at(widened_);
    }
    return static_cast<const T*>(x);
  }

  template <typename T>
  void Store(const T* x, int64_t count, char* out, int64_t stride) {
    const void* results = x;
    if (storing_.Changes()) {
      void* const to = stride == 1 ? static_cast<void*>(out) : stored_;
      storing_.Run(x, count, to);
      if (stride == 1) return;
      results = stored_;
    }
    copy::Scatter(static_cast<size_t>(out_size_), results, count, copy::RowAt(out, stride, count));
  }

  const Problem& problem_;
  const char* const self_;
  char* const out_;
  const int64_t self_size_;
  const int64_t out_size_;
  const DType sums_;
  const copy::Converter rounding_;
  const copy::Converter widening_;
  const copy::Converter storing_;
  alignas(64) char gathered_[kPiece * sizeof(double)];
  alignas(64) char rounded_[kPiece * sizeof(double)];
  alignas(64) char widened_[kPiece * sizeof(double)];
  alignas(64) char stored_[kPiece * sizeof(double)];
  alignas(64) char results_[kPiece * sizeof(double)];
  alignas(64) char turned_in_[kTile * kTile * sizeof(double)];
  alignas(64) char turned_out_[kTile * kTile * sizeof(double)];
};

namespace {

// The lines of a task.
struct TaskLines {
  int64_t begin;
  int64_t count;
};

}  // namespace

void Problem::Run(const void* self, void* out, void* scratch) const {
  const int64_t inner = across_ ? lines_.extent[lines_.rank - 1] : lines_.count;
  const int64_t each = CeilDivide(inner, width_);
  const auto lines_of = [&](int64_t task) {
    const int64_t past = task % each * width_;
    return TaskLines{task / each * inner + past, std::min(width_, inner - past)};
  };
  const auto run_as = [&]<class F>(F) {
    using T = typename F::T;
    auto* const totals = static_cast<T*>(scratch);
    // Elements of a chunk; `sums` are the totals of the lines, which come from `before`, if any.
    const auto run_chunk = [&](Worker& worker, int64_t task, int64_t chunk, bool stores) {
      T sums[kLines];
      const TaskLines lines = lines_of(task);
      const int64_t first = chunk * chunk_, last = std::min(first + chunk_, length_);
      // Tasks have as many lines as there is room for results so far.
      for (int64_t done = 0; done < lines.count; done += kLines) {
        const int64_t count = std::min(kLines, lines.count - done);
        const int64_t at = chunk * lines_.count + lines.begin + done;
        T* const kept = chunks_ > 1 ? totals + at : nullptr;
        if (stores && chunks_ > 1) {
          std::copy_n(kept, count, sums);
        } else {
          std::fill_n(sums, count, F::kStart);
        }
        worker.Run<F>(lines.begin + done, count, first, last, stores, sums);
        if (!stores) std::copy_n(sums, count, kept);
      }
    };
    // What comes before each chunk takes the place of its totals.
    const auto put_before = [&](int64_t line, int64_t chunk, T before) {
      T& kept = totals[chunk * lines_.count + line];
      const T after = F::Of(before, kept);
      kept = before;
      return after;
    };
    if (chunks_ > 1 && tasks_ % TeamSize() == 0) {
      // Each chunk is read again while the cache has it.
      (void)ParallelForAll(tasks_, 1, [&](int64_t begin, int64_t end) {
        Worker worker(*this, self, out);
        for (int64_t task = begin; task < end; ++task) {
          const TaskLines lines = lines_of(task);
          T before[kLines];
          std::fill_n(before, lines.count, F::kStart);
          for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
            run_chunk(worker, task, chunk, false);
            for (int64_t i = 0; i < lines.count; ++i) {
              before[i] = put_before(lines.begin + i, chunk, before[i]);
            }
            run_chunk(worker, task, chunk, true);
          }
        }
      });
      return;
    }
    const auto run = [&](bool stores) {
      return ParallelForAll(tasks_ * chunks_, grain_, [&](int64_t begin, int64_t end) {
        Worker worker(*this, self, out);
        for (int64_t i = begin; i < end; ++i) run_chunk(worker, i / chunks_, i % chunks_, stores);
      });
    };
    if (chunks_ > 1) {
      if (!run(false)) return;
      for (int64_t line = 0; line < lines_.count; ++line) {
        T before = F::kStart;
        for (int64_t chunk = 0; chunk < chunks_; ++chunk) before = put_before(line, chunk, before);
      }
    }
    (void)run(true);
  };
  const bool is_real = IsFloating(to_);
  if (operation_ == Operation::kSum) {
    is_real ? run_as(Sums<double>()) : run_as(Sums<int64_t>());
  } else {
    is_real ? run_as(Products<double>()) : run_as(Products<int64_t>());
  }
}

}  // namespace aclimb::cumulate
