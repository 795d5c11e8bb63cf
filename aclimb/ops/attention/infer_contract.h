#pragma once

#include "aclimb/contract/contract.h"
#include "aclimb/contract/signature.h"
#include "aclimb/ops/attention/shapes.h"
#include "aclnnop/aclnn_fused_infer_attention_score.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v3.h"
#include "aclnnop/aclnn_incre_flash_attention_v4.h"
#include "aclnnop/aclnn_prompt_flash_attention_v3.h"

// The contracts of attention for inference, whose later forms have more parameters that only
// quantised or paged keys and values need, and more; these are refused.
namespace aclimb::attention {

inline constexpr uint8_t kInferProducts = Bit(Product::kA2) | Bit(Product::kA3);
inline constexpr auto kHalves =
    contract::OnAll(contract::DTypes(DType::kFloat16, DType::kBFloat16));

inline constexpr auto kMaskFlags =
    contract::OnAll(contract::DTypes(DType::kBool, DType::kInt8, DType::kUInt8));

// 310P cards have no BFLOAT16.
inline constexpr contract::ProductDTypes kPromptFloats = {
    {contract::DTypes(DType::kFloat16), 0, contract::DTypes(DType::kFloat16, DType::kBFloat16),
     contract::DTypes(DType::kFloat16, DType::kBFloat16), 0}};

// Where a form has what the plans and rules of all ask about.
struct InferPlaces {
  Places at;
  int query_counts, key_counts;
  int flag, out, log_sum;  // the first and the last -1 where there are no logarithms
};

constexpr contract::Parameter Unused(const char* name) {
  return contract::WithRank(
      contract::EmptyIsAbsent(contract::Optional(contract::Input(name, {}, "null"))), 0, 8);
}
constexpr contract::Parameter Counts(const char* name, const char* doc) {
  return contract::Optional(contract::Attribute(name, contract::Kind::kIntArray, doc));
}

Finding WrongCounts(const contract::Arguments& arguments, const InferPlaces& places, int place,
                    bool of_keys);
// How many queries or keys of each batch there are; none: all.
std::vector<int64_t> CountsOf(const contract::Arguments& arguments, int place, int64_t batch);

#define ACLIMB_INFER_PREDICATE(name, call)             \
  template <const InferPlaces& kPlaces>                \
  Finding name(const contract::Arguments& arguments) { \
    return call;                                       \
  }
ACLIMB_INFER_PREDICATE(InferQueryRule, WrongQuery(arguments, kPlaces.at))
ACLIMB_INFER_PREDICATE(InferKeyRule, WrongKey(arguments, kPlaces.at))
ACLIMB_INFER_PREDICATE(InferValueRule, WrongValue(arguments, kPlaces.at))
ACLIMB_INFER_PREDICATE(InferBiasRule, WrongBias(arguments, kPlaces.at, false))
ACLIMB_INFER_PREDICATE(InferMaskRule, WrongMask(arguments, kPlaces.at))
ACLIMB_INFER_PREDICATE(InferBandRule, WrongBand(arguments, kPlaces.at))
ACLIMB_INFER_PREDICATE(InferQueryCountsRule,
                       WrongCounts(arguments, kPlaces, kPlaces.query_counts, false))
ACLIMB_INFER_PREDICATE(InferKeyCountsRule,
                       WrongCounts(arguments, kPlaces, kPlaces.key_counts, true))
ACLIMB_INFER_PREDICATE(InferOutRule, WrongResult(arguments, kPlaces.at, kPlaces.out))
ACLIMB_INFER_PREDICATE(InferLogSumRule,
                       arguments.Bool(kPlaces.flag)
                           ? WrongStatistics(arguments, kPlaces.at, kPlaces.log_sum, 1)
                           : std::nullopt)
#undef ACLIMB_INFER_PREDICATE

// The parameters that both forms begin with; names of optional ones end with O.
#define ACLIMB_INFER_COMMON_PARAMETERS(O)                                                        \
  contract::WithRank(                                                                            \
      contract::Optional(contract::Input(                                                        \
          "pseShift" O, kHalves,                                                                 \
          "null, or [B or 1, N, Sq or more, Skv or more]: added to the scaled scores")),         \
      4, 4),                                                                                     \
      contract::WithRank(                                                                        \
          contract::Optional(contract::Input(                                                    \
              "attenMask" O, kMaskFlags,                                                         \
              "null, or [Sq, Skv], [B or 1, Sq, Skv], [B, N, Sq, Skv] or [B or 1, 1, Sq, Skv], " \
              "Sq and Skv or more, where what is not 0 leaves a key out; for sparseMode 2 to 4 " \
              "[2048, 2048], [1, 2048, 2048] or [1, 1, 2048, 2048], which is not read")),        \
          2, 4),                                                                                 \
      Counts("actualSeqLengths" O, "null, or how many queries each batch has, or all have"),     \
      Counts("actualSeqLengthsKv" O, "null, or how many keys each batch has, or all have"),      \
      Unused("deqScale1" O), Unused("quantScale1" O), Unused("deqScale2" O),                     \
      Unused("quantScale2" O), Unused("quantOffset2" O)

#define ACLIMB_INFER_FIRST_PARAMETERS(O)                                                          \
  contract::WithRank(                                                                             \
      contract::Input("query", kHalves, "[B, Sq, N * D], [B, N, Sq, D] or [B, Sq, N, D]"), 3, 4), \
      contract::ListOf(contract::WithRank(                                                        \
          contract::Input("key", kHalves,                                                         \
                          "one tensor: layout of query with Skv and numKeyValueHeads"),           \
          3, 4)),                                                                                 \
      contract::ListOf(contract::WithRank(                                                        \
          contract::Input("value", kHalves, "one tensor: as key; its D may be another one"), 3,   \
          4)),                                                                                    \
      ACLIMB_INFER_COMMON_PARAMETERS(O), Unused("antiquantScale" O), Unused("antiquantOffset" O), \
      Unused("blockTable" O), Unused("queryPaddingSize" O), Unused("kvPaddingSize" O)

#define ACLIMB_INFER_ATTRIBUTES                                                                   \
  contract::Attribute("numHeads", contract::Kind::kInteger, "N"),                                 \
      contract::Attribute("scaleValue", contract::Kind::kReal, "factor of query @ key^T"),        \
      contract::Attribute("preTokens", contract::Kind::kInteger,                                  \
                          "sparseMode 0 with a mask, and 4: so many keys before the query's "     \
                          "place"),                                                               \
      contract::Attribute("nextTokens", contract::Kind::kInteger, "and so many behind it"),       \
      contract::Attribute("inputLayout", contract::Kind::kString,                                 \
                          "of query, key, value and, unless it names another one, attentionOut"), \
      contract::Attribute("numKeyValueHeads", contract::Kind::kInteger, "0 stands for numHeads"), \
      contract::Attribute("sparseMode", contract::Kind::kInteger,                                 \
                          "0 by preTokens, nextTokens and mask, 1 by mask, 2 keys up to the "     \
                          "query's number, 3 the same counted from the last, 4 by preTokens and " \
                          "nextTokens counted from the last"),                                    \
      contract::Attribute("innerPrecise", contract::Kind::kInteger, "the results are the same"),  \
      contract::Attribute("blockSize", contract::Kind::kInteger, "not used without blockTable"),  \
      contract::Attribute("antiquantMode", contract::Kind::kInteger, "not used"),                 \
      contract::Attribute("softmaxLseFlag", contract::Kind::kBool,                                \
                          "whether softmaxLse is written")

#define ACLIMB_INFER_OUTPUTS                                                                   \
  contract::WithRank(contract::Output("attentionOut", kHalves,                                 \
                                      "layout and dtype of query, D of value; 0 where no key " \
                                      "takes part"),                                           \
                     3, 4),                                                                    \
      contract::WithRank(                                                                      \
          contract::Optional(contract::Output(                                                 \
              "softmaxLse", contract::OnAll(contract::DTypes(DType::kFloat32)),                \
              "[B, N, Sq, 1]: the logarithm of the sum of exp(score), infinity where no key "  \
              "takes part; null or anything without softmaxLseFlag")),                         \
          1, 4)

// Rules: of lists, of paged and padded tensors, of all, of the logarithms.
#define ACLIMB_INFER_LIST_RULES(O)                                                           \
  contract::Count("count/key", kKey, contract::Exactly(1),                                   \
                  "pass one tensor with all batches; a tensor for each is not implemented"), \
      contract::Count("count/value", kValue, contract::Exactly(1),                           \
                      "pass one tensor with all batches; a tensor for each is not implemented")

#define ACLIMB_INFER_PAGED_RULES(O)                                                          \
  contract::Absent("absent/blockTable" O,                                                    \
                   "pass key and value whole: paged ones are not implemented", kBlockTable), \
      contract::Absent("absent/kvPaddingSize" O,                                             \
                       "pass sequences that begin with the tensor: padding on the left is "  \
                       "not implemented",                                                    \
                       kQueryPaddingSize, kKvPaddingSize)

#define ACLIMB_INFER_CORE_RULES(O)                                                                \
  contract::SameDType("same-dtype/key", kKey, kQuery, "pass both in one dtype"),                  \
      contract::SameDType("same-dtype/value", kValue, kQuery, "pass both in one dtype"),          \
      contract::SameDType("same-dtype/pseShift" O, kPseShift, kQuery, "pass both in one dtype"),  \
      contract::SameDType("same-dtype/attentionOut", kAttentionOut, kQuery,                       \
                          "allocate attentionOut with the dtype of query; results that are "      \
                          "quantised are not implemented"),                                       \
      contract::InRange("range/numHeads", kNumHeads, contract::AtLeast(1),                        \
                        "pass the number of heads"),                                              \
      contract::OneOf("choice/inputLayout", kInputLayout, "BSH|BSND|BNSD|BNSD_BSND",              \
                      "pass one of these; sequences of several lengths in one tensor (TND, "      \
                      "NTD_TND) are not implemented"),                                            \
      contract::InRange("range/numKeyValueHeads", kNumKeyValueHeads, contract::AtLeast(0),        \
                        "pass the number of heads of key, or 0"),                                 \
      contract::InRange("range/sparseMode", kSparseMode, contract::Between(0, 4),                 \
                        "pass 0 to 4; those above are not implemented"),                          \
      contract::InRange("range/innerPrecise", kInnerPrecise, contract::Between(0, 3),             \
                        "pass 0 to 3"),                                                           \
      contract::Custom("shape/query", &InferQueryRule<kPlaces>,                                   \
                       "query has the layout inputLayout with numHeads heads",                    \
                       "pass the layout that query has, and its number of heads"),                \
      contract::Custom("shape/key", &InferKeyRule<kPlaces>,                                       \
                       "key has the layout and the B and D of query and numKeyValueHeads heads, " \
                       "which divide numHeads",                                                   \
                       "pass keys for the same batches and heads"),                               \
      contract::Custom("shape/value", &InferValueRule<kPlaces>,                                   \
                       "value has the layout and the B, S and N of key",                          \
                       "pass a value for each key"),                                              \
      contract::Custom("shape/pseShift" O, &InferBiasRule<kPlaces>,                               \
                       "pseShift" O                                                               \
                       " is [B, N, Sq, Skv] or [1, N, Sq, Skv] of query and key, or "             \
                       "has more rows and columns",                                               \
                       "pass a number for each score"),                                           \
      NeedsMask("needed/attenMask" O, kAttenMask, kSparseMode),                                   \
      contract::Custom("shape/attenMask" O, &InferMaskRule<kPlaces>,                              \
                       "attenMask" O " has a shape of those for sparseMode, query and key",       \
                       "pass a flag for each score, for sparseMode 2 to 4 the triangle "          \
                       "[2048, 2048]"),                                                           \
      contract::Custom("band/nextTokens", &InferBandRule<kPlaces>,                                \
                       "preTokens + nextTokens is 0 or more where sparseMode reads them",         \
                       "pass a band that has keys"),                                              \
      contract::Custom("counts/actualSeqLengths" O, &InferQueryCountsRule<kPlaces>,               \
                       "actualSeqLengths" O                                                       \
                       " has a number of 0 to Sq for each batch of query, "                       \
                       "or one for all",                                                          \
                       "pass how many queries of each batch there are"),                          \
      contract::Custom("counts/actualSeqLengthsKv" O, &InferKeyCountsRule<kPlaces>,               \
                       "actualSeqLengthsKv" O                                                     \
                       " has a number of 0 to Skv for each batch of key, "                        \
                       "or one for all",                                                          \
                       "pass how many keys of each batch there are"),                             \
      contract::Custom("shape/attentionOut", &InferOutRule<kPlaces>,                              \
                       "attentionOut has the layout that inputLayout says, and the D of value",   \
                       "allocate attentionOut with this shape")

#define ACLIMB_INFER_LOG_RULES(O)                                                          \
  contract::Wanted("needed/softmaxLse", kSoftmaxLse, kSoftmaxLseFlag,                      \
                   "pass the tensor, or softmaxLseFlag as false", kAclnnInvalid),          \
      contract::Custom("shape/softmaxLse", &InferLogSumRule<kPlaces>,                      \
                       "softmaxLse is [B, N, Sq, 1] of query when softmaxLseFlag is true", \
                       "allocate a number for each query")

template <typename... Position>
constexpr contract::Rule NotQuantised(Position... positions) {
  return contract::Absent(
      "absent/quantisation",
      "pass null, and tensors that are not quantised: quantised ones are not implemented",
      positions...);
}

#define ACLIMB_INFER_RULES(O)                                                          \
  ACLIMB_INFER_LIST_RULES(O), ACLIMB_INFER_PAGED_RULES(O), ACLIMB_INFER_CORE_RULES(O), \
      ACLIMB_INFER_LOG_RULES(O)

#define ACLIMB_INFER_PLACES                                                                        \
  {                                                                                                \
    .at = {.parameters = kParameters,                                                              \
           .query = kQuery,                                                                        \
           .key = kKey,                                                                            \
           .value = kValue,                                                                        \
           .bias = kPseShift,                                                                      \
           .mask = kAttenMask,                                                                     \
           .heads = kNumHeads,                                                                     \
           .layout = kInputLayout,                                                                 \
           .sparse_mode = kSparseMode,                                                             \
           .pre_tokens = kPreTokens,                                                               \
           .next_tokens = kNextTokens,                                                             \
           .key_heads = kNumKeyValueHeads,                                                         \
           .padded = true},                                                                        \
    .query_counts = kActualSeqLengths, .key_counts = kActualSeqLengthsKv, .flag = kSoftmaxLseFlag, \
    .out = kAttentionOut, .log_sum = kSoftmaxLse                                                   \
  }

#define ACLIMB_INFER_FIRST_POSITIONS                                                               \
  kQuery, kKey, kValue, kPseShift, kAttenMask, kActualSeqLengths, kActualSeqLengthsKv, kDeqScale1, \
      kQuantScale1, kDeqScale2, kQuantScale2, kQuantOffset2, kAntiquantScale, kAntiquantOffset,    \
      kBlockTable, kQueryPaddingSize, kKvPaddingSize
#define ACLIMB_INFER_ATTRIBUTE_POSITIONS                                                         \
  kNumHeads, kScaleValue, kPreTokens, kNextTokens, kInputLayout, kNumKeyValueHeads, kSparseMode, \
      kInnerPrecise, kBlockSize, kAntiquantMode, kSoftmaxLseFlag

namespace fused_infer_attention_score {

enum : int {
  ACLIMB_INFER_FIRST_POSITIONS,
  ACLIMB_INFER_ATTRIBUTE_POSITIONS,
  kAttentionOut,
  kSoftmaxLse
};

inline constexpr contract::Parameter kParameters[] = {
    ACLIMB_INFER_FIRST_PARAMETERS(""),
    ACLIMB_INFER_ATTRIBUTES,
    ACLIMB_INFER_OUTPUTS,
};

inline constexpr InferPlaces kPlaces = ACLIMB_INFER_PLACES;

inline constexpr contract::Rule kRules[] = {
    NotQuantised(kDeqScale1, kQuantScale1, kDeqScale2, kQuantScale2, kQuantOffset2, kAntiquantScale,
                 kAntiquantOffset),
    ACLIMB_INFER_RULES(""),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFusedInferAttentionScore",
    .folder = "fused_infer_attention_score",
    .summary =
        "Attention for inference: softmax(query @ key^T) @ value, head by head, for prompts "
        "and single queries.",
    .products = kInferProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnFusedInferAttentionScoreGetWorkspaceSize)>(kContract));

}  // namespace fused_infer_attention_score

