// The operators that make random numbers: plans, loops and C functions.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclimb/copy/convert.h"
#include "aclimb/copy/copy.h"
#include "aclimb/copy/storage.h"
#include "aclimb/core/divide.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/random/chosen.h"
#include "aclimb/ops/random/contracts.h"
#include "aclimb/ops/random/philox.h"
#include "aclimb/rows/dense.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::random {
namespace {

// Elements that are made at once; whole blocks, pairs and bytes of bits.
constexpr int64_t kChunk = 1024;
constexpr int64_t kGrain = 16;  // chunks

// A part of the numbers, either as words or as numbers of 64 bits.
struct Numbers64 {
  alignas(64) uint64_t numbers[kChunk + kBlockNumbers * kSpareBlocks];

  const uint32_t* words() const { return reinterpret_cast<const uint32_t*>(numbers); }
};

// What comes of the numbers. Each law says which Value it makes, how many elements a value stands
// for, whether an element takes 64 bits or 32, and how many cycles; Make() gets the numbers of the
// elements [first, first + count).

struct Uniform {
  using Value = double;
  static constexpr int64_t kElements = 1;
  static constexpr double kCycles = 2;

  bool wide;
  double from;
  double size;
  double most;

  void Make(const Numbers64& numbers, int64_t, int64_t count, Value* to) const {
    if (wide) {
      for (int64_t i = 0; i < count; ++i) {
        const auto unit = static_cast<double>(static_cast<int64_t>(numbers.numbers[i] >> 11));
        to[i] = std::min(most, from + size * (unit * 0x1p-53));
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        const auto unit = static_cast<double>(static_cast<int32_t>(numbers.words()[i] >> 8));
        to[i] = std::min(most, from + size * (unit * 0x1p-24));
      }
    }
  }
};

struct Normal {
  using Value = float;
  static constexpr int64_t kElements = 1;
  static constexpr double kCycles = 6;

  bool wide = false;
  float mean;
  float deviation;

  void Make(const Numbers64& numbers, int64_t, int64_t count, Value* to) const {
    Normals(numbers.words(), count + count % 2, mean, deviation, to);
  }
};

struct WideNormal {
  using Value = double;
  static constexpr int64_t kElements = 1;
  static constexpr double kCycles = 60;

  bool wide = true;
  double mean;
  double deviation;

  void Make(const Numbers64& numbers, int64_t, int64_t count, Value* to) const {
    WideNormals(numbers.numbers, count, to);
    for (int64_t i = 0; i < count; ++i) to[i] = mean + deviation * to[i];
  }
};

struct Whole {
  using Value = int64_t;
  static constexpr int64_t kElements = 1;
  static constexpr double kCycles = 3;

  bool wide = true;
  uint64_t from;
  uint64_t count_of;

  void Make(const Numbers64& numbers, int64_t, int64_t count, Value* to) const {
    using Product = unsigned __int128;
    for (int64_t i = 0; i < count; ++i) {
      const auto above = static_cast<uint64_t>(Product{numbers.numbers[i]} * count_of >> 64);
      to[i] = static_cast<int64_t>(from + above);
    }
  }
};

// Of all words, how many are below a probability.
uint64_t WordsBelow(double probability) {
  return static_cast<uint64_t>(std::ceil(probability * 0x1p32));
}

struct Bernoulli {
  using Value = uint8_t;
  static constexpr int64_t kElements = 1;
  static constexpr double kCycles = 1.5;

  bool wide = false;
  uint64_t below;

  void Make(const Numbers64& numbers, int64_t, int64_t count, Value* to) const {
    for (int64_t i = 0; i < count; ++i) to[i] = numbers.words()[i] < below ? 1 : 0;
  }
};

struct Bits {
  using Value = uint8_t;
  static constexpr int64_t kElements = 8;
  static constexpr double kCycles = 2;

  bool wide = false;
  uint64_t dropped;
  int64_t elements;  // bits beyond them are 0

  void Make(const Numbers64& numbers, int64_t first, int64_t count, Value* to) const {
    uint8_t kept[kChunk];
    for (int64_t i = 0; i < count; ++i) kept[i] = numbers.words()[i] >= dropped ? 1 : 0;
    const int64_t own = std::clamp<int64_t>(elements - first, 0, count);
    std::fill(kept + own, kept + count, uint8_t{0});
    for (int64_t i = 0; i < count; i += 8) {
      uint8_t byte = 0;
      for (int bit = 0; bit < 8; ++bit) byte |= static_cast<uint8_t>(kept[i + bit] << bit);
      to[i / 8] = byte;
    }
  }
};

template <typename Law>
struct FillPlan final : Plan {
  FillPlan(int parameter, const TensorView& out, const Chosen& chosen, const Law& made,
           Planner& planner)
      : source(chosen),
        law(made),
        count(out.ElementCount() * Law::kElements),
        bytes(static_cast<int64_t>(SizeOf(out.dtype))),
        converter(kStorageDType<typename Law::Value>, out.dtype),
        dense(rows::Dense::Output(planner, parameter, out)) {}

