// The C entry points of both versions, and the plan between them.

#include <algorithm>
#include <array>
#include <cmath>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/copy.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/packed.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/matmul/finish.h"
#include "aclimb/matmul/onednn.h"
#include "aclimb/ops/weight_quant_batch_matmul/contract.h"
#include "aclimb/ops/weight_quant_batch_matmul/kernels.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/prefetch.h"
#include "aclimb/simd/team.h"

namespace aclimb::weight_quant_batch_matmul {
namespace {

// Sides of a tile of the weight, as floats 256 KiB, and rows of x that meet it.
constexpr int64_t kTileColumns = 128, kTileTerms = 512, kTileRows = 512;
// Columns of a weight that few rows of x meet as it lies.
constexpr int64_t kLeastRowColumns = 128, kMostRowColumns = 2048;
// So many rows before its own turn a row of the weight is prefetched.
constexpr int64_t kRowsAhead = 8;
// Integers that a thread takes at once, about.
constexpr int64_t kGrainCodes = 64 * 1024;

// The scales or the offsets: those of group g and column n.
class Grid {
 public:
  Grid() = default;
  explicit Grid(const TensorDescriptor& tensor)
      : size_(static_cast<int64_t>(SizeOf(tensor.dtype))),
        to_float_(tensor.dtype, DType::kFloat32) {
    const auto rank = tensor.shape.size();
    // One for all columns, or for all groups, is repeated.
    column_ = tensor.shape[rank - 1] == 1 ? 0 : tensor.stride[rank - 1];
    group_ = rank == 1 || tensor.shape[0] == 1 ? 0 : tensor.stride[0];
  }

  bool IsGiven() const { return size_ > 0; }
  // Whether those of a column stand behind those of the column before it, one after the other.
  bool FollowColumns(int64_t groups) const { return group_ == 1 && column_ == groups; }
  int64_t BytesBefore(int64_t column) const { return column * column_ * size_; }
  void Groups(const void* data, int64_t first, int64_t column, int64_t count, float* out) const {
    Line(data, first * group_ + column * column_, group_, count, out);
  }
  void Columns(const void* data, int64_t group, int64_t first, int64_t count, float* out) const {
    Line(data, group * group_ + first * column_, column_, count, out);
  }

 private:
  void Line(const void* data, int64_t first, int64_t step, int64_t count, float* out) const {
    const auto* const from = static_cast<const char*>(data) + first * size_;
    if (step == 1) return to_float_.Run(from, count, out);
    for (int64_t i = 0; i < count; ++i) to_float_.Run(from + i * step * size_, 1, out + i);
  }

  int64_t size_ = 0, group_ = 0, column_ = 0;
  copy::Converter to_float_;
};

struct Problem {
  int64_t m = 0, n = 0, k = 0;
  int64_t group = 1;
  DType codes = DType::kInt8;
  int64_t term = 0, column = 0;  // strides of the weight
  Grid scales = {}, offsets = {};
  // Whether the integers of a row of the weight are neighbours, and those of a column are not.
  bool by_rows = false;
};

// What a unit of work has for itself.
struct Scratch {
  int8_t* codes;
  float *scales, *offsets;
  float* of_blocks;  // scales
  double* totals;
  float *tile, *sums;
  void* of_onednn;
};

class WeightQuantPlan final : public Plan {
 public:
  WeightQuantPlan(const Problem& problem, const matmul::Problem& of_finish, int y, Planner& planner)
      : p_(problem), finish_(of_finish, 1, 1), out_(of_finish.out), y_(y) {
    has_bias_ = of_finish.HasSelf();
    // The stride of a dimension of one element may be any number.
    if (has_bias_ && p_.n > 1) bias_step_ = of_finish.self.column * of_finish.self.Size();
    tiles_ = p_.k > 0 && (p_.m > kFewRows || p_.by_rows);
    as_it_lies_ = tiles_ && p_.m <= kFewRows;
    columns_ = as_it_lies_ ? RowColumns()
               : tiles_    ? kTileColumns
                           : std::clamp<int64_t>(kGrainCodes / std::max<int64_t>(1, p_.k), 1, 256);
    columns_ = std::min(columns_, p_.n);
    terms_ = std::min(tiles_ ? kTileTerms : p_.k, p_.k);
    rows_ = std::min(tiles_ ? kTileRows : kFewRows, p_.m);
    if (tiles_ && !as_it_lies_) MakeProducts();
    const bool packed = PackedPerByte(p_.codes) > 1;
    const bool in_order = p_.term == 1 && (!packed || p_.column % 2 == 0);
    if (!tiles_ && in_order && !p_.offsets.IsGiven()) whole_ = p_.k / kBlockTerms * kBlockTerms;
    nibbles_ = packed && whole_ > 0;
    Book(planner);
    const double codes = static_cast<double>(p_.n) * static_cast<double>(p_.k);
    planner.Costs(
        {.cycles = codes / (whole_ > 0 ? 8 : 4) + codes * static_cast<double>(p_.m) / 16});
  }

