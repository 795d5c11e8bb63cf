// The operators whose distributions are in tensors: plans, loops and C functions.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/copy.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/dimensions.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/executor/unit_scratch.h"
#include "aclimb/ops/random/chosen.h"
#include "aclimb/ops/random/contracts.h"
#include "aclimb/ops/random/philox.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::random {
namespace {

// Elements that are made at once; whole blocks and pairs.
constexpr int64_t kChunk = 1024;
constexpr int64_t kGrain = 8;  // chunks

// A parameter of the distribution as double: a number, or a tensor that broadcasts to the output.
class Operand {
 public:
  explicit Operand(double number) : number_(number) {}
  Operand(const Arguments& arguments, Planner& planner, int parameter, const TensorView& out)
      : parameter_(parameter), view_(BroadcastTo(arguments.Tensor(parameter).View(), out)) {
    if (!view_.IsContiguous()) {
      copied_ =
          planner.workspace().Book(view_.ElementCount(), static_cast<int64_t>(SizeOf(view_.dtype)));
    }
    planner.Reads(parameter);
  }

  // The elements one after the other, or null if the parameter is a number. False when the run was
  // cancelled.
  [[nodiscard]] bool Find(const RunContext& run, const char** elements) const {
    *elements = nullptr;
    if (parameter_ < 0) return true;
    TensorView own = view_;
    own.data = run.Data(parameter_);
    *elements = own.As<const char>();
    if (copied_.offset < 0) return true;
    const TensorView dense = DenseLike(own, run.Piece(copied_));
    *elements = dense.As<const char>();
    return copy::Copy(own, dense);
  }
  void Load(const char* elements, int64_t first, int64_t count, double* to) const {
    if (elements == nullptr) {
      std::fill_n(to, count, number_);
      return;
    }
    const auto size = static_cast<int64_t>(SizeOf(view_.dtype));
    const copy::Converter converter(view_.dtype, DType::kFloat64);
    converter.Changes()
        ? converter.Run(elements + first * size, count, to)
        : void(std::memcpy(to, elements + first * size, static_cast<size_t>(count * size)));
  }

 private:
  double number_ = 0;
  int parameter_ = -1;
  TensorView view_;
  WorkspacePiece copied_;
};

// The numbers of the standard normal distribution that a fill gives the elements
// [first, first + count).
void StandardNormals(const Source& source, bool wide, int64_t first, int64_t count, double* to) {
  alignas(64) uint64_t numbers[kChunk + kBlockNumbers * kSpareBlocks];
  if (wide) {
    Numbers(source, first / kBlockNumbers, CeilDivide(count, kBlockNumbers), numbers);
    WideNormals(numbers, count, to);
    return;
  }
  alignas(64) float normals[kChunk];
  Numbers(source, first / (2 * kBlockNumbers), CeilDivide(count, 2 * kBlockNumbers), numbers);
  Normals(reinterpret_cast<const uint32_t*>(numbers), count + count % 2, 0, 1, normals);
  std::copy_n(normals, count, to);
}

// Whether any share of a run met numbers that the operator refuses. The run goes on and fails at
// its end.
class Refusal {
 public:
  void Note() { noted_.store(true, std::memory_order_relaxed); }
  // NaN is not between.
  void UnlessBetween(double least, double most, const double* numbers, int64_t count) {
    bool right = true;
    for (int64_t i = 0; i < count; ++i) right &= numbers[i] >= least && numbers[i] <= most;
    if (!right) Note();
  }
  void Throw(const char* why) const {
    if (!noted_.load(std::memory_order_relaxed)) return;
    throw RunFailure{.code = kRtAicoreException, .why = why};
  }

 private:
  std::atomic<bool> noted_ = false;
};

struct NormalPlan final : Plan {
  NormalPlan(const Arguments& arguments, Planner& planner, const Operand& center,
             const Operand& spread)
      : source(arguments, planner, NormalOut::kSeed),
        mean(center),
        deviation(spread),
        count(arguments.Tensor(NormalOut::kOut).ElementCount()),
        dtype(arguments.Tensor(NormalOut::kOut).dtype),
        out(rows::Dense::Output(planner, NormalOut::kOut,
                                arguments.Tensor(NormalOut::kOut).View())) {}

