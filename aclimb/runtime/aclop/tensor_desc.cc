#include "acl/acl_base.h"
#include "aclimb/core/dtype.h"
#include "aclimb/runtime/aclop/objects.h"
#include "aclimb/runtime/entry.h"

namespace aclimb::aclop {
namespace {

// Larger counts are not ranks but garbage, and would exhaust memory before any check.
constexpr int kMostDims = 1024;

Status CheckDims(int count, const int64_t* dims, int64_t least) {
  ACLIMB_CHECK_OK(CheckCount("numDims", count, "dims", dims));
  if (count > kMostDims) {
    return BadValue("numDims", count, Cat("a rank of at most ", kMostDims), "aclop/rank");
  }
  for (int d = 0; d < count; ++d) {
    if (dims[d] < least) {
      return BadValue(Cat("dims[", d, "]"), dims[d], Cat("at least ", least), "aclop/dim");
    }
  }
  return Ok();
}

Status Create(aclDataType dtype, int count, const int64_t* dims, aclFormat format,
              aclTensorDesc** made) {
  if (dtype != ACL_DT_UNDEFINED && !IsKnown(static_cast<DType>(dtype))) {
    return BadValue("dataType", dtype, "an aclDataType", "aclop/dtype");
  }
  ACLIMB_CHECK_OK(CheckDims(count, dims, TensorDesc::kUnknownRank));
  auto desc = std::make_shared<TensorDesc>();
  desc->dtype = dtype;
  desc->format = desc->storage_format = format;
  if (count > 0) desc->dims.assign(dims, dims + count);
  desc->storage_dims = desc->dims;
  return Make(std::move(desc), made);
}

// Runs `body` on the descriptor; reports what is wrong with the handle.
template <typename Body>
int With(const char* function, const aclTensorDesc* handle, Body&& body) {
  return Enter(function, [&]() -> Status {
    auto desc = Find<TensorDesc>("desc", handle);
    if (!desc.ok()) return desc.TakeStatus();
    return body(*desc.value());
  });
}

}  // namespace
}  // namespace aclimb::aclop

using aclimb::aclop::TensorDesc;

extern "C" {

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format) {
  aclTensorDesc* made = nullptr;
  aclimb::Enter("aclCreateTensorDesc",
                [&] { return aclimb::aclop::Create(dataType, numDims, dims, format, &made); });
  return made;
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  if (desc == nullptr) return;
  aclimb::Enter("aclDestroyTensorDesc",
                [&] { return aclimb::aclop::End<TensorDesc>("desc", desc); });
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclimb::aclop::With("aclGetTensorDescType", desc, [&](const TensorDesc& found) {
    dtype = found.dtype;
    return aclimb::Ok();
  });
  return dtype;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclimb::aclop::With("aclGetTensorDescFormat", desc, [&](const TensorDesc& found) {
    format = found.format;
    return aclimb::Ok();
  });
  return format;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  size_t count = 0;
  aclimb::aclop::With("aclGetTensorDescNumDims", desc, [&](const TensorDesc& found) {
    const bool unknown = found.dims.size() == 1 && found.dims[0] == TensorDesc::kUnknownRank;
    count = unknown ? ACL_UNKNOWN_RANK : found.dims.size();
    return aclimb::Ok();
  });
  return count;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return aclimb::aclop::With(
      "aclGetTensorDescDimV2", desc, [&](const TensorDesc& found) -> aclimb::Status {
        if (dimSize == nullptr) return aclimb::NullArgument("dimSize");
        if (index >= found.dims.size()) {
          return aclimb::BadValue("index", static_cast<int64_t>(index),
                                  aclimb::Cat("less than the rank, ", found.dims.size()),
                                  "aclop/index");
        }
        *dimSize = found.dims[index];
        return aclimb::Ok();
      });
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  aclimb::aclop::With("aclSetTensorDescName", desc, [&](TensorDesc& found) {
    found.name = name == nullptr ? "" : name;
    return aclimb::Ok();
  });
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  const char* name = "";
  aclimb::aclop::With("aclGetTensorDescName", desc, [&](const TensorDesc& found) {
    name = found.name.c_str();
    return aclimb::Ok();
  });
  return name;
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  return aclimb::aclop::With("aclSetTensorFormat", desc, [&](TensorDesc& found) {
    found.storage_format = format;
    return aclimb::Ok();
  });
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return aclimb::aclop::With("aclSetTensorShape", desc, [&](TensorDesc& found) -> aclimb::Status {
    ACLIMB_CHECK_OK(aclimb::aclop::CheckDims(numDims, dims, TensorDesc::kUnknownRank));
    found.storage_dims.assign(dims, dims + numDims);
    return aclimb::Ok();
  });
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
  return aclimb::aclop::With(
      "aclSetTensorPlaceMent", desc, [&](TensorDesc& found) -> aclimb::Status {
        if (memType < ACL_MEMTYPE_DEVICE || memType > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT) {
          return aclimb::BadValue("memType", memType, "an aclMemType", "aclop/placement");
        }
        found.placement = memType;
        return aclimb::Ok();
      });
}

}  // extern "C"
