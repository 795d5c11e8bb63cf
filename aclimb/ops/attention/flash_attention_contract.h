#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/attention/shapes.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"

namespace aclimb::attention {

// On the chips that train.
inline constexpr uint8_t kTrainingProducts =
    Bit(Product::kA2) | Bit(Product::kA3) | Bit(Product::k950);
inline constexpr auto kFloats = contract::OnAll(contract::kFloatDTypes);
inline constexpr auto kFloat = contract::OnAll(contract::DTypes(DType::kFloat32));
inline constexpr auto kBytes = contract::OnAll(contract::DTypes(DType::kUInt8));
inline constexpr auto kFlags = contract::OnAll(contract::DTypes(DType::kBool, DType::kUInt8));

constexpr contract::Parameter Operands(const char* name, const char* doc) {
  return contract::WithRank(contract::Input(name, kFloats, doc), 3, 4);
}
constexpr contract::Parameter BiasOf(const char* name) {
  return contract::WithRank(
      contract::Optional(contract::Input(
          name, kFloats, "null, or [B or 1, N, Sq, Skv] or [B, N, 1, Skv], dtype of query")),
      4, 4);
}
constexpr contract::Parameter KeptOf(const char* name) {
  return contract::WithRank(
      contract::Optional(contract::Input(
          name, kBytes, "null, or a bit for each weight, the lowest of a byte first; 0 drops it")),
      1, 4);
}
constexpr contract::Parameter PaddingOf(const char* name) {
  return contract::WithRank(
      contract::EmptyIsAbsent(contract::Optional(contract::Input(name, {}, "null or empty"))), 0,
      4);
}
constexpr contract::Parameter MaskOf(const char* name) {
  return contract::WithRank(
      contract::Optional(contract::Input(
          name, kFlags,
          "null, or [Sq, Skv], [B or 1, Sq, Skv], [B, N, Sq, Skv] or [B or 1, 1, Sq, Skv], where "
          "what is not 0 leaves a key out; for sparseMode 2 to 4 [2048, 2048], [1, 2048, 2048] or "
          "[1, 1, 2048, 2048], which is not read")),
      2, 4);
}

constexpr contract::Parameter PrefixOf() {
  return contract::Optional(contract::Attribute("prefixOptional", contract::Kind::kIntArray,
                                                "not used by the modes 0 to 4"));
}
constexpr contract::Parameter ScaleOf() {
  return contract::Attribute("scaleValue", contract::Kind::kReal, "factor of the scores");
}
constexpr contract::Parameter KeepOf() {
  return contract::Attribute(
      "keepProb", contract::Kind::kReal,
      "the share of weights that dropMaskOptional leaves; they are divided by it");
}
constexpr contract::Parameter PreTokensOf() {
  return contract::Attribute(
      "preTokens", contract::Kind::kInteger,
      "sparseMode 0 with a mask, and 4: so many keys before the query's place");
}
constexpr contract::Parameter NextTokensOf() {
  return contract::Attribute("nextTokens", contract::Kind::kInteger, "and so many behind it");
}
constexpr contract::Parameter HeadNumOf() {
  return contract::Attribute("headNum", contract::Kind::kInteger, "N");
}
constexpr contract::Parameter LayoutOf() {
  return contract::Attribute("inputLayout", contract::Kind::kString, "of query, key and value");
}
constexpr contract::Parameter PreciseOf() {
  return contract::Attribute("innerPrecise", contract::Kind::kInteger, "the results are the same");
}
constexpr contract::Parameter SparseModeOf() {
  return contract::Attribute("sparseMode", contract::Kind::kInteger,
                             "0 by preTokens, nextTokens and mask, 1 by mask, 2 keys up to the "
                             "query's number, 3 the same counted from the last, 4 by preTokens and "
                             "nextTokens counted from the last");
}
constexpr contract::Parameter Results(const char* name, const char* doc) {
  return contract::WithRank(contract::Output(name, kFloats, doc), 3, 4);
}

constexpr contract::Rule KeepRule(int position) {
  return contract::InRange("range/keepProb", position, contract::Between(0, 1), "pass 0 to 1");
}
constexpr contract::Rule HeadNumRule(int position) {
  return contract::InRange("range/headNum", position, contract::AtLeast(1),
                           "pass the number of heads");
}
constexpr contract::Rule LayoutRule(int position) {
  return contract::OneOf("choice/inputLayout", position, "BSH|SBH|BNSD|BSND",
                         "pass one of these; sequences of several lengths in one tensor (TND) are "
                         "those of aclnnFlashAttentionVarLenScore");
}
constexpr contract::Rule PreciseRule(int position) {
  return contract::InRange("range/innerPrecise", position, contract::Between(0, 2),
                           "pass 0, 1 or 2");
}
constexpr contract::Rule SparseModeRule(int position) {
  return contract::InRange(
      "range/sparseMode", position, contract::Between(0, 4),
      "pass 0 to 4; those above, of prefixes and of parts of sequences, are not implemented");
}

// keepProb 1 alone does without a mask of dropout.
constexpr contract::Rule NeedsKept(int kept, int keep) {
  return contract::WantedUnless("needed/dropMaskOptional", kept, keep, 1,
                                "pass the mask, or keepProb as 1", kAclnnInvalid);
}

inline constexpr const char* kQueryStatement =
    "query has the layout inputLayout with headNum heads";
inline constexpr const char* kQueryFix = "pass the layout that query has, and its number of heads";
inline constexpr const char* kKeyFix = "pass keys for the same batches and heads";
inline constexpr const char* kValueFix = "pass a value for each key";
inline constexpr const char* kBiasFix = "pass a number for each score";
inline constexpr const char* kMaskFix =
    "pass a flag for each score, for sparseMode 2 to 4 the triangle [2048, 2048]";
inline constexpr const char* kBandStatement =
    "preTokens + nextTokens is 0 or more where sparseMode reads them";
inline constexpr const char* kBandFix = "pass a band that has keys";
inline constexpr const char* kKeptFix = "make the mask for that many";

// The rules that the functions for training share.
#define ACLIMB_ATTENTION_PREDICATE(name, call)         \
  template <const Places& kAt>                         \
  Finding name(const contract::Arguments& arguments) { \
    return call;                                       \
  }
ACLIMB_ATTENTION_PREDICATE(QueryRule, WrongQuery(arguments, kAt))
ACLIMB_ATTENTION_PREDICATE(KeyRule, WrongKey(arguments, kAt))
ACLIMB_ATTENTION_PREDICATE(ValueRule, WrongValue(arguments, kAt))
ACLIMB_ATTENTION_PREDICATE(BiasRule, WrongBias(arguments, kAt, true))
ACLIMB_ATTENTION_PREDICATE(MaskRule, WrongMask(arguments, kAt))
ACLIMB_ATTENTION_PREDICATE(BandRule, WrongBand(arguments, kAt))
ACLIMB_ATTENTION_PREDICATE(KeptRule, WrongKept(arguments, kAt))
#undef ACLIMB_ATTENTION_PREDICATE

template <const Places& kAt, int kPlace>
Finding StatisticsRule(const contract::Arguments& arguments) {
  return WrongStatistics(arguments, kAt, kPlace, 8);
}
template <const Places& kAt, int kPlace>
Finding ResultRule(const contract::Arguments& arguments) {
  return WrongResult(arguments, kAt, kPlace);
}

namespace flash_attention_score {

enum : int {
  kQuery,
  kKey,
  kValue,
  kRealShift,
  kDropMask,
  kPaddingMask,
  kAttenMask,
  kPrefix,
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
    Operands("query", "[B, Sq, N * D], [Sq, B, N * D], [B, N, Sq, D] or [B, Sq, N, D]"),
    Operands("key", "the same with Skv and N2, which divides N; dtype of query"),
    Operands("value", "as key; its D may be another one"),
    BiasOf("realShiftOptional"),
    KeptOf("dropMaskOptional"),
    PaddingOf("paddingMaskOptional"),
    MaskOf("attenMaskOptional"),
    PrefixOf(),
    ScaleOf(),
    KeepOf(),
    PreTokensOf(),
    NextTokensOf(),
    HeadNumOf(),
    LayoutOf(),
    PreciseOf(),
    SparseModeOf(),
    contract::WithRank(contract::Output("softmaxMaxOut", kFloat,
                                        "[B, N, Sq, 8]: the largest score, eight times; the lowest "
                                        "FLOAT where no key takes part"),
                       4, 4),
    contract::WithRank(
        contract::Output("softmaxSumOut", kFloat, "[B, N, Sq, 8]: the sum of exp(score - largest)"),
        4, 4),
    contract::LeftAlone(
        contract::WithRank(contract::Output("softmaxOutOut", kFloats, "is left alone"), 1, 4)),
    Results(
        "attentionOutOut",
        "layout and dtype of query, D of value; 0 where no key takes part. Keys that mask, band "
        "or a bias of -inf leave out have no part, NaN and infinity in them and their values too"),
};

inline constexpr Places kPlaces = {.parameters = kParameters,
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

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/key", kKey, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/value", kValue, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/realShiftOptional", kRealShift, kQuery,
                        "pass both in one dtype"),
    contract::SameDType("same-dtype/attentionOutOut", kAttentionOut, kQuery,
                        "allocate attentionOutOut with the dtype of query"),
    KeepRule(kKeepProb),
    HeadNumRule(kHeadNum),
    LayoutRule(kInputLayout),
    PreciseRule(kInnerPrecise),
    SparseModeRule(kSparseMode),
    contract::Absent("absent/paddingMaskOptional", "pass null", kPaddingMask),
    contract::Custom("shape/query", &QueryRule<kPlaces>, kQueryStatement, kQueryFix),
    contract::Custom("shape/key", &KeyRule<kPlaces>,
                     "key has the layout and the B and D of query, and a number of heads that "
                     "divides headNum",
                     kKeyFix),
    contract::Custom("shape/value", &ValueRule<kPlaces>,
                     "value has the layout and the B, S and N of key", kValueFix),
    contract::Custom("shape/realShiftOptional", &BiasRule<kPlaces>,
                     "realShiftOptional is [B, N, Sq, Skv], [1, N, Sq, Skv] or [B, N, 1, Skv] of "
                     "query and key",
                     kBiasFix),
    NeedsMask("needed/attenMaskOptional", kAttenMask, kSparseMode),
    contract::Custom("shape/attenMaskOptional", &MaskRule<kPlaces>,
                     "attenMaskOptional has a shape of those for sparseMode, query and key",
                     kMaskFix),
    contract::Custom("band/nextTokens", &BandRule<kPlaces>, kBandStatement, kBandFix),
    NeedsKept(kDropMask, kKeepProb),
    contract::Custom("shape/dropMaskOptional", &KeptRule<kPlaces>,
                     "dropMaskOptional has a bit for each of B * N * Sq * Skv weights of query and "
                     "key",
                     kKeptFix),
    contract::Custom("shape/softmaxMaxOut", &StatisticsRule<kPlaces, kSoftmaxMax>,
                     "softmaxMaxOut is [B, N, Sq, 8] of query",
                     "allocate eight numbers for each query"),
    contract::Custom("shape/softmaxSumOut", &StatisticsRule<kPlaces, kSoftmaxSum>,
                     "softmaxSumOut is [B, N, Sq, 8] of query",
                     "allocate eight numbers for each query"),
    contract::Custom("shape/attentionOutOut", &ResultRule<kPlaces, kAttentionOut>,
                     "attentionOutOut has the layout of query and the D of value",
                     "allocate attentionOutOut with this shape"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFlashAttentionScore",
    .folder = "flash_attention_score",
    .summary =
        "Attention for training: softmax(query @ key^T) @ value, head by head, without the "
        "matrix between.",
    .products = kTrainingProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnFlashAttentionScoreGetWorkspaceSize)>(kContract));

}  // namespace flash_attention_score

