// oneDNN called directly: a peer for the convolution, often faster than PyTorch's way to call it.
// Speaks the protocol of protocol.h.
//
// A run takes plain tensors (NCHW, OIHW) to plain tensors: reorders into and out of the layouts
// that oneDNN prefers are part of it, and gradOutput's is shared by the two gradients when both
// want the same. The variants are the layouts for gradInput and for gradWeight, or for the forward
// convolution: "blocked" is oneDNN's choice, "plain" the caller's. Its reference code is never a
// variant.

#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "bench/protocol.h"

namespace aclimb::bench {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;

// "3x3" -> {3, 3}
Dims DimsOf(const std::string& text) {
  Dims dims;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, 'x');) dims.push_back(std::stoll(part));
  return dims;
}

struct Shape {
  explicit Shape(const std::map<std::string, std::string>& values) {
    const auto number = [&](const char* key) { return std::stoll(values.at(key)); };
    const std::string dtype = values.at("dtype");
    if (dtype == "float32") {
      type = memory::data_type::f32;
    } else if (dtype == "bfloat16") {
      type = memory::data_type::bf16;
    } else {
      type = memory::data_type::f16;
    }
    transposed = number("transposed") != 0;
    groups = number("groups");
    const int64_t n = number("n"), cin = number("cin"), cout = number("cout");
    const Dims input = DimsOf(values.at("input")), output = DimsOf(values.at("output"));
    kernel = DimsOf(values.at("kernel"));
    stride = DimsOf(values.at("stride"));
    padding = DimsOf(values.at("padding"));
    dilation = DimsOf(values.at("dilation"));
    // The gradients that are wanted; a forward convolution has none.
    const auto found = values.find("mask");
    forward = found == values.end();
    const std::string mask = forward ? "000" : found->second;
    grad_input = mask[0] == '1';
    grad_weight = mask[1] == '1';
    grad_bias = mask[2] == '1';
    src = {n, cin};
    src.insert(src.end(), input.begin(), input.end());
    dst = {n, cout};
    dst.insert(dst.end(), output.begin(), output.end());
    weights = groups > 1 ? Dims{groups, cout / groups, cin / groups} : Dims{cout, cin};
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    bias = {cout};
    for (size_t i = 0; i < kernel.size(); ++i) {
      // oneDNN counts skipped elements, and wants the right padding that fits.
      const int64_t wide = transposed ? output[i] : input[i];
      const int64_t narrow = transposed ? input[i] : output[i];
      right.push_back((narrow - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 - wide -
                      padding[i]);
      dilation[i] -= 1;
    }
  }

  memory::data_type type;
  bool transposed, forward, grad_input, grad_weight, grad_bias;
  int64_t groups;
  Dims src, weights, dst, bias, kernel, stride, padding, right, dilation;
};

Tag PlainTag(size_t rank) {
  constexpr Tag kTags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde, Tag::abcdef};
  return kTags[rank - 1];
}

// A transposed convolution's weights are [Cin, Cout / groups, ...]: the same memory with the two
// swapped.
Tag PlainWeightTag(const Shape& shape) {
  const size_t rank = shape.weights.size();
  if (!shape.transposed) return PlainTag(rank);
  if (shape.groups > 1) {
    constexpr Tag kTags[] = {Tag::acbd, Tag::acbde, Tag::acbdef};
    return kTags[rank - 4];
  }
  constexpr Tag kTags[] = {Tag::bac, Tag::bacd, Tag::bacde};
  return kTags[rank - 3];
}