  double Flops() const override {
    return 2.0 * static_cast<double>(p_.m) * static_cast<double>(p_.n) * static_cast<double>(p_.k);
  }

  void Run(const RunContext& run) const override {
    float* const x = run.Piece<float>(x_);
    if (p_.k > 0) {
      TensorView from = run.View(kX), to = DenseLike(from, x);
      to.dtype = DType::kFloat32;
      if (!copy::Copy(from, to)) return;
    }
    if (nibbles_) EvenBeforeOdd(x, run.Piece<float>(parted_));
    const int64_t codes = std::max<int64_t>(1, columns_ * p_.k);
    (void)scratch_.Run(
        run, Units(), std::max<int64_t>(1, kGrainCodes / codes),
        [&](int64_t unit, char* scratch) { RunUnit(run, unit, x, ScratchAt(scratch)); });
  }

 private:
  // Fewer columns for larger teams, of which each thread shall have work. No sum depends on it.
  int64_t RowColumns() const {
    const int64_t share = RoundUp(CeilDivide(p_.n, int64_t{TeamSize()}), int64_t{64});
    return std::clamp(share, kLeastRowColumns, kMostRowColumns);
  }

  // A part of y.
  struct Part {
    int64_t row, rows, column, columns;
  };

  int64_t Units() const { return CeilDivide(p_.m, rows_) * CeilDivide(p_.n, columns_); }

  void RunUnit(const RunContext& run, int64_t unit, const float* x, const Scratch& scratch) const {
    const int64_t across = CeilDivide(p_.n, columns_);
    const int64_t row = unit / across * rows_, column = unit % across * columns_;
    const Part part = {row, std::min(rows_, p_.m - row), column, std::min(columns_, p_.n - column)};
    x += row * p_.k;
    tiles_ ? ByTiles(run, part, x, scratch) : ByRows(run, part, x, scratch);
    FinishRows(run, part, scratch);
  }

  // ---- What is booked

  void Book(Planner& planner) {
    const int64_t most_groups = CeilDivide(terms_, p_.group) + 1;
    int64_t bytes = 0;
    const auto piece = [&](int64_t elements, int64_t size) {
      const int64_t at = bytes;
      bytes += RoundUp(elements * size, int64_t{64});
      return at;
    };
    codes_at_ = piece(std::max(terms_, kTermsTogether * columns_), 1);
    scales_at_ = piece(std::max(most_groups, columns_), sizeof(float));
    offsets_at_ = piece(std::max(most_groups, columns_), sizeof(float));
    of_blocks_at_ = piece(columns_ * (whole_ / kBlockTerms), sizeof(float));
    totals_at_ = piece(whole_ > 0 ? rows_ * columns_ : 0, sizeof(double));
    tile_at_ = piece(tiles_ ? (as_it_lies_ ? rows_ : terms_) * columns_ : 0, sizeof(float));
    sums_at_ = piece(rows_ * columns_, sizeof(float));
    onednn_at_ = piece(scratch_bytes_, 1);
    x_ = planner.workspace().Book(p_.m * p_.k, sizeof(float));
    if (nibbles_) parted_ = planner.workspace().Book(p_.m * whole_, sizeof(float));
    scratch_.Book(planner, Units(), RoundUp(bytes, int64_t{4096}));
  }