  void Run(const RunContext& run) const override {
    char* const out = static_cast<char*>(dense.Data(run));
    const Source numbers_of = source.Get(run);
    const int64_t chunks = CeilDivide(count, kChunk);
    const bool whole = ParallelForAll(chunks, kGrain, [&](int64_t begin, int64_t end) {
      Numbers64 numbers;
      // The last pieces of vectors may be more than was asked for.
      alignas(64) typename Law::Value values[kChunk];
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = chunk * kChunk, n = std::min(kChunk, count - first);
        const int64_t per_block = law.wide ? kBlockNumbers : 2 * kBlockNumbers;
        Numbers(numbers_of, first / per_block, CeilDivide(n, per_block), numbers.numbers);
        law.Make(numbers, first, n, values);
        void* const to = out + first / Law::kElements * bytes;
        if (converter.Changes()) {
          converter.Run(values, n / Law::kElements, to);
        } else {
          std::memcpy(to, values, static_cast<size_t>(n / Law::kElements * bytes));
        }
      }
    });
    if (whole) (void)dense.Deliver(run);
  }

  const Chosen source;
  const Law law;
  const int64_t count;  // elements
  const int64_t bytes;
  const copy::Converter converter;
  const rows::Dense dense;
};

template <typename Law>
Result<PlanPointer> MakeFill(const Arguments& arguments, Planner& planner, int out, int seed,
                             const Law& law) {
  const TensorDescriptor& tensor = arguments.Tensor(out);
  if (tensor.IsEmpty()) return PlanPointer();
  planner.Costs({.cycles = Law::kCycles * static_cast<double>(tensor.ElementCount()) *
                           static_cast<double>(Law::kElements)});
  const Chosen source(arguments, planner, seed);
  return PlanPointer(NewPlan<FillPlan<Law>>(out, tensor.View(), source, law, planner));
}

// Whether numbers of the dtype are made of 32 bits.
bool IsNarrow(DType dtype) { return IsFloating(dtype) && dtype != DType::kFloat64; }

Result<PlanPointer> PlanNormal(const Arguments& arguments, Planner& planner) {
  using namespace inplace_normal;  // NOLINT: the positions
  const double mean = arguments.Real(kMean), deviation = arguments.Real(kStd);
  if (IsNarrow(arguments.Tensor(kSelfRef).dtype)) {
    const Normal law = {.mean = static_cast<float>(mean),
                        .deviation = static_cast<float>(deviation)};
    return MakeFill(arguments, planner, kSelfRef, kSeed, law);
  }
  const WideNormal law = {.mean = mean, .deviation = deviation};
  return MakeFill(arguments, planner, kSelfRef, kSeed, law);
}

// The greatest number of the dtype below `end`, for integers of double.
double GreatestBelow(double end, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!IsNarrow(dtype)) return std::nextafter(end, -kInfinity);
  if (dtype == DType::kFloat32) {
    const auto nearest = static_cast<float>(end);
    return static_cast<double>(
        static_cast<double>(nearest) < end
            ? nearest
            : std::nextafterf(nearest, -std::numeric_limits<float>::infinity()));
  }
  const copy::Converter rounding(DType::kFloat64, dtype), widening(dtype, DType::kFloat64);
  uint16_t bits;
  double nearest;
  rounding.Run(&end, 1, &bits);
  widening.Run(&bits, 1, &nearest);
  if (nearest < end) return nearest;
  if (nearest == 0) {
    bits = 0x8001;
  } else {
    bits = static_cast<uint16_t>((bits & 0x8000) != 0 ? bits + 1 : bits - 1);
  }
  widening.Run(&bits, 1, &nearest);
  return nearest;
}

Result<PlanPointer> PlanUniform(const Arguments& arguments, Planner& planner) {
  using namespace inplace_uniform;  // NOLINT: the positions
  const DType dtype = arguments.Tensor(kSelfRef).dtype;
  const double from = arguments.Real(kFrom), to = arguments.Real(kTo);
  const Uniform law = {.wide = !IsNarrow(dtype),
                       .from = from,
                       .size = to - from,
                       .most = std::max(from, GreatestBelow(to, dtype))};
  return MakeFill(arguments, planner, kSelfRef, kSeed, law);
}

Result<PlanPointer> PlanRandom(const Arguments& arguments, Planner& planner) {
  using namespace inplace_random;  // NOLINT: the positions
  const auto from = static_cast<uint64_t>(arguments.Integer(kFrom));
  const Whole law = {.from = from,
                     .count_of = static_cast<uint64_t>(arguments.Integer(kTo)) - from};
  return MakeFill(arguments, planner, kSelfRef, kSeed, law);
}

