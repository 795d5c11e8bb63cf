// aclnnIndex, aclnnIndexPutImpl and aclnnInplacePut: the C functions and the plans between them.

#include <algorithm>
#include <atomic>
#include <limits>

#include "aclimb/copy/stream.h"
#include "aclimb/copy/zeros.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/text.h"
#include "aclimb/executor/inspect.h"
#include "aclimb/executor/phase.h"
#include "aclimb/ops/indexing/contracts.h"
#include "aclimb/ops/indexing/entries.h"
#include "aclimb/ops/indexing/int64_index.h"
#include "aclimb/ops/indexing/places.h"
#include "aclimb/ops/indexing/update.h"
#include "aclimb/simd/cache.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/prefetch.h"

namespace aclimb::indexing {
namespace {

constexpr int64_t kGrain = 32 * 1024;
constexpr int64_t kAhead = 16;
constexpr int64_t kMostAheadBytes = 512;

// How many places elements may have, counted from the first one.
int64_t PlacesOf(const TensorView& self) {
  int64_t places = 1;
  for (int d = 0; d < self.rank; ++d) {
    int64_t span;
    // Strides of a call that is only planned are whatever the program says.
    if (__builtin_mul_overflow(self.shape[d] - 1, self.stride[d], &span) ||
        __builtin_add_overflow(places, span, &places)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return std::max<int64_t>(1, places);
}

void InspectList(const RunContext& run, const Inspector& inspector, const Selection& selection,
                 const char* self_name) {
  const TensorView self = run.View(0);
  for (const int d : selection.indexed()) {
    InspectRange(
        inspector, "check/data/index-range", Cat("indices[", d, "]").c_str(),
        run.View(1, static_cast<size_t>(d)),
        {.begin = -self.shape[d],
         .end = self.shape[d],
         .excepted = {},
         .because = Cat("dimension ", d, " of ", self_name, " has ", self.shape[d], " elements")});
  }
}

// ---- aclnnIndex

class IndexPlan final : public Plan {
 public:
  IndexPlan(const Arguments& arguments, Planner& planner)
      : selection_(SelectionOf(arguments)),
        size_(SizeOf(arguments.Tensor(Index::kSelf).dtype)),
        places_(arguments, planner, Index::kIndices, selection_,
                arguments.Tensor(Index::kSelf).View(), arguments.Tensor(Index::kOut).View()) {
    const TensorView from = RestOf(arguments.Tensor(Index::kSelf).View(), selection_);
    const TensorView to = RestOfSelected(arguments.Tensor(Index::kOut).View(), selection_);
    slices_ = Walk<2>::Make({&from, &to});
    planner.Reads(Index::kSelf);
    planner.Moves(Index::kSelf, {.read = arguments.Tensor(Index::kOut).ElementCount()});
    planner.Reads(Index::kIndices);
    planner.Writes(Index::kOut);
    planner.Costs(
        {.cycles = 6.0 * static_cast<double>(places_.count()) +
                   static_cast<double>(places_.count()) * static_cast<double>(slices_.count)});
  }

  void Run(const RunContext& run) const override {
    // Who copies whole slices finds their places on the way.
    if (slices_.count > kGrain && !places_.Find(run)) return;
    if (!CopyOfSize(run)) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectList(run, inspector, selection_, "self");
  }

 private:
  bool CopyOfSize(const RunContext& run) const {
    switch (size_) {
      case 1:
        return Copy<uint8_t>(run);
      case 2:
        return Copy<uint16_t>(run);
      case 4:
        return Copy<uint32_t>(run);
      default:
        return Copy<uint64_t>(run);
    }
  }

  // Slices of one element.
  template <typename T>
  static bool CopyElements(const T* self, const int64_t* from, T* out, const EntrySources to,
                           int64_t begin, int64_t end) {
    bool all_known = true;
    for (int64_t entry = begin; entry < end; ++entry) {
      if (from[entry] >= 0) [[likely]] {
        out[to.Of(entry)] = self[from[entry]];
      } else {
        out[to.Of(entry)] = T{0};
        all_known = false;
      }
    }
    return all_known;
  }

  // Slices of consecutive elements. That of a later entry is on its way to the cache meanwhile.
  template <typename T>
  bool CopySlices(const T* self, const int64_t* from, T* out, const EntrySources to, int64_t begin,
                  int64_t end, const copy::RowCopier& copier) const {
    const int64_t bytes = slices_.count * static_cast<int64_t>(sizeof(T));
    // The processor sees the rest of a longer one coming once it has begun.
    const int64_t ahead = std::min(slices_.count, kMostAheadBytes / int64_t{sizeof(T)});
    bool all_known = true;
    for (int64_t entry = begin; entry < end; ++entry) {
      if (entry + kAhead < end && from[entry + kAhead] >= 0) {
        PrefetchLines(self + from[entry + kAhead], ahead);
      }
      if (from[entry] >= 0) [[likely]] {
        copier.Copy(self + from[entry], bytes, out + to.Of(entry));
      } else {
        std::fill_n(out + to.Of(entry), slices_.count, T{0});
        all_known = false;
      }
    }
    return all_known;
  }

  // False if self does not have some of the elements.
  template <typename T>
  bool Copy(const RunContext& run) const {
    const T* const self = static_cast<const T*>(run.Data(Index::kSelf));
    T* const out = static_cast<T*>(run.Data(Index::kOut));
    const int64_t* const from = places_.InTensor(run);
    const EntrySources to = {places_.InView(run), places_.ViewStep()};
    const int inner = slices_.rank - 1;
    const int64_t from_step = slices_.stride[0][inner], to_step = slices_.stride[1][inner];
    const bool consecutive = slices_.InnerIsContiguous();
    const int64_t width = std::min(slices_.count, kGrain);
    const int64_t parts = CeilDivide(slices_.count, width);
    const int64_t all = places_.count() * slices_.count;
    const copy::RowCopier copier(all * int64_t{sizeof(T)} > CacheShareBytes());
    std::atomic<bool> unknown = false;
    ParallelFor(places_.count() * parts, kGrain / width, [&](int64_t begin, int64_t end) {
      bool all_known = true;
      if (parts == 1) places_.Find(run, begin, end);
      const bool whole = parts == 1 && consecutive && inner == 0;
      if (slices_.count == 1) {
        all_known = CopyElements(self, from, out, to, begin, end);
      } else if (whole) {
        all_known = CopySlices(self, from, out, to, begin, end, copier);
      }
      for (int64_t task = begin; slices_.count != 1 && !whole && task < end; ++task) {
        const int64_t entry = task / parts, first = task % parts * width;
        const int64_t place = from[entry];
        if (place < 0) all_known = false;
        slices_.Visit(first, std::min(slices_.count, first + width),
                      [&](const int64_t(&at)[2], int64_t n) {
                        T* const write = out + to.Of(entry) + at[1];
                        if (place < 0) {
                          for (int64_t i = 0; i < n; ++i) write[i * to_step] = 0;
                        } else if (consecutive) {
                          copier.Copy(self + place + at[0], n * int64_t{sizeof(T)}, write);
                        } else {
                          const T* const read = self + place + at[0];
                          for (int64_t i = 0; i < n; ++i) write[i * to_step] = read[i * from_step];
                        }
                      });
      }
      if (!all_known) unknown.store(true, std::memory_order_relaxed);
    });
    return !unknown.load(std::memory_order_relaxed);
  }

  const Selection selection_;
  const size_t size_;
  const Places places_;
  Walk<2> slices_;  // of self, of out
};

// Indices into a dimension without elements: all of them are wrong.
struct NothingPlan final : Plan {
  const Selection selection;
  const bool in_place;
  NothingPlan(const Arguments& arguments, bool is_put)
      : selection(SelectionOf(arguments)), in_place(is_put) {}

  void Run(const RunContext& run) const override {
    if (in_place || copy::FillWithZeros(run.View(Index::kOut))) FailInspected(*this, run);
  }
  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectList(run, inspector, selection, in_place ? "selfRef" : "self");
  }
};

Result<PlanPointer> PlanIndex(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(Index::kOut).IsEmpty()) return PlanPointer();
  if (arguments.Tensor(Index::kSelf).IsEmpty()) {
    planner.Reads(Index::kIndices);
    planner.Writes(Index::kOut);
    return PlanPointer(NewPlan<NothingPlan>(arguments, false));
  }
  return PlanPointer(NewPlan<IndexPlan>(arguments, planner));
}

// ---- aclnnIndexPutImpl

class IndexPutPlan final : public Plan {
 public:
  IndexPutPlan(const Arguments& arguments, Planner& planner)
      : selection_(SelectionOf(arguments)),
        values_(BroadcastTo(arguments.Tensor(IndexPut::kValues).View(),
                            ViewOfShape(selection_.shape()))),
        places_(arguments, planner, IndexPut::kIndices, selection_,
                arguments.Tensor(IndexPut::kSelf).View(), values_) {
    const TensorView to = RestOf(arguments.Tensor(IndexPut::kSelf).View(), selection_);
    const TensorView from = RestOfSelected(values_, selection_);
    TensorView shared = to;
    std::fill_n(shared.stride, shared.rank, 0);
    shape_ = {
        .dtype = to.dtype,
        .operation = arguments.Bool(IndexPut::kAccumulate) ? Operation::kAdd : Operation::kReplace,
        .count = places_.count(),
        .extent = PlacesOf(arguments.Tensor(IndexPut::kSelf).View()),
        .source_step = places_.ViewStep(),
        .lines = Walk<3>::Make({&to, &from, &shared})};
    shape_.places =
        arguments.Tensor(IndexPut::kSelf).ElementCount() / std::max<int64_t>(1, shape_.lines.count);
    const int64_t bytes = shape_.ScratchBytes();
    if (bytes != 0) scratch_ = planner.workspace().Book(bytes);
    planner.Reads(IndexPut::kIndices);
    planner.Reads(IndexPut::kValues);
    planner.Writes(IndexPut::kSelf);
    planner.Moves(IndexPut::kSelf, shape_.Moves());
    planner.Costs({.cycles = 20.0 * static_cast<double>(places_.count()) +
                             2.0 * static_cast<double>(places_.count()) *
                                 static_cast<double>(shape_.lines.count)});
  }

