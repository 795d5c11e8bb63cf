#include "aclimb/ops/convolution_backward/onednn.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aclimb/core/divide.h"
#include "aclimb/core/text.h"
#include "aclimb/onednn/adapter.h"
#include "aclimb/onednn/instructions.h"
#include "aclimb/ops/convolution_backward/long_sums.h"
#include "aclimb/simd/factors.h"
#include "aclimb/simd/openmp_team.h"
#include "aclimb/simd/parallel.h"

namespace aclimb::convolution_backward::onednn {
namespace {

using aclimb::onednn::DataType;
using aclimb::onednn::Describe;
using aclimb::onednn::Dims;
using aclimb::onednn::Engine;
using aclimb::onednn::Execution;
using aclimb::onednn::Instructions;
using aclimb::onednn::LazyPrimitive;
using aclimb::onednn::TypeOf;
using aclimb::onednn::UserScratchpad;
using aclimb::onednn::Wrap;

using Tag = dnnl::memory::format_tag;

// oneDNN's numbers of x, y and weight.
Triple<int> RolesOf(Task task) {
  switch (task) {
    case Task::kForward:
      return {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_WEIGHTS};
    case Task::kGradX:
      return {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS};
    default:
      return {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS};
  }
}

class PrimitiveImplementation final : public Primitive {
 public:
  PrimitiveImplementation(const dnnl::primitive_desc_base& desc, const Triple<int>& roles,
                          const Request& request)
      : Primitive({Asked(desc, roles.x), Asked(desc, roles.y), Asked(desc, roles.weight)},
                  static_cast<int64_t>(desc.scratchpad_desc().get_size()), desc.impl_info_str()),
        desc_(desc),
        threads_(request.threads),
        execution_(OperandsOf(desc, roles, request.bias)) {}

  void Run(void* x, void* y, void* weight, void* scratch, void* bias) const override {
    const OpenMpScope scope(threads_);
    const dnnl::primitive& primitive = lazy_.Get([&] { return dnnl::primitive(desc_.get()); });
    execution_.Run(primitive, {x, y, weight, scratch, bias});
  }

 private:
  static LayoutPointer Asked(const dnnl::primitive_desc_base& desc, int argument) {
    return Wrap(desc.query_md(dnnl::query::exec_arg_md, argument));
  }
  // In the order of Run's parameters.
  std::vector<Execution::Operand> OperandsOf(const dnnl::primitive_desc_base& desc,
                                             const Triple<int>& roles, bool bias) const {
    std::vector<Execution::Operand> operands = {{roles.x, layouts().x->desc()},
                                                {roles.y, layouts().y->desc()},
                                                {roles.weight, layouts().weight->desc()},
                                                {DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()}};
    if (bias) {
      operands.push_back({DNNL_ARG_BIAS, desc.query_md(dnnl::query::exec_arg_md, DNNL_ARG_BIAS)});
    }
    return operands;
  }

  const dnnl::primitive_desc_base desc_;
  const int threads_;
  LazyPrimitive lazy_;
  Execution execution_;
};

// A depth that does nothing is left out: oneDNN has better implementations for fewer dimensions.
int FirstDimension(const Geometry& g) { return g.IsFlat() ? 1 : 0; }

struct Shapes {
  Dims x, y, weight, stride, dilation, pad_begin, pad_end;

