#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "aclimb/ops/random/contracts.h"
#include "aclimb/truth/cast.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/elements.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::random {

// Philox4x32-10 once more, from its paper, word by word.
struct PhiloxBlock {
  uint32_t word[4];
};
inline PhiloxBlock PhiloxOf(const PhiloxBlock& counter, uint32_t key0, uint32_t key1) {
  PhiloxBlock x = counter;
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * x.word[0];
    const uint64_t second = uint64_t{0xCD9E8D57} * x.word[2];
    x = {{static_cast<uint32_t>(second >> 32) ^ x.word[1] ^ key0, static_cast<uint32_t>(second),
          static_cast<uint32_t>(first >> 32) ^ x.word[3] ^ key1, static_cast<uint32_t>(first)}};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

// Word i of 32 bits, or number i of 64, of a seed and an offset.
struct TruthSource {
  uint64_t seed;
  uint64_t offset;

  uint32_t Word(uint64_t i) const {
    const uint64_t block = i / 4;
    const PhiloxBlock counter = {{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                                  static_cast<uint32_t>(offset),
                                  static_cast<uint32_t>(offset >> 32)}};
    return PhiloxOf(counter, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32))
        .word[i % 4];
  }
  uint64_t Number(uint64_t i) const { return uint64_t{Word(2 * i + 1)} << 32 | Word(2 * i); }
};
inline TruthSource SourceOf(const truth::Call& call, int seed) {
  if (call.ParameterAt(seed).kind == Kind::kTensor) {
    return {static_cast<uint64_t>(call.Ints(seed)[0]),
            static_cast<uint64_t>(call.Ints(seed + 1)[0]) +
                static_cast<uint64_t>(call.Integer(seed + 2))};
  }
  return {static_cast<uint64_t>(call.Integer(seed)), static_cast<uint64_t>(call.Integer(seed + 1))};
}
inline bool TakesWords(DType dtype) { return IsFloating(dtype) && dtype != DType::kFloat64; }

// Element i of the standard normal distribution.
inline double StandardNormal(const TruthSource& source, uint64_t i, bool words) {
  const double turn = 2 * std::acos(-1.0);
  const uint64_t pair = i / 2 * 2;
  double u, v;
  if (words) {
    u = ((source.Word(pair) >> 8) + 1) * 0x1p-24;
    v = (source.Word(pair + 1) >> 8) * 0x1p-24;
  } else {
    u = static_cast<double>((source.Number(pair) >> 11) + 1) * 0x1p-53;
    v = static_cast<double>(source.Number(pair + 1) >> 11) * 0x1p-53;
  }
  return std::sqrt(-2 * std::log(u)) * (i % 2 == 0 ? std::cos(turn * v) : std::sin(turn * v));
}

inline void NormalTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_normal;  // NOLINT: the positions
  const TruthSource source = SourceOf(call, kSeed);
  const DType dtype = call.DTypeOf(kSelfRef);
  const double mean = call.Real(kMean), deviation = call.Real(kStd);
  std::vector<double> values, allowed;
  for (uint64_t i = 0; i < static_cast<uint64_t>(call.ElementCount(kSelfRef)); ++i) {
    const double value = mean + deviation * StandardNormal(source, i, TakesWords(dtype));
    // The angle is rounded to float32, the logarithm is within two units.
    const double size = std::fabs(mean) + 6 * deviation;
    if (IsFloating(dtype)) {
      values.push_back(value);
      allowed.push_back((dtype == DType::kFloat64 ? 1e-14 : 1e-6) * size +
                        truth::RoundingOf(dtype) * std::fabs(value) + truth::LeastOf(dtype));
    } else {
      values.push_back(truth::CastValue(value, DType::kFloat64, dtype));
      allowed.push_back(0);
    }
  }
  outputs.Set(kSelfRef, std::move(values), std::move(allowed));
}

// mean and std are numbers or tensors.
inline void NormalOutTruth(const truth::Call& call, truth::Outputs& outputs) {
  using P = NormalOut;
  const TruthSource source = SourceOf(call, P::kSeed);
  const DType dtype = call.DTypeOf(P::kOut);
  // Where one is a number, the other's places do for both.
  const bool means = call.ParameterAt(P::kMean).kind == Kind::kTensor;
  const bool deviations = call.ParameterAt(P::kStd).kind == Kind::kTensor;
  const int first = means ? P::kMean : P::kStd, second = deviations ? P::kStd : P::kMean;
  std::vector<std::array<size_t, 2>> places(static_cast<size_t>(call.ElementCount(P::kOut)));
  if (means || deviations) places = truth::BroadcastPlaces(call, {first, second});
  std::vector<double> values, allowed;
  bool right = true;
  for (size_t i = 0; i < places.size(); ++i) {
    const double mean =
        means ? call.Values(P::kMean)[places[i][0]] : static_cast<double>(call.Float(P::kMean));
    const double deviation =
        deviations ? call.Values(P::kStd)[places[i][1]] : static_cast<double>(call.Float(P::kStd));
    const double value = mean + deviation * StandardNormal(source, i, TakesWords(dtype));
    right = right && deviation >= 0;
    const double size = std::fabs(mean) + 6 * std::fabs(deviation);
    const bool finite = std::isfinite(value) && std::isfinite(size);
    values.push_back(value);
    allowed.push_back(finite
                          ? (dtype == DType::kFloat64 ? 1e-14 : 1e-6) * size +
                                truth::RoundingOf(dtype) * std::fabs(value) + truth::LeastOf(dtype)
                          : 0);
  }
  if (!right) return outputs.Refuse(kNegativeStd);
  outputs.Set(P::kOut, std::move(values), std::move(allowed));
}