  void Run(const RunContext& run) const override {
    if (!places_.Find(run)) return;
    const bool all_known = Apply(shape_, {.out = run.Data(IndexPut::kSelf),
                                          .source = run.Data(IndexPut::kValues),
                                          .index = places_.InTensor(run),
                                          .sources = places_.InView(run),
                                          .scratch = run.Piece(scratch_)});
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectList(run, inspector, selection_, "selfRef");
  }

 private:
  const Selection selection_;
  const TensorView values_;
  const Places places_;
  UpdateShape shape_;
  WorkspacePiece scratch_;
};

Result<PlanPointer> PlanIndexPut(const Arguments& arguments, Planner& planner) {
  if (arguments.Tensor(IndexPut::kValues).IsEmpty()) return PlanPointer();
  const Selection selection = SelectionOf(arguments);
  const std::vector<int64_t>& shape = selection.shape();
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return PlanPointer();
  if (arguments.Tensor(IndexPut::kSelf).IsEmpty()) {
    planner.Reads(IndexPut::kIndices);
    return PlanPointer(NewPlan<NothingPlan>(arguments, true));
  }
  return PlanPointer(NewPlan<IndexPutPlan>(arguments, planner));
}

// ---- aclnnInplacePut

class PutPlan final : public Plan {
 public:
  PutPlan(const Arguments& arguments, Planner& planner) {
    using namespace inplace_put;  // NOLINT: the positions
    const TensorView self = arguments.Tensor(kSelf).View();
    const TensorView index = WithRank(arguments.Tensor(kIndex).View());
    source_ = WithRank(arguments.Tensor(kSource).View());
    self_ = self;
    count_ = index.ElementCount();
    extent_ = self.ElementCount();
    const TensorView order = DenseLike(index, nullptr), source_order = DenseLike(source_, nullptr);
    indices_ = Walk<2>::Make({&index, &order});
    sources_ = Walk<2>::Make({&source_, &source_order});
    places_ = planner.workspace().Book(count_, sizeof(int64_t));
    from_ = planner.workspace().Book(count_, sizeof(int64_t));
    TensorView one;
    shape_ = {.dtype = self.dtype,
              .operation = arguments.Bool(kAccumulate) ? Operation::kAdd : Operation::kReplace,
              .count = count_,
              .extent = PlacesOf(self),
              .places = extent_,
              .lines = Walk<3>::Make({&one, &one, &one})};
    const int64_t bytes = shape_.ScratchBytes();
    if (bytes != 0) scratch_ = planner.workspace().Book(bytes);
    planner.Reads(kIndex);
    planner.Reads(kSource);
    planner.Writes(kSelf);
    planner.Moves(kSelf, shape_.Moves());
    planner.Costs({.cycles = 20.0 * static_cast<double>(count_)});
  }

