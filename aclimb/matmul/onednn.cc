#include "aclimb/matmul/onednn.h"

#include <utility>

#include "aclimb/onednn/adapter.h"

namespace aclimb::matmul::onednn {
namespace {

using aclimb::onednn::Describe;
using aclimb::onednn::Engine;
using aclimb::onednn::Execution;
using aclimb::onednn::LazyPrimitive;

class ProductImplementation final : public Product {
 public:
  explicit ProductImplementation(dnnl::matmul::primitive_desc desc)
      : desc_(std::move(desc)),
        scratch_bytes_(static_cast<int64_t>(desc_.scratchpad_desc().get_size())),
        execution_({{DNNL_ARG_SRC, desc_.src_desc()},
                    {DNNL_ARG_WEIGHTS, desc_.weights_desc()},
                    {DNNL_ARG_DST, desc_.dst_desc()},
                    {DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc()}}) {}

  int64_t ScratchBytes() const override { return scratch_bytes_; }

  void Run(const void* a, const void* b, void* c, void* scratch) const override {
    const OpenMpScope scope(1);
    const dnnl::primitive& primitive = lazy_.Get([&] { return dnnl::matmul(desc_); });
    execution_.Run(primitive, {const_cast<void*>(a), const_cast<void*>(b), c, scratch});
  }

 private:
  dnnl::matmul::primitive_desc desc_;
  int64_t scratch_bytes_;
  LazyPrimitive lazy_;
  Execution execution_;
};

ProductPointer Make(const Request& request) {
  const auto a =
      Describe({request.m, request.k}, {request.a_row, request.a_column}, request.operand);
  const auto b =
      Describe({request.k, request.n}, {request.b_row, request.b_column}, request.operand);
  const auto c = Describe({request.m, request.n}, {request.c_row, 1}, request.result);
  if (a == nullptr || b == nullptr || c == nullptr) return nullptr;
  dnnl::primitive_attr attributes = aclimb::onednn::UserScratchpad();
  if (request.accumulates) {
    dnnl::post_ops sum;
    sum.append_sum(1);
    attributes.set_post_ops(sum);
  }
  const dnnl::matmul::desc desc(a->desc(), b->desc(), c->desc());
  return std::make_shared<ProductImplementation>(
      dnnl::matmul::primitive_desc(desc, attributes, Engine()));
}

}  // namespace

ProductPointer MakeProduct(const Request& request) { return aclimb::onednn::Ask(request, &Make); }

}  // namespace aclimb::matmul::onednn