class Problem {
 public:
  explicit Problem(const std::map<std::string, std::string>& values) : shape_(values) {
    src_ = Make(Plain(shape_.src));
    weights_ = Make(PlainWeights());
    if (shape_.forward) {
      bias_ = Make(Plain(shape_.bias));
      dst_ = Make(Plain(shape_.dst));
      if (shape_.transposed) {
        AddForward<dnnl::deconvolution_forward>(dnnl::algorithm::deconvolution_direct);
      } else {
        AddForward<dnnl::convolution_forward>(dnnl::algorithm::convolution_direct);
      }
      return;
    }
    grad_ = Make(Plain(shape_.dst));
    if (shape_.grad_input) grad_input_ = Make(Plain(shape_.src));
    if (shape_.grad_weight) grad_weights_ = Make(PlainWeights());
    if (shape_.grad_bias) grad_bias_ = Make(Plain(shape_.bias));
    if (shape_.transposed) {
      AddAll<dnnl::deconvolution_forward, dnnl::deconvolution_backward_data,
             dnnl::deconvolution_backward_weights>(dnnl::algorithm::deconvolution_direct);
    } else {
      AddAll<dnnl::convolution_forward, dnnl::convolution_backward_data,
             dnnl::convolution_backward_weights>(dnnl::algorithm::convolution_direct);
    }
  }

  // Name -> one run.
  const std::map<std::string, std::function<void()>>& variants() const { return variants_; }

 private:
  struct Step {
    dnnl::primitive primitive;
    memory::desc grad;       // how it wants gradOutput
    int other_argument = 0;  // weights or input
    memory::desc other;
    int out_argument = 0;
    memory::desc out;
  };

  memory::desc Plain(const Dims& dims) const { return {dims, shape_.type, PlainTag(dims.size())}; }
  memory::desc PlainWeights() const {
    return {shape_.weights, shape_.type, PlainWeightTag(shape_)};
  }
  memory Make(const memory::desc& desc) const {
    memory made(desc, engine_);
    const size_t size = desc.get_size();
    // Small ordinary numbers in any of the dtypes.
    auto* const bytes = static_cast<unsigned char*>(made.get_data_handle());
    for (size_t i = 0; i < size; ++i) bytes[i] = i % 2 == 0 ? (i * 37) & 0xFF : 0x3C;
    return made;
  }

  template <class Forward>
  void AddForward(dnnl::algorithm algorithm) {
    for (const bool plain : {false, true}) {
      try {
        const typename Forward::primitive_desc descriptor(
            typename Forward::desc(
                dnnl::prop_kind::forward_inference, algorithm,
                plain ? Plain(shape_.src) : Any(shape_.src),
                plain && !shape_.transposed ? PlainWeights() : Any(shape_.weights),
                Plain(shape_.bias), plain ? Plain(shape_.dst) : Any(shape_.dst), shape_.stride,
                shape_.dilation, shape_.padding, shape_.right),
            engine_);
        RefuseReference(descriptor);
        std::vector<std::function<void()>> list, after;
        const Arguments arguments = {
            {DNNL_ARG_SRC, Converted(src_, descriptor.src_desc(), true, &list)},
            {DNNL_ARG_WEIGHTS, Converted(weights_, descriptor.weights_desc(), true, &list)},
            {DNNL_ARG_BIAS, bias_},
            {DNNL_ARG_DST, Converted(dst_, descriptor.dst_desc(), false, &after)}};
        list.push_back([this, primitive = Forward(descriptor), arguments] {
          primitive.execute(stream_, arguments);
        });
        list.insert(list.end(), after.begin(), after.end());
        variants_[plain ? "output~plain" : "output~blocked"] = RunOf(list);
      } catch (const dnnl::error&) {
        // oneDNN has no code for this layout and dtype.
      } catch (const std::domain_error&) {
        // Only its reference code.
      }
    }
  }

