#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aclimb/ops/attention/flash_attention_truth.h"
#include "aclimb/ops/attention/sequences.h"
#include "aclimb/ops/attention/var_len_contract.h"

namespace aclimb::attention {

// Calls of the functions for batches, one for each sequence.
class TrueSequences {
 public:
  TrueSequences(const truth::Call& call, const SequencePlaces& places)
      : call_(call),
        at_(places.at),
        queries_(SequencesOf(call.Ints(places.query_ends))),
        keys_(SequencesOf(call.Ints(places.key_ends))),
        weights_(WeightStarts(queries_, keys_, call.Integer(places.at.heads))) {}

  size_t count() const { return queries_.counts.size(); }

  // The sequence's part of what both kinds of function have, whose places in the other are `to`.
  void CopyCommon(size_t i, const Places& to, truth::Call& one) const {
    CopyRows(i, at_.query, false, to.query, one);
    CopyRows(i, at_.key, true, to.key, one);
    CopyRows(i, at_.value, true, to.value, one);
    CopyMask(i, to, one);
    CopyKept(i, to, one);
    for (const auto& [from, place] :
         {std::pair(at_.heads, to.heads), std::pair(at_.sparse_mode, to.sparse_mode),
          std::pair(at_.pre_tokens, to.pre_tokens), std::pair(at_.next_tokens, to.next_tokens)}) {
      one.SetInteger(place, call_.Integer(from));
    }
    one.SetReal(to.keep, call_.Real(at_.keep));
    one.SetText(to.layout, "BSND");
  }
  // Rows of a tensor [T, ...] as a batch [1, S, ...].
  void CopyRows(size_t i, int from, bool of_keys, int place, truth::Call& one) const {
    one.SetTensor(place, ShapeOf(i, from, of_keys), call_.DTypeOf(from), Part(i, from, of_keys));
  }
  // The statistics of its queries, [T, N, 8], as [1, N, S, 8].
  void CopyStatistics(size_t i, int from, int place, truth::Call& one) const {
    const std::vector<double> part = Part(i, from, false);
    const std::vector<int64_t>& shape = call_.Shape(from);
    std::vector<double> turned;
    for (int64_t h = 0; h < shape[1]; ++h) {
      for (int64_t q = 0; q < queries_.counts[i]; ++q) {
        const auto begin = part.begin() + (q * shape[1] + h) * 8;
        turned.insert(turned.end(), begin, begin + 8);
      }
    }
    one.SetTensor(place, {1, shape[1], queries_.counts[i], 8}, DType::kFloat32, std::move(turned));
  }
  // Puts [1, S, ...] or, of statistics, [1, N, S, 8] behind what the sequences before have.
  void AppendRows(const truth::Expected& one, truth::Expected& all) const {
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.allowed.insert(all.allowed.end(), one.allowed.begin(), one.allowed.end());
  }
  void AppendStatistics(size_t i, const truth::Expected& one, truth::Expected& all) const {
    const int64_t heads = call_.Integer(at_.heads);
    for (int64_t q = 0; q < queries_.counts[i]; ++q) {
      for (int64_t h = 0; h < heads; ++h) {
        const auto at = static_cast<size_t>((h * queries_.counts[i] + q) * 8);
        for (size_t k = at; k < at + 8; ++k) {
          all.values.push_back(one.values[k]);
          all.allowed.push_back(one.allowed[k]);
        }
      }
    }
  }
  std::vector<int64_t> ShapeOf(size_t i, int from, bool of_keys) const {
    const std::vector<int64_t>& shape = call_.Shape(from);
    return {1, (of_keys ? keys_ : queries_).counts[i], shape[1], shape[2]};
  }

