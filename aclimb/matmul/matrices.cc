#include "aclimb/matmul/matrices.h"

#include <algorithm>
#include <array>

#include "aclimb/core/divide.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/matmul/onednn.h"
#include "aclimb/onednn/instructions.h"

namespace aclimb::matmul {
namespace {

// Additions to a float32 sum, one after the other: they leave it off by 2^-14 of itself at most.
constexpr int64_t kPartTerms = 4096;
// The additions in a row where the result has 8 or 11 bits.
constexpr int64_t kHalfPartTerms = 16 * 1024;
// Parts that are added in float32. More are cut into slices, which are added in double.
constexpr int64_t kMostParts = 512;
// A slice has no fewer terms, and there are no more slices for the team's sake.
constexpr int64_t kLeastSlice = 2048;
constexpr int64_t kMostSlices = 64;
// Blocks of a large problem: more than most teams have threads.
constexpr int64_t kMostBlocks = 64;
// The sides of a block are multiples of this and no longer than that.
constexpr int64_t kSide = 64;
constexpr int64_t kLongestSide = 64 * 1024;

// Elements between rows that are not too far apart.
constexpr int64_t kMostStride = int64_t{4} << 20;

// Multiplications that a thread takes at once, about: some ten microseconds.
double UnitWork(DType operand) {
  const bool tiles = operand == DType::kBFloat16 &&
                     aclimb::onednn::Has(aclimb::onednn::Instructions::kBFloat16Tiles);
  return (tiles ? 32.0 : 4.0) * 1024 * 1024;
}

// How one dimension is cut: into pieces of one length and a shorter one.
struct Cut {
  int64_t extent = 0;
  int64_t length = 0;

  int64_t Pieces() const { return CeilDivide(extent, length); }
  int64_t Begin(int64_t piece) const { return piece * length; }
  int64_t Length(int64_t piece) const { return std::min(length, extent - piece * length); }
  bool IsLast(int64_t piece) const { return Length(piece) < length; }
};

Cut CutInto(int64_t extent, int64_t pieces, int64_t multiple) {
  return {extent, std::min(extent, RoundUp(CeilDivide(extent, pieces), multiple))};
}

class MatricesPlan final : public ProductPlan {
 public:
  MatricesPlan(Setup of, Planner& planner) : ProductPlan(std::move(of)) {
    const Problem& p = problem();
    CutOutput();
    CutSums();
    is_direct_ =
        slices_ == 1 && setup_.finish.IsIdentity() && p.out.column == 1 &&
        (p.m == 1 || p.out.row >= p.n) &&
        (p.out.dtype == DType::kFloat32 || (p.out.dtype == DType::kBFloat16 &&
                                            p.a.dtype == DType::kBFloat16 && terms_.Pieces() == 1));
    MakeProducts();
    if (slices_ > 1) {
      partial_ = planner.workspace().Book(slices_ * p.Batches() * p.m * p.n,
                                          static_cast<int64_t>(sizeof(float)));
    }
    if (!is_direct_ && slices_ == 1) {
      tile_bytes_ = RoundUp(rows_.length * columns_.length * int64_t{4}, int64_t{64});
    }
    scratch_.Book(planner, Units(), tile_bytes_ + RoundUp(scratch_bytes_, int64_t{4096}));
    planner.Costs({.cycles = p.Work() / (UnitWork(p.a.dtype) / (256.0 * 1024))});
  }

 protected:
  void Compute(const RunContext& run) const override {
    const double unit_work = static_cast<double>(rows_.length) *
                             static_cast<double>(columns_.length) *
                             static_cast<double>(std::min(problem().k, slice_terms_));
    float* const partial = run.Piece<float>(partial_);
    const bool all =
        scratch_.Run(run, Units(), UnitsOfWork(UnitWork(problem().a.dtype), unit_work),
                     [&](int64_t unit, char* scratch) { RunUnit(run, unit, scratch, partial); });
    if (all && slices_ > 1) FinishPartial(run, static_cast<const float*>(partial), slices_);
  }

