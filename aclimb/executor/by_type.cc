#include "aclimb/executor/by_type.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "aclimb/core/codes.h"
#include "aclimb/core/dtype.h"
#include "aclimb/core/half.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/report.h"

namespace aclimb {
namespace {

std::string NameOf(const char* what, int i, const AclimbOpTensor& tensor) {
  return Cat(what, " ", i, *tensor.name == '\0' ? "" : Cat(" (", tensor.name, ")"));
}

bool IsPlain(int32_t format) {
  return format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NCL ||
         format == ACL_FORMAT_NCDHW;
}

// Whether dense tensors of the two shapes have their elements in the same order: they differ by
// extents of 1.
bool HaveEqualOrder(std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  std::erase(left, 1);
  std::erase(right, 1);
  return left == right;
}

// The memory of a program need not be aligned.
template <typename T>
T First(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T>
std::vector<int64_t> Read(const void* data, size_t count) {
  std::vector<int64_t> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = First<T>(static_cast<const char*>(data) + i * sizeof(T));
  return values;
}

// None where it, or a stride of the shape, does not fit, or the shape is not known.
std::optional<int64_t> CountOf(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t d : dims) {
    if (d < 0 || __builtin_mul_overflow(count, std::max<int64_t>(d, 1), &count)) return {};
  }
  return std::find(dims.begin(), dims.end(), 0) == dims.end() ? count : 0;
}

}  // namespace

TypedCall::~TypedCall() {
  for (aclTensor* each : tensors_) (void)aclDestroyTensor(each);
  for (aclTensorList* each : lists_) (void)aclDestroyTensorList(each);
  for (aclScalar* each : scalars_) (void)aclDestroyScalar(each);
  for (aclIntArray* each : int_arrays_) (void)aclDestroyIntArray(each);
  for (aclBoolArray* each : bool_arrays_) (void)aclDestroyBoolArray(each);
}

Status TypedCall::Unsupported(const std::string& expected) const {
  return Refuse(kApiNotSupport, Cat(call_.text, "; expected ", expected, "."),
                "call the operator's own function in aclnnop/; under PyTorch set "
                "torch.npu.config.allow_internal_format = False before the first operator, and "
                "leave JIT compilation off",
                "runtime/aclop/arguments");
}

Status TypedCall::Has(int least_inputs, int most_inputs, int outputs,
                      std::initializer_list<std::string_view> attributes) const {
  const bool inputs_fit = call_.input_count >= least_inputs && call_.input_count <= most_inputs;
  if (!inputs_fit || call_.output_count != outputs) {
    return Unsupported(Cat(least_inputs,
                           most_inputs > least_inputs ? Cat(" to ", most_inputs) : std::string(),
                           " inputs and ", outputs, " output"));
  }
  for (int i = 0; i < call_.attribute_count; ++i) {
    const std::string_view name = call_.attributes[i].name;
    if (name.starts_with('_')) continue;
    if (std::find(attributes.begin(), attributes.end(), name) == attributes.end()) {
      return Unsupported(Cat("no attribute ", name));
    }
  }
  return Ok();
}

Result<TypedCall::Tensors> TypedCall::Open(int inputs, int outputs,
                                           std::initializer_list<std::string_view> attributes,
                                           int opened) {
  if (Status bad = Has(inputs, inputs, outputs, attributes); !bad.ok()) return bad;
  Tensors tensors;
  for (int i = 0; i < opened; ++i) {
    Result<const aclTensor*> input = InputTensor(i);
    if (!input.ok()) return input.TakeStatus();
    tensors.inputs.push_back(input.value());
  }
  for (int i = 0; i < outputs; ++i) {
    Result<aclTensor*> output = OutputTensor(i);
    if (!output.ok()) return output.TakeStatus();
    tensors.outputs.push_back(output.value());
  }
  return tensors;
}

bool TypedCall::IsAnInput(const AclimbOpTensor& tensor) const {
  return tensor.data != nullptr &&
         std::any_of(inputs_.begin(), inputs_.end(), [&](const auto& input) {
           return input.dtype >= 0 && input.on_host == 0 && input.data == tensor.data;
         });
}

Result<aclTensor*> TypedCall::Tensor(AclimbOpTensor& tensor, const std::string& name,
                                     bool is_output) {
  if (!IsPlain(tensor.format)) {
    return Unsupported(Cat(name, " in the format ND, NCL, NCHW or NCDHW"));
  }
  if (tensor.on_host != 0) {
    if (is_output) return Unsupported(Cat(name, " in device memory"));
    if (Status bad = CopyNumber(tensor, name); !bad.ok()) return bad;
  }
  const std::span<const int64_t> dims(tensor.dims, static_cast<size_t>(tensor.rank));
  const std::span<const int64_t> stored(tensor.storage_dims,
                                        static_cast<size_t>(tensor.storage_rank));
  if (std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; })) {
    return Unsupported(Cat(name, " of a shape that is known"));
  }
  const std::optional<int64_t> count = CountOf(dims), stored_count = CountOf(stored);
  if (!count) {
    return Unsupported(Cat(name, " of a shape whose product without zeros is below 2^63"));
  }
  if (!stored_count) {
    return Unsupported(
        Cat(name, " in a storage of known extents, whose product without zeros is below 2^63"));
  }
  const bool is_dense = IsPlain(tensor.storage_format) && HaveEqualOrder(dims, stored);
  const uint64_t size = SizeOf(static_cast<DType>(tensor.dtype));
  std::optional<StorageLayout> layout;
  if (!is_dense) layout = LayoutOf(tensor.storage_format, dims, stored);
  if (!is_dense && (!layout || size == 0)) {
    return Unsupported(Cat(name,
                           " stored densely, or as NC1HWC0, NDC1HWC0, FRACTAL_Z, FRACTAL_Z_3D or "
                           "FRACTAL_NZ has a tensor of its shape"));
  }
  if (size > 0 && static_cast<uint64_t>(*stored_count) > tensor.bytes / size) {
    return Refuse(kRtParamInvalid,
                  Cat(call_.text, "; ", name, " has a data buffer of ", tensor.bytes,
                      " bytes; expected room for its ", *stored_count, " elements of ", size,
                      size == 1 ? " byte" : " bytes", " each."),
                  "create the data buffer with the size of the tensor", "runtime/aclop/buffer");
  }
  if (is_dense && is_output && size > 0 && IsAnInput(tensor)) {
    const std::vector<int64_t> shape(dims.begin(), dims.end());
    const std::vector<int64_t> strides = DenseStrides(shape);
    layout = StorageLayout{
        .boxes = {{.dims = shape, .stored_strides = strides, .dense_strides = strides}}};
  }
  if (layout) {
    const uint64_t bytes = static_cast<uint64_t>(*count) * size;
    Stored copied = {std::move(*layout), tensor, Scratch(bytes)};
    tensor.storage_format = tensor.format;
    tensor.storage_rank = tensor.rank;
    tensor.storage_dims = tensor.dims;
    tensor.data = copied.dense;
    tensor.bytes = bytes;
    if (!is_output) CopyStored(copied, true);
    if (is_output) stored_outputs_.push_back(std::move(copied));
  }
  aclTensor* const made = Describe(tensor);
  if (made == nullptr) return Unsupported(Cat(name, " that aclCreateTensor accepts"));
  return made;
}