 private:
  std::vector<double> Part(size_t i, int from, bool of_keys) const {
    const Sequences& rows = of_keys ? keys_ : queries_;
    const std::vector<int64_t>& shape = call_.Shape(from);
    const auto begin = call_.Values(from).begin() + rows.starts[i] * shape[1] * shape[2];
    return {begin, begin + rows.counts[i] * shape[1] * shape[2]};
  }
  void CopyMask(size_t i, const Places& to, truth::Call& one) const {
    if (!call_.IsGiven(at_.mask)) return;
    if (HasPatternMask(call_.Integer(at_.sparse_mode))) {
      // Not read.
      one.SetTensor(to.mask, {0, 0}, DType::kBool);
      return;
    }
    const std::vector<double>& mask = call_.Values(at_.mask);
    std::vector<double> part;
    for (int64_t q = 0; q < queries_.counts[i]; ++q) {
      const auto begin = mask.begin() + q * call_.Shape(at_.mask)[1];
      part.insert(part.end(), begin, begin + keys_.counts[i]);
    }
    one.SetTensor(to.mask, {queries_.counts[i], keys_.counts[i]}, DType::kBool, std::move(part));
  }
  void CopyKept(size_t i, const Places& to, truth::Call& one) const {
    if (!call_.IsGiven(at_.kept) || call_.Real(at_.keep) == 1) return;
    std::vector<double> bytes(static_cast<size_t>((weights_[i + 1] - weights_[i] + 7) / 8));
    for (int64_t bit = weights_[i]; bit < weights_[i + 1]; ++bit) {
      const int byte = static_cast<int>(call_.Values(at_.kept)[static_cast<size_t>(bit / 8)]);
      const int64_t own = bit - weights_[i];
      if ((byte >> (bit % 8) & 1) != 0) {
        bytes[static_cast<size_t>(own / 8)] += static_cast<double>(1 << (own % 8));
      }
    }
    const auto count = static_cast<int64_t>(bytes.size());
    one.SetTensor(to.kept, {count}, DType::kUInt8, std::move(bytes));
  }

  const truth::Call& call_;
  const Places& at_;
  Sequences queries_, keys_;
  std::vector<int64_t> weights_;
};

namespace flash_attention_var_len_score {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  namespace batch = flash_attention_score;
  const TrueSequences sequences(call, kPlaces);
  truth::Expected max, sum, out;
  for (size_t i = 0; i < sequences.count(); ++i) {
    truth::Call one(batch::kContract);
    sequences.CopyCommon(i, batch::kPlaces, one);
    one.SetReal(batch::kScaleValue, call.Real(kScaleValue));
    truth::Outputs of_one;
    batch::Truth(one, of_one);
    sequences.AppendStatistics(i, *of_one.Find(batch::kSoftmaxMax), max);
    sequences.AppendStatistics(i, *of_one.Find(batch::kSoftmaxSum), sum);
    sequences.AppendRows(*of_one.Find(batch::kAttentionOut), out);
  }
  outputs.Set(kSoftmaxMax, std::move(max.values), std::move(max.allowed));
  outputs.Set(kSoftmaxSum, std::move(sum.values), std::move(sum.allowed));
  outputs.Set(kAttentionOut, std::move(out.values), std::move(out.allowed));
}

}  // namespace flash_attention_var_len_score

namespace flash_attention_unpadding_score_grad {

inline void Truth(const truth::Call& call, truth::Outputs& outputs) {
  namespace batch = flash_attention_score_grad;
  const TrueSequences sequences(call, kPlaces);
  truth::Expected dq, dk, dv;
  for (size_t i = 0; i < sequences.count(); ++i) {
    truth::Call one(batch::kContract);
    sequences.CopyCommon(i, batch::kPlaces, one);
    one.SetReal(batch::kScaleValue, call.Real(kScaleValue));
    sequences.CopyRows(i, kDy, false, batch::kDy, one);
    sequences.CopyRows(i, kAttentionIn, false, batch::kAttentionIn, one);
    sequences.CopyStatistics(i, kSoftmaxMax, batch::kSoftmaxMax, one);
    sequences.CopyStatistics(i, kSoftmaxSum, batch::kSoftmaxSum, one);
    truth::Outputs of_one;
    batch::Truth(one, of_one);
    sequences.AppendRows(*of_one.Find(batch::kDq), dq);
    sequences.AppendRows(*of_one.Find(batch::kDk), dk);
    sequences.AppendRows(*of_one.Find(batch::kDv), dv);
  }
  outputs.Set(kDq, std::move(dq.values), std::move(dq.allowed));
  outputs.Set(kDk, std::move(dk.values), std::move(dk.allowed));
  outputs.Set(kDv, std::move(dv.values), std::move(dv.allowed));
}

}  // namespace flash_attention_unpadding_score_grad
}  // namespace aclimb::attention