  void Run(const RunContext& run) const override {
    const char *means, *deviations;
    if (!mean.Find(run, &means) || !deviation.Find(run, &deviations)) return;
    const Source numbers_of = source.Get(run);
    const copy::Converter converter(DType::kFloat64, dtype);
    const auto size = static_cast<int64_t>(SizeOf(dtype));
    char* const to = static_cast<char*>(out.Data(run));
    const int64_t chunks = CeilDivide(count, kChunk);
    Refusal refusal;
    const bool whole = ParallelForAll(chunks, kGrain, [&](int64_t begin, int64_t end) {
      double centers[kChunk], spreads[kChunk], values[kChunk + 1];
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = chunk * kChunk, n = std::min(kChunk, count - first);
        mean.Load(means, first, n, centers);
        deviation.Load(deviations, first, n, spreads);
        refusal.UnlessBetween(0, std::numeric_limits<double>::infinity(), spreads, n);
        StandardNormals(numbers_of, dtype == DType::kFloat64, first, n, values);
        for (int64_t i = 0; i < n; ++i) values[i] = centers[i] + spreads[i] * values[i];
        converter.Changes()
            ? converter.Run(values, n, to + first * size)
            : void(std::memcpy(to + first * size, values, static_cast<size_t>(n * size)));
      }
    });
    if (whole) (void)out.Deliver(run);
    refusal.Throw(kNegativeStd);
  }

  const Chosen source;
  const Operand mean;
  const Operand deviation;
  const int64_t count;
  const DType dtype;
  const rows::Dense out;
};

template <bool kMeanTensors, bool kStdTensors>
Result<PlanPointer> PlanNormalOut(const Arguments& arguments, Planner& planner) {
  using P = NormalOut;
  const TensorDescriptor& out = arguments.Tensor(P::kOut);
  if (out.IsEmpty()) return PlanPointer();
  const auto operand = [&](bool tensors, int parameter) {
    return tensors ? Operand(arguments, planner, parameter, out.View())
                   : Operand(arguments.Real(parameter));
  };
  planner.Costs({.cycles = 20.0 * static_cast<double>(out.ElementCount())});
  return PlanPointer(NewPlan<NormalPlan>(arguments, planner, operand(kMeanTensors, P::kMean),
                                         operand(kStdTensors, P::kStd)));
}

struct BernoulliPlan final : Plan {
  BernoulliPlan(const Arguments& arguments, Planner& planner, int prob, int seed, int to)
      : source(arguments, planner, seed),
        probability(arguments, planner, prob, arguments.Tensor(to).View()),
        count(arguments.Tensor(to).ElementCount()),
        dtype(arguments.Tensor(to).dtype),
        out(rows::Dense::Output(planner, to, arguments.Tensor(to).View())) {}

  void Run(const RunContext& run) const override {
    const char* probabilities;
    if (!probability.Find(run, &probabilities)) return;
    const Source numbers_of = source.Get(run);
    const copy::Converter converter(DType::kUInt8, dtype);
    const auto size = static_cast<int64_t>(SizeOf(dtype));
    char* const to = static_cast<char*>(out.Data(run));
    const int64_t chunks = CeilDivide(count, kChunk);
    Refusal refusal;
    const bool whole = ParallelForAll(chunks, kGrain, [&](int64_t begin, int64_t end) {
      alignas(64) uint64_t numbers[kChunk / 2 + kBlockNumbers * kSpareBlocks];
      double below[kChunk];
      uint8_t ones[kChunk];
      const auto* const words = reinterpret_cast<const uint32_t*>(numbers);
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = chunk * kChunk, n = std::min(kChunk, count - first);
        Numbers(numbers_of, first / (2 * kBlockNumbers), CeilDivide(n, 2 * kBlockNumbers), numbers);
        probability.Load(probabilities, first, n, below);
        refusal.UnlessBetween(0, 1, below, n);
        for (int64_t i = 0; i < n; ++i) ones[i] = words[i] < below[i] * 0x1p32 ? 1 : 0;
        converter.Changes() ? converter.Run(ones, n, to + first * size)
                            : void(std::memcpy(to + first * size, ones, static_cast<size_t>(n)));
      }
    });
    if (whole) (void)out.Deliver(run);
    refusal.Throw(kNoProbability);
  }

  const Chosen source;
  const Operand probability;
  const int64_t count;
  const DType dtype;
  const rows::Dense out;
};

template <int kProb, int kSeed, int kOut>
Result<PlanPointer> PlanBernoulli(const Arguments& arguments, Planner& planner) {
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (out.IsEmpty()) return PlanPointer();
  planner.Costs({.cycles = 4.0 * static_cast<double>(out.ElementCount())});
  return PlanPointer(NewPlan<BernoulliPlan>(arguments, planner, kProb, kSeed, kOut));
}

// ---- Multinomial

class MultinomialPlan final : public Plan {
 public:
  MultinomialPlan(const Arguments& arguments, Planner& planner)
      : source_(arguments, planner, multinomial::kSeed),
        weights_(arguments, planner, multinomial::kSelf,
                 arguments.Tensor(multinomial::kSelf).View()),
        categories_(arguments.Tensor(multinomial::kSelf).shape.back()),
        rows_(arguments.Tensor(multinomial::kSelf).ElementCount() / categories_),
        samples_(arguments.Integer(multinomial::kNumSamples)),
        replaces_(arguments.Bool(multinomial::kReplacement)),
        out_(rows::Dense::Output(planner, multinomial::kOut,
                                 arguments.Tensor(multinomial::kOut).View())) {
    scratch_.Book(planner, rows_, categories_ * static_cast<int64_t>(sizeof(Category)));
  }