 private:
  // Square blocks read the least of the factors.
  void CutOutput() {
    const Problem& p = problem();
    const double wanted = std::clamp<double>(p.Work() / UnitWork(p.a.dtype), 1, kMostBlocks);
    const auto of_batch = static_cast<int64_t>(wanted / static_cast<double>(p.Batches())) + 1;
    int64_t down = CeilDivide(p.m, kLongestSide), across = CeilDivide(p.n, kLongestSide);
    while (down * across * 2 <= of_batch) {
      const int64_t height = p.m / down, width = p.n / across;
      if (std::max(height, width) < 4 * kSide) break;
      (height > width ? down : across) *= 2;
    }
    rows_ = CutInto(p.m, down, kSide);
    columns_ = CutInto(p.n, across, kSide);
  }

  void CutSums() {
    const Problem& p = problem();
    const int64_t most = p.out.dtype == DType::kFloat32 ? kPartTerms : kHalfPartTerms;
    terms_ = CutInto(p.k, CeilDivide(p.k, most), kSide);
    slices_ = CeilDivide(terms_.Pieces(), kMostParts);
    const int64_t blocks = p.Batches() * rows_.Pieces() * columns_.Pieces();
    const double wanted =
        std::min<double>(p.Work() / UnitWork(p.a.dtype), kMostSlices) / static_cast<double>(blocks);
    // Partial sums are written and read: not more of them than elements of the factors.
    const double elements = static_cast<double>(p.k) * static_cast<double>(p.m + p.n) /
                            (4 * static_cast<double>(p.m) * static_cast<double>(p.n));
    const int64_t most_by_terms = p.k / kLeastSlice;
    const double most_slices = std::min({wanted, elements, static_cast<double>(most_by_terms)});
    slices_ = std::max(slices_, static_cast<int64_t>(most_slices));
    if (slices_ > terms_.Pieces()) terms_ = CutInto(p.k, slices_, kSide);
    slice_parts_ = CeilDivide(terms_.Pieces(), slices_);
    slices_ = CeilDivide(terms_.Pieces(), slice_parts_);
    slice_terms_ = slice_parts_ * terms_.length;
  }

  int64_t Units() const {
    return problem().Batches() * rows_.Pieces() * columns_.Pieces() * slices_;
  }

  // The product of a block's rows and columns, or of those left over, and of a part of its terms.
  const onednn::ProductPointer& ProductOf(bool last_rows, bool last_columns, bool last_terms,
                                          bool accumulates) const {
    return products_[8 * last_rows + 4 * last_columns + 2 * last_terms + accumulates];
  }

  void MakeProducts() {
    const Problem& p = problem();
    const int64_t parts = terms_.Pieces();
    for (size_t i = 0; i < products_.size(); ++i) {
      const auto length = [](const Cut& cut, bool last) {
        return last ? cut.extent % cut.length : cut.length;
      };
      onednn::Request request = {.m = length(rows_, (i & 8) != 0),
                                 .n = length(columns_, (i & 4) != 0),
                                 .k = length(terms_, (i & 2) != 0),
                                 .a_row = p.a.row,
                                 .a_column = p.a.column,
                                 .b_row = p.b.row,
                                 .b_column = p.b.column,
                                 .operand = p.a.dtype,
                                 .accumulates = (i & 1) != 0};
      request.c_row = is_direct_ ? p.out.row : slices_ > 1 ? p.n : columns_.length;
      request.result = is_direct_ ? p.out.dtype : DType::kFloat32;
      if (request.m == 0 || request.n == 0 || request.k == 0) continue;
      // Only the last part of the sums is shorter; only the first of a slice does not accumulate.
      const bool is_first = (i & 2) != 0 ? (parts - 1) % slice_parts_ == 0 : true;
      const bool is_later = (i & 2) != 0 ? !is_first : slice_parts_ > 1;
      if (request.accumulates ? !is_later : !is_first) continue;
      products_[i] = onednn::MakeProduct(request);
      scratch_bytes_ = std::max(scratch_bytes_, products_[i]->ScratchBytes());
    }
  }