  Scratch ScratchAt(char* memory) const {
    const auto floats = [&](int64_t at) { return reinterpret_cast<float*>(memory + at); };
    return {reinterpret_cast<int8_t*>(memory + codes_at_),
            floats(scales_at_),
            floats(offsets_at_),
            floats(of_blocks_at_),
            reinterpret_cast<double*>(memory + totals_at_),
            floats(tile_at_),
            floats(sums_at_),
            memory + onednn_at_};
  }

  // ---- The weight

  // `count` integers from place `first` on, so many places apart.
  const int8_t* Codes(const void* weight, int64_t first, int64_t step, int64_t count,
                      int8_t* buffer) const {
    const bool packed = PackedPerByte(p_.codes) > 1;
    if (step == 1 && !packed) return static_cast<const int8_t*>(weight) + first;
    const int64_t run = step == 1 ? count : 1;
    for (int64_t i = 0; i < count; i += run) {
      if (packed) {
        kernels_.unpack(static_cast<const uint8_t*>(weight), first + i * step, run, buffer + i);
      } else {
        buffer[i] = static_cast<const int8_t*>(weight)[first + i * step];
      }
    }
    return buffer;
  }

  // Terms [begin, begin + count) of a column.
  Piece ColumnPiece(const RunContext& run, int64_t column, int64_t begin, int64_t count,
                    const Scratch& scratch) const {
    const int64_t group = begin / p_.group;
    const int64_t groups = count == 0 ? 0 : (begin + count - 1) / p_.group - group + 1;
    p_.scales.Groups(run.Data(kScale), group, column, groups, scratch.scales);
    const bool has_offsets = p_.offsets.IsGiven();
    if (has_offsets) {
      p_.offsets.Groups(run.Data(kOffset), group, column, groups, scratch.offsets);
    }
    return {.codes = Codes(run.Data(kWeight), column * p_.column + begin * p_.term, p_.term, count,
                           scratch.codes),
            .first = begin,
            .count = count,
            .group = p_.group,
            .scales = scratch.scales,
            .offsets = has_offsets ? scratch.offsets : nullptr};
  }

  // ---- The two ways

  // The terms of each block, as the kernel wants them.
  void EvenBeforeOdd(const float* x, float* parted) const {
    for (int64_t r = 0; r < p_.m; ++r, x += p_.k) {
      for (int64_t k = 0; k < whole_; k += kBlockTerms, parted += kBlockTerms) {
        for (int64_t i = 0; i < kBlockTerms / 2; ++i) {
          parted[i] = x[k + 2 * i];
          parted[i + kBlockTerms / 2] = x[k + 2 * i + 1];
        }
      }
    }
  }

  // Each row meets the integers of a column: blocks of them, and then what is left.
  void ByRows(const RunContext& run, const Part& part, const float* x,
              const Scratch& scratch) const {
    if (whole_ > 0) DotBlocks(run, part, x, scratch);
    for (int64_t c = 0; c < part.columns; ++c) {
      const int64_t column = part.column + c;
      const auto rest_of_column = [&] {
        return whole_ < p_.k ? ColumnPiece(run, column, whole_, p_.k - whole_, scratch) : Piece();
      };
      Piece rest = rest_of_column();
      for (int64_t r = 0; r < part.rows; ++r) {
        double total = whole_ > 0 ? scratch.totals[c * part.rows + r] : 0;
        if (whole_ < p_.k) total += kernels_.dot_piece(rest, x + r * p_.k + whole_);
        // A sum that is scaled afterwards is too large where scaled terms may not be, and keeps a
        // 0 from meeting an infinite scale.
        if (whole_ > 0 && !std::isfinite(total)) {
          const Piece all = ColumnPiece(run, column, 0, p_.k, scratch);
          total = kernels_.dot_piece(all, x + r * p_.k);
          rest = rest_of_column();  // both are in the scratch memory
        }
        scratch.sums[r * columns_ + c] = static_cast<float>(total);
      }
    }
  }

