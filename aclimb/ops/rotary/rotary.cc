// aclnnRotaryPositionEmbedding, its gradient and aclnnApplyRotaryPosEmb: the C entry points and the
// plans.

#include <algorithm>
#include <array>
#include <utility>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/rotary/contract.h"
#include "aclimb/ops/rotary/turn.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::rotary {
namespace {

using contract::Arguments;
using rows::Dense;

// Elements that a thread takes at once.
constexpr int64_t kGrain = 16 * 1024;
// What an element takes, conversions included.
constexpr double kCycles = 2;

// The first three dimensions of a tensor, whose last one is a row.
struct RowsOf {
  std::array<int64_t, 3> extents = {};
  int64_t width = 0;

  explicit RowsOf(const TensorDescriptor& tensor)
      : extents{tensor.shape[0], tensor.shape[1], tensor.shape[2]}, width(tensor.shape[3]) {}
  RowsOf() = default;

  int64_t count() const { return extents[0] * extents[1] * extents[2]; }
  // The row of angles, of which some extents are 1, for row number `row`.
  int64_t RowIn(const RowsOf& angles, int64_t row) const {
    const int64_t k = row % extents[2], j = row / extents[2] % extents[1];
    const int64_t i = row / extents[2] / extents[1];
    const auto at = [&](int d, int64_t index) {
      return angles.extents[static_cast<size_t>(d)] == 1 ? 0 : index;
    };
    return (at(0, i) * angles.extents[1] + at(1, j)) * angles.extents[2] + at(2, k);
  }
};

Dense Floats(const Arguments& arguments, Planner& planner, int place) {
  const TensorView view = arguments.Tensor(place).View();
  return Dense::Input(planner, place, view, DType::kFloat32);
}
Dense InputOf(const Arguments& arguments, Planner& planner, int place) {
  return Dense::Input(planner, place, arguments.Tensor(place).View());
}
Dense OutputOf(const Arguments& arguments, Planner& planner, int place) {
  const TensorView view = arguments.Tensor(place).View();
  return Dense::Output(planner, place, view, view.dtype);
}

// Rows of a dense tensor as float32, and back.
class RowReader {
 public:
  RowReader(const void* data, DType dtype, int64_t width)
      : data_(static_cast<const char*>(data)),
        bytes_(width * static_cast<int64_t>(SizeOf(dtype))),
        width_(width),
        converter_(dtype, DType::kFloat32) {}
  const float* Load(int64_t row, float* buffer) const {
    const char* const from = data_ + row * bytes_;
    if (!converter_.Changes()) return reinterpret_cast<const float*>(from);
    converter_.Run(from, width_, buffer);
    return buffer;
  }

 private:
  const char* data_;
  int64_t bytes_, width_;
  copy::Converter converter_;
};
class RowWriter {
 public:
  RowWriter(void* data, DType dtype, int64_t width)
      : data_(static_cast<char*>(data)),
        bytes_(width * static_cast<int64_t>(SizeOf(dtype))),
        width_(width),
        converter_(DType::kFloat32, dtype) {}
  void Store(const float* from, int64_t row) const {
    if (!IsOfFloats()) return converter_.Run(from, width_, data_ + row * bytes_);
    std::copy_n(from, width_, At(row));
  }
  bool IsOfFloats() const { return !converter_.Changes(); }
  float* At(int64_t row) const { return reinterpret_cast<float*>(data_ + row * bytes_); }

 private:
  char* data_;
  int64_t bytes_, width_;
  copy::Converter converter_;
};

int64_t BytesOfRows(int64_t rows, int64_t width) {
  return rows * width * static_cast<int64_t>(sizeof(float));
}

// One tensor that is turned, forwards or back.
struct Job {
  RowsOf rows;
  Dense in, out;
};

class TurnPlan final : public Plan {
 public:
  TurnPlan(const Arguments& arguments, Planner& planner, int64_t mode, bool back, int cos, int sin)
      : mode_(mode),
        back_(back),
        angles_(arguments.Tensor(cos)),
        cos_(Floats(arguments, planner, cos)),
        sin_(Floats(arguments, planner, sin)) {}

  void Add(const Arguments& arguments, Planner& planner, int in, int out) {
    Job& job = jobs_[static_cast<size_t>(count_++)];
    job.rows = RowsOf(arguments.Tensor(in));
    if (in == out) {
      const TensorView view = arguments.Tensor(in).View();
      job.in = job.out = Dense::InOut(planner, in, view, view.dtype);
    } else {
      job.in = InputOf(arguments, planner, in);
      job.out = OutputOf(arguments, planner, out);
    }
  }
  void Finish(Planner& planner) {
    int64_t most = 0;
    double elements = 0;
    for (const Job& job : jobs_) {
      most = std::max(most, job.rows.count());
      elements += static_cast<double>(job.rows.count() * job.rows.width);
    }
    scratch_.Book(planner, most, BytesOfRows(2, angles_.width));
    planner.Costs({.cycles = kCycles * elements});
  }