  template <class Forward, class BackwardData, class BackwardWeights>
  void AddAll(dnnl::algorithm algorithm) {
    for (const bool plain_input : {false, true}) {
      for (const bool plain_weight : {false, true}) {
        if (plain_input && !shape_.grad_input) continue;
        if (plain_weight && !shape_.grad_weight) continue;
        try {
          std::vector<std::shared_ptr<Step>> steps;
          if (shape_.grad_input) {
            steps.push_back(DataStep<Forward, BackwardData>(algorithm, plain_input));
          }
          if (shape_.grad_weight) {
            steps.push_back(WeightStep<Forward, BackwardWeights>(algorithm, plain_weight));
          }
          const std::string name = std::string("gradInput~") + (plain_input ? "plain" : "blocked") +
                                   ",~gradWeight~" + (plain_weight ? "plain" : "blocked");
          variants_[name] = RunOf(steps);
        } catch (const dnnl::error&) {
          // oneDNN has no code for this layout and dtype.
        } catch (const std::domain_error&) {
          // Only its reference code.
        }
      }
    }
  }

  template <class Forward>
  typename Forward::primitive_desc Hint(dnnl::algorithm algorithm) const {
    return typename Forward::primitive_desc(
        typename Forward::desc(dnnl::prop_kind::forward_training, algorithm, Any(shape_.src),
                               Any(shape_.weights), Any(shape_.dst), shape_.stride, shape_.dilation,
                               shape_.padding, shape_.right),
        engine_);
  }
  memory::desc Any(const Dims& dims) const { return {dims, shape_.type, Tag::any}; }
  template <class Descriptor>
  static void RefuseReference(const Descriptor& descriptor) {
    if (std::string(descriptor.impl_info_str()).find("ref") != std::string::npos) {
      throw std::domain_error("reference code");
    }
  }

  template <class Forward, class BackwardData>
  std::shared_ptr<Step> DataStep(dnnl::algorithm algorithm, bool plain) const {
    const typename BackwardData::primitive_desc descriptor(
        typename BackwardData::desc(
            algorithm, plain ? Plain(shape_.src) : Any(shape_.src),
            plain && !shape_.transposed ? PlainWeights() : Any(shape_.weights),
            plain ? Plain(shape_.dst) : Any(shape_.dst), shape_.stride, shape_.dilation,
            shape_.padding, shape_.right),
        engine_, Hint<Forward>(algorithm));
    RefuseReference(descriptor);
    return std::make_shared<Step>(Step{BackwardData(descriptor), descriptor.diff_dst_desc(),
                                       DNNL_ARG_WEIGHTS, descriptor.weights_desc(),
                                       DNNL_ARG_DIFF_SRC, descriptor.diff_src_desc()});
  }

  template <class Forward, class BackwardWeights>
  std::shared_ptr<Step> WeightStep(dnnl::algorithm algorithm, bool plain) const {
    const memory::desc src = plain ? Plain(shape_.src) : Any(shape_.src);
    const memory::desc weights = plain && !shape_.transposed ? PlainWeights() : Any(shape_.weights);
    const memory::desc dst = plain ? Plain(shape_.dst) : Any(shape_.dst);
    const auto make = [&] {
      if (shape_.grad_bias) {
        return typename BackwardWeights::desc(algorithm, src, weights, Plain(shape_.bias), dst,
                                              shape_.stride, shape_.dilation, shape_.padding,
                                              shape_.right);
      }
      return typename BackwardWeights::desc(algorithm, src, weights, dst, shape_.stride,
                                            shape_.dilation, shape_.padding, shape_.right);
    };
    const typename BackwardWeights::primitive_desc descriptor(make(), engine_,
                                                              Hint<Forward>(algorithm));
    RefuseReference(descriptor);
    return std::make_shared<Step>(Step{BackwardWeights(descriptor), descriptor.diff_dst_desc(),
                                       DNNL_ARG_SRC, descriptor.src_desc(), DNNL_ARG_DIFF_WEIGHTS,
                                       descriptor.diff_weights_desc()});
  }

