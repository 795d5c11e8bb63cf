#pragma once

#include "aclimb/ops/attention/flash_attention_contract.h"
#include "aclimb/ops/attention/sequences.h"
#include "aclnnop/aclnn_flash_attention_unpadding_score_grad.h"
#include "aclnnop/aclnn_flash_attention_var_len_score.h"

// The contracts of attention for training where sequences of several lengths lie one after the
// other.
namespace aclimb::attention {

constexpr contract::Parameter RowsOfAll(const char* name, const char* doc) {
  return contract::WithRank(contract::Input(name, kFloats, doc), 3, 3);
}
constexpr contract::Parameter GradientOfAll(const char* name, const char* doc) {
  return contract::WithRank(contract::Output(name, kFloats, doc), 3, 3);
}
// T queries in all, N heads of D elements, and what comes of them.
constexpr contract::Parameter Queries(const char* name, const char* doc) {
  return contract::WithShape(contract::Input(name, kFloats, doc), "T N D");
}
constexpr contract::Parameter Values(const char* name, const char* doc) {
  return contract::WithShape(contract::Input(name, kFloats, doc), "T2 N2 Dv");
}
constexpr contract::Parameter Statistics(contract::Parameter parameter, const char* fix) {
  return contract::WithShape(parameter, "T N 8", fix);
}
constexpr contract::Parameter NoBias(const char* name) {
  return contract::WithRank(contract::EmptyIsAbsent(contract::Optional(
                                contract::Input(name, {}, "null: not implemented"))),
                            0, 8);
}
constexpr contract::Parameter SequenceMask() {
  return contract::WithRank(
      contract::Optional(contract::Input(
          "attenMaskOptional", kFlags,
          "null, or [longest Sq or more, longest Skv or more], where what is not 0 leaves a key of "
          "each sequence out; for sparseMode 2 to 4 [2048, 2048], which is not read")),
      2, 2);
}
constexpr contract::Parameter EndsOf(const char* name, const char* doc) {
  return contract::Attribute(name, contract::Kind::kIntArray, doc);
}
constexpr contract::Rule SequenceLayoutRule(int position) {
  return contract::OneOf("choice/inputLayout", position, "TND",
                         "pass TND; other layouts are those of aclnnFlashAttentionScore");
}

inline constexpr const char* kQueryEndsStatement =
    "actualSeqQLenOptional are the ends of the sequences in query, none below the one before, the "
    "last is T";
inline constexpr const char* kQueryEndsFix = "pass the sums of the lengths up to each sequence";
inline constexpr const char* kKeyEndsFix =
    "pass the sums of the lengths up to each sequence, as many as actualSeqQLenOptional has";
inline constexpr const char* kSequenceMaskFix =
    "pass a flag for each score of the longest sequence, for sparseMode 2 to 4 the triangle "
    "[2048, 2048]";

#define ACLIMB_SEQUENCE_PREDICATE(name, call)          \
  template <const SequencePlaces& kAt>                 \
  Finding name(const contract::Arguments& arguments) { \
    return call;                                       \
  }
ACLIMB_SEQUENCE_PREDICATE(QueryEndsRule, WrongQueryEnds(arguments, kAt))
ACLIMB_SEQUENCE_PREDICATE(KeyEndsRule, WrongKeyEnds(arguments, kAt))
ACLIMB_SEQUENCE_PREDICATE(SequenceMaskRule, WrongSequenceMask(arguments, kAt))
ACLIMB_SEQUENCE_PREDICATE(SequenceKeptRule, WrongSequenceKept(arguments, kAt))
#undef ACLIMB_SEQUENCE_PREDICATE

namespace flash_attention_var_len_score {

enum : int {
  kQuery,
  kKey,
  kValue,
  kRealShift,
  kDropMask,
  kPaddingMask,
  kAttenMask,
  kPrefix,
  kActualSeqQLen,
  kActualSeqKvLen,
  kScaleValue,
  kKeepProb,
  kPreTokens,
  kNextTokens,
  kHeadNum,
  kInputLayout,
  kInnerPrecise,
  kSparseMode,
  kSoftmaxMax,
  kSoftmaxSum,
  kSoftmaxOut,
  kAttentionOut
};

inline constexpr contract::Parameter kParameters[] = {
    Queries("query", "the sequences' queries, one after the other"),
    RowsOfAll("key", "[T2, N2, D]: their keys; N2 divides N; dtype of query"),
    Values("value", "as key; its D may be another one"),
    NoBias("realShiftOptional"),
    KeptOf("dropMaskOptional"),
    PaddingOf("paddingMaskOptional"),
    SequenceMask(),
    PrefixOf(),
    EndsOf("actualSeqQLenOptional", "where each sequence's queries end"),
    EndsOf("actualSeqKvLenOptional", "where each sequence's keys end"),
    ScaleOf(),
    KeepOf(),
    PreTokensOf(),
    NextTokensOf(),
    HeadNumOf(),
    LayoutOf(),
    PreciseOf(),
    SparseModeOf(),
    Statistics(contract::Output(
                   "softmaxMaxOut", kFloat,
                   "the largest score, eight times; the lowest FLOAT where no key takes part"),
               "allocate eight numbers for each query"),
    Statistics(contract::Output("softmaxSumOut", kFloat, "the sum of exp(score - largest)"),
               "allocate eight numbers for each query"),
    contract::LeftAlone(
        contract::WithRank(contract::Output("softmaxOutOut", kFloats, "is left alone"), 1, 4)),
    contract::WithShape(
        contract::Output(
            "attentionOutOut", kFloats,
            "dtype of query; 0 where no key takes part. Keys that mask, "
            "band or a bias of -inf leave out have no part, NaN and infinity in them and their "
            "values too"),
        "T N Dv"),
};

inline constexpr Places kAt = {.parameters = kParameters,
                               .query = kQuery,
                               .key = kKey,
                               .value = kValue,
                               .bias = kRealShift,
                               .mask = kAttenMask,
                               .heads = kHeadNum,
                               .layout = kInputLayout,
                               .sparse_mode = kSparseMode,
                               .pre_tokens = kPreTokens,
                               .next_tokens = kNextTokens,
                               .keep = kKeepProb,
                               .kept = kDropMask};
inline constexpr SequencePlaces kPlaces = {kAt, kActualSeqQLen, kActualSeqKvLen};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/key", kKey, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/value", kValue, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/attentionOutOut", kAttentionOut, kQuery,
                        "allocate attentionOutOut with the dtype of query"),
    KeepRule(kKeepProb),
    HeadNumRule(kHeadNum),
    SequenceLayoutRule(kInputLayout),
    PreciseRule(kInnerPrecise),
    SparseModeRule(kSparseMode),
    contract::Absent("absent/realShiftOptional", "pass null", kRealShift),
    contract::Absent("absent/paddingMaskOptional", "pass null", kPaddingMask),
    contract::Custom("shape/query", &QueryRule<kAt>, kQueryStatement, kQueryFix),
    contract::Custom("shape/key", &KeyRule<kAt>,
                     "key has the layout and the D of query, and a number of heads that divides "
                     "headNum",
                     kKeyFix),
    contract::Custom("shape/value", &ValueRule<kAt>, "value has the layout and the T and N of key",
                     kValueFix),
    contract::Custom("ends/actualSeqQLenOptional", &QueryEndsRule<kPlaces>, kQueryEndsStatement,
                     kQueryEndsFix),
    contract::Custom("ends/actualSeqKvLenOptional", &KeyEndsRule<kPlaces>,
                     "actualSeqKvLenOptional are the ends of as many sequences in key",
                     kKeyEndsFix),
    NeedsMask("needed/attenMaskOptional", kAttenMask, kSparseMode),
    contract::Custom("shape/attenMaskOptional", &SequenceMaskRule<kPlaces>,
                     "attenMaskOptional has a flag for each score of the longest sequence, or the "
                     "shape for sparseMode",
                     kSequenceMaskFix),
    contract::Custom("band/nextTokens", &BandRule<kAt>, kBandStatement, kBandFix),
    NeedsKept(kDropMask, kKeepProb),
    contract::Custom("shape/dropMaskOptional", &SequenceKeptRule<kPlaces>,
                     "dropMaskOptional has a bit for each of N * Sq * Skv weights of each sequence "
                     "of query",
                     kKeptFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFlashAttentionVarLenScore",
    .folder = "flash_attention_var_len_score",
    .summary =
        "aclnnFlashAttentionScore of sequences of several lengths that lie one after the "
        "other.",
    .products = kTrainingProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnFlashAttentionVarLenScoreGetWorkspaceSize)>(kContract));

}  // namespace flash_attention_var_len_score