  void Run(const RunContext& run) const override {
    if (!cos_.Fetch(run) || !sin_.Fetch(run)) return;
    for (int i = 0; i < count_; ++i) {
      const Job& job = jobs_[static_cast<size_t>(i)];
      if (!job.in.Fetch(run) || !RunJob(run, job) || !job.out.Deliver(run)) return;
    }
  }

 private:
  bool RunJob(const RunContext& run, const Job& job) const {
    const int64_t width = job.rows.width, count = job.rows.count(), inner = job.rows.extents[2];
    void* const to = job.out.Data(run);
    const RowReader in(job.in.Data(run), job.in.dtype(), width);
    const RowWriter out(to, job.out.dtype(), width);
    const auto* const cos = static_cast<const float*>(cos_.Data(run));
    const auto* const sin = static_cast<const float*>(sin_.Data(run));
    const bool is_direct = out.IsOfFloats() && to != job.in.Data(run);
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width));
    return scratch_.Run(run, CeilDivide(count, grain), 1, [&](int64_t unit, char* scratch) {
      auto* const row = reinterpret_cast<float*>(scratch);
      float* const turned = row + width;
      const int64_t end = std::min(count, (unit + 1) * grain);
      for (int64_t begin = unit * grain, some = 0; begin < end; begin += some) {
        some = std::min(end - begin, inner - begin % inner);
        const int64_t angle = job.rows.RowIn(angles_, begin) * width;
        Rows rows = {.mode = mode_,
                     .back = back_,
                     .count = is_direct ? some : 1,
                     .width = width,
                     .cos = cos + angle,
                     .sin = sin + angle,
                     .angle_step = angles_.extents[2] == 1 ? 0 : width};
        for (int64_t r = begin; r < begin + some; r += rows.count) {
          rows.x = in.Load(r, row);
          Turn(rows, is_direct ? out.At(r) : turned);
          if (!is_direct) out.Store(turned, r);
          rows.cos += rows.angle_step;
          rows.sin += rows.angle_step;
        }
      }
    });
  }

  const int64_t mode_;
  const bool back_;
  const RowsOf angles_;
  const Dense cos_, sin_;
  std::array<Job, 2> jobs_;
  int count_ = 0;
  UnitScratch scratch_;
};

// The gradients of the angles: each row is the sum over those that it was repeated for.
class AnglesPlan final : public Plan {
 public:
  AnglesPlan(const Arguments& arguments, Planner& planner,
             std::shared_ptr<const TurnPlan> gradient_of_x)
      : gradient_of_x_(std::move(gradient_of_x)) {
    using namespace rotary_position_embedding_grad;  // NOLINT: its positions
    mode_ = arguments.Integer(kMode);
    rows_ = RowsOf(arguments.Tensor(kDy));
    angles_ = RowsOf(arguments.Tensor(kCos));
    grad_ = InputOf(arguments, planner, kDy);
    x_ = InputOf(arguments, planner, kX);
    cos_ = OutputOf(arguments, planner, kDcos);
    sin_ = OutputOf(arguments, planner, kDsin);
    // Two of floats, and two of doubles.
    scratch_.Book(planner, angles_.count(), BytesOfRows(6, rows_.width));
    planner.Costs({.cycles = 3 * kCycles * static_cast<double>(rows_.count() * rows_.width)});
  }

  void Run(const RunContext& run) const override {
    for (const Dense* each : {&grad_, &x_}) {
      if (!each->Fetch(run)) return;
    }
    const int64_t width = rows_.width;
    const RowReader grad(grad_.Data(run), grad_.dtype(), width);
    const RowReader x(x_.Data(run), x_.dtype(), width);
    const RowWriter cos(cos_.Data(run), cos_.dtype(), width);
    const RowWriter sin(sin_.Data(run), sin_.dtype(), width);
    const bool whole = scratch_.Run(run, angles_.count(), 1, [&](int64_t angle, char* scratch) {
      auto* const sums = reinterpret_cast<double*>(scratch);
      float* const row = reinterpret_cast<float*>(sums + 2 * width);
      std::fill_n(sums, 2 * width, 0.0);
      ForRowsOf(angle, [&](int64_t r) {
        AddAngles(mode_, width, grad.Load(r, row), x.Load(r, row + width), sums, sums + width);
      });
      std::copy_n(sums, 2 * width, row);
      cos.Store(row, angle);
      sin.Store(row + width, angle);
    });
    if (!whole || !cos_.Deliver(run) || !sin_.Deliver(run)) return;
    // Last, since it may overwrite dy.
    if (gradient_of_x_ != nullptr) gradient_of_x_->Run(run);
  }