Result<aclScalar*> TypedCall::Number(const AclimbOpTensor& tensor, const std::string& name) {
  const uint64_t size = SizeOf(static_cast<DType>(tensor.dtype));
  const bool is_one =
      std::all_of(tensor.dims, tensor.dims + tensor.rank, [](int64_t d) { return d == 1; });
  if (!is_one || size == 0) return Unsupported(Cat(name, " in device memory, or one number"));
  if (tensor.data == nullptr || tensor.bytes < size) {
    return Unsupported(Cat(name, " with a buffer that holds it"));
  }
  aclScalar* const value = aclCreateScalar(tensor.data, static_cast<aclDataType>(tensor.dtype));
  if (value == nullptr) return Unsupported(Cat(name, " of a dtype that aclCreateScalar accepts"));
  scalars_.push_back(value);
  return value;
}

Result<const aclScalar*> TypedCall::InputScalar(int i) {
  const std::string name = NameOf("input", i, inputs_[i]);
  if (!HasInput(i) || !IsOnHost(i)) return Unsupported(Cat(name, " to be a number in host memory"));
  Result<aclScalar*> number = Number(inputs_[i], name);
  if (!number.ok()) return number.TakeStatus();
  return number.value();
}

Result<double> TypedCall::InputNumber(int i) const {
  const std::string name = NameOf("input", i, inputs_[i]);
  const AclimbOpTensor& tensor = inputs_[i];
  const auto holds = [&](aclDataType dtype, uint64_t size) {
    return HasInput(i) && tensor.dtype == dtype && tensor.on_host != 0 && tensor.data != nullptr &&
           tensor.bytes >= size;
  };
  if (holds(ACL_FLOAT, sizeof(float))) return First<float>(tensor.data);
  if (holds(ACL_FLOAT16, sizeof(Float16))) return ToFloat(First<Float16>(tensor.data));
  if (holds(ACL_BF16, sizeof(BFloat16))) return ToFloat(First<BFloat16>(tensor.data));
  return Unsupported(Cat(name, " to be a number of FLOAT, FLOAT16 or BFLOAT16 in host memory"));
}