  void Run(const RunContext& run) const override {
    const char* weights;
    if (!weights_.Find(run, &weights)) return;
    const Source source = source_.Get(run);
    auto* const out = static_cast<int64_t*>(out_.Data(run));
    Refusal refusal;
    const int64_t grain = std::max<int64_t>(1, kChunk * kGrain / categories_);
    const bool whole = scratch_.Run(run, rows_, grain, [&](int64_t row, char* scratch) {
      auto* const own = reinterpret_cast<Category*>(scratch);
      int64_t* const drawn = out + row * samples_;
      if (!Load(weights, row, own)) {
        refusal.Note();
        std::fill_n(drawn, samples_, 0);
        return;
      }
      replaces_ ? DrawAgain(source, row, own, drawn) : DrawOnce(source, row, own, drawn);
    });
    if (whole) (void)out_.Deliver(run);
    refusal.Throw(multinomial::kNoWeights);
  }

 private:
  struct Category {
    double number;  // the sum of weights up to this one, or the time for which it waits
    int64_t place;

    bool operator<(const Category& other) const {
      return number != other.number ? number < other.number : place < other.place;
    }
  };

  // Numbers [first, first + count) of the source, in pieces: body(number, place).
  template <typename Body>
  static void EachNumber(const Source& source, int64_t first, int64_t count, Body body) {
    alignas(64) uint64_t numbers[kChunk + kBlockNumbers * (kSpareBlocks + 1)];
    for (int64_t done = 0; done < count; done += kChunk) {
      const int64_t n = std::min(kChunk, count - done), at = first + done;
      const int64_t block = at / kBlockNumbers, skip = at % kBlockNumbers;
      Numbers(source, block, CeilDivide(skip + n, kBlockNumbers), numbers);
      for (int64_t i = 0; i < n; ++i) body(numbers[skip + i], done + i);
    }
  }
  // Reads the weights of a row; false if a category cannot be drawn by them.
  bool Load(const char* weights, int64_t row, Category* categories) const {
    double buffer[kChunk], sum = 0, largest = 0;
    bool right = true;
    for (int64_t first = 0; first < categories_; first += kChunk) {
      const int64_t n = std::min(kChunk, categories_ - first);
      weights_.Load(weights, row * categories_ + first, n, buffer);
      for (int64_t i = 0; i < n; ++i) {
        right = right && buffer[i] >= 0;
        sum += buffer[i];
        largest = std::max(largest, buffer[i]);
        categories[first + i] = {buffer[i], first + i};
      }
    }
    if (!right || !(largest > 0) || std::isinf(largest)) return false;
    // Sums of large weights would overflow, and products with the smallest ones be rounded up.
    if (std::isfinite(sum) && largest > 0x1p-500) return true;
    const int exponent = std::ilogb(largest);
    for (int64_t c = 0; c < categories_; ++c) {
      double& weight = categories[c].number;
      constexpr double kLeast = std::numeric_limits<double>::denorm_min();
      if (weight > 0) weight = std::max(std::scalbn(weight, -exponent), kLeast);
    }
    return true;
  }

  void DrawAgain(const Source& source, int64_t row, Category* sums, int64_t* out) const {
    double sum = 0;
    for (int64_t c = 0; c < categories_; ++c) sums[c].number = sum += sums[c].number;
    EachNumber(source, row * samples_, samples_, [&](uint64_t number, int64_t s) {
      const double unit = static_cast<double>(number >> 11) * 0x1p-53;
      const Category* const drawn =
          std::upper_bound(sums, sums + categories_, unit * sum,
                           [](double x, const Category& category) { return x < category.number; });
      out[s] = std::min(drawn - sums, categories_ - 1);
    });
  }

  // Each category waits a time of an exponential distribution whose rate is its weight; those with
  // the shortest times are drawn, in the order of their times.
  void DrawOnce(const Source& source, int64_t row, Category* times, int64_t* out) const {
    EachNumber(source, row * categories_, categories_, [&](uint64_t number, int64_t c) {
      const double unit = static_cast<double>((number >> 11) + 1) * 0x1p-53;
      const double weight = times[c].number;
      // A category of some weight comes before all that have none.
      constexpr double kLongest = std::numeric_limits<double>::max();
      times[c].number = weight > 0 ? std::min(-std::log(unit) / weight, kLongest) : HUGE_VAL;
    });
    std::partial_sort(times, times + samples_, times + categories_);
    for (int64_t s = 0; s < samples_; ++s) out[s] = times[s].place;
  }