namespace fused_infer_attention_score_v2 {

enum : int {
  ACLIMB_INFER_FIRST_POSITIONS,
  kKeyAntiquantScale,
  kKeyAntiquantOffset,
  kValueAntiquantScale,
  kValueAntiquantOffset,
  kKeySharedPrefix,
  kValueSharedPrefix,
  kActualSharedPrefixLen,
  ACLIMB_INFER_ATTRIBUTE_POSITIONS,
  kKeyAntiquantMode,
  kValueAntiquantMode,
  kAttentionOut,
  kSoftmaxLse
};

inline constexpr contract::Parameter kParameters[] = {
    ACLIMB_INFER_FIRST_PARAMETERS("Optional"),
    Unused("keyAntiquantScaleOptional"),
    Unused("keyAntiquantOffsetOptional"),
    Unused("valueAntiquantScaleOptional"),
    Unused("valueAntiquantOffsetOptional"),
    Unused("keySharedPrefixOptional"),
    Unused("valueSharedPrefixOptional"),
    Counts("actualSharedPrefixLenOptional", "not used without a shared prefix"),
    ACLIMB_INFER_ATTRIBUTES,
    contract::Attribute("keyAntiquantMode", contract::Kind::kInteger, "not used"),
    contract::Attribute("valueAntiquantMode", contract::Kind::kInteger, "not used"),
    ACLIMB_INFER_OUTPUTS,
};

inline constexpr InferPlaces kPlaces = ACLIMB_INFER_PLACES;

inline constexpr contract::Rule kRules[] = {
    NotQuantised(kDeqScale1, kQuantScale1, kDeqScale2, kQuantScale2, kQuantOffset2, kAntiquantScale,
                 kAntiquantOffset, kKeyAntiquantScale, kKeyAntiquantOffset, kValueAntiquantScale,
                 kValueAntiquantOffset),
    contract::Absent("absent/keySharedPrefixOptional",
                     "pass the prefix as part of key and value: shared ones are not implemented",
                     kKeySharedPrefix, kValueSharedPrefix),
    ACLIMB_INFER_RULES("Optional"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFusedInferAttentionScoreV2",
    .folder = "fused_infer_attention_score_v2",
    .summary =
        "aclnnFusedInferAttentionScore with more parameters for quantised keys and values "
        "and shared prefixes, which have to be null.",
    .products = kInferProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnFusedInferAttentionScoreV2GetWorkspaceSize)>(kContract));

}  // namespace fused_infer_attention_score_v2

