#include "aclimb/ops/attention/scores.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclimb/copy/convert.h"

namespace aclimb::attention {

Range FinishScores(const Problem& problem, const RowPlace& place, float* scores, float* buffer,
                   bool some_are_nan) {
  constexpr float kMasked = -std::numeric_limits<float>::infinity();
  const Range all = problem.KeysOf(place.batch, place.query);
  const Range keys = {std::max<int64_t>(all.begin - place.first, 0),
                      std::min(all.end - place.first, place.count)};
  if (keys.empty()) return keys;
  if (problem.bias.given()) {
    const char* const row =
        problem.bias.At(place.batch, place.head, place.query) + place.first * problem.bias.size;
    const copy::Converter converter(problem.bias.dtype, DType::kFloat32);
    const float* bias = reinterpret_cast<const float*>(row);
    if (converter.Changes()) {
      converter.Run(row, place.count, buffer);
      bias = buffer;
    }
    const auto factor = static_cast<float>(problem.bias_factor);
    for (int64_t k = keys.begin; k < keys.end; ++k) scores[k] += factor * bias[k];
    for (int64_t k = keys.begin; some_are_nan && k < keys.end; ++k) {
      if (factor * bias[k] == kMasked) scores[k] = kMasked;
    }
  }
  if (problem.mask.given()) {
    const char* const mask = problem.mask.At(place.batch, place.head, place.query) + place.first;
    for (int64_t k = keys.begin; k < keys.end; ++k) scores[k] = mask[k] != 0 ? kMasked : scores[k];
  }
  return keys;
}

bool IsMinusInfinity(DType dtype, const char* from, int64_t count) {
  const auto all_are = [from, count](auto bits) {
    // In blocks, which compilers compare at once.
    constexpr int64_t kBlock = 32;
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      bool differ = false;
      for (int64_t i = begin; i < std::min(count, begin + kBlock); ++i) {
        decltype(bits) element;
        std::memcpy(&element, from + i * static_cast<int64_t>(sizeof(bits)), sizeof(bits));
        differ |= element != bits;
      }
      if (differ) return false;
    }
    return true;
  };
  switch (dtype) {
    case DType::kFloat16:
      return all_are(uint16_t{0xFC00});
    case DType::kBFloat16:
      return all_are(uint16_t{0xFF80});
    case DType::kFloat32:
      return all_are(uint32_t{0xFF800000});
    default:
      return false;
  }
}

void Raise(float largest, int64_t count, float* scores) {
  float least = largest - kNegligible;
  // Between large floats the difference is rounded, and may be nothing.
  if (!(largest - least >= kNegligible)) {
    least = std::nextafter(least, -std::numeric_limits<float>::infinity());
  }
  // NaN compares false and stays.
  for (int64_t k = 0; k < count; ++k) scores[k] = scores[k] < least ? least : scores[k];
}

void Lower(float most, int64_t count, float* scores) {
  for (int64_t k = 0; k < count; ++k) scores[k] = scores[k] > most ? most : scores[k];
}

void DropNegligible(float largest, int64_t count, float* weights) {
  const float least = largest * 1e-26f;  // above exp(-kNegligible), which is 1.6e-28
  for (int64_t k = 0; k < count; ++k) weights[k] = weights[k] < least ? 0.0f : weights[k];
}

void Drop(const Problem& problem, const RowPlace& place, float* weights) {
  if (problem.kept == nullptr) return;
  const auto factor = problem.keep > 0 ? static_cast<float>(1 / problem.keep) : 0.0f;
  const int64_t first = problem.WeightOf(place.batch, place.head, place.query) + place.first;
  const int64_t count = std::min(place.count, problem.KeysOf(place.batch) - place.first);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t bit = first + k;
    weights[k] = (problem.kept[bit / 8] >> (bit % 8) & 1) != 0 ? weights[k] * factor : 0.0f;
  }
}

}  // namespace aclimb::attention