  void DotBlocks(const RunContext& run, const Part& part, const float* x,
                 const Scratch& scratch) const {
    ScalesOfBlocks(run, part, scratch);
    const int64_t packed = PackedPerByte(p_.codes), end = part.column + part.columns;
    const Blocks blocks = {
        .codes = static_cast<const char*>(run.Data(kWeight)) + part.column * p_.column / packed,
        .columns = part.columns,
        .column = p_.column / packed,
        .count = whole_ / kBlockTerms,
        .scales = scratch.of_blocks,
        .x = nibbles_ ? run.Piece<float>(parted_) : x,
        .rows = part.rows,
        .row = nibbles_ ? whole_ : p_.k,
        .ahead = static_cast<const char*>(run.Data(kScale)) + p_.scales.BytesBefore(end),
        .ahead_bytes = end < p_.n ? p_.scales.BytesBefore(1) : 0};
    nibbles_ ? kernels_.dot_int4(blocks, scratch.totals)
             : kernels_.dot_int8(blocks, scratch.totals);
  }

  void ScalesOfBlocks(const RunContext& run, const Part& part, const Scratch& scratch) const {
    const int64_t count = whole_ / kBlockTerms, of_group = CeilDivide(p_.group, kBlockTerms);
    const int64_t groups = CeilDivide(count, of_group);
    const void* const scales = run.Data(kScale);
    if (of_group == 1 && p_.scales.FollowColumns(groups)) {
      return p_.scales.Groups(scales, 0, part.column, part.columns * groups, scratch.of_blocks);
    }
    for (int64_t c = 0; c < part.columns; ++c) {
      p_.scales.Groups(scales, 0, part.column + c, groups, scratch.scales);
      float* const of_blocks = scratch.of_blocks + c * count;
      for (int64_t b = 0; b < count; b += of_group) {
        std::fill_n(of_blocks + b, std::min(of_group, count - b), scratch.scales[b / of_group]);
      }
    }
  }

  // Tiles of the weight become floats, which all rows meet.
  void ByTiles(const RunContext& run, const Part& part, const float* x,
               const Scratch& scratch) const {
    for (int64_t begin = 0; begin < p_.k; begin += terms_) {
      const int64_t terms = std::min(terms_, p_.k - begin);
      if (as_it_lies_) {
        AddRows(run, part, x, begin, terms, scratch);
        continue;
      }
      if (p_.by_rows) {
        EachRow(run, part, begin, terms, scratch,
                [&](int64_t t, const int8_t* codes, const float* offsets) {
                  kernels_.scale_row(codes, part.columns, scratch.scales, offsets,
                                     scratch.tile + t * columns_);
                });
      } else {
        for (int64_t c = 0; c < part.columns; ++c) {
          kernels_.scale_piece(ColumnPiece(run, part.column + c, begin, terms, scratch),
                               scratch.tile + c * terms_);
        }
      }
      ProductOf(part.rows < rows_, part.columns < columns_, terms<terms_, begin> 0)
          ->Run(x + begin, scratch.tile, scratch.sums, scratch.of_onednn);
    }
  }

  // The sums of these terms are added to those of the terms before.
  void AddRows(const RunContext& run, const Part& part, const float* x, int64_t begin,
               int64_t terms, const Scratch& scratch) const {
    float* const sums = begin == 0 ? scratch.sums : scratch.tile;
    std::fill_n(sums, part.rows * columns_, 0.0f);
    int64_t together = 0;
    for (int64_t t = 0; t < terms; t += together) {
      const int64_t term = begin + t, of_group = p_.group - term % p_.group;
      together = std::min({kTermsTogether, terms - t, of_group});
      const float* const offsets = GridOfRow(run, part, term, t == 0, scratch);
      kernels_.add_rows(RowsOfCodes(run, part, term, together, t + 2 * together <= terms, scratch),
                        scratch.scales, offsets, {x + term, p_.k, part.rows, sums, columns_});
    }
    if (begin == 0) return;
    for (int64_t i = 0; i < part.rows * columns_; ++i) scratch.sums[i] += sums[i];
  }