namespace fused_infer_attention_score_v3 {

enum : int {
  ACLIMB_INFER_FIRST_POSITIONS,
  kKeyAntiquantScale,
  kKeyAntiquantOffset,
  kValueAntiquantScale,
  kValueAntiquantOffset,
  kKeySharedPrefix,
  kValueSharedPrefix,
  kActualSharedPrefixLen,
  kQueryRope,
  kKeyRope,
  kKeyRopeAntiquantScale,
  ACLIMB_INFER_ATTRIBUTE_POSITIONS,
  kKeyAntiquantMode,
  kValueAntiquantMode,
  kAttentionOut,
  kSoftmaxLse
};

inline constexpr contract::Parameter kParameters[] = {
    ACLIMB_INFER_FIRST_PARAMETERS("Optional"),
    Unused("keyAntiquantScaleOptional"),
    Unused("keyAntiquantOffsetOptional"),
    Unused("valueAntiquantScaleOptional"),
    Unused("valueAntiquantOffsetOptional"),
    Unused("keySharedPrefixOptional"),
    Unused("valueSharedPrefixOptional"),
    Counts("actualSharedPrefixLenOptional", "not used without a shared prefix"),
    Unused("queryRopeOptional"),
    Unused("keyRopeOptional"),
    Unused("keyRopeAntiquantScaleOptional"),
    ACLIMB_INFER_ATTRIBUTES,
    contract::Attribute("keyAntiquantMode", contract::Kind::kInteger, "not used"),
    contract::Attribute("valueAntiquantMode", contract::Kind::kInteger, "not used"),
    ACLIMB_INFER_OUTPUTS,
};

inline constexpr InferPlaces kPlaces = ACLIMB_INFER_PLACES;

inline constexpr contract::Rule kRules[] = {
    NotQuantised(kDeqScale1, kQuantScale1, kDeqScale2, kQuantScale2, kQuantOffset2, kAntiquantScale,
                 kAntiquantOffset, kKeyAntiquantScale, kKeyAntiquantOffset, kValueAntiquantScale,
                 kValueAntiquantOffset),
    contract::Absent("absent/keyRopeOptional", "pass rotated queries and keys in query and key",
                     kQueryRope, kKeyRope, kKeyRopeAntiquantScale),
    contract::Absent("absent/keySharedPrefixOptional",
                     "pass the prefix as part of key and value: shared ones are not implemented",
                     kKeySharedPrefix, kValueSharedPrefix),
    ACLIMB_INFER_RULES("Optional"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnFusedInferAttentionScoreV3",
    .folder = "fused_infer_attention_score_v3",
    .summary =
        "aclnnFusedInferAttentionScore with more parameters for quantised keys and values "
        "and shared prefixes, which have to be null.",
    .products = kInferProducts,
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(
    contract::Matches<decltype(aclnnFusedInferAttentionScoreV3GetWorkspaceSize)>(kContract));

}  // namespace fused_infer_attention_score_v3

namespace prompt_flash_attention_v3 {

enum : int {
  kQuery,
  kKey,
  kValue,
  kPseShift,
  kAttenMask,
  kActualSeqLengths,
  kActualSeqLengthsKv,
  kDeqScale1,
  kQuantScale1,
  kDeqScale2,
  kQuantScale2,
  kQuantOffset2,
  kNumHeads,
  kScaleValue,
  kPreTokens,
  kNextTokens,
  kInputLayout,
  kNumKeyValueHeads,
  kSparseMode,
  kInnerPrecise,
  kAttentionOut,
  kSoftmaxLseFlag = -1,
  kSoftmaxLse = -1
};

constexpr contract::Parameter Matrices(const char* name, const char* doc) {
  return contract::WithRank(contract::Input(name, kPromptFloats, doc), 3, 4);
}

inline constexpr contract::Parameter kParameters[] = {
    Matrices("query", "[B, Sq, N * D], [B, N, Sq, D] or [B, Sq, N, D]"),
    Matrices("key", "layout of query with Skv and numKeyValueHeads"),
    Matrices("value", "as key; its D may be another one"),
    ACLIMB_INFER_COMMON_PARAMETERS(""),
    contract::Attribute("numHeads", contract::Kind::kInteger, "N"),
    contract::Attribute("scaleValue", contract::Kind::kReal, "factor of query @ key^T"),
    contract::Attribute("preTokens", contract::Kind::kInteger,
                        "sparseMode 0 with a mask, and 4: so many keys before the query's place"),
    contract::Attribute("nextTokens", contract::Kind::kInteger, "and so many behind it"),
    contract::Attribute("inputLayout", contract::Kind::kString,
                        "of query, key, value and, unless it names another one, attentionOut"),
    contract::Attribute("numKeyValueHeads", contract::Kind::kInteger, "0 stands for numHeads"),
    contract::Attribute("sparseMode", contract::Kind::kInteger,
                        "0 by preTokens, nextTokens and mask, 1 by mask, 2 keys up to the query's "
                        "number, 3 the same counted from the last, 4 by preTokens and nextTokens "
                        "counted from the last"),
    contract::Attribute("innerPrecise", contract::Kind::kInteger, "the results are the same"),
    contract::WithRank(
        contract::Output("attentionOut", kPromptFloats,
                         "layout and dtype of query, D of value; 0 where no key takes part. Keys "
                         "that mask, band or a bias of -inf leave out have no part, NaN and "
                         "infinity in them and their values too"),
        3, 4),
};

inline constexpr InferPlaces kPlaces = ACLIMB_INFER_PLACES;

inline constexpr contract::Rule kRules[] = {
    NotQuantised(kDeqScale1, kQuantScale1, kDeqScale2, kQuantScale2, kQuantOffset2),
    ACLIMB_INFER_CORE_RULES(""),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnPromptFlashAttentionV3",
    .folder = "prompt_flash_attention_v3",
    .summary = "Attention of prompts: softmax(query @ key^T) @ value, head by head.",
    .products = kInferProducts | Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnPromptFlashAttentionV3GetWorkspaceSize)>(kContract));

}  // namespace prompt_flash_attention_v3

namespace incre_flash_attention_v4 {

enum : int {
  kQuery,
  kKey,
  kValue,
  kPseShift,
  kAttenMask,
  kActualSeqLengthsKv,
  kDequantScale1,
  kQuantScale1,
  kDequantScale2,
  kQuantScale2,
  kQuantOffset2,
  kAntiquantScale,
  kAntiquantOffset,
  kBlockTable,
  kKvPaddingSize,
  kNumHeads,
  kScaleValue,
  kInputLayout,
  kNumKeyValueHeads,
  kBlockSize,
  kInnerPrecise,
  kAttentionOut
};

inline constexpr contract::Parameter kParameters[] = {
    contract::WithRank(
        contract::Input("query", kPromptFloats, "[B, 1, N * D], [B, N, 1, D] or [B, 1, N, D]"), 3,
        4),
    contract::ListOf(contract::WithRank(
        contract::Input("key", kPromptFloats,
                        "one tensor: layout of query with Skv and numKeyValueHeads"),
        3, 4)),
    contract::ListOf(contract::WithRank(
        contract::Input("value", kPromptFloats, "one tensor: as key; its D may be another one"), 3,
        4)),
    contract::WithRank(contract::Optional(contract::Input(
                           "pseShift", kPromptFloats,
                           "null, or [B or 1, N, 1, Skv or more]: added to the scaled scores")),
                       4, 4),
    contract::WithRank(
        contract::Optional(contract::Input(
            "attenMask", kMaskFlags,
            "null, or [B, Skv], [1, Skv], [B or 1, 1, Skv], [B, N, 1, Skv] or [B or 1, 1, 1, Skv], "
            "Skv or more, where what is not 0 leaves a key out")),
        2, 4),
    Counts("actualSeqLengths", "null, or how many keys each batch has, or all have"),
    Unused("dequantScale1"),
    Unused("quantScale1"),
    Unused("dequantScale2"),
    Unused("quantScale2"),
    Unused("quantOffset2"),
    Unused("antiquantScale"),
    Unused("antiquantOffset"),
    Unused("blocktable"),
    Unused("kvPaddingSize"),
    contract::Attribute("numHeads", contract::Kind::kInteger, "N"),
    contract::Attribute("scaleValue", contract::Kind::kReal, "factor of query @ key^T"),
    contract::Attribute("inputLayout", contract::Kind::kString,
                        "of query, key, value and attentionOut"),
    contract::Attribute("numKeyValueHeads", contract::Kind::kInteger, "0 stands for numHeads"),
    contract::Attribute("blockSize", contract::Kind::kInteger, "not used without blocktable"),
    contract::Attribute("innerPrecise", contract::Kind::kInteger, "the results are the same"),
    contract::WithRank(
        contract::Output("attentionOut", kPromptFloats,
                         "layout and dtype of query, D of value; 0 where no key takes part. Keys "
                         "that mask, band or a bias of -inf leave out have no part, NaN and "
                         "infinity in them and their values too"),
        3, 4),
};

inline constexpr InferPlaces kPlaces = {.at = {.parameters = kParameters,
                                               .query = kQuery,
                                               .key = kKey,
                                               .value = kValue,
                                               .bias = kPseShift,
                                               .mask = kAttenMask,
                                               .heads = kNumHeads,
                                               .layout = kInputLayout,
                                               .sparse_mode = -1,
                                               .pre_tokens = -1,
                                               .next_tokens = -1,
                                               .key_heads = kNumKeyValueHeads,
                                               .padded = true},
                                        .query_counts = -1,
                                        .key_counts = kActualSeqLengthsKv,
                                        .flag = -1,
                                        .out = kAttentionOut,
                                        .log_sum = -1};

inline Finding ManyQueries(const contract::Arguments& arguments) {
  const Sizes n = SizesOf(arguments, kPlaces.at);
  if (n.queries == 1) return std::nullopt;
  return Cat(ShapeIs(arguments, kPlaces.at, kQuery), " and ", LayoutIs(arguments, kPlaces.at),
             "; expected one query S of each batch.");
}

inline constexpr contract::Rule kRules[] = {
    ACLIMB_INFER_LIST_RULES(""),
    contract::SameDType("same-dtype/key", kKey, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/value", kValue, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/pseShift", kPseShift, kQuery, "pass both in one dtype"),
    contract::SameDType("same-dtype/attentionOut", kAttentionOut, kQuery,
                        "allocate attentionOut with the dtype of query; results that are quantised "
                        "are not implemented"),
    contract::InRange("range/numHeads", kNumHeads, contract::AtLeast(1),
                      "pass the number of heads"),
    contract::OneOf("choice/inputLayout", kInputLayout, "BSH|BSND|BNSD", "pass one of these"),
    contract::InRange("range/numKeyValueHeads", kNumKeyValueHeads, contract::AtLeast(0),
                      "pass the number of heads of key, or 0"),
    contract::InRange("range/innerPrecise", kInnerPrecise, contract::Between(0, 3), "pass 0 to 3"),
    NotQuantised(kDequantScale1, kQuantScale1, kDequantScale2, kQuantScale2, kQuantOffset2,
                 kAntiquantScale, kAntiquantOffset),
    contract::Absent("absent/blocktable",
                     "pass key and value whole: paged ones are not implemented", kBlockTable),
    contract::Absent("absent/kvPaddingSize",
                     "pass keys that begin with the tensor: padding on the left is not implemented",
                     kKvPaddingSize),
    contract::Custom("shape/query", &InferQueryRule<kPlaces>,
                     "query has the layout inputLayout with numHeads heads",
                     "pass the layout that query has, and its number of heads"),
    contract::Custom(
        "shape/key", &InferKeyRule<kPlaces>,
        "key has the layout and the B and D of query and numKeyValueHeads heads, which "
        "divide numHeads",
        "pass keys for the same batches and heads"),
    contract::Custom("shape/value", &InferValueRule<kPlaces>,
                     "value has the layout and the B, S and N of key", "pass a value for each key"),
    contract::Custom("one/query", &ManyQueries, "query has one row S for each batch in inputLayout",
                     "call aclnnPromptFlashAttentionV3 for several"),
    contract::Custom("shape/pseShift", &InferBiasRule<kPlaces>,
                     "pseShift is [B, N, 1, Skv] or [1, N, 1, Skv] of query and key, or has more "
                     "columns",
                     "pass a number for each score"),
    contract::Custom("shape/attenMask", &InferMaskRule<kPlaces>,
                     "attenMask has a shape of those for query and key",
                     "pass a flag for each key"),
    contract::Custom("counts/actualSeqLengths", &InferKeyCountsRule<kPlaces>,
                     "actualSeqLengths has a number of 0 to Skv for each batch of key, or one for "
                     "all",
                     "pass how many keys of each batch there are"),
    contract::Custom("shape/attentionOut", &InferOutRule<kPlaces>,
                     "attentionOut has the layout of query, and the D of value",
                     "allocate attentionOut with this shape"),
};

inline constexpr contract::Contract kContract = {
    .function = "aclnnIncreFlashAttentionV4",
    .folder = "incre_flash_attention_v4",
    .summary =
        "Attention of one query of each batch: softmax(query @ key^T) @ value, head by head.",
    .products = kInferProducts | Bit(Product::kInference310P),
    .parameters = kParameters,
    .rules = kRules,
};
static_assert(contract::Matches<decltype(aclnnIncreFlashAttentionV4GetWorkspaceSize)>(kContract));

}  // namespace incre_flash_attention_v4

#undef ACLIMB_INFER_FIRST_PARAMETERS
#undef ACLIMB_INFER_COMMON_PARAMETERS
#undef ACLIMB_INFER_LIST_RULES
#undef ACLIMB_INFER_PAGED_RULES
#undef ACLIMB_INFER_CORE_RULES
#undef ACLIMB_INFER_LOG_RULES
#undef ACLIMB_INFER_ATTRIBUTES
#undef ACLIMB_INFER_OUTPUTS
#undef ACLIMB_INFER_RULES
#undef ACLIMB_INFER_PLACES
#undef ACLIMB_INFER_FIRST_POSITIONS
#undef ACLIMB_INFER_ATTRIBUTE_POSITIONS

}  // namespace aclimb::attention
