#include "aclimb/collectives/datatype.h"

namespace aclimb::collectives {
namespace {

struct TypeRow {
  HcclDataType type;
  const char* name;
  uint32_t bytes;
  DType tensor;
  bool reducible;
};

constexpr TypeRow kTypes[] = {
    {HCCL_DATA_TYPE_INT8, "INT8", 1, DType::kInt8, true},
    {HCCL_DATA_TYPE_INT16, "INT16", 2, DType::kInt16, true},
    {HCCL_DATA_TYPE_INT32, "INT32", 4, DType::kInt32, true},
    {HCCL_DATA_TYPE_FP16, "FP16", 2, DType::kFloat16, true},
    {HCCL_DATA_TYPE_FP32, "FP32", 4, DType::kFloat32, true},
    {HCCL_DATA_TYPE_INT64, "INT64", 8, DType::kInt64, true},
    {HCCL_DATA_TYPE_UINT64, "UINT64", 8, DType::kUInt64, true},
    {HCCL_DATA_TYPE_UINT8, "UINT8", 1, DType::kUInt8, true},
    {HCCL_DATA_TYPE_UINT16, "UINT16", 2, DType::kUInt16, true},
    {HCCL_DATA_TYPE_UINT32, "UINT32", 4, DType::kUInt32, true},
    {HCCL_DATA_TYPE_FP64, "FP64", 8, DType::kFloat64, true},
    {HCCL_DATA_TYPE_BFP16, "BFP16", 2, DType::kBFloat16, true},
    {HCCL_DATA_TYPE_INT128, "INT128", 16, DType::kUndefined, true},
    {HCCL_DATA_TYPE_HIF8, "HIF8", 1, DType::kHiFloat8, false},
    {HCCL_DATA_TYPE_FP8E4M3, "FP8E4M3", 1, DType::kFloat8E4M3FN, false},
    {HCCL_DATA_TYPE_FP8E5M2, "FP8E5M2", 1, DType::kFloat8E5M2, false},
    {HCCL_DATA_TYPE_FP8E8M0, "FP8E8M0", 1, DType::kFloat8E8M0, false},
};

constexpr TypeRow kNone = {HCCL_DATA_TYPE_RESERVED, "?", 0, DType::kUndefined, false};

const TypeRow& Find(HcclDataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row;
  }
  return kNone;
}

}  // namespace

uint32_t SizeOf(HcclDataType type) { return Find(type).bytes; }
const char* NameOf(HcclDataType type) { return Find(type).name; }
DType TensorType(HcclDataType type) { return Find(type).tensor; }
bool IsReducible(HcclDataType type) { return Find(type).reducible; }
bool IsHalf(HcclDataType type) {
  return type == HCCL_DATA_TYPE_FP16 || type == HCCL_DATA_TYPE_BFP16;
}

const char* NameOf(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return "SUM";
    case HCCL_REDUCE_PROD:
      return "PROD";
    case HCCL_REDUCE_MAX:
      return "MAX";
    case HCCL_REDUCE_MIN:
      return "MIN";
    case HCCL_REDUCE_RESERVED:
      break;
  }
  return "?";
}

bool IsKnown(HcclReduceOp op) { return NameOf(op)[0] != '?'; }

}  // namespace aclimb::collectives