  void Run(const RunContext& run) const override {
    using namespace inplace_put;  // NOLINT: the positions
    auto* const places = run.Piece<int64_t>(places_);
    auto* const from = run.Piece<int64_t>(from_);
    const TensorView index = run.View(kIndex);
    const bool found = ParallelForAll(count_, kGrain, [&](int64_t begin, int64_t end) {
      const int64_t inner = indices_.stride[0][indices_.rank - 1];
      int64_t entry = begin;
      indices_.Visit(begin, end, [&](const int64_t(&at)[2], int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const int64_t k = index.dtype == DType::kInt64
                                ? index.As<const int64_t>()[at[0] + i * inner]
                                : index.As<const int32_t>()[at[0] + i * inner];
          places[entry++] = PlaceOf(k);
        }
      });
      const int64_t source_inner = sources_.stride[0][sources_.rank - 1];
      entry = begin;
      sources_.Visit(begin, end, [&](const int64_t(&at)[2], int64_t n) {
        for (int64_t i = 0; i < n; ++i) from[entry++] = at[0] + i * source_inner;
      });
    });
    if (!found) return;
    const bool all_known = Apply(shape_, {.out = run.Data(kSelf),
                                          .source = run.Data(kSource),
                                          .index = places,
                                          .sources = from,
                                          .scratch = run.Piece(scratch_)});
    if (!all_known) FailInspected(*this, run);
  }