Status TypedCall::CopyNumber(AclimbOpTensor& tensor, const std::string& name) {
  Result<aclScalar*> number = Number(tensor, name);
  if (!number.ok()) return number.TakeStatus();
  tensor.bytes = SizeOf(static_cast<DType>(tensor.dtype));
  tensor.data = Scratch(tensor.bytes);
  tensor.on_host = 0;
  StorageCopies::fill_(*this, number.value(), ScopedTensor(tensor.data, tensor.dtype, {}));
  return Ok();
}

void TypedCall::CopyStored(const Stored& stored, bool to_dense) {
  // Another call of this one failed, and there may be no memory.
  if (code_ != 0) return;
  const auto size = static_cast<int64_t>(SizeOf(static_cast<DType>(stored.tensor.dtype)));
  const auto view = [&](void* data, int64_t offset, const std::vector<int64_t>& dims,
                        const std::vector<int64_t>& strides) {
    return ScopedTensor(static_cast<char*>(data) + offset * size, stored.tensor.dtype, dims,
                        strides);
  };
  for (const StorageBox& box : stored.layout.boxes) {
    if (std::find(box.dims.begin(), box.dims.end(), 0) != box.dims.end()) continue;
    const ScopedTensor in_storage =
        view(stored.tensor.data, box.stored_offset, box.dims, box.stored_strides);
    const ScopedTensor in_dense = view(stored.dense, box.dense_offset, box.dims, box.dense_strides);
    if (to_dense) StorageCopies::copy_(*this, in_storage, in_dense);
    if (!to_dense) StorageCopies::copy_(*this, in_dense, in_storage);
  }
}

void TypedCall::Store() {
  for (const Stored& each : stored_outputs_) {
    const AclimbOpTensor& tensor = each.tensor;
    if (each.layout.padded) {
      const std::vector<int64_t> all(tensor.storage_dims,
                                     tensor.storage_dims + tensor.storage_rank);
      StorageCopies::zero_(*this, ScopedTensor(tensor.data, tensor.dtype, all));
    }
    CopyStored(each, false);
  }
}

aclTensor* TypedCall::Describe(const AclimbOpTensor& tensor, aclFormat format) {
  const auto rank = static_cast<uint64_t>(tensor.rank);
  aclTensor* made = aclCreateTensor(tensor.dims, rank, static_cast<aclDataType>(tensor.dtype),
                                    nullptr, 0, format, tensor.dims, rank, tensor.data);
  if (made != nullptr) tensors_.push_back(made);
  return made;
}

Result<const aclTensor*> TypedCall::InputTensor(int i) {
  const std::string name = NameOf("input", i, inputs_[i]);
  if (!HasInput(i)) return Unsupported(Cat(name, " not left out"));
  Result<aclTensor*> tensor = Tensor(inputs_[i], name, false);
  if (!tensor.ok()) return tensor.TakeStatus();
  return tensor.value();
}

Result<aclTensor*> TypedCall::OutputTensor(int i) {
  const std::string name = NameOf("output", i, outputs_[i]);
  if (outputs_[i].dtype < 0) return Unsupported(Cat(name, " not left out"));
  return Tensor(outputs_[i], name, true);
}

