#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aclimb/ops/random/contracts.h"
#include "aclimb/truth/cast.h"
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
  return {static_cast<uint64_t>(call.Integer(seed)), static_cast<uint64_t>(call.Integer(seed + 1))};
}
inline bool TakesWords(DType dtype) { return IsFloating(dtype) && dtype != DType::kFloat64; }

inline void NormalTruth(const truth::Call& call, truth::Outputs& outputs) {
  using namespace inplace_normal;  // NOLINT: the positions
  const TruthSource source = SourceOf(call, kSeed);
  const DType dtype = call.DTypeOf(kSelfRef);
  const double mean = call.Real(kMean), deviation = call.Real(kStd);
  const double turn = 2 * std::acos(-1.0);
  std::vector<double> values, allowed;
  for (uint64_t i = 0; i < static_cast<uint64_t>(call.ElementCount(kSelfRef)); ++i) {
    const uint64_t pair = i / 2 * 2;
    double u, v;
    if (TakesWords(dtype)) {
      u = (source.Word(pair) / 256 + 1) * 0x1p-24;
      v = (source.Word(pair + 1) / 256) * 0x1p-24;
    } else {
      u = static_cast<double>((source.Number(pair) >> 11) + 1) * 0x1p-53;
      v = static_cast<double>(source.Number(pair + 1) >> 11) * 0x1p-53;
    }
    const double radius = deviation * std::sqrt(-2 * std::log(u));
    const double value = mean + radius * (i % 2 == 0 ? std::cos(turn * v) : std::sin(turn * v));
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
  const DType dtype = call.DTypeOf(kOut);
  for (double& value : values) value = truth::CastValue(value, DType::kInt64, dtype);
  outputs.Set(kOut, std::move(values),
              truth::Allowance{IsFloating(dtype) ? truth::RoundingOf(dtype) : 0, 0});
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