  explicit Shapes(const Geometry& g)
      : x{g.batch, g.groups * g.x_channels}, y{g.batch, g.groups * g.y_channels} {
    if (g.groups > 1) weight.push_back(g.groups);
    weight.push_back(g.y_channels);
    weight.push_back(g.x_channels);
    for (int d = FirstDimension(g); d < kDims; ++d) {
      x.push_back(g.in[d]);
      y.push_back(g.out[d]);
      weight.push_back(g.kernel[d]);
      stride.push_back(g.stride[d]);
      dilation.push_back(g.dilation[d] - 1);
      pad_begin.push_back(g.pad_begin[d]);
      pad_end.push_back(g.pad_end[d]);
    }
  }
};

bool IsGood(const Primitive& primitive, const Request& request) {
  const std::string_view name = primitive.Name();
  if (name.find("ref") != std::string_view::npos) return false;
  if (name.find("gemm") == std::string_view::npos) return true;
  if (request.layouts != Layouts::kPlain) return false;
  // Scratch grows with the team. Sums of the other tasks must not depend on its size, so for them
  // one thread's decides: the windows of an image.
  if (request.task == Task::kGradWeight) return primitive.ScratchBytes() <= int64_t{128} << 20;
  return UnfoldedFits(request.geometry);
}

dnnl::memory::desc Described(const Dims& dims, DataType type, Layouts layouts) {
  constexpr Tag kPlain[] = {Tag::abc, Tag::abcd, Tag::abcde};
  constexpr Tag kLast[] = {Tag::acb, Tag::acdb, Tag::acdeb};
  const size_t spatial = dims.size() - 3;
  return {dims, type,
          layouts == Layouts::kBlocked ? Tag::any
          : layouts == Layouts::kPlain ? kPlain[spatial]
                                       : kLast[spatial]};
}

PrimitivePointer Make(const Request& request) {
  const Shapes s(request.geometry);
  const DataType operand = TypeOf(request.operand);
  const auto any = [](const Dims& dims, DataType type) {
    return dnnl::memory::desc(dims, type, Tag::any);
  };
  const DataType result = TypeOf(request.result);
  const bool gives_x = request.task == Task::kGradX, gives_y = request.task == Task::kForward;
  const dnnl::memory::desc x = Described(s.x, gives_x ? result : operand, request.layouts);
  const dnnl::memory::desc y = Described(s.y, gives_y ? result : operand, request.layouts);
  const dnnl::primitive_attr attr = UserScratchpad();
  // The gradients want a description of the forward convolution as a hint: any will do.
  const dnnl::memory::desc bias =
      request.bias ? dnnl::memory::desc({s.y[1]}, DataType::f32, Tag::a) : dnnl::memory::desc();
  const dnnl::convolution_forward::desc forward_desc(
      dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
      gives_y ? x : any(s.x, operand), any(s.weight, operand), bias,
      gives_y ? y : any(s.y, operand), s.stride, s.dilation, s.pad_begin, s.pad_end);
  const dnnl::convolution_forward::primitive_desc forward(forward_desc, attr, Engine());
  dnnl::primitive_desc_base found = forward;
  if (gives_x) {
    const dnnl::convolution_backward_data::desc desc(dnnl::algorithm::convolution_direct, x,
                                                     any(s.weight, operand), y, s.stride,
                                                     s.dilation, s.pad_begin, s.pad_end);
    found = dnnl::convolution_backward_data::primitive_desc(desc, attr, Engine(), forward);
  } else if (!gives_y) {
    const dnnl::convolution_backward_weights::desc desc(dnnl::algorithm::convolution_direct, x,
                                                        any(s.weight, result), y, s.stride,
                                                        s.dilation, s.pad_begin, s.pad_end);
    found = dnnl::convolution_backward_weights::primitive_desc(desc, attr, Engine(), forward);
  }
  auto made = std::make_shared<PrimitiveImplementation>(found, RolesOf(request.task), request);
  if (!IsGood(*made, request)) return nullptr;
  return made;
}

// oneDNN's code generators count in int, and are written for windows that meet the data.
bool Fits(const Geometry& g) {
  constexpr int64_t kMaxBytes = int64_t{1} << 31;
  constexpr int64_t kMaxChannels = int64_t{1} << 20;
  const int64_t largest =
      g.groups * std::max(g.x_channels * g.InSize(), g.y_channels * g.OutSize());
  if (largest >= kMaxBytes / 4 || g.batch >= kMaxBytes) return false;
  // It counts blocks of the whole batch in int, too, and divides by that: with 2^35 elements the
  // count was 0. A quarter of them leaves room.
  constexpr int64_t kMaxElements = int64_t{1} << 33;
  if (g.batch * largest >= kMaxElements) return false;
  // It tries block sizes one after the other, up to the number of blocks.
  if (std::max(g.x_channels, g.y_channels) > kMaxChannels || g.groups > kMaxChannels) return false;
  for (int d = 0; d < kDims; ++d) {
    const int64_t reach = (g.kernel[d] - 1) * g.dilation[d];
    if (g.stride[d] > 4096 || reach > 4096) return false;
    if (g.pad_begin[d] > reach || g.pad_end[d] > reach + g.stride[d]) return false;
  }
  return true;
}

// The kernels of the weight's gradient step from windows that begin in the padding, over those that
// lie inside, to those that end in it. Where two of these meet in one window or, in strides, no
// window lies inside, or a tap meets nothing but padding, some of them sum over wrong elements,
// leave taps unwritten or never end.
bool IsRegular(const Geometry& g, int d) {
  const int64_t stride = g.stride[d], reach = (g.kernel[d] - 1) * g.dilation[d];
  const auto windows_before = [&](int64_t position) {  // that begin before this element of x
    return std::max<int64_t>(0, CeilDivide(position + g.pad_begin[d], stride));
  };
  const int64_t inside = windows_before(0);              // the first that begins in the data
  const int64_t over = windows_before(g.in[d] - reach);  // the first that ends behind it
  if (inside > over) return false;
  if (stride > 1 && inside == over && inside > 0 && over < g.out[d]) return false;
  for (int64_t tap = 0; tap < g.kernel[d]; ++tap) {
    if (WindowsInside(g, d, tap).Empty()) return false;
  }
  return true;
}

// Whether the kernels of the weight's gradient are right for these windows.
bool SumsRight(const Request& request) {
  if (request.task != Task::kGradWeight) return true;
  const Geometry& g = request.geometry;
  // In float32 only the steps along the depth are not general.
  const int last = request.operand == DType::kBFloat16 ? kDims : 1;
  for (int d = FirstDimension(g); d < last; ++d) {
    if (!IsRegular(g, d)) return false;
  }
  return true;
}

// Additions to a float32 sum, one after the other, as measured for oneDNN 2.6.3.
int64_t TermsInARow(const Primitive& primitive, const Request& request) {
  const Geometry& g = request.geometry;
  const std::string_view name = primitive.Name();
  const bool gives_weight = request.task == Task::kGradWeight;
  const int64_t taps = g.KernelSize(), channels = SourceChannels(g, request.task);
  const int64_t images = gives_weight ? g.batch : 1;
  const int64_t terms = gives_weight ? g.OutSize() : SumTerms(g, request.task);
  if (name.find("gemm") != std::string_view::npos) {
    // Blocks of a product, image by image, unless that is narrow.
    constexpr int64_t kNarrow = 16, kBlock = 512, kShortestBlock = 256;
    const int64_t of_x = request.task == Task::kForward ? kNarrow : g.x_channels * taps;
    const int64_t of_y = request.task == Task::kGradX ? kNarrow : g.y_channels;
    if (std::min({of_x, of_y, gives_weight ? kNarrow : g.OutSize()}) >= kNarrow) {
      return kBlock + SaturatedProduct(images, CeilDivide(terms, kShortestBlock));
    }
  }
  // Blocks of channels with all taps.
  constexpr int64_t kLeast = 8, kMost = 16;
  const bool blocks = name.substr(0, 3) == "jit" &&
                      (request.task == Task::kGradX ||
                       (request.task == Task::kForward && name.find("avx512") != name.npos));
  if (blocks) return std::min(terms, kMost * taps + CeilDivide(channels, kLeast));
  return SaturatedProduct(images, terms);
}

// A view as oneDNN counts its dimensions.
struct Strided {
  Dims dims, strides;
};
Strided StridedOf(const Geometry& geometry, const TensorView& view, Task role) {
  Strided strided;
  const auto add = [&](int64_t extent, int64_t stride) {
    strided.dims.push_back(extent);
    strided.strides.push_back(stride);
  };
  if (role == Task::kGradWeight && geometry.groups > 1) {
    add(geometry.groups, view.stride[0] * geometry.y_channels);
    add(geometry.y_channels, view.stride[0]);
  } else {
    add(view.shape[0], view.stride[0]);
  }
  add(view.shape[1], view.stride[1]);
  for (int i = FirstDimension(geometry); i < kDims; ++i) add(view.shape[2 + i], view.stride[2 + i]);
  return strided;
}

// The layout of another number of images, which lie one behind the other. Null where they do not.
LayoutPointer OfImages(const LayoutPointer& layout, int64_t images) {
  dnnl_memory_desc_t desc = layout->desc().data;
  auto& blocking = desc.format_desc.blocking;
  const auto* const blocked = blocking.inner_idxs;
  if (desc.format_kind != dnnl_blocked || desc.offset0 != 0 ||
      desc.extra.flags != dnnl_memory_extra_flag_none ||
      std::find(blocked, blocked + blocking.inner_nblks, 0) != blocked + blocking.inner_nblks) {
    return nullptr;
  }
  // That of a single image says nothing.
  const int64_t bytes = BytesOf(layout) / desc.dims[0];
  const auto stride =
      bytes /
      static_cast<int64_t>(dnnl::memory::data_type_size(static_cast<DataType>(desc.data_type)));
  if (desc.dims[0] > 1 && blocking.strides[0] != stride) return nullptr;
  blocking.strides[0] = stride;
  desc.dims[0] = desc.padded_dims[0] = images;
  return Wrap(dnnl::memory::desc(desc));
}

class Parts final : public Primitive {
 public:
  Parts(PrimitivePointer part, PrimitivePointer rest, int64_t batch, int64_t images,
        LayoutPointer x, LayoutPointer y)
      : Primitive(
            {std::move(x), std::move(y), part->layouts().weight},
            TotalBytes(*part) + std::max(part->ScratchBytes(), rest ? rest->ScratchBytes() : 0),
            Cat(part->Name(), " in ", CeilDivide(batch, images), " parts")),
        part_(std::move(part)),
        rest_(std::move(rest)),
        batch_(batch),
        images_(images) {}