  void RunUnit(const RunContext& run, int64_t unit, char* scratch, float* partial) const {
    const Problem& p = problem();
    const int64_t slice = unit % slices_, across = unit / slices_ % columns_.Pieces();
    const int64_t down = unit / slices_ / columns_.Pieces() % rows_.Pieces();
    const int64_t batch = unit / slices_ / columns_.Pieces() / rows_.Pieces();
    const int64_t row = rows_.Begin(down), column = columns_.Begin(across);
    const int64_t rows = rows_.Length(down), columns = columns_.Length(across);
    char* to = scratch;
    if (is_direct_) {
      to =
          setup_.out.At(run) + (p.OffsetOf(p.out, batch) + row * p.out.row + column) * p.out.Size();
    } else if (slices_ > 1) {
      to = reinterpret_cast<char*>(partial + ((slice * p.Batches() + batch) * p.m + row) * p.n +
                                   column);
    }
    const int64_t a = p.OffsetOf(p.a, batch) + row * p.a.row;
    const int64_t b = p.OffsetOf(p.b, batch) + column * p.b.column;
    const int64_t first = slice * slice_parts_;
    const int64_t last = std::min(terms_.Pieces(), first + slice_parts_);
    for (int64_t part = first; part < last; ++part) {
      const int64_t k = terms_.Begin(part);
      const auto& product =
          ProductOf(rows_.IsLast(down), columns_.IsLast(across), terms_.IsLast(part), part > first);
      product->Run(setup_.a.At(run) + (a + k * p.a.column) * p.a.Size(),
                   setup_.b.At(run) + (b + k * p.b.row) * p.b.Size(), to, scratch + tile_bytes_);
    }
    if (is_direct_ || slices_ > 1) return;
    for (int64_t r = 0; r < rows; ++r) {
      FinishRow(run, batch, row + r, column,
                reinterpret_cast<const float*>(to) + r * columns_.length, columns);
    }
  }

  Cut rows_, columns_, terms_;
  int64_t slices_ = 1, slice_parts_ = 1, slice_terms_ = 0;
  bool is_direct_ = false;
  std::array<onednn::ProductPointer, 16> products_;
  int64_t scratch_bytes_ = 0, tile_bytes_ = 0;
  UnitScratch scratch_;
  WorkspacePiece partial_;
};

bool ReachesFar(const Operand& operand) {
  return std::max(operand.row, operand.column) > kMostStride;
}

}  // namespace

bool MatricesSwap(const Problem& problem) {
  return problem.out.column != 1 && problem.out.row == 1;
}

bool MatricesReachTooFar(const Problem& problem) {
  return (ReachesFar(problem.a) && problem.k > kMostStride) ||
         (ReachesFar(problem.b) && problem.n > kMostStride);
}

bool MatricesRead(const Operand& operand, int64_t rows, int64_t columns) {
  const bool by_rows =
      (columns == 1 || operand.column == 1) && (rows == 1 || operand.row >= columns);
  const bool by_columns =
      (rows == 1 || operand.row == 1) && (columns == 1 || operand.column >= rows);
  return (by_rows || by_columns) && !ReachesFar(operand);
}

bool MatricesGainByRows(const Problem& problem) {
  constexpr int64_t kLeastUses = 128;  // of an element that is copied
  const auto by_columns = [](const Operand& operand) {
    return operand.row == 1 && operand.column != 1;
  };
  return by_columns(problem.a) && by_columns(problem.b) && problem.n >= kLeastUses;
}

PlanPointer MakeMatricesPlan(Planner& planner, Setup setup) {
  return NewPlan<MatricesPlan>(std::move(setup), planner);
}

}  // namespace aclimb::matmul
