// aclnnCtcLoss and aclnnCtcLossBackward: the loops, the plans and the C entry points.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/ctc_loss/contracts.h"
#include "aclimb/ops/ctc_loss/kernels.h"
#include "aclimb/rows/dense.h"

namespace aclimb::ctc_loss {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// log(exp(a) + exp(b))
double LogSum(double a, double b) {
  const double largest = std::max(a, b);
  // A NaN beside -inf is kept.
  const double most = largest == kNever ? 0 : largest;
  return most + std::log(std::exp(a - most) + std::exp(b - most));
}

// An element of a tensor with three dimensions, or with one.
template <typename T>
T& At(const TensorView& view, int64_t i, int64_t j, int64_t k) {
  return static_cast<T*>(view.data)[i * view.stride[0] + j * view.stride[1] + k * view.stride[2]];
}
template <typename T>
T& At(const TensorView& view, int64_t i) {
  return static_cast<T*>(view.data)[i * view.stride[0]];
}

// A sequence: how many steps it has, and its labels.
struct Sequence {
  int64_t steps;
  const int64_t* labels;
  int64_t count;

  // Labels with blanks before, between and behind them.
  int64_t states() const { return 2 * count + 1; }
  // Whether a path goes to a state from the one before the last: to a label from another one.
  bool Skips(int64_t state) const {
    return state % 2 != 0 && state > 1 && labels[state / 2] != labels[state / 2 - 1];
  }
};

// Arrays with an element for each state, each with two more on both sides, where no path is.
struct States {
  double* now;
  double* next;
  double* skips;  // 0 where a path skips the state before, else kNever
  double* own;    // what the state's class has at a step
  double* paths;
  double* classes;  // an element for each class
  double* shares;   // the same

  static int64_t Width(int64_t states) { return RoundUp(states, kVector) + 4; }
  static int64_t Count(int64_t states, int64_t classes) {
    return 5 * Width(states) + 2 * RoundUp(classes, kVector);
  }
  States(const Sequence& sequence, int64_t classes_count, double* scratch) {
    const int64_t width = Width(sequence.states());
    std::fill_n(scratch, 5 * width, kNever);
    double** const arrays[] = {&now, &next, &skips, &own, &paths};
    for (double** array : arrays) *array = std::exchange(scratch, scratch + width) + 2;
    classes = scratch;
    shares = classes + RoundUp(classes_count, kVector);
    for (int64_t s = 0; s < sequence.states(); ++s) {
      if (sequence.Skips(s)) skips[s] = 0;
    }
  }
};

// What both directions share.
template <typename P>
class CtcPlan : public Plan {
 public:
  CtcPlan(const Arguments& arguments, Planner& planner)
      : zeroes_infinity_(arguments.Bool(P::kZeroInfinity)),
        blank_(arguments.Integer(P::kBlank)),
        steps_(arguments.Ints(P::kInputLengths).begin(), arguments.Ints(P::kInputLengths).end()) {
    const TensorView log_probs = arguments.Tensor(P::kLogProbs).View();
    const TensorView targets = arguments.Tensor(P::kTargets).View();
    wide_ = log_probs.dtype == DType::kFloat64;
    classes_ = log_probs.shape[2];
    int64_t begin = 0, row = 0;
    for (const int64_t length : arguments.Ints(P::kTargetLengths)) {
      counts_.push_back(length);
      begins_.push_back(targets.rank == 2 ? row++ * targets.shape[1] : begin);
      begin += length;
      most_states_ = std::max(most_states_, 2 * length + 1);
    }
    labels_ = rows::Dense::Input(planner, P::kTargets, targets, DType::kInt64);
    const auto sequences = static_cast<int64_t>(steps_.size());
    scratch_.Book(planner, sequences,
                  States::Count(most_states_, classes_) * static_cast<int64_t>(sizeof(double)));
    planner.Reads(P::kLogProbs);
    planner.Costs({.cycles = static_cast<double>(log_probs.shape[0] * sequences) *
                             (25.0 * static_cast<double>(most_states_) +
                              15.0 * static_cast<double>(classes_))});
  }