namespace flash_attention_unpadding_score_grad {

enum : int {
  kQuery,
  kKey,
  kValue,
  kDy,
  kPseShift,
  kDropMask,
  kPaddingMask,
  kAttenMask,
  kSoftmaxMax,
  kSoftmaxSum,
  kSoftmaxIn,
  kAttentionIn,
  kPrefix,
  kActualSeqQLen,
  kActualSeqKvLen,
  kScaleValue,
  kKeepProb,
  kPreTokens,
  kNextTokens,
  kHeadNum,
  kInputLayout,
  kInnerPrecise,
  kSparseMode,
  kDq,
  kDk,
  kDv,
  kDpse
};

inline constexpr contract::Parameter kParameters[] = {
    Queries("query", "as the forward call had it"),
    RowsOfAll("keyIn", "as the forward call had it"),
    Values("value", "as the forward call had it"),
    contract::WithShape(
        contract::Input("dy", kFloats, "gradient of the forward result, of its dtype"), "T N Dv",
        "pass the gradient of the forward result"),
    NoBias("pseShiftOptional"),
    KeptOf("dropMaskOptional"),
    PaddingOf("paddingMaskOptional"),
    SequenceMask(),
    Statistics(contract::Input("softmaxMaxOptional", kFloat, "what the forward call returned"),
               "pass what the forward call returned"),
    Statistics(contract::Input("softmaxSumOptional", kFloat, "what the forward call returned"),
               "pass what the forward call returned"),
    contract::WithRank(
        contract::Optional(contract::Input("softmaxInOptional", {}, "null, or not read")), 0, 8),
    contract::WithShape(contract::Input("attentionInOptional", kFloats, "the forward result"),
                        "T N Dv", "pass what the forward call returned"),
    PrefixOf(),
    EndsOf("actualSeqQLenOptional", "where each sequence's queries end"),
    EndsOf("actualSeqKvLenOptional", "where each sequence's keys end"),
    ScaleOf(),
    KeepOf(),
    PreTokensOf(),
    NextTokensOf(),
    HeadNumOf(),
    LayoutOf(),
    PreciseOf(),
    SparseModeOf(),
    GradientOfAll("dqOut", "shape and dtype of query"),
    GradientOfAll("dkOut", "shape and dtype of keyIn"),
    GradientOfAll("dvOut", "shape and dtype of value"),
    contract::WithRank(contract::LeftAlone(contract::Optional(
                           contract::Output("dpseOut", {}, "null, or is left alone"))),
                       0, 8),
};

inline constexpr Places kAt = {.parameters = kParameters,
                               .query = kQuery,
                               .key = kKey,
                               .value = kValue,
                               .bias = kPseShift,
                               .mask = kAttenMask,
                               .heads = kHeadNum,
                               .layout = kInputLayout,
                               .sparse_mode = kSparseMode,
                               .pre_tokens = kPreTokens,
                               .next_tokens = kNextTokens,
                               .keep = kKeepProb,
                               .kept = kDropMask};
inline constexpr SequencePlaces kPlaces = {kAt, kActualSeqQLen, kActualSeqKvLen};

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/keyIn", kKey, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/value", kValue, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/dy", kDy, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/attentionInOptional", kAttentionIn, kQuery,
                        "pass what the forward call returned"),
    contract::SameDType("same-dtype/dqOut", kDq, kQuery, "allocate dqOut with the dtype of query"),
    contract::SameDType("same-dtype/dkOut", kDk, kQuery, "allocate dkOut with the dtype of query"),
    contract::SameDType("same-dtype/dvOut", kDv, kQuery, "allocate dvOut with the dtype of query"),
    KeepRule(kKeepProb),
    HeadNumRule(kHeadNum),
    SequenceLayoutRule(kInputLayout),
    PreciseRule(kInnerPrecise),
    SparseModeRule(kSparseMode),
    contract::Absent("absent/pseShiftOptional", "pass null", kPseShift),
    contract::Absent("absent/paddingMaskOptional", "pass null", kPaddingMask),
    contract::Custom("shape/query", &QueryRule<kAt>, kQueryStatement, kQueryFix),
    contract::Custom("shape/keyIn", &KeyRule<kAt>,
                     "keyIn has the layout and the D of query, and a number of heads that divides "
                     "headNum",
                     kKeyFix),
    contract::Custom("shape/value", &ValueRule<kAt>,
                     "value has the layout and the T and N of keyIn", kValueFix),
    contract::SameShape("same-shape/dqOut", kDq, kQuery, "allocate dqOut with the shape of query"),
    contract::SameShape("same-shape/dkOut", kDk, kKey, "allocate dkOut with the shape of keyIn"),
    contract::SameShape("same-shape/dvOut", kDv, kValue, "allocate dvOut with the shape of value"),
    contract::Custom("ends/actualSeqQLenOptional", &QueryEndsRule<kPlaces>, kQueryEndsStatement,
                     kQueryEndsFix),
    contract::Custom("ends/actualSeqKvLenOptional", &KeyEndsRule<kPlaces>,
                     "actualSeqKvLenOptional are the ends of as many sequences in keyIn",
                     kKeyEndsFix),
    NeedsMask("needed/attenMaskOptional", kAttenMask, kSparseMode),
    contract::Custom("shape/attenMaskOptional", &SequenceMaskRule<kPlaces>,
                     "attenMaskOptional has a flag for each score of the longest sequence, or the "
                     "shape for sparseMode",
                     kSequenceMaskFix),
    contract::Custom("band/nextTokens", &BandRule<kAt>, kBandStatement, kBandFix),
    NeedsKept(kDropMask, kKeepProb),
    contract::Custom("shape/dropMaskOptional", &SequenceKeptRule<kPlaces>,
                     "dropMaskOptional has a bit for each of N * Sq * Skv weights of each sequence "
                     "of query",
                     kKeptFix),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFlashAttentionUnpaddingScoreGrad",
    .folder = "flash_attention_unpadding_score_grad",
    .summary = "Gradients of aclnnFlashAttentionVarLenScore with respect to query, key and value.",
    .products = kTrainingProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize)>(kContract));

}  // namespace flash_attention_unpadding_score_grad
}  // namespace aclimb::attention
