#include "aclimb/ops/norms/channel_parts.h"

namespace aclimb::norms {
namespace {

class GroupGradientSolver {
 public:
  explicit GroupGradientSolver(const GroupGradient& problem)
      : problem_(problem),
        spans_(rows::SpansInUse()),
        channels_(problem.planes.channels),
        each_(channels_ / problem.groups),
        parts_(problem.planes, /*by_plane=*/true),
        pairs_(static_cast<Pair*>(problem.scratch)),
        grad_(problem.grad, problem.grad_dtype),
        x_(problem.x, problem.x_dtype),
        out_(problem.out, problem.out_dtype, problem.planes.ElementCount(), RunOf(problem.planes)) {
  }

  bool Run() const {
    if (problem_.out != nullptr && IsNear()) return RunGroups();
    if (!AddProducts(
            parts_, channels_, grad_, x_,
            [&](int64_t part, int64_t c) {
              return problem_.mean + GroupOf(part / parts_.chunks(), c);
            },
            pairs_)) {
      return false;
    }
    if (!SumWeights()) return false;
    if (problem_.out == nullptr) return true;
    // From here on the first pair of a group is what its elements are mapped with.
    const bool all =
        ParallelForAll(problem_.planes.outer * problem_.groups,
                       GrainOf(8 * each_ * parts_.chunks()), [&](int64_t begin, int64_t end) {
                         for (int64_t group = begin; group < end; ++group) {
                           FirstPairOf(group) = TermsOf(group);
                         }
                       });
    if (!all) return false;
    return MapAll(
        problem_.planes, /*side_by_side=*/false, out_,
        [&](int64_t o, int64_t c, int64_t from, int64_t n, rows::Buffers<3>& buffers) {
          const int64_t group = GroupOf(o, c);
          Map(group, c, from, n, FirstPairOf(group), buffers);
        },
        [](int64_t, int64_t, int64_t, rows::Buffers<3>&) {});
  }

 private:
  int64_t GroupOf(int64_t outer, int64_t c) const { return outer * problem_.groups + c / each_; }
  Pair& PairOf(int64_t outer, int64_t chunk, int64_t c) const {
    return pairs_[(outer * parts_.chunks() + chunk) * channels_ + c];
  }
  double WeightOf(int64_t c) const {
    return problem_.weight != nullptr ? static_cast<double>(problem_.weight[c]) : 1;
  }
  int64_t FirstChannelOf(int64_t group) const { return group % problem_.groups * each_; }
  Pair& FirstPairOf(int64_t group) const {
    return PairOf(group / problem_.groups, 0, FirstChannelOf(group));
  }

  // Whether a group's gradient and x stay in a core's own cache between the two readings, and each
  // thread has a group.
  bool IsNear() const {
    constexpr int64_t kNearElements = 64 * 1024;
    return parts_.chunks() == 1 && each_ * problem_.planes.inner <= kNearElements &&
           problem_.planes.outer * problem_.groups >= TeamSize();
  }

  // Group by group.
  bool RunGroups() const {
    const bool all = ParallelForAll(
        problem_.planes.outer * problem_.groups, GrainOf(each_ * problem_.planes.inner),
        [&](int64_t begin, int64_t end) {
          rows::Buffers<3> buffers;
          for (int64_t group = begin; group < end; ++group) {
            const int64_t o = group / problem_.groups, first = FirstChannelOf(group);
            for (int64_t c = first; c < first + each_; ++c) {
              PairOf(o, 0, c) = ProductsOf(parts_, o, c, grad_, x_, problem_.mean[group], buffers);
            }
            const Pair terms = TermsOf(group);
            for (int64_t c = first; c < first + each_; ++c) {
              EachChunk(problem_.planes, o * channels_ + c,
                        [&](int64_t from, int64_t n) { Map(group, c, from, n, terms, buffers); });
            }
          }
          out_.Flush();
        });
    return all && SumWeights();
  }

  void Map(int64_t group, int64_t c, int64_t from, int64_t n, const Pair& terms,
           rows::Buffers<3>& buffers) const {
    const auto a = static_cast<float>(WeightOf(c) * static_cast<double>(problem_.rstd[group]));
    const auto b = static_cast<float>(terms.product);
    const auto rest = static_cast<float>(terms.sum);
    const auto [to, stream] = out_.Final(from, buffers.of[2]);
    spans_.gradient[kFlat](grad_.Load(from, n, buffers.of[0]), x_.Load(from, n, buffers.of[1]),
                           problem_.mean + group, &a, &b, &rest, n, to, stream);
    out_.Store(to, from, n);
  }

  // The gradients of weight and bias; and the sums of a plane's parts go to the first of them.
  bool SumWeights() const {
    return ParallelForAll(channels_, GrainOf(8 * parts_.count()), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        double bias = 0, weight = 0;
        // A sum of no elements is 0, whatever it is multiplied by.
        const int64_t outer = problem_.planes.inner == 0 ? 0 : problem_.planes.outer;
        for (int64_t o = 0; o < outer; ++o) {
          Pair& plane = PairOf(o, 0, c);
          for (int64_t chunk = 1; chunk < parts_.chunks(); ++chunk) {
            plane.sum += PairOf(o, chunk, c).sum;
            plane.product += PairOf(o, chunk, c).product;
          }
          bias += plane.sum;
          weight += plane.product * static_cast<double>(problem_.rstd[GroupOf(o, c)]);
        }
        if (problem_.bias_sums != nullptr) problem_.bias_sums[c] = static_cast<float>(bias);
        if (problem_.weight_sums != nullptr) {
          problem_.weight_sums[c] = static_cast<float>(weight);
        }
      }
    });
  }

  // What the elements of a group are mapped with, from the pairs of its planes.
  Pair TermsOf(int64_t group) const {
    const int64_t o = group / problem_.groups, first = FirstChannelOf(group);
    Pair total;
    for (int64_t c = first; c < first + each_; ++c) {
      total.sum += WeightOf(c) * PairOf(o, 0, c).sum;
      total.product += WeightOf(c) * PairOf(o, 0, c).product;
    }
    const double rstd = problem_.rstd[group];
    const auto count = static_cast<double>(each_ * problem_.planes.inner);
    return {-rstd * total.sum / count, -rstd * rstd * rstd * total.product / count};
  }

  const GroupGradient& problem_;
  const Spans& spans_;
  const int64_t channels_;
  const int64_t each_;  // channels of a group
  const Parts parts_;
  Pair* const pairs_;
  const Reader grad_;
  const Reader x_;
  const Writer out_;
};

}  // namespace

bool Solve(const GroupGradient& problem) { return GroupGradientSolver(problem).Run(); }

int64_t GroupScratch(const Planes& planes) {
  return planes.channels * Parts(planes, /*by_plane=*/true).count() *
         static_cast<int64_t>(sizeof(Pair));
}

}  // namespace aclimb::norms