inline void UniformTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_uniform;  // NOLINT: the positions
  const TruthSource source = SourceOf(call, kSeed);
  const DType dtype = call.DTypeOf(kSelfRef);
  const double from = call.Real(kFrom), to = call.Real(kTo);
  std::vector<double> values, allowed;
  for (uint64_t i = 0; i < static_cast<uint64_t>(call.ElementCount(kSelfRef)); ++i) {
    const double unit = TakesWords(dtype) ? (source.Word(i) >> 8) * 0x1p-24
                                          : static_cast<double>(source.Number(i) >> 11) * 0x1p-53;
    const double value = from + (to - from) * unit;
    if (IsFloating(dtype)) {
      values.push_back(value);
      // What would be rounded to the end is the greatest number below.
      allowed.push_back(2 * truth::RoundingOf(dtype) * std::max(std::fabs(value), std::fabs(to)) +
                        truth::LeastOf(dtype));
    } else {
      values.push_back(truth::CastValue(std::max(from, std::min(value, std::nextafter(to, from))),
                                        DType::kFloat64, dtype));
      allowed.push_back(0);
    }
  }
  outputs.Set(kSelfRef, std::move(values), std::move(allowed));
}

inline void RandomTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_random;  // NOLINT: the positions
  const TruthSource source = SourceOf(call, kSeed);
  const DType dtype = call.DTypeOf(kSelfRef);
  const auto from = static_cast<uint64_t>(call.Integer(kFrom));
  const uint64_t range = static_cast<uint64_t>(call.Integer(kTo)) - from;
  std::vector<double> values;
  for (uint64_t i = 0; i < static_cast<uint64_t>(call.ElementCount(kSelfRef)); ++i) {
    // The upper half of the product of 128 bits, by halves of its factors.
    const uint64_t number = source.Number(i);
    const uint64_t low = (number & 0xFFFFFFFF) * (range & 0xFFFFFFFF);
    const uint64_t left = (number >> 32) * (range & 0xFFFFFFFF) + (low >> 32);
    const uint64_t right = (number & 0xFFFFFFFF) * (range >> 32) + (left & 0xFFFFFFFF);
    const uint64_t high = (number >> 32) * (range >> 32) + (left >> 32) + (right >> 32);
    const auto whole = static_cast<int64_t>(from + high);
    values.push_back(truth::Rounded(static_cast<double>(whole), dtype));
  }
  // A large one is rounded to double first.
  outputs.Set(kSelfRef, std::move(values),
              truth::Allowance{IsFloating(dtype) ? 2 * truth::RoundingOf(dtype) : 0, 0});
}

inline double OneWith(double probability, uint32_t word) {
  return word * 0x1p-32 < probability ? 1 : 0;
}

inline void SetBernoulli(const truth::Call& call, truth::Outputs& outputs, int out, int prob,
                         int seed) {
  const TruthSource source = SourceOf(call, seed);
  std::vector<double> values;
  for (uint64_t i = 0; i < static_cast<uint64_t>(call.ElementCount(out)); ++i) {
    values.push_back(OneWith(call.Real(prob), source.Word(i)));
  }
  outputs.Set(out, std::move(values), truth::Allowance{});
}
inline void BernoulliTruth(const truth::Call& call, truth::Outputs& outputs) {
  SetBernoulli(call, outputs, bernoulli::kOut, bernoulli::kProb, bernoulli::kSeed);
}
inline void InplaceBernoulliTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_bernoulli;  // NOLINT: the positions
  SetBernoulli(call, outputs, kSelfRef, kProb, kSeed);
}

template <int kProb, int kSeed, int kOut>
void BernoulliTensorTruth(const truth::Call& call, truth::Outputs& outputs) {
  const TruthSource source = SourceOf(call, kSeed);
  std::vector<double> values;
  bool right = true;
  uint64_t i = 0;
  for (const auto& [place, prob] : truth::BroadcastPlaces(call, {kOut, kProb})) {
    (void)place;
    const double probability = call.Values(kProb)[prob];
    right = right && probability >= 0 && probability <= 1;
    values.push_back(OneWith(probability, source.Word(i++)));
  }
  if (!right) return outputs.Refuse(kNoProbability);
  outputs.Set(kOut, std::move(values), truth::Allowance{});
}