  // Reports the labels that a sequence uses. What stands behind them may be anything.
  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    const TensorView targets = run.View(P::kTargets);
    const NumberRange range = {.begin = 0,
                               .end = classes_,
                               .excepted = {},
                               .because = Cat("logProbs has ", classes_, " classes")};
    if (targets.rank == 1) {
      InspectRange(inspector, "check/data/label-range", "targets", targets, range);
      return;
    }
    for (int64_t n = 0; n < targets.shape[0]; ++n) {
      TensorView row = targets;
      row.data =
          targets.As<char>() + n * targets.stride[0] * static_cast<int64_t>(SizeOf(targets.dtype));
      row.rank = 1;
      row.shape[0] = counts_[static_cast<size_t>(n)];
      row.stride[0] = targets.stride[1];
      InspectRange(inspector, "check/data/label-range", Cat("targets[", n, "]").c_str(), row,
                   range);
    }
  }

 protected:
  // The class of a state. One that is not there counts as blank.
  int64_t ClassOf(const Sequence& sequence, int64_t state) const {
    const int64_t own = state % 2 == 0 ? blank_ : sequence.labels[state / 2];
    return own < 0 || own >= classes_ ? blank_ : own;
  }

  // Calls body(n, sequence n, scratch) for all sequences.
  template <typename F>
  void ForEachSequence(const RunContext& run, const F& body) const {
    const int64_t* const labels = labels_.Read<int64_t>(run);
    if (labels == nullptr && run.View(P::kTargets).ElementCount() != 0) return;
    std::atomic<bool> unknown = false;
    const bool done =
        scratch_.Run(run, static_cast<int64_t>(steps_.size()), 1, [&](int64_t n, char* scratch) {
          const auto i = static_cast<size_t>(n);
          const Sequence own = {steps_[i], labels + begins_[i], counts_[i]};
          for (int64_t k = 0; k < own.count; ++k) {
            if (own.labels[k] < 0 || own.labels[k] >= classes_) unknown = true;
          }
          body(n, own, reinterpret_cast<double*>(scratch));
        });
    if (done && unknown) FailInspected(*this, run);
  }

  const bool zeroes_infinity_;
  const Kernels& kernels_ = KernelsInUse();
  bool wide_;
  int64_t most_states_ = 1;
  int64_t classes_;

 private:
  const int64_t blank_;
  // Of each sequence: steps, labels, and where these begin.
  std::vector<int64_t> steps_, counts_, begins_;
  rows::Dense labels_;
  UnitScratch scratch_;
};

class LossPlan final : public CtcPlan<Forward> {
 public:
  LossPlan(const Arguments& arguments, Planner& planner) : CtcPlan(arguments, planner) {
    planner.Writes(Forward::kLoss);
    planner.Writes(Forward::kLogAlpha);
  }
  void Run(const RunContext& run) const override { wide_ ? Lose<double>(run) : Lose<float>(run); }

 private:
  template <typename T>
  void Lose(const RunContext& run) const {
    const TensorView log_probs = run.View(Forward::kLogProbs);
    const TensorView alpha = run.View(Forward::kLogAlpha), loss = run.View(Forward::kLoss);
    ForEachSequence(run, [&](int64_t n, const Sequence& sequence, double* scratch) {
      const int64_t states = sequence.states();
      States of(sequence, classes_, scratch);
      // Before the first step all paths are at the first blank.
      of.now[0] = 0;
      for (int64_t t = 0; t < alpha.shape[1]; ++t) {
        const int64_t reached = t < sequence.steps ? states : 0;
        for (int64_t s = 0; s < reached; ++s) {
          of.own[s] = static_cast<double>(At<const T>(log_probs, t, n, ClassOf(sequence, s)));
        }
        if (reached > 0) {
          kernels_.log_sums(of.now, of.now - 1, of.now - 2, of.skips, of.own, states, of.next);
          std::swap(of.now, of.next);
        }
        for (int64_t s = 0; s < alpha.shape[2]; ++s) {
          At<T>(alpha, n, t, s) = static_cast<T>(s < reached ? of.now[s] : kNever);
        }
      }
      double likely = sequence.count == 0 ? 0 : kNever;
      if (sequence.steps > 0) likely = LogSum(of.now[states - 1], of.now[states - 2]);
      At<T>(loss, n) = static_cast<T>(-likely);
    });
  }
};

class GradientPlan final : public CtcPlan<Backward> {
 public:
  GradientPlan(const Arguments& arguments, Planner& planner) : CtcPlan(arguments, planner) {
    for (const int parameter : {Backward::kGradOut, Backward::kLoss, Backward::kLogAlpha}) {
      planner.Reads(parameter);
    }
    planner.Writes(Backward::kOut);
  }
  void Run(const RunContext& run) const override {
    wide_ ? Differentiate<double>(run) : Differentiate<float>(run);
  }