  const Chosen source_;
  const Operand weights_;
  const int64_t categories_;
  const int64_t rows_;
  const int64_t samples_;
  const bool replaces_;
  const rows::Dense out_;
  UnitScratch scratch_;
};

Result<PlanPointer> PlanMultinomial(const Arguments& arguments, Planner& planner) {
  const TensorDescriptor& self = arguments.Tensor(multinomial::kSelf);
  if (self.IsEmpty()) return PlanPointer();
  planner.Costs({.cycles = 40.0 * static_cast<double>(self.ElementCount())});
  return PlanPointer(NewPlan<MultinomialPlan>(arguments, planner));
}

constinit Operator normal_float_float_operator(normal_float_float::kContract,
                                               PlanNormalOut<false, false>);
constinit Operator normal_tensor_float_operator(normal_tensor_float::kContract,
                                                PlanNormalOut<true, false>);
constinit Operator normal_float_tensor_operator(normal_float_tensor::kContract,
                                                PlanNormalOut<false, true>);
constinit Operator normal_tensor_tensor_operator(normal_tensor_tensor::kContract,
                                                 PlanNormalOut<true, true>);
constinit Operator bernoulli_tensor_operator(
    bernoulli_tensor::kContract,
    PlanBernoulli<bernoulli_tensor::kProb, bernoulli_tensor::kSeed, bernoulli_tensor::kOut>);
constinit Operator inplace_bernoulli_tensor_operator(
    inplace_bernoulli_tensor::kContract,
    PlanBernoulli<inplace_bernoulli_tensor::kProb, inplace_bernoulli_tensor::kSeed,
                  inplace_bernoulli_tensor::kSelfRef>);
constinit Operator multinomial_operator(multinomial::kContract, PlanMultinomial);

}  // namespace
}  // namespace aclimb::random

extern "C" aclnnStatus aclnnNormalFloatFloatGetWorkspaceSize(float mean, float std, int64_t seed,
                                                             int64_t offset, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::normal_float_float_operator, workspaceSize, executor, mean,
                        std, seed, offset, out);
}
extern "C" aclnnStatus aclnnNormalFloatFloat(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::normal_float_float_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnNormalTensorFloatGetWorkspaceSize(const aclTensor* mean, float std,
                                                              int64_t seed, int64_t offset,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::normal_tensor_float_operator, workspaceSize, executor, mean,
                        std, seed, offset, out);
}
extern "C" aclnnStatus aclnnNormalTensorFloat(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::normal_tensor_float_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnNormalFloatTensorGetWorkspaceSize(float mean, const aclTensor* std,
                                                              int64_t seed, int64_t offset,
                                                              aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::normal_float_tensor_operator, workspaceSize, executor, mean,
                        std, seed, offset, out);
}
extern "C" aclnnStatus aclnnNormalFloatTensor(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::normal_float_tensor_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnNormalTensorTensorGetWorkspaceSize(const aclTensor* mean,
                                                               const aclTensor* std, int64_t seed,
                                                               int64_t offset, aclTensor* out,
                                                               uint64_t* workspaceSize,
                                                               aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::normal_tensor_tensor_operator, workspaceSize, executor,
                        mean, std, seed, offset, out);
}
extern "C" aclnnStatus aclnnNormalTensorTensor(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::normal_tensor_tensor_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnBernoulliTensorGetWorkspaceSize(const aclTensor* self,
                                                            const aclTensor* prob, int64_t seed,
                                                            int64_t offset, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::bernoulli_tensor_operator, workspaceSize, executor, self,
                        prob, seed, offset, out);
}
extern "C" aclnnStatus aclnnBernoulliTensor(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::bernoulli_tensor_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnInplaceBernoulliTensorGetWorkspaceSize(const aclTensor* selfRef,
                                                                   const aclTensor* prob,
                                                                   int64_t seed, int64_t offset,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::inplace_bernoulli_tensor_operator, workspaceSize, executor,
                        selfRef, prob, seed, offset);
}
extern "C" aclnnStatus aclnnInplaceBernoulliTensor(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::inplace_bernoulli_tensor_operator, workspace, workspaceSize,
                        executor, stream);
}

extern "C" aclnnStatus aclnnMultinomialGetWorkspaceSize(const aclTensor* self, int64_t numSamples,
                                                        bool replacement, int64_t seed,
                                                        int64_t offset, aclTensor* out,
                                                        uint64_t* workspaceSize,
                                                        aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::random::multinomial_operator, workspaceSize, executor, self,
                        numSamples, replacement, seed, offset, out);
}
extern "C" aclnnStatus aclnnMultinomial(void* workspace, uint64_t workspaceSize,
                                        aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::random::multinomial_operator, workspace, workspaceSize, executor,
                        stream);
}