Result<PlanPointer> PlanBernoulli(const Arguments& arguments, Planner& planner) {
  using namespace bernoulli;  // NOLINT: the positions
  const Bernoulli law = {.below = WordsBelow(arguments.Scalar(kProb).ToDouble())};
  return MakeFill(arguments, planner, kOut, kSeed, law);
}
Result<PlanPointer> PlanInplaceBernoulli(const Arguments& arguments, Planner& planner) {
  using namespace inplace_bernoulli;  // NOLINT: the positions
  const Bernoulli law = {.below = WordsBelow(arguments.Scalar(kProb).ToDouble())};
  return MakeFill(arguments, planner, kSelfRef, kSeed, law);
}

Bits BitsFor(const IntArrayValue& shape, double dropped) {
  return {.dropped = WordsBelow(dropped), .elements = ElementsOf(shape)};
}

Result<PlanPointer> PlanGenMask(const Arguments& arguments, Planner& planner) {
  using namespace dropout_gen_mask;  // NOLINT: the positions
  return MakeFill(arguments, planner, kOut, kSeed,
                  BitsFor(arguments.Ints(kShape), arguments.Real(kProb)));
}
Result<PlanPointer> PlanGenMaskV2(const Arguments& arguments, Planner& planner) {
  using namespace dropout_gen_mask_v2;  // NOLINT: the positions
  const auto dtype = static_cast<DType>(arguments.Integer(kProbDataType));
  const double prob = arguments.Real(kProb);
  uint32_t bits = 0;
  double rounded;
  copy::Converter(DType::kFloat64, dtype).Run(&prob, 1, &bits);
  copy::Converter(dtype, DType::kFloat64).Run(&bits, 1, &rounded);
  return MakeFill(arguments, planner, kOut, kSeed, BitsFor(arguments.Ints(kShape), rounded));
}

// A shuffle from the last number down (Fisher and Yates): each trades places with one up to it.
struct RandpermPlan final : Plan {
  RandpermPlan(const TensorView& out, const Source& chosen, Planner& planner)
      : source(chosen), count(out.ElementCount()) {
    order = planner.workspace().Book(count, sizeof(int64_t));
  }

  void Run(const RunContext& run) const override {
    auto* const numbers = run.Piece<int64_t>(order);
    for (int64_t i = 0; i < count; ++i) numbers[i] = i;
    Numbers64 chunk;
    for (int64_t done = 0; done < count && !IsCancelled(); done += kChunk) {
      const int64_t n = std::min(kChunk, count - done);
      Numbers(source, done / kBlockNumbers, CeilDivide(n, kBlockNumbers), chunk.numbers);
      for (int64_t i = 0; i < n; ++i) {
        using Product = unsigned __int128;
        const int64_t last = count - 1 - done - i;
        const auto other =
            static_cast<int64_t>(Product{chunk.numbers[i]} * static_cast<uint64_t>(last + 1) >> 64);
        std::swap(numbers[last], numbers[other]);
      }
    }
    TensorView from = DenseLike(run.View(randperm::kOut), numbers);
    from.dtype = DType::kInt64;
    (void)copy::Copy(from, run.View(randperm::kOut));
  }

  const Source source;
  const int64_t count;
  WorkspacePiece order;
};

Result<PlanPointer> PlanRandperm(const Arguments& arguments, Planner& planner) {
  using namespace randperm;  // NOLINT: the positions
  const TensorDescriptor& out = arguments.Tensor(kOut);
  if (out.IsEmpty()) return PlanPointer();
  planner.Writes(kOut);
  planner.Costs({.cycles = 12.0 * static_cast<double>(out.ElementCount())});
  const Source source = {static_cast<uint64_t>(arguments.Integer(kSeed)),
                         static_cast<uint64_t>(arguments.Integer(kOffset))};
  return PlanPointer(NewPlan<RandpermPlan>(out.View(), source, planner));
}

constinit Operator normal_operator(inplace_normal::kContract, PlanNormal);
constinit Operator uniform_operator(inplace_uniform::kContract, PlanUniform);
constinit Operator random_operator(inplace_random::kContract, PlanRandom);
// Their first parameters stand where those of the functions without tensors do.
constinit Operator normal_tensor_operator(inplace_normal_tensor::kContract, PlanNormal);
constinit Operator uniform_tensor_operator(inplace_uniform_tensor::kContract, PlanUniform);
constinit Operator random_tensor_operator(inplace_random_tensor::kContract, PlanRandom);
constinit Operator bernoulli_operator(bernoulli::kContract, PlanBernoulli);
constinit Operator inplace_bernoulli_operator(inplace_bernoulli::kContract, PlanInplaceBernoulli);
constinit Operator randperm_operator(randperm::kContract, PlanRandperm);
constinit Operator gen_mask_operator(dropout_gen_mask::kContract, PlanGenMask);
constinit Operator gen_mask_v2_operator(dropout_gen_mask_v2::kContract, PlanGenMaskV2);

}  // namespace
}  // namespace aclimb::random