  void Inspect(const RunContext& run, const Inspector& inspector) const override {
    InspectRange(inspector, "check/data/index-range", "index", run.View(inplace_put::kIndex),
                 {.begin = -extent_,
                  .end = extent_,
                  .excepted = {},
                  .because = Cat("selfRef has ", extent_, " elements")});
  }

 private:
  // Of the element with this number in row-major order.
  int64_t PlaceOf(int64_t k) const {
    if (k < 0 && k >= -extent_) k += extent_;
    if (static_cast<uint64_t>(k) >= static_cast<uint64_t>(extent_)) return Places::kNowhere;
    int64_t place = 0;
    for (int d = self_.rank - 1; d >= 0; --d) {
      place += k % self_.shape[d] * self_.stride[d];
      k /= self_.shape[d];
    }
    return place;
  }

  TensorView self_;
  TensorView source_;
  int64_t count_;
  int64_t extent_;
  Walk<2> indices_;
  Walk<2> sources_;
  UpdateShape shape_;
  WorkspacePiece places_;
  WorkspacePiece from_;
  WorkspacePiece scratch_;
};

Result<PlanPointer> PlanPut(const Arguments& arguments, Planner& planner) {
  using namespace inplace_put;  // NOLINT: the positions
  if (arguments.Tensor(kIndex).IsEmpty()) return PlanPointer();
  return PlanPointer(NewPlan<PutPlan>(arguments, planner));
}

constinit Operator index_operator(index::kContract, PlanIndex);
constinit Operator index_put_operator(index_put_impl::kContract, PlanIndexPut);
constinit Operator put_operator(inplace_put::kContract, PlanPut);

}  // namespace
}  // namespace aclimb::indexing

extern "C" aclnnStatus aclnnIndexGetWorkspaceSize(const aclTensor* self,
                                                  const aclTensorList* indices, aclTensor* out,
                                                  uint64_t* workspaceSize,
                                                  aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::index_operator, workspaceSize, executor, self, indices,
                        out);
}

extern "C" aclnnStatus aclnnIndex(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  const aclrtStream stream) {
  return aclimb::Phase2(aclimb::indexing::index_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnIndexPutImplGetWorkspaceSize(
    aclTensor* selfRef, const aclTensorList* indices, const aclTensor* values,
    const bool accumulate, const bool unsafe, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::index_put_operator, workspaceSize, executor, selfRef,
                        indices, values, accumulate, unsafe);
}

extern "C" aclnnStatus aclnnIndexPutImpl(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::indexing::index_put_operator, workspace, workspaceSize, executor,
                        stream);
}

extern "C" aclnnStatus aclnnInplacePutGetWorkspaceSize(aclTensor* selfRef, const aclTensor* index,
                                                       const aclTensor* source, bool accumulate,
                                                       uint64_t* workspaceSize,
                                                       aclOpExecutor** executor) {
  return aclimb::Phase1(aclimb::indexing::put_operator, workspaceSize, executor, selfRef, index,
                        source, accumulate);
}

extern "C" aclnnStatus aclnnInplacePut(void* workspace, uint64_t workspaceSize,
                                       aclOpExecutor* executor, aclrtStream stream) {
  return aclimb::Phase2(aclimb::indexing::put_operator, workspace, workspaceSize, executor, stream);
}
