#include "aclimb/executor/inspect.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "aclimb/core/codes.h"
#include "aclimb/core/half.h"
#include "aclimb/core/text.h"

namespace aclimb {
namespace {

template <typename T>
T Read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// Cut off towards zero; -1 stands for NaN, the ends of int64 for what is beyond them.
int64_t Whole(double value) {
  if (std::isnan(value)) return -1;
  if (value >= 0x1p63) return INT64_MAX;
  return value < -0x1p63 ? INT64_MIN : static_cast<int64_t>(value);
}

int64_t NumberAt(DType dtype, const char* at) {
  switch (dtype) {
    case DType::kInt64:
      return Read<int64_t>(at);
    case DType::kInt32:
      return Read<int32_t>(at);
    case DType::kInt16:
      return Read<int16_t>(at);
    case DType::kInt8:
      return Read<int8_t>(at);
    case DType::kUInt8:
    case DType::kBool:
      return Read<uint8_t>(at);
    case DType::kFloat32:
      return Whole(Read<float>(at));
    case DType::kFloat64:
      return Whole(Read<double>(at));
    case DType::kFloat16:
      return Whole(ToFloat(Float16{Read<uint16_t>(at)}));
    case DType::kBFloat16:
      return Whole(ToFloat(BFloat16{Read<uint16_t>(at)}));
    default:
      return 0;
  }
}

}  // namespace

void InspectRange(const Inspector& inspector, const char* rule, const char* name,
                  const TensorView& view, const NumberRange& range) {
  const int64_t count = view.data == nullptr ? 0 : view.ElementCount();
  const auto bytes = static_cast<int64_t>(SizeOf(view.dtype));
  int64_t at[kMaxRank] = {};
  std::string first;
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (int d = 0; d < view.rank; ++d) offset += at[d] * view.stride[d];
    const int64_t number =
        NumberAt(view.dtype, static_cast<const char*>(view.data) + offset * bytes);
    if ((number < range.begin || number >= range.end) && number != range.excepted) {
      if (wrong++ == 0) {
        first = Cat(name, ShapeText(at, static_cast<size_t>(view.rank)), " is ", number);
      }
    }
    for (int d = view.rank - 1; d >= 0 && ++at[d] == view.shape[d]; --d) at[d] = 0;
  }
  if (wrong == 0) return;
  const std::string others =
      wrong == 1 ? "" : Cat(", and ", wrong - 1, wrong == 2 ? " more is wrong" : " more are wrong");
  const std::string expected =
      range.begin < range.end ? Cat(range.begin, " to ", range.end - 1) : std::string("none");
  inspector.Found(rule, Cat(first, others, "; expected ", expected, " (", range.because, ")."));
}

void FailInspected(const Plan& plan, const RunContext& run) {
  std::string why;
  const AclimbFound keep_first = [](void* into, const char*, const char* text) {
    auto& kept = *static_cast<std::string*>(into);
    if (kept.empty()) kept = text;
  };
  plan.Inspect(run, Inspector(keep_first, &why));
  if (why.empty()) {
    why = "an input has changed while it was read; expected work that writes it to be ordered.";
  }
  throw RunFailure{.code = kRtAicoreException, .why = std::move(why)};
}

}  // namespace aclimb
