// What the adapters of oneDNN share: no file but theirs includes it, or oneDNN's own headers.
// Written for version 2.6 of its interface. Descriptions may be asked for on any thread, inside
// parallel regions too. A run with several threads opens a team and belongs on an engine's thread.
#pragma once

#include <array>
#include <cstddef>
#include <dnnl.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aclimb/core/dtype.h"
#include "aclimb/core/fork.h"
#include "aclimb/core/quiet_thread.h"
#include "aclimb/onednn/instructions.h"
#include "aclimb/onednn/layout.h"
#include "aclimb/onednn/recent_answers.h"
#include "aclimb/simd/openmp_team.h"

#if DNNL_VERSION_MAJOR != 2
#error "The adapters are written for oneDNN 2.x: 3.x has no operation descriptors."
#endif

namespace aclimb::onednn {

using Dims = dnnl::memory::dims;
using DataType = dnnl::memory::data_type;

class Layout {
 public:
  explicit Layout(dnnl::memory::desc desc) : desc_(std::move(desc)) {}
  const dnnl::memory::desc& desc() const { return desc_; }

 private:
  dnnl::memory::desc desc_;
};

LayoutPointer Wrap(const dnnl::memory::desc& desc);
// Null when oneDNN cannot describe it: elements that share memory.
LayoutPointer Describe(Dims dims, Dims strides, DType dtype);

inline const dnnl::engine& Engine() {
  LimitInstructions();
  static const dnnl::engine* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

inline DataType TypeOf(DType dtype) {
  return dtype == DType::kBFloat16 ? DataType::bf16 : DataType::f32;
}

// Whether oneDNN will never do what it was asked; other errors may be gone the next time.
inline bool IsRefusal(const dnnl::error& error) {
  return error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments;
}

// What `make` gives, for a team of `threads`; null is what oneDNN cannot do. Throws std::bad_alloc
// when it has no memory.
template <typename Make>
auto MakeFor(int threads, Make&& make) -> decltype(make()) {
  const OpenMpSettings settings(threads);
  try {
    return make();
  } catch (const dnnl::error& refusal) {
    if (IsRefusal(refusal)) return nullptr;
    if (refusal.status == dnnl_out_of_memory) throw std::bad_alloc();
    throw;
  }
}

// oneDNN reads the size of its team from OpenMP's settings of the calling thread, when it describes
// a primitive and again when it runs one. Descriptions are made on a short-lived thread, so that a
// parallel region that the program may be in stays out of it, and so does the program's stack. For
// a team of one the calling thread will do where there is no other. Throws std::system_error when
// there is no thread to be had for a larger team.
template <typename Make>
auto OnOwnThread(int threads, Make&& make) {
  decltype(make()) made;
  std::exception_ptr error;
  const auto run = [&] {
    try {
      made = MakeFor(threads, make);
    } catch (...) {
      error = std::current_exception();
    }
  };
  try {
    QuietThread(run).Join();
  } catch (const std::system_error&) {
    if (threads > 1) throw;
    run();
  }
  if (error != nullptr) std::rethrow_exception(error);
  return made;
}

inline dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// Generated on the first run, since that takes milliseconds and belongs on the engine's thread.
class LazyPrimitive {
 public:
  template <typename Make>
  const dnnl::primitive& Get(Make&& make) const {
    std::call_once(once_, [&] {
      const ForkHold hold;
      try {
        primitive_ = make();
      } catch (const dnnl::error& error) {
        if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
        throw;
      }
    });
    return primitive_;
  }

 private:
  mutable std::once_flag once_;
  mutable dnnl::primitive primitive_;
};

// The streams and the memory objects of a primitive's runs. They are kept from run to run, because
// to make them oneDNN takes a dozen pieces of host memory, and clears the padding of blocked
// layouts, which its primitives write anyway. Thread-safe: as many are made as runs overlap.
class Execution {
 public:
  // What a memory object is to the primitive, and its layout.
  struct Operand {
    int role;
    dnnl::memory::desc desc;
  };
  static constexpr size_t kMost = 5;
  // For the runs of a large team.
  static constexpr size_t kMostKept = 64;

  explicit Execution(std::vector<Operand> operands) : operands_(std::move(operands)) {}

  // Addresses in the order of the operands.
  void Run(const dnnl::primitive& primitive, const std::array<void*, kMost>& addresses) const {
    std::unique_ptr<Objects> objects = Take();
    if (objects == nullptr) objects = std::make_unique<Objects>(operands_);
    objects->Run(primitive, operands_, addresses);
    Keep(std::move(objects));
  }

 private:
  struct Objects {
    dnnl::stream stream{Engine()};
    std::unordered_map<int, dnnl::memory> memory;

    explicit Objects(const std::vector<Operand>& operands) {
      for (const Operand& operand : operands) {
        memory.emplace(operand.role, dnnl::memory(operand.desc, Engine(), DNNL_MEMORY_NONE));
      }
    }
    void Run(const dnnl::primitive& primitive, const std::vector<Operand>& operands,
             const std::array<void*, kMost>& addresses) {
      for (size_t i = 0; i < operands.size(); ++i) {
        const dnnl::memory& object = memory.at(operands[i].role);
        if (object.get_data_handle() != addresses[i]) object.set_data_handle(addresses[i], stream);
      }
      primitive.execute(stream, memory);
      stream.wait();
    }
  };

  // A child of fork may find the lock taken for ever: it makes its own each time.
  std::unique_ptr<Objects> Take() const {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || kept_.empty()) return nullptr;
    std::unique_ptr<Objects> taken = std::move(kept_.back());
    kept_.pop_back();
    return taken;
  }
  void Keep(std::unique_ptr<Objects> objects) const {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock.owns_lock() && kept_.size() < kMostKept) kept_.push_back(std::move(objects));
  }

  const std::vector<Operand> operands_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Objects>> kept_;
};

// What make(question) gives, for a team of question.threads. Recent answers to questions of the
// type are kept in a bounded cache, refusals included. Throws std::bad_alloc when memory is short
// and std::system_error when no thread can be started; neither is remembered.
template <typename Answer, typename Question>
Answer Ask(const Question& question, Answer (*make)(const Question& question)) {
  // The layers of a large net, three tasks each. It leaks: engines may still run at exit.
  static auto* const cache = new RecentAnswers<Question, Answer>(256);
  return cache->Get(question,
                    [&] { return OnOwnThread(question.threads, [&] { return make(question); }); });
}

}  // namespace aclimb::onednn