inline void MultinomialTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace multinomial;  // NOLINT: the positions
  const TruthSource source = SourceOf(call, kSeed);
  const auto categories = static_cast<uint64_t>(call.Shape(kSelf).back());
  const auto samples = static_cast<uint64_t>(call.Integer(kNumSamples));
  const uint64_t rows = static_cast<uint64_t>(call.ElementCount(kSelf)) / categories;
  std::vector<double> out;
  for (uint64_t row = 0; row < rows; ++row) {
    const double* const weights = call.Values(kSelf).data() + row * categories;
    double all = 0;
    bool right = true;
    for (uint64_t c = 0; c < categories; ++c) {
      right = right && weights[c] >= 0;
      all += weights[c];
    }
    if (!right || !(all > 0) || !std::isfinite(all)) return outputs.Refuse(kNoWeights);
    std::vector<double> times;
    for (uint64_t c = 0; c < categories; ++c) {
      const double unit =
          static_cast<double>((source.Number(row * categories + c) >> 11) + 1) * 0x1p-53;
      times.push_back(weights[c] > 0 ? -std::log(unit) / weights[c] : HUGE_VAL);
    }
    for (uint64_t s = 0; s < samples; ++s) {
      uint64_t drawn = 0;
      if (call.Bool(kReplacement)) {
        const double at =
            static_cast<double>(source.Number(row * samples + s) >> 11) * 0x1p-53 * all;
        double sum = 0;
        for (drawn = 0; drawn + 1 < categories && !((sum += weights[drawn]) > at);) ++drawn;
      } else {
        for (uint64_t c = 1; c < categories; ++c) {
          if (std::isnan(times[drawn]) || times[c] < times[drawn]) drawn = c;
        }
        // Once only: NaN is never less, and whoever comes after it is taken.
        times[drawn] = std::nan("");
      }
      out.push_back(static_cast<double>(drawn));
    }
  }
  outputs.Set(kOut, std::move(out), truth::Allowance{});
}

inline void RandpermTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace randperm;  // NOLINT: the positions
  const TruthSource source = SourceOf(call, kSeed);
  std::vector<double> values(static_cast<size_t>(call.ElementCount(kOut)));
  std::iota(values.begin(), values.end(), 0.0);
  uint64_t number = 0;
  for (size_t rest = values.size(); rest > 0; --rest) {
    // These are far fewer than 2^32, so that the product of halves does not overflow.
    const uint64_t x = source.Number(number++);
    const uint64_t other = ((x >> 32) * rest + (((x & 0xFFFFFFFF) * rest) >> 32)) >> 32;
    std::swap(values[rest - 1], values[static_cast<size_t>(other)]);
  }
  outputs.Set(kOut, std::move(values), truth::Allowance{});
}

inline void SetMask(const truth::Call& call, truth::Outputs& outputs, int shape, double prob,
                    int seed, int out) {
  const TruthSource source = SourceOf(call, seed);
  int64_t elements = 1;
  for (const int64_t extent : call.Ints(shape)) elements *= extent;
  std::vector<double> bytes(static_cast<size_t>(call.ElementCount(out)));
  for (int64_t i = 0; i < elements; ++i) {
    const double dropped = OneWith(prob, source.Word(static_cast<uint64_t>(i)));
    bytes[static_cast<size_t>(i / 8)] += (1 - dropped) * (1 << (i % 8));
  }
  outputs.Set(out, std::move(bytes), truth::Allowance{});
}
inline void GenMaskTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace dropout_gen_mask;  // NOLINT: the positions
  SetMask(call, outputs, kShape, call.Real(kProb), kSeed, kOut);
}
inline void GenMaskV2Truth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace dropout_gen_mask_v2;  // NOLINT: the positions
  const double prob =
      truth::Rounded(call.Real(kProb), static_cast<DType>(call.Integer(kProbDataType)));
  SetMask(call, outputs, kShape, prob, kSeed, kOut);
}

inline void DoMaskTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace dropout_do_mask;  // NOLINT: the positions
  const double prob = call.Real(kProb);
  std::vector<double> values = call.Values(kSelf);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool kept = (static_cast<int>(call.Values(kMask)[i / 8]) >> (i % 8) & 1) != 0;
    values[i] = kept && prob < 1 ? values[i] / (1 - prob) : 0;
  }
  const DType dtype = call.DTypeOf(kOut);
  outputs.Set(kOut, std::move(values),
              truth::Allowance{1.3e-7 + truth::RoundingOf(dtype), truth::LeastOf(dtype)});
}

}  // namespace aclimb::random