  // So many terms' rows, of which as many more follow or not. INT4 becomes bytes.
  CodeRows RowsOfCodes(const RunContext& run, const Part& part, int64_t term, int64_t terms,
                       bool more, const Scratch& scratch) const {
    const bool packed = PackedPerByte(p_.codes) > 1;
    CodeRows rows = {.codes = scratch.codes,
                     .row = packed ? columns_ : p_.term,
                     .terms = terms,
                     .count = part.columns,
                     .ahead = packed || !more ? 0 : terms * p_.term};
    for (int64_t t = 0; t < (packed ? terms : 1); ++t) {
      const int64_t first = (term + t) * p_.term + part.column * p_.column;
      const int8_t* const codes =
          Codes(run.Data(kWeight), first, p_.column, part.columns, scratch.codes + t * columns_);
      if (t == 0) rows.codes = codes;
    }
    return rows;
  }

  // Puts what scales a term's row into the scratch unless the term before had the same; the
  // offsets.
  const float* GridOfRow(const RunContext& run, const Part& part, int64_t term, bool is_first,
                         const Scratch& scratch) const {
    const bool has_offsets = p_.offsets.IsGiven();
    if (is_first || term % p_.group == 0) {
      const int64_t group = term / p_.group;
      p_.scales.Columns(run.Data(kScale), group, part.column, part.columns, scratch.scales);
      if (has_offsets) {
        p_.offsets.Columns(run.Data(kOffset), group, part.column, part.columns, scratch.offsets);
      }
    }
    return has_offsets ? scratch.offsets : nullptr;
  }

  // Calls use(term, codes, offsets) for each row of a tile; its scales are in the scratch.
  template <typename Use>
  void EachRow(const RunContext& run, const Part& part, int64_t begin, int64_t terms,
               const Scratch& scratch, Use&& use) const {
    for (int64_t t = 0; t < terms; ++t) {
      const float* const offsets = GridOfRow(run, part, begin + t, t == 0, scratch);
      const int8_t* const codes =
          Codes(run.Data(kWeight), (begin + t) * p_.term + part.column * p_.column, p_.column,
                part.columns, scratch.codes);
      // They lie too far apart for the processor to see the next ones coming.
      if (PackedPerByte(p_.codes) == 1 && t + kRowsAhead < terms) {
        PrefetchLines(codes + kRowsAhead * p_.term, part.columns);
      }
      use(t, codes, offsets);
    }
  }

  void FinishRows(const RunContext& run, const Part& part, const Scratch& scratch) const {
    const auto* const bias =
        has_bias_ ? static_cast<const char*>(run.Data(kBias)) + part.column * bias_step_ : nullptr;
    for (int64_t r = 0; r < part.rows; ++r) {
      char* const to = static_cast<char*>(run.Data(y_)) +
                       ((part.row + r) * out_.row + part.column * out_.column) * out_.Size();
      finish_.Row(scratch.sums + r * columns_, part.columns, bias, to);
    }
  }

  const matmul::onednn::ProductPointer& ProductOf(bool last_rows, bool last_columns,
                                                  bool last_terms, bool accumulates) const {
    return products_[8 * last_rows + 4 * last_columns + 2 * last_terms + accumulates];
  }

  void MakeProducts() {
    const auto length = [](int64_t extent, int64_t whole, bool last) {
      return last ? extent % whole : whole;
    };
    for (size_t i = 0; i < products_.size(); ++i) {
      const matmul::onednn::Request request = {.m = length(p_.m, rows_, (i & 8) != 0),
                                               .n = length(p_.n, columns_, (i & 4) != 0),
                                               .k = length(p_.k, terms_, (i & 2) != 0),
                                               .a_row = p_.k,
                                               .a_column = 1,
                                               .b_row = p_.by_rows ? columns_ : 1,
                                               .b_column = p_.by_rows ? 1 : terms_,
                                               .c_row = columns_,
                                               .accumulates = (i & 1) != 0};
      if (request.m == 0 || request.n == 0 || request.k == 0) continue;
      products_[i] = matmul::onednn::MakeProduct(request);
      scratch_bytes_ = std::max(scratch_bytes_, products_[i]->ScratchBytes());
    }
  }