  void Run(void* x, void* y, void* weight, void* scratch, void*) const override {
    // Every part is a block of its own.
    LongSums sums(static_cast<float*>(weight), SumsOf(*part_), 1, static_cast<double*>(scratch));
    const int64_t x_bytes = BytesOf(layouts().x) / batch_, y_bytes = BytesOf(layouts().y) / batch_;
    for (int64_t image = 0; image < batch_ && !IsCancelled(); image += images_) {
      (void)sums.Add(1);
      const Primitive& part = image + images_ <= batch_ ? *part_ : *rest_;
      part.Run(static_cast<char*>(x) + image * x_bytes, static_cast<char*>(y) + image * y_bytes,
               weight, static_cast<char*>(scratch) + TotalBytes(*part_));
    }
    sums.Finish();
  }

 private:
  static int64_t SumsOf(const Primitive& part) {
    return BytesOf(part.layouts().weight) / static_cast<int64_t>(sizeof(float));
  }
  static int64_t TotalBytes(const Primitive& part) {
    return RoundUp(SumsOf(part) * static_cast<int64_t>(sizeof(double)), int64_t{64});
  }

  const PrimitivePointer part_, rest_;
  const int64_t batch_, images_;
};

// The gradient of the weight of `batch` images, as the sum in double of those of `images` images at
// a time. Null where x or y of some images are no part of the memory of all.
//   part  of so many images, with a result in float32
//   rest  of those that are left over; null: none
PrimitivePointer SumOfParts(PrimitivePointer part, PrimitivePointer rest, int64_t batch,
                            int64_t images) {
  const auto x = OfImages(part->layouts().x, batch), y = OfImages(part->layouts().y, batch);
  if (x == nullptr || y == nullptr) return nullptr;
  if (rest != nullptr) {
    const auto of_x = OfImages(rest->layouts().x, batch), of_y = OfImages(rest->layouts().y, batch);
    if (of_x == nullptr || of_y == nullptr || !SameLayout(of_x, x) || !SameLayout(of_y, y) ||
        !SameLayout(rest->layouts().weight, part->layouts().weight)) {
      return nullptr;
    }
  }
  return std::make_shared<Parts>(std::move(part), std::move(rest), batch, images, x, y);
}

}  // namespace

Products ProductsOf(DType operand) {
  static const bool has_tiles = Has(Instructions::kBFloat16Tiles);
  static const bool has_dots = Has(Instructions::kBFloat16Dots) && HasPairs();
  if (!HasAvx512()) return Products::kFloat32Short;
  if (operand == DType::kBFloat16) {
    return has_tiles  ? Products::kBFloat16Tiles
           : has_dots ? Products::kBFloat16Dots
                      : Products::kBFloat16;
  }
  return Products::kFloat32;
}

bool MultipliesFasterInFloat32() {
#if defined(__x86_64__)
  return ProductsOf(DType::kBFloat16) == Products::kBFloat16Dots && __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

LayoutPointer LayoutOf(const Geometry& geometry, const TensorView& view, Task role) {
  if (view.dtype != DType::kFloat32 && view.dtype != DType::kBFloat16) return nullptr;
  if (view.ElementCount() == 0) return nullptr;
  Strided strided = StridedOf(geometry, view, role);
  return Describe(std::move(strided.dims), std::move(strided.strides), view.dtype);
}

std::optional<Blocks> BlocksOf(const Geometry& geometry, const TensorView& tensor, Task role,
                               const LayoutPointer& layout) {
  const dnnl_memory_desc_t& desc = layout->desc().data;
  const Strided strided = StridedOf(geometry, tensor, role);
  const auto rank = static_cast<int>(strided.dims.size());
  if (desc.format_kind != dnnl_blocked || desc.ndims != rank || desc.offset0 != 0 ||
      desc.extra.flags != dnnl_memory_extra_flag_none) {
    return std::nullopt;
  }
  Blocks blocks{.tensor = tensor, .memory = tensor};
  blocks.memory.data = nullptr;
  blocks.memory.dtype = desc.data_type == dnnl_bf16 ? DType::kBFloat16 : DType::kFloat32;
  blocks.has_blocks = desc.format_desc.blocking.inner_nblks > 0;
  int used = 0;
  const auto add = [&](int64_t extent, int64_t tensor_stride, int64_t memory_stride) {
    if (extent == 1) return true;
    if (used == kMaxRank) return false;
    blocks.tensor.shape[used] = blocks.memory.shape[used] = extent;
    blocks.tensor.stride[used] = tensor_stride;
    blocks.memory.stride[used++] = memory_stride;
    return true;
  };
  for (int d = 0; d < rank; ++d) {
    if (desc.padded_dims[d] != strided.dims[static_cast<size_t>(d)]) return std::nullopt;
    // From the innermost block outwards: of this dimension's elements, of all.
    int64_t extent = desc.padded_dims[d], within = strided.strides[static_cast<size_t>(d)];
    int64_t stride = 1;
    for (int k = desc.format_desc.blocking.inner_nblks - 1; k >= 0; --k) {
      const int64_t block = desc.format_desc.blocking.inner_blks[k];
      if (desc.format_desc.blocking.inner_idxs[k] == d) {
        if (!add(block, within, stride)) return std::nullopt;
        within *= block;
        extent /= block;
      }
      stride *= block;
    }
    if (!add(extent, within, desc.format_desc.blocking.strides[d])) return std::nullopt;
  }
  blocks.tensor.rank = blocks.memory.rank = used;
  return blocks;
}

PrimitivePointer MakePrimitive(const Request& request, Refusal* refusal) {
  const auto refuse = [&](Refusal why) {
    if (refusal != nullptr) *refusal = why;
    return PrimitivePointer();
  };
  if (!Fits(request.geometry)) {
    return refuse("sizes or paddings are beyond what oneDNN is written for");
  }
  if (!SumsRight(request)) return refuse("oneDNN sums wrong elements in such a padding");
  PrimitivePointer whole = aclimb::onednn::Ask(request, &Make);
  if (whole == nullptr) return refuse("oneDNN has no fast code for it in these layouts");
  constexpr Refusal kTooLong = "oneDNN's float32 sums are too long";
  const int64_t most = LongestSum(request.operand), batch = request.geometry.batch;
  if (TermsInARow(*whole, request) <= most) return whole;
  if (request.task != Task::kGradWeight) return refuse(kTooLong);
  Request part = request;
  part.result = DType::kFloat32;
  part.geometry.batch = 1;
  const int64_t fitting = most / TermsInARow(*whole, part);
  if (fitting == 0) return refuse(kTooLong);
  // Of about one size.
  const int64_t images = CeilDivide(batch, CeilDivide(batch, fitting)), rest = batch % images;
  part.geometry.batch = images;
  PrimitivePointer of_part = MakePrimitive(part, refusal), of_rest;
  if (of_part == nullptr) return nullptr;
  if (rest > 0) {
    part.geometry.batch = rest;
    of_rest = MakePrimitive(part, refusal);
    if (of_rest == nullptr) return nullptr;
  }
  PrimitivePointer sum = SumOfParts(std::move(of_part), std::move(of_rest), batch, images);
  return sum != nullptr ? sum : refuse(kTooLong);
}

}  // namespace aclimb::convolution_backward::onednn