Result<std::vector<int64_t>> TypedCall::InputInts(int i) const {
  const std::string name = NameOf("input", i, inputs_[i]);
  const AclimbOpTensor& tensor = inputs_[i];
  const bool is_long = HasInput(i) && tensor.dtype == ACL_INT64;
  if (!HasInput(i) || tensor.rank > 1 || (tensor.rank == 1 && tensor.dims[0] < 0) ||
      (!is_long && tensor.dtype != ACL_INT32)) {
    return Unsupported(Cat(name, " to be a vector of INT32 or INT64"));
  }
  // Device memory may be written by work that is still queued.
  if (tensor.on_host == 0) return Unsupported(Cat(name, " in host memory"));
  const auto count = tensor.rank == 0 ? uint64_t{1} : static_cast<uint64_t>(tensor.dims[0]);
  if ((tensor.data == nullptr && count > 0) ||
      count > tensor.bytes / (is_long ? sizeof(int64_t) : sizeof(int32_t))) {
    return Unsupported(Cat(name, " with a buffer that holds it"));
  }
  return is_long ? Read<int64_t>(tensor.data, count) : Read<int32_t>(tensor.data, count);
}

Status TypedCall::NamesOutput(const std::string& where, const std::vector<int64_t>& named,
                              int first) const {
  const AclimbOpTensor& output = outputs_[0];
  const int64_t* const dims = output.dims + std::min(first, output.rank);
  if (std::equal(named.begin(), named.end(), dims, output.dims + output.rank)) return Ok();
  // One number is of rank 0, and some of its callers name it [1].
  if (output.rank == 0 && named == std::vector<int64_t>{1}) return Ok();
  return Unsupported(
      Cat(where, ", ", ShapeText(named.data(), named.size()), ", to be ",
          first == 0 ? std::string() : Cat("what follows ", first, " dimensions of "),
          "the shape of output 0, ", ShapeText(output.dims, static_cast<size_t>(output.rank))));
}

Status TypedCall::InputNamesOutput(int i, int first) const {
  if (HasInput(i) && !IsOnHost(i)) return Ok();
  Result<std::vector<int64_t>> named = InputInts(i);
  if (!named.ok()) return named.TakeStatus();
  return NamesOutput(NameOf("input", i, inputs_[i]), named.value(), first);
}

const AclimbOpAttribute* TypedCall::Find(std::string_view name) const {
  for (int i = 0; i < call_.attribute_count; ++i) {
    if (name == call_.attributes[i].name) return &call_.attributes[i];
  }
  return nullptr;
}

Status TypedCall::OtherKind(std::string_view name, const char* kind) const {
  return Unsupported(Cat("the attribute ", name, " to be ", kind));
}

Result<int64_t> TypedCall::Integer(std::string_view name, int64_t otherwise) const {
  const AclimbOpAttribute* found = Find(name);
  if (found == nullptr) return otherwise;
  if (found->kind != ACLIMB_OP_ATTRIBUTE_INTEGER) return OtherKind(name, "an integer");
  return found->integer;
}

Result<bool> TypedCall::Flag(std::string_view name, bool otherwise) const {
  const AclimbOpAttribute* found = Find(name);
  if (found == nullptr) return otherwise;
  if (found->kind != ACLIMB_OP_ATTRIBUTE_BOOL) return OtherKind(name, "a flag");
  return found->integer != 0;
}

Result<float> TypedCall::Number(std::string_view name, float otherwise) const {
  const AclimbOpAttribute* found = Find(name);
  if (found == nullptr) return otherwise;
  if (found->kind != ACLIMB_OP_ATTRIBUTE_TEXT) return OtherKind(name, "a float");
  const char* const end = found->text + std::strlen(found->text);
  float value = 0;
  const auto [read, bad] = std::from_chars(found->text, end, value);
  if (bad != std::errc() || read != end) return OtherKind(name, "a float");
  return value;
}

Result<std::string> TypedCall::Text(std::string_view name, std::string_view otherwise) const {
  const AclimbOpAttribute* found = Find(name);
  if (found == nullptr) return std::string(otherwise);
  if (found->kind != ACLIMB_OP_ATTRIBUTE_TEXT) return OtherKind(name, "a text");
  return std::string(found->text);
}