 private:
  template <typename T>
  void Differentiate(const RunContext& run) const {
    const TensorView log_probs = run.View(Backward::kLogProbs), out = run.View(Backward::kOut);
    const TensorView alpha = run.View(Backward::kLogAlpha), loss = run.View(Backward::kLoss);
    const TensorView gradient = run.View(Backward::kGradOut);
    ForEachSequence(run, [&](int64_t n, const Sequence& sequence, double* scratch) {
      const int64_t states = sequence.states();
      const auto lost = static_cast<double>(At<const T>(loss, n));
      const auto above = static_cast<double>(At<const T>(gradient, n));
      const int64_t steps = zeroes_infinity_ && lost == -kNever ? 0 : sequence.steps;
      States of(sequence, classes_, scratch);
      // Behind the last step all paths are at the last blank.
      of.now[states - 1] = 0;
      for (int64_t t = out.shape[0]; t-- > 0;) {
        if (t >= steps) {
          for (int64_t c = 0; c < classes_; ++c) At<T>(out, t, n, c) = 0;
          continue;
        }
        for (int64_t s = 0; s < states; ++s) {
          of.own[s] = static_cast<double>(At<const T>(log_probs, t, n, ClassOf(sequence, s)));
        }
        kernels_.log_sums(of.now, of.now + 1, of.now + 2, of.skips + 2, of.own, states, of.next);
        std::swap(of.now, of.next);
        // The part of all paths that goes through each state, and through each class.
        for (int64_t s = 0; s < states; ++s) {
          const double path = of.now[s] + static_cast<double>(At<const T>(alpha, n, t, s));
          of.paths[s] = path == kNever ? kNever : path + (lost - of.own[s]);
        }
        kernels_.exps(of.paths, states);
        std::fill_n(of.shares, classes_, 0.0);
        for (int64_t s = 0; s < states; ++s) of.shares[ClassOf(sequence, s)] += of.paths[s];
        for (int64_t c = 0; c < classes_; ++c) {
          of.classes[c] = static_cast<double>(At<const T>(log_probs, t, n, c));
          // No path, or none that is possible, divided by a probability of 0.
          if (of.shares[c] == 0 && !(lost - of.classes[c] < -kNever)) of.shares[c] = kNan;
        }
        kernels_.exps(of.classes, classes_);
        for (int64_t c = 0; c < classes_; ++c) {
          At<T>(out, t, n, c) = static_cast<T>((of.classes[c] - of.shares[c]) * above);
        }
      }
    });
  }
};

Result<PlanPointer> PlanLoss(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(Forward::kLoss).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<LossPlan>(arguments, planner));
}
Result<PlanPointer> PlanGradient(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(Backward::kOut).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<GradientPlan>(arguments, planner));
}

constinit Operator loss_operator(forward::kContract, PlanLoss);
constinit Operator gradient_operator(backward::kContract, PlanGradient);

}  // namespace
}  // namespace aclimb::ctc_loss

using namespace aclimb::ctc_loss;  // NOLINT: the operators

aclnnStatus aclnnCtcLossGetWorkspaceSize(const aclTensor* logProbs, const aclTensor* targets,
                                         const aclIntArray* inputLengths,
                                         const aclIntArray* targetLengths, int64_t blank,
                                         bool zeroInfinity, aclTensor* negLogLikelihoodOut,
                                         aclTensor* logAlphaOut, uint64_t* workspaceSize,
                                         aclOpExecutor** executor) {
  return aclimb::Phase1(loss_operator, workspaceSize, executor, logProbs, targets, inputLengths,
                        targetLengths, blank, zeroInfinity, negLogLikelihoodOut, logAlphaOut);
}
aclnnStatus aclnnCtcLoss(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                         aclrtStream stream) {
  return aclimb::Phase2(loss_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnCtcLossBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclTensor* logProbs, const aclTensor* targets,
    const aclIntArray* inputLengths, const aclIntArray* targetLengths,
    const aclTensor* negLogLikelihood, const aclTensor* logAlpha, int64_t blank, bool zeroInfinity,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(gradient_operator, workspaceSize, executor, gradOut, logProbs, targets,
                        inputLengths, targetLengths, negLogLikelihood, logAlpha, blank,
                        zeroInfinity, out);
}
aclnnStatus aclnnCtcLossBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                 aclrtStream stream) {
  return aclimb::Phase2(gradient_operator, workspace, workspaceSize, executor, stream);
}