namespace flash_attention_score_grad {

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
    Operands("query", "as the forward call had it"),
    Operands("keyIn", "as the forward call had it"),
    Operands("value", "as the forward call had it"),
    Operands("dy", "gradient of the forward result: its shape and dtype"),
    BiasOf("pseShiftOptional"),
    KeptOf("dropMaskOptional"),
    PaddingOf("paddingMaskOptional"),
    MaskOf("attenMaskOptional"),
    contract::WithRank(contract::Input("softmaxMaxOptional", kFloat,
                                       "[B, N, Sq, 8]: what the forward call returned"),
                       4, 4),
    contract::WithRank(contract::Input("softmaxSumOptional", kFloat,
                                       "[B, N, Sq, 8]: what the forward call returned"),
                       4, 4),
    contract::WithRank(
        contract::Optional(contract::Input("softmaxInOptional", {}, "null, or not read")), 0, 8),
    Operands("attentionInOptional", "the forward result"),
    PrefixOf(),
    ScaleOf(),
    KeepOf(),
    PreTokensOf(),
    NextTokensOf(),
    HeadNumOf(),
    LayoutOf(),
    PreciseOf(),
    SparseModeOf(),
    Results("dqOut",
            "shape and dtype of query. Unlike the forward result, gradients are NaN where a key or "
            "value is NaN or infinite that mask, band or bias leave out: clear those before"),
    Results("dkOut", "shape and dtype of keyIn"),
    Results("dvOut", "shape and dtype of value"),
    contract::WithRank(contract::EmptyIsAbsent(contract::Optional(contract::Output(
                           "dpseOut", {}, "null, empty, or shape and dtype of pseShiftOptional"))),
                       1, 4),
};