Result<std::vector<int64_t>> TypedCall::Ints(std::string_view name,
                                             const std::vector<int64_t>& otherwise) const {
  const AclimbOpAttribute* found = Find(name);
  if (found == nullptr) return otherwise;
  if (found->kind != ACLIMB_OP_ATTRIBUTE_INTEGERS) return OtherKind(name, "a list of integers");
  return std::vector<int64_t>(found->integers, found->integers + found->count);
}

const aclIntArray* TypedCall::Array(const std::vector<int64_t>& values) {
  return int_arrays_.emplace_back(aclCreateIntArray(values.data(), values.size()));
}

const aclBoolArray* TypedCall::Array(std::initializer_list<bool> values) {
  return bool_arrays_.emplace_back(aclCreateBoolArray(values.begin(), values.size()));
}

const aclTensorList* TypedCall::List(const std::vector<const aclTensor*>& tensors) {
  for (const aclTensor* each : tensors) std::erase(tensors_, each);
  return lists_.emplace_back(aclCreateTensorList(tensors.data(), tensors.size()));
}

void* TypedCall::Scratch(uint64_t bytes) {
  void* memory = nullptr;
  if (bytes == 0) return memory;
  if (code_ == 0) code_ = aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (memory != nullptr) scratch_.push_back(memory);
  return memory;
}

void TypedCall::RunSecond(uint64_t size, aclOpExecutor* executor, Phase2 phase2) {
  if (size > workspace_size_) {
    workspace_ = Scratch(size);
    workspace_size_ = workspace_ == nullptr ? 0 : size;
  }
  if (code_ != 0) {
    (void)aclDestroyAclOpExecutor(executor);
    return;
  }
  code_ = phase2(size == 0 ? nullptr : workspace_, size, executor, call_.stream);
}

int TypedCall::Finish() {
  if (scratch_.empty()) return code_;
  if (aclimb_capture_keep(call_.stream, scratch_.data(), scratch_.size()) != 0) {
    scratch_.clear();
    return code_;
  }
  // Memory that is freed is handed out again only when the work is done. A tool, though, is told of
  // the free, and work that still needs the memory would be the program's mistake.
  const int done = aclimb_observing() != 0 ? aclrtSynchronizeStream(call_.stream) : 0;
  if (code_ == 0) code_ = done;
  for (void* each : scratch_) {
    const int freed = aclrtFree(each);
    if (code_ == 0) code_ = freed;
  }
  scratch_.clear();
  return code_;
}

std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

ScopedTensor::ScopedTensor(void* data, int32_t dtype, const std::vector<int64_t>& dims)
    : ScopedTensor(data, dtype, dims, DenseStrides(dims)) {}

ScopedTensor::ScopedTensor(void* data, int32_t dtype, const std::vector<int64_t>& dims,
                           const std::vector<int64_t>& strides) {
  int64_t extent = 1;
  for (size_t d = 0; d < dims.size(); ++d) extent += (dims[d] - 1) * strides[d];
  tensor_ = aclCreateTensor(dims.data(), dims.size(), static_cast<aclDataType>(dtype),
                            strides.data(), 0, ACL_FORMAT_ND, &extent, 1, data);
}

constinit StorageCopies::Copy StorageCopies::copy_ = nullptr;
constinit StorageCopies::Zero StorageCopies::zero_ = nullptr;
constinit StorageCopies::Fill StorageCopies::fill_ = nullptr;

StorageCopies::StorageCopies(Copy copy, Zero zero, Fill fill) {
  copy_ = copy;
  zero_ = zero;
  fill_ = fill;
}

constinit ByType* ByType::first_ = nullptr;

ByType::ByType(const char* type, Answer answer) : type_(type), answer_(answer), next_(first_) {
  first_ = this;
  aclimb_op_answers(&AnswerCall);
}

int ByType::AnswerCall(const AclimbOpCall* call) {
  for (const ByType* each = first_; each != nullptr; each = each->next_) {
    if (std::string_view(each->type_) != call->type) continue;
    TypedCall typed(*call);
    const int code = RunGuarded(call->function, "", [&]() -> Status {
      Status bad = each->answer_(typed);
      if (bad.ok()) typed.Store();
      return bad;
    });
    const int finished = typed.Finish();
    return code != 0 ? code : finished;
  }
  return ACLIMB_OP_UNKNOWN;
}

}  // namespace aclimb