using namespace aclimb::random;  // NOLINT: the operators

aclnnStatus aclnnInplaceNormalGetWorkspaceSize(const aclTensor* selfRef, float mean, float std,
                                               int64_t seed, int64_t offset,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(normal_operator, workspaceSize, executor, selfRef, mean, std, seed, offset);
}
aclnnStatus aclnnInplaceNormal(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream) {
  return aclimb::Phase2(normal_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor* selfRef, double from, double to,
                                                uint64_t seed, uint64_t offset,
                                                uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(uniform_operator, workspaceSize, executor, selfRef, from, to, seed, offset);
}
aclnnStatus aclnnInplaceUniform(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream) {
  return aclimb::Phase2(uniform_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceRandomGetWorkspaceSize(const aclTensor* selfRef, int64_t from, int64_t to,
                                               int64_t seed, int64_t offset,
                                               uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(random_operator, workspaceSize, executor, selfRef, from, to, seed, offset);
}
aclnnStatus aclnnInplaceRandom(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream) {
  return aclimb::Phase2(random_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceNormalTensorGetWorkspaceSize(const aclTensor* selfRef, float mean,
                                                     float std, const aclTensor* seedTensor,
                                                     const aclTensor* offsetTensor, int64_t offset,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(normal_tensor_operator, workspaceSize, executor, selfRef, mean, std,
                        seedTensor, offsetTensor, offset);
}
aclnnStatus aclnnInplaceNormalTensor(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(normal_tensor_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceUniformTensorGetWorkspaceSize(const aclTensor* selfRef, double from,
                                                      double to, const aclTensor* seedTensor,
                                                      const aclTensor* offsetTensor,
                                                      uint64_t offset, uint64_t* workspaceSize,
                                                      aclOpExecutor** executor) {
  return aclimb::Phase1(uniform_tensor_operator, workspaceSize, executor, selfRef, from, to,
                        seedTensor, offsetTensor, offset);
}
aclnnStatus aclnnInplaceUniformTensor(void* workspace, uint64_t workspaceSize,
                                      aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(uniform_tensor_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceRandomTensorGetWorkspaceSize(const aclTensor* selfRef, int64_t from,
                                                     int64_t to, const aclTensor* seedTensor,
                                                     const aclTensor* offsetTensor, int64_t offset,
                                                     uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return aclimb::Phase1(random_tensor_operator, workspaceSize, executor, selfRef, from, to,
                        seedTensor, offsetTensor, offset);
}
aclnnStatus aclnnInplaceRandomTensor(void* workspace, uint64_t workspaceSize,
                                     aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(random_tensor_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnBernoulliGetWorkspaceSize(const aclTensor* self, const aclScalar* prob,
                                           int64_t seed, int64_t offset, aclTensor* out,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(bernoulli_operator, workspaceSize, executor, self, prob, seed, offset, out);
}
aclnnStatus aclnnBernoulli(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                           aclrtStream stream) {
  return aclimb::Phase2(bernoulli_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnInplaceBernoulliGetWorkspaceSize(const aclTensor* selfRef, const aclScalar* prob,
                                                  int64_t seed, int64_t offset,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(inplace_bernoulli_operator, workspaceSize, executor, selfRef, prob, seed,
                        offset);
}
aclnnStatus aclnnInplaceBernoulli(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(inplace_bernoulli_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRandpermGetWorkspaceSize(int64_t n, int64_t seed, int64_t offset, aclTensor* out,
                                          uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(randperm_operator, workspaceSize, executor, n, seed, offset, out);
}
aclnnStatus aclnnRandperm(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                          aclrtStream stream) {
  return aclimb::Phase2(randperm_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnDropoutGenMaskGetWorkspaceSize(const aclIntArray* shape, double prob, int64_t seed,
                                                int64_t offset, aclTensor* out,
                                                uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(gen_mask_operator, workspaceSize, executor, shape, prob, seed, offset, out);
}
aclnnStatus aclnnDropoutGenMask(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                aclrtStream stream) {
  return aclimb::Phase2(gen_mask_operator, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnDropoutGenMaskV2GetWorkspaceSize(const aclIntArray* shape, double prob,
                                                  int64_t seed, int64_t offset,
                                                  aclDataType probDataType, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(gen_mask_v2_operator, workspaceSize, executor, shape, prob, seed, offset,
                        probDataType, out);
}
aclnnStatus aclnnDropoutGenMaskV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream) {
  return aclimb::Phase2(gen_mask_v2_operator, workspace, workspaceSize, executor, stream);
}
