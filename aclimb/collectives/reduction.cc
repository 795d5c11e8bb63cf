#include "aclimb/collectives/reduction.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "aclimb/collectives/datatype.h"
#include "aclimb/copy/convert.h"

namespace aclimb::collectives {
namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

// The unsigned type in which a signed one wraps.
template <typename T>
struct Wrapping {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct Wrapping<Int128> {
  using Type = UInt128;
};
template <>
struct Wrapping<float> {
  using Type = float;
};
template <>
struct Wrapping<double> {
  using Type = double;
};

struct Sum {
  template <typename T>
  static T Of(T a, T b) {
    using W = typename Wrapping<T>::Type;
    // Narrow types are computed as int, which 16 bits times 16 bits would overflow.
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};
struct Product {
  template <typename T>
  static T Of(T a, T b) {
    using W = typename Wrapping<T>::Type;
    using Wide = std::conditional_t<sizeof(W) < sizeof(uint32_t), uint32_t, W>;
    return static_cast<T>(static_cast<W>(static_cast<Wide>(static_cast<W>(a)) *
                                         static_cast<Wide>(static_cast<W>(b))));
  }
};
template <typename T>
bool IsNan(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(value);
  } else {
    return false;
  }
}

// Where one of the two is a NaN, it is the result: the comparison with it is false.
struct Maximum {
  template <typename T>
  static T Of(T a, T b) {
    return a > b || IsNan(a) ? a : b;
  }
};
struct Minimum {
  template <typename T>
  static T Of(T a, T b) {
    return a < b || IsNan(a) ? a : b;
  }
};

template <typename T, typename Op>
void CombineAs(void* out, const void* a, const void* b, size_t count) {
  T* const to = static_cast<T*>(out);
  const T* const left = static_cast<const T*>(a);
  const T* const right = static_cast<const T*>(b);
  for (size_t i = 0; i < count; ++i) to[i] = Op::Of(left[i], right[i]);
}

template <typename T>
Combine ByOp(HcclReduceOp op) {
  switch (op) {
    case HCCL_REDUCE_SUM:
      return &CombineAs<T, Sum>;
    case HCCL_REDUCE_PROD:
      return &CombineAs<T, Product>;
    case HCCL_REDUCE_MAX:
      return &CombineAs<T, Maximum>;
    case HCCL_REDUCE_MIN:
      return &CombineAs<T, Minimum>;
    case HCCL_REDUCE_RESERVED:
      break;
  }
  return nullptr;
}

// What one step of ReduceInOrder works on.
constexpr size_t kReducedBytes = 16 * 1024;

void ReduceHalves(HcclDataType type, HcclReduceOp op, std::span<const std::byte* const> parts,
                  uint64_t count, std::byte* out) {
  constexpr uint64_t kStep = kReducedBytes / sizeof(float);
  alignas(64) float sum[kStep];
  alignas(64) float next[kStep];
  const copy::Converter widen(TensorType(type), DType::kFloat32);
  const copy::Converter narrow(DType::kFloat32, TensorType(type));
  const Combine combine = ByOp<float>(op);
  for (uint64_t at = 0; at < count; at += kStep) {
    const uint64_t step = std::min(kStep, count - at);
    widen.Run(parts[0] + 2 * at, static_cast<int64_t>(step), sum);
    for (size_t part = 1; part < parts.size(); ++part) {
      widen.Run(parts[part] + 2 * at, static_cast<int64_t>(step), next);
      combine(sum, sum, next, step);
    }
    narrow.Run(sum, static_cast<int64_t>(step), out + 2 * at);
  }
}

}  // namespace

Combine CombineOf(HcclDataType type, HcclReduceOp op) {
  switch (type) {
    case HCCL_DATA_TYPE_INT8:
      return ByOp<int8_t>(op);
    case HCCL_DATA_TYPE_INT16:
      return ByOp<int16_t>(op);
    case HCCL_DATA_TYPE_INT32:
      return ByOp<int32_t>(op);
    case HCCL_DATA_TYPE_INT64:
      return ByOp<int64_t>(op);
    case HCCL_DATA_TYPE_INT128:
      return ByOp<Int128>(op);
    case HCCL_DATA_TYPE_UINT8:
      return ByOp<uint8_t>(op);
    case HCCL_DATA_TYPE_UINT16:
      return ByOp<uint16_t>(op);
    case HCCL_DATA_TYPE_UINT32:
      return ByOp<uint32_t>(op);
    case HCCL_DATA_TYPE_UINT64:
      return ByOp<uint64_t>(op);
    case HCCL_DATA_TYPE_FP32:
      return ByOp<float>(op);
    case HCCL_DATA_TYPE_FP64:
      return ByOp<double>(op);
    default:
      return nullptr;
  }
}

void ReduceInOrder(HcclDataType type, HcclReduceOp op, std::span<const std::byte* const> parts,
                   uint64_t count, std::byte* out) {
  if (IsHalf(type)) return ReduceHalves(type, op, parts, count, out);
  const Combine combine = CombineOf(type, op);
  const uint64_t bytes = SizeOf(type);
  const uint64_t step_elements = kReducedBytes / bytes;
  // A place of its own: `out` may be a part that is read later.
  alignas(64) std::byte sum[kReducedBytes];
  for (uint64_t at = 0; at < count; at += step_elements) {
    const uint64_t step = std::min(step_elements, count - at);
    const uint64_t offset = at * bytes;
    const std::byte* left = parts[0] + offset;
    for (size_t part = 1; part < parts.size(); ++part) {
      combine(sum, left, parts[part] + offset, step);
      left = sum;
    }
    if (left != out + offset) std::memcpy(out + offset, left, step * bytes);
  }
}

}  // namespace aclimb::collectives
