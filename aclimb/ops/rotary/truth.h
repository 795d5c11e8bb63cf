#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/rotary/contract.h"
#include "aclimb/truth/each.h"
#include "aclimb/truth/outputs.h"
#include "aclimb/truth/rounding.h"

namespace aclimb::rotary {

// Each element of the result is x[same] * cos + sign * x[turned] * sin.
struct Term {
  int64_t same, turned;
  double sign;
};
inline Term TermOf(int64_t mode, int64_t width, int64_t i) {
  const int64_t half = width / 2, quarter = width / 4;
  if (mode == 1) return i % 2 == 0 ? Term{i, i + 1, -1} : Term{i, i - 1, 1};
  if (mode == 2) {
    return i % half < quarter ? Term{i, i + quarter, -1} : Term{i, i - quarter, 1};
  }
  if (mode == 3) {
    return i < half ? Term{2 * i, 2 * i + 1, -1} : Term{2 * (i - half) + 1, 2 * (i - half), 1};
  }
  return i < half ? Term{i, i + half, -1} : Term{i, i - half, 1};
}

// Sums in float32 of a few terms, then one rounding.
struct Sums {
  truth::Expected of;

  explicit Sums(int64_t count)
      : of{std::vector<double>(static_cast<size_t>(count)),
           std::vector<double>(static_cast<size_t>(count))} {}
  void Add(size_t place, double term) {
    of.values[place] += term;
    of.allowed[place] += 2e-7 * std::fabs(term);
  }
  void SetOutput(truth::Outputs& outputs, int place, DType dtype) {
    for (size_t i = 0; i < of.values.size(); ++i) {
      // Infinities meet in no way that leaves room.
      if (!std::isfinite(of.values[i])) {
        of.allowed[i] = 0;
        continue;
      }
      of.allowed[i] += truth::RoundingOf(dtype) * std::fabs(of.values[i]) + truth::LeastOf(dtype);
    }
    outputs.Set(place, std::move(of.values), std::move(of.allowed));
  }
};

// Calls body(first element of a row, that of its angles) for each row.
template <typename Body>
void ForRows(const truth::Call& call, int x, int cos, const Body& body) {
  const int64_t width = call.Shape(x)[3];
  if (width == 0) return;
  size_t number = 0;
  for (const auto& place : truth::BroadcastPlaces(call, {x, cos})) {
    if (number++ % static_cast<size_t>(width) == 0) body(place[0], place[1]);
  }
}

inline void TurnTruth(const truth::Call& call, truth::Outputs& outputs, int x, int cos, int sin,
                      int64_t mode, int out) {
  const int64_t width = call.Shape(x)[3];
  Sums sums(call.ElementCount(x));
  ForRows(call, x, cos, [&](size_t row, size_t angle) {
    for (int64_t i = 0; i < width; ++i) {
      const Term term = TermOf(mode, width, i);
      const auto k = static_cast<size_t>(i);
      const auto element = [&](int64_t at) {
        return call.Values(x)[row + static_cast<size_t>(at)];
      };
      sums.Add(row + k, element(term.same) * call.Values(cos)[angle + k]);
      sums.Add(row + k, term.sign * element(term.turned) * call.Values(sin)[angle + k]);
    }
  });
  sums.SetOutput(outputs, out, call.DTypeOf(x));
}

namespace rotary_position_embedding {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  TurnTruth(call, outputs, kX, kCos, kSin, call.Integer(kMode), kOut);
}
}  // namespace rotary_position_embedding

namespace rotary_position_embedding_grad {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  const int64_t width = call.Shape(kDy)[3];
  const bool angles = call.IsGiven(kX);
  Sums dx(call.ElementCount(kDy)), dcos(call.ElementCount(kCos)), dsin(call.ElementCount(kCos));
  ForRows(call, kDy, kCos, [&](size_t row, size_t angle) {
    for (int64_t i = 0; i < width; ++i) {
      const Term term = TermOf(call.Integer(kMode), width, i);
      const auto k = static_cast<size_t>(i);
      const size_t same = row + static_cast<size_t>(term.same);
      const size_t turned = row + static_cast<size_t>(term.turned);
      const double dy = call.Values(kDy)[row + k];
      dx.Add(same, dy * call.Values(kCos)[angle + k]);
      dx.Add(turned, term.sign * dy * call.Values(kSin)[angle + k]);
      if (!angles) continue;
      dcos.Add(angle + k, dy * call.Values(kX)[same]);
      dsin.Add(angle + k, term.sign * dy * call.Values(kX)[turned]);
    }
  });
  const DType dtype = call.DTypeOf(kDy);
  dx.SetOutput(outputs, kDx, dtype);
  if (!angles) return;
  dcos.SetOutput(outputs, kDcos, dtype);
  dsin.SetOutput(outputs, kDsin, dtype);
}
}  // namespace rotary_position_embedding_grad

namespace apply_rotary_pos_emb {
inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  TurnTruth(call, outputs, kQuery, kCos, kSin, 0, kQuery);
  TurnTruth(call, outputs, kKey, kCos, kSin, 0, kKey);
}
}  // namespace apply_rotary_pos_emb

}  // namespace aclimb::rotary