 private:
  // Calls body(row) for the rows that a row of angles stands for.
  template <typename Body>
  void ForRowsOf(int64_t angle, const Body& body) const {
    int64_t begin[3], end[3];
    for (int d = 2; d >= 0; --d) {
      const auto i = static_cast<size_t>(d);
      const bool repeats = angles_.extents[i] == 1;
      begin[d] = repeats ? 0 : angle % angles_.extents[i];
      end[d] = repeats ? rows_.extents[i] : begin[d] + 1;
      angle /= angles_.extents[i];
    }
    for (int64_t i = begin[0]; i < end[0]; ++i) {
      for (int64_t j = begin[1]; j < end[1]; ++j) {
        for (int64_t k = begin[2]; k < end[2]; ++k) {
          body((i * rows_.extents[1] + j) * rows_.extents[2] + k);
        }
      }
    }
  }

  std::shared_ptr<const TurnPlan> gradient_of_x_;
  int64_t mode_ = 0;
  RowsOf rows_, angles_;
  Dense grad_, x_, cos_, sin_;
  UnitScratch scratch_;
};

Result<PlanPointer> PlanEmbedding(const Arguments& arguments, Planner& planner) {
  using namespace rotary_position_embedding;  // NOLINT: its positions
  if (arguments.Tensor(kX).IsEmpty()) return PlanPointer();
  const auto plan =
      NewPlan<TurnPlan>(arguments, planner, arguments.Integer(kMode), false, kCos, kSin);
  plan->Add(arguments, planner, kX, kOut);
  plan->Finish(planner);
  return PlanPointer(plan);
}

Result<PlanPointer> PlanGradient(const Arguments& arguments, Planner& planner) {
  using namespace rotary_position_embedding_grad;  // NOLINT: its positions
  std::shared_ptr<TurnPlan> turn;
  if (!arguments.Tensor(kDy).IsEmpty()) {
    turn = NewPlan<TurnPlan>(arguments, planner, arguments.Integer(kMode), true, kCos, kSin);
    turn->Add(arguments, planner, kDy, kDx);
    turn->Finish(planner);
  }
  if (!arguments.Given(kX) || arguments.Tensor(kCos).IsEmpty()) return PlanPointer(turn);
  return PlanPointer(NewPlan<AnglesPlan>(arguments, planner, turn));
}

Result<PlanPointer> PlanInPlace(const Arguments& arguments, Planner& planner) {
  using namespace apply_rotary_pos_emb;  // NOLINT: its positions
  const auto plan = NewPlan<TurnPlan>(arguments, planner, 0, false, kCos, kSin);
  bool any = false;
  for (const int place : {kQuery, kKey}) {
    if (arguments.Tensor(place).IsEmpty()) continue;
    plan->Add(arguments, planner, place, place);
    any = true;
  }
  if (!any) return PlanPointer();
  plan->Finish(planner);
  return PlanPointer(plan);
}

constinit Operator embedding_operator(rotary_position_embedding::kContract, PlanEmbedding);
constinit Operator gradient_operator(rotary_position_embedding_grad::kContract, PlanGradient);
constinit Operator in_place_operator(apply_rotary_pos_emb::kContract, PlanInPlace);

}  // namespace
}  // namespace aclimb::rotary

extern "C" {

aclnnStatus aclnnRotaryPositionEmbeddingGetWorkspaceSize(const aclTensor* x, const aclTensor* cos,
                                                         const aclTensor* sin, int64_t mode,
                                                         aclTensor* out, uint64_t* workspaceSize,
                                                         aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::rotary::embedding_operator, workspaceSize, executor, x, cos, sin,
                        mode, out);
}

aclnnStatus aclnnRotaryPositionEmbedding(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::rotary::embedding_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnRotaryPositionEmbeddingGradGetWorkspaceSize(
    const aclTensor* dy, const aclTensor* cos, const aclTensor* sin, const aclTensor* xOptional,
    int64_t mode, const aclTensor* dxOut, const aclTensor* dcosOut, const aclTensor* dsinOut,
    uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::rotary::gradient_operator, workspaceSize, executor, dy, cos, sin,
                        xOptional, mode, dxOut, dcosOut, dsinOut);
}

aclnnStatus aclnnRotaryPositionEmbeddingGrad(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::rotary::gradient_operator, workspace, workspaceSize, executor,
                        stream);
}

aclnnStatus aclnnApplyRotaryPosEmbGetWorkspaceSize(aclTensor* queryRef, aclTensor* keyRef,
                                                   const aclTensor* cos, const aclTensor* sin,
                                                   int64_t layout, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::rotary::in_place_operator, workspaceSize, executor, queryRef,
                        keyRef, cos, sin, layout);
}

aclnnStatus aclnnApplyRotaryPosEmb(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return aclimb::Phase2(aclimb::rotary::in_place_operator, workspace, workspaceSize, executor,
                        stream);
}

}  // extern "C"