inline constexpr Places kPlaces = {.parameters = kParameters,
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

// Whether the gradient of the bias is wanted.
inline bool WantsBias(const contract::Arguments& arguments) {
  return arguments.Given(kDpse) && !arguments.Tensor(kDpse).IsEmpty();
}
inline Finding WrongBiasGrad(const contract::Arguments& arguments) {
  if (!WantsBias(arguments)) return std::nullopt;
  const std::string got = ShapeIs(arguments, kPlaces, kDpse);
  if (!arguments.Given(kPseShift)) {
    return Cat(got, " and pseShiftOptional is null; expected null or an empty tensor.");
  }
  const TensorDescriptor &bias = arguments.Tensor(kPseShift), &grad = arguments.Tensor(kDpse);
  if (grad.shape == bias.shape && grad.dtype == bias.dtype) return std::nullopt;
  return Cat(got, ", its dtype is ", NameOf(grad.dtype), " and ",
             ShapeIs(arguments, kPlaces, kPseShift), "; expected ", Text(bias.shape), " of dtype ",
             NameOf(bias.dtype), ".");
}

inline constexpr contract::Rule kRules[] = {
    contract::SameDType("same-dtype/keyIn", kKey, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/value", kValue, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/dy", kDy, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/pseShiftOptional", kPseShift, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/attentionInOptional", kAttentionIn, kQuery,
                        "pass what the forward call returned"),
    contract::SameDType("same-dtype/dqOut", kDq, kQuery, "allocate dqOut with the dtype of query"),
    contract::SameDType("same-dtype/dkOut", kDk, kQuery, "allocate dkOut with the dtype of query"),
    contract::SameDType("same-dtype/dvOut", kDv, kQuery, "allocate dvOut with the dtype of query"),
    KeepRule(kKeepProb),
    HeadNumRule(kHeadNum),
    LayoutRule(kInputLayout),
    PreciseRule(kInnerPrecise),
    SparseModeRule(kSparseMode),
    contract::Absent("absent/paddingMaskOptional", "pass null", kPaddingMask),
    contract::Custom("shape/query", &QueryRule<kPlaces>, kQueryStatement, kQueryFix),
    contract::Custom("shape/keyIn", &KeyRule<kPlaces>,
                     "keyIn has the layout and the B and D of query, and a number of heads that "
                     "divides headNum",
                     kKeyFix),
    contract::Custom("shape/value", &ValueRule<kPlaces>,
                     "value has the layout and the B, S and N of keyIn", kValueFix),
    contract::SameShape("same-shape/dqOut", kDq, kQuery, "allocate dqOut with the shape of query"),
    contract::SameShape("same-shape/dkOut", kDk, kKey, "allocate dkOut with the shape of keyIn"),
    contract::SameShape("same-shape/dvOut", kDv, kValue, "allocate dvOut with the shape of value"),
    contract::Custom("shape/pseShiftOptional", &BiasRule<kPlaces>,
                     "pseShiftOptional is [B, N, Sq, Skv], [1, N, Sq, Skv] or [B, N, 1, Skv] of "
                     "query and keyIn",
                     kBiasFix),
    NeedsMask("needed/attenMaskOptional", kAttenMask, kSparseMode),
    contract::Custom("shape/attenMaskOptional", &MaskRule<kPlaces>,
                     "attenMaskOptional has a shape of those for sparseMode, query and keyIn",
                     kMaskFix),
    contract::Custom("band/nextTokens", &BandRule<kPlaces>, kBandStatement, kBandFix),
    NeedsKept(kDropMask, kKeepProb),
    contract::Custom("shape/dropMaskOptional", &KeptRule<kPlaces>,
                     "dropMaskOptional has a bit for each of B * N * Sq * Skv weights of query and "
                     "keyIn",
                     kKeptFix),
    contract::Custom("shape/dy", &ResultRule<kPlaces, kDy>,
                     "dy has the layout of query and the D of value",
                     "pass the gradient of the forward result"),
    contract::Custom("shape/attentionInOptional", &ResultRule<kPlaces, kAttentionIn>,
                     "attentionInOptional has the layout of query and the D of value",
                     "pass what the forward call returned"),
    contract::Custom("shape/softmaxMaxOptional", &StatisticsRule<kPlaces, kSoftmaxMax>,
                     "softmaxMaxOptional is [B, N, Sq, 8] of query",
                     "pass what the forward call returned"),
    contract::Custom("shape/softmaxSumOptional", &StatisticsRule<kPlaces, kSoftmaxSum>,
                     "softmaxSumOptional is [B, N, Sq, 8] of query",
                     "pass what the forward call returned"),
    contract::Custom("shape/dpseOut", &WrongBiasGrad,
                     "dpseOut is null, empty, or has the shape and dtype of pseShiftOptional",
                     "allocate dpseOut as pseShiftOptional, or pass null"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFlashAttentionScoreGrad",
    .folder = "flash_attention_score_grad",
    .summary = "Gradients of aclnnFlashAttentionScore with respect to query, key, value and bias.",
    .products = kTrainingProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnFlashAttentionScoreGradGetWorkspaceSize)>(kContract));

}  // namespace flash_attention_score_grad
}  // namespace aclimb::attention