  // `plain` itself when the layout is the caller's, else a buffer with a reorder added to `list`.
  memory Converted(const memory& plain, const memory::desc& wanted, bool into,
                   std::vector<std::function<void()>>* list) {
    if (plain.get_desc() == wanted) return plain;
    const memory buffer(wanted, engine_);
    const memory from = into ? plain : buffer;
    const memory to = into ? buffer : plain;
    const dnnl::reorder reorder(from, to);
    list->push_back([this, reorder, from, to] {
      Arguments arguments = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
      reorder.execute(stream_, arguments);
    });
    return buffer;
  }

  std::function<void()> RunOf(const std::vector<std::shared_ptr<Step>>& steps) {
    std::vector<std::function<void()>> list;
    std::vector<memory> grads;
    for (const auto& step : steps) {
      memory grad;
      for (const memory& made : grads) {
        if (made.get_desc() == step->grad) grad = made;
      }
      if (!grad) grad = Converted(grad_, step->grad, true, &list);
      grads.push_back(grad);
      const bool data = step->out_argument == DNNL_ARG_DIFF_SRC;
      Arguments arguments;
      arguments[DNNL_ARG_DIFF_DST] = grad;
      arguments[step->other_argument] = Converted(data ? weights_ : src_, step->other, true, &list);
      std::vector<std::function<void()>> after;
      arguments[step->out_argument] =
          Converted(data ? grad_input_ : grad_weights_, step->out, false, &after);
      if (!data && shape_.grad_bias) arguments[DNNL_ARG_DIFF_BIAS] = grad_bias_;
      list.push_back([this, step, arguments] { step->primitive.execute(stream_, arguments); });
      list.insert(list.end(), after.begin(), after.end());
    }
    return RunOf(list);
  }

  std::function<void()> RunOf(const std::vector<std::function<void()>>& list) {
    return [this, list] {
      for (const auto& each : list) each();
      stream_.wait();
    };
  }

  const Shape shape_;
  const dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  memory src_, weights_, bias_, dst_, grad_, grad_input_, grad_weights_, grad_bias_;
  std::map<std::string, std::function<void()>> variants_;
};

class Twin {
 public:
  JsonObject Info() const {
    const dnnl_version_t* const v = dnnl_version();
    const char* const threads = std::getenv("OMP_NUM_THREADS");
    return JsonObject()
        .Text("name", "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
                          std::to_string(v->patch))
        .Raw("threads",
             JsonObject().Text("OMP_NUM_THREADS", threads == nullptr ? "" : threads).str());
  }
  JsonObject Open(const Words& words) {
    problem_.reset();
    if (words.size() < 3 || (words[1] != "convolution_backward" && words[1] != "convolution")) {
      return JsonObject().Text("none", "convolution only");
    }
    problem_ = std::make_unique<Problem>(KeyValues(words, 3));
    if (problem_->variants().empty()) {
      problem_.reset();
      return JsonObject().Text("none", "oneDNN has no code for this on this processor");
    }
    std::vector<std::string> names;
    for (const auto& [name, run] : problem_->variants()) {
      run();
      names.push_back(JsonText(name));
    }
    return JsonObject().Raw("variants", JsonArray(names));
  }
  JsonObject Run(const Words& words) {
    if (problem_ == nullptr || words.size() < 3) throw std::runtime_error("run: nothing to run");
    return JsonObject().Raw(
        "ns", JsonNumbers(TimeBatches(std::stoll(words[1]), problem_->variants().at(words[2]))));
  }
  JsonObject Close() {
    problem_.reset();
    return JsonObject().Text("closed", "yes");
  }

 private:
  std::unique_ptr<Problem> problem_;
};

}  // namespace
}  // namespace aclimb::bench

int main() {
  using aclimb::bench::Words;
  aclimb::bench::Twin twin;
  return aclimb::bench::Serve({
      {"info", [&](const Words&) { return twin.Info(); }},
      {"open", [&](const Words& words) { return twin.Open(words); }},
      {"run", [&](const Words& words) { return twin.Run(words); }},
      {"close", [&](const Words&) { return twin.Close(); }},
  });
}