  const Problem p_;
  const matmul::Finish finish_;
  const matmul::Operand out_;
  const int y_;
  const Kernels& kernels_ = KernelsInUse();
  bool has_bias_ = false;
  int64_t bias_step_ = 0;
  bool tiles_ = false;
  bool as_it_lies_ = false;                     // without making floats of a tile
  int64_t rows_ = 0, columns_ = 0, terms_ = 0;  // of a tile
  int64_t whole_ = 0;                           // terms that are taken in blocks
  bool nibbles_ = false;                        // of INT4
  std::array<matmul::onednn::ProductPointer, 16> products_;
  int64_t scratch_bytes_ = 0;
  int64_t codes_at_ = 0, scales_at_ = 0, offsets_at_ = 0, of_blocks_at_ = 0;
  int64_t totals_at_ = 0, tile_at_ = 0, sums_at_ = 0, onednn_at_ = 0;
  WorkspacePiece x_, parted_;
  UnitScratch scratch_;
};

Problem ProblemOf(const contract::Arguments& arguments) {
  const TensorDescriptor &x = arguments.Tensor(kX), &weight = arguments.Tensor(kWeight);
  Problem p = {.m = x.shape[0],
               .n = weight.shape[1],
               .k = weight.shape[0],
               .group = arguments.Integer(kGroupSize),
               .codes = weight.dtype,
               .term = weight.stride[0],
               .column = weight.stride[1],
               .scales = Grid(arguments.Tensor(kScale))};
  if (p.group == 0) p.group = std::max<int64_t>(1, p.k);
  if (arguments.Given(kOffset)) p.offsets = Grid(arguments.Tensor(kOffset));
  p.by_rows = p.term != 1 && p.column == 1 && p.k > 1;
  return p;
}

template <int kOutput>
Result<PlanPointer> MakePlan(const contract::Arguments& arguments, Planner& planner) {
  const Problem problem = ProblemOf(arguments);
  if (problem.m == 0 || problem.n == 0) return PlanPointer();
  const TensorDescriptor& y = arguments.Tensor(kOutput);
  matmul::Problem of_finish;
  of_finish.out = {.dtype = y.dtype, .row = y.stride[0], .column = y.stride[1]};
  if (const TensorDescriptor* bias = arguments.TensorOrNull(kBias)) {
    of_finish.self = {.dtype = bias->dtype, .column = bias->stride.back()};
    planner.Reads(kBias);
  }
  for (const int p : {kX, kWeight, kScale}) planner.Reads(p);
  if (problem.offsets.IsGiven()) planner.Reads(kOffset);
  planner.Writes(kOutput);
  return PlanPointer(NewPlan<WeightQuantPlan>(problem, of_finish, kOutput, planner));
}

constinit Operator kOperatorOfV2(kContractOfV2, MakePlan<kY>);
constinit Operator kOperatorOfV3(kContractOfV3, MakePlan<kYOfV3>);

}  // namespace
}  // namespace aclimb::weight_quant_batch_matmul

extern "C" aclnnStatus aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional,
    const aclTensor* quantOffsetOptional, const aclTensor* biasOptional, int antiquantGroupSize,
    const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::weight_quant_batch_matmul::kOperatorOfV2, workspaceSize, executor,
                        x, weight, antiquantScale, antiquantOffsetOptional, quantScaleOptional,
                        quantOffsetOptional, biasOptional, antiquantGroupSize, y);
}

extern "C" aclnnStatus aclnnWeightQuantBatchMatmulV2(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::weight_quant_batch_matmul::kOperatorOfV2, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnWeightQuantBatchMatmulV3GetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* antiquantScale,
    const aclTensor* antiquantOffsetOptional, const aclTensor* quantScaleOptional,
    const aclTensor* quantOffsetOptional, const aclTensor* biasOptional, int antiquantGroupSize,
    int innerPrecise, const aclTensor* y, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::weight_quant_batch_matmul::kOperatorOfV3, workspaceSize, executor,
                        x, weight, antiquantScale, antiquantOffsetOptional, quantScaleOptional,
                        quantOffsetOptional, biasOptional, antiquantGroupSize, innerPrecise, y);
}

extern "C" aclnnStatus aclnnWeightQuantBatchMatmulV3(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::weight_quant_batch_matmul::kOperatorOfV3, workspace, workspaceSize,
                        executor, stream);
}
