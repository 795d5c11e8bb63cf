#include "aclimb/onednn/reorder.h"

#include <memory>
#include <string_view>
#include <utility>

#include "aclimb/onednn/adapter.h"

namespace aclimb::onednn {
namespace {

class ReorderImplementation final : public Reorder {
 public:
  ReorderImplementation(dnnl::reorder::primitive_desc desc, int threads)
      : desc_(std::move(desc)),
        threads_(threads),
        scratch_bytes_(static_cast<int64_t>(desc_.scratchpad_desc().get_size())),
        execution_({{DNNL_ARG_FROM, desc_.src_desc()},
                    {DNNL_ARG_TO, desc_.dst_desc()},
                    {DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc()}}) {}

  int64_t ScratchBytes() const override { return scratch_bytes_; }

  void Run(const void* from, void* to, void* scratch) const override {
    const OpenMpScope scope(threads_);
    const dnnl::primitive& primitive = lazy_.Get([&] { return dnnl::reorder(desc_); });
    execution_.Run(primitive, {const_cast<void*>(from), to, scratch});
  }

 private:
  dnnl::reorder::primitive_desc desc_;
  int threads_;
  int64_t scratch_bytes_;
  LazyPrimitive lazy_;
  Execution execution_;
};

struct ReorderRequest {
  dnnl::memory::desc from, to;
  int threads;

  bool operator==(const ReorderRequest& other) const {
    return threads == other.threads && from == other.from && to == other.to;
  }
};

ReorderPointer Make(const ReorderRequest& request) {
  const dnnl::reorder::primitive_desc desc(Engine(), request.from, Engine(), request.to,
                                           UserScratchpad());
  const std::string_view name = desc.impl_info_str();
  if (name.find("jit") == std::string_view::npos) return nullptr;
  return std::make_shared<ReorderImplementation>(desc, request.threads);
}

}  // namespace

ReorderPointer MakeReorder(const LayoutPointer& from, const LayoutPointer& to, int threads) {
  return Ask(ReorderRequest{from->desc(), to->desc(), threads}, &Make);
}

}  // namespace aclimb::onednn
