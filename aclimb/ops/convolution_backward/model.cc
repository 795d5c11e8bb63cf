// What each way takes by a model: pieces of work, counted from the geometry and from the plans of
// our own kernels, times what one takes on this class of processor.

#include <algorithm>
#include <iterator>

#include "aclimb/core/divide.h"
#include "aclimb/ops/convolution_backward/direct/direct.h"
#include "aclimb/ops/convolution_backward/machine.h"
#include "aclimb/ops/convolution_backward/products/vector_windows.h"
#include "aclimb/ops/convolution_backward/ways.h"

namespace aclimb::convolution_backward {
namespace {

// What takes about as long on every class that was measured, in nanoseconds. Elements of x or y
// are meant where nothing else is said.
constexpr double kBlockFar = 0.142;          // more in blocks, where both leave the near cache
constexpr double kBlockConverts = 0.242;     // an operand of another dtype, copied before
constexpr double kColumn = 0.7;              // a sum of a column of windows, added to the others
constexpr double kLast = 0.124;              // brought to channels last
constexpr double kLastConverts = 0.0361;     // more where the dtype changes
constexpr double kWeight = 0.156;            // an element of the weight, brought to a layout
constexpr double kProductConverts = 0.0495;  // an operand of another dtype
constexpr double kFewRows = 0.11;            // an element of a row of fewer than a vector's rows
constexpr double kUnfolded = 0.511;          // an element of the windows that a product unfolds
constexpr double kUnfoldedWeight = 0.745;
constexpr double kWindowsPack = 0.0804;  // an element of a window that is packed
constexpr double kDirectTile1 = 0.0279;  // a multiplication in tiles of one channel
constexpr double kDirectTile2 = 0.0123;  // in tiles of two, and of three, which take as long
constexpr double kDirectUnit = 539;      // a unit of work
constexpr double kDirectWeight = 3.86;   // an element of the weight that is packed
constexpr double kDirectResult = 0.194;  // an element of the result
constexpr double kDirectStep = 0.0529;   // an element of x that strides take apart
constexpr double kDirectX = 0.175;       // an element of x that is packed for the weight
constexpr double kDirectFarX = 0.595;    // more where windows step over two elements and more
constexpr double kDirectY = 0.0742;      // an element of y that is packed for the weight
constexpr double kDirectSum = 1.24;      // a partial sum of a weight
// Thousands of elements of x and y from which on they are no longer near.
constexpr double kNear = 512;

// By how much more it is when it is filled up to whole blocks.
double Padded(double count, double block) {
  return static_cast<double>(CeilDivide(static_cast<int64_t>(count), static_cast<int64_t>(block))) *
         block / count;
}

// A gradient as the model sees it. Elements and multiplications in thousands, so that times are
// microseconds.
class Model {
 public:
  explicit Model(const Job& job)
      : g_(job.geometry),
        task_(job.task),
        m_(MachineOf(job.products)),
        is_short_(job.products == Products::kFloat32Short),
        pairs_(job.products >= Products::kBFloat16Dots),
        halves_(job.products >= Products::kBFloat16),
        converts_(job.converts),
        gives_weight_(task_ == Task::kGradWeight),
        strided_(IsStrided(g_)),
        x_(static_cast<double>(g_.x_channels)),
        y_(static_cast<double>(g_.y_channels)),
        groups_(static_cast<double>(g_.groups)),
        images_(static_cast<double>(g_.batch)),
        taps_(static_cast<double>(g_.KernelSize())),
        out_(static_cast<double>(g_.OutSize())),
        all_(images_ * groups_ * x_ * y_ * taps_ * out_ / 1000),
        live_(FlopsOf(g_) / 2000),
        of_x_(images_ * groups_ * x_ * static_cast<double>(g_.InSize()) / 1000),
        of_y_(images_ * groups_ * y_ * out_ / 1000),
        of_weight_(groups_ * x_ * y_ * taps_ / 1000),
        unfolded_(images_ * groups_ * x_ * taps_ * out_ / 1000),
        far_((of_x_ + of_y_) * std::max(0.0, 1 - kNear / (of_x_ + of_y_))) {}

  // oneDNN's direct kernels.
  double Blocked() const {
    const double lanes = m_.lanes;
    const bool whole = g_.x_channels % 16 == 0 && g_.y_channels % 16 == 0;
    const double block = g_.groups == 1 || whole ? lanes : 8;
    const double pad_x = Padded(x_, block), pad_y = Padded(y_, block);
    // Few channels of x are read where they are; so is any number for the gradient of the weight,
    // but short vectors are filled, and kernels of short vectors take fewer than sixteen channels.
    const bool few = !IsOfPixels() && g_.groups == 1 && (g_.x_channels == 1 || g_.x_channels == 3);
    double padding = pad_y;
    if (IsOfPixels() || task_ == Task::kGradX) {
      padding *= pad_x;
    } else if (gives_weight_ && !few && (is_short_ || (g_.x_channels < 16 && !halves_))) {
      padding = Padded(x_, 8) * Padded(y_, 8);
    }
    double time = Library(padding);
    time += (of_x_ + of_y_) * m_.block + far_ * kBlockFar;
    const auto tail = [&](double channels) { return Padded(groups_ * channels, lanes) > 1; };
    if (tail(x_) && !few) time += of_x_ * m_.block_tail;
    if (tail(y_)) time += of_y_ * m_.block_tail;
    const bool filled = Padded(x_, lanes) > 1 || Padded(y_, lanes) > 1;
    time += of_weight_ * (Weight() + (filled ? kWeight : 0));
    // Operands of another dtype are copied twice.
    if (converts_) time += (gives_weight_ ? of_x_ + of_y_ : OfSource()) * kBlockConverts;
    return time;
  }

  // The same work for columns of windows by themselves; each has sums of its own, which are added.
  double Columns() const {
    return Blocked() + static_cast<double>(g_.kernel[2]) * OfResult() * kColumn;
  }

  double ChannelsLast() const {
    double time = Library(task_ == Task::kGradX ? Padded(x_, m_.lanes) : Padded(y_, m_.lanes));
    time += (of_x_ + of_y_) * (kLast + (converts_ ? kLastConverts : 0)) + far_ * m_.last_far;
    return time + of_weight_ * Weight();
  }

  // oneDNN's product of matrices, image by image: rows are pixels, or taps of channels of x.
  double Plain() const {
    double time = 0;
    if (gives_weight_) {
      const double rows = x_ * taps_;
      time += all_ * m_.product_weight * (2 + (rows > 1 ? Padded(rows, 16) : 1)) / 3;
      // Fewer rows than a vector has go one by one.
      if (rows > 1 && rows < 16) time += all_ / rows * kFewRows;
    } else {
      const double columns = task_ == Task::kForward ? y_ : x_ * taps_;
      const double panels =
          (out_ > 1 ? Padded(out_, 16) : 1) * Padded(columns, 8) + Padded(out_, 3 * m_.lanes);
      time += all_ * m_.product * (1 + panels) / 3;
    }
    if (!g_.IsOneToOne()) time += unfolded_ * (gives_weight_ ? kUnfoldedWeight : kUnfolded);
    return time + (of_x_ + of_y_) * (m_.product_operand + (converts_ ? kProductConverts : 0));
  }

  // Our windows on vectors.
  double Windows() const {
    const VectorWindows plan =
        PlanVectorWindows(g_, 1, pairs_ ? Factors::kPairs : Factors::kFloat32);
    const bool one = g_.IsOneToOne();
    const double rows = static_cast<double>(plan.geometry.x_channels);
    const double columns = static_cast<double>(plan.geometry.y_channels);
    const double filled = Padded(rows, 8) * Padded(columns, m_.lanes);
    const bool single = columns <= m_.lanes;
    double time = live_ * filled * (m_.windows_weight + (single ? m_.windows_single : 0)) +
                  static_cast<double>(plan.Blocks()) * of_weight_ * filled * m_.sum;
    // Rows of x are packed for each tap, unless they are long and read where they are.
    const double column_blocks =
        static_cast<double>(CeilDivide(plan.geometry.y_channels, int64_t{512}));
    const auto width = plan.geometry.out[2];
    const bool in_place =
        width >= 24 && plan.geometry.stride[2] == 1 && !converts_ && (!halves_ || one);
    if (!in_place) {
      const double lines = static_cast<double>(plan.geometry.out[0] * plan.geometry.out[1] *
                                               CeilDivide(width, plan.width));
      time += images_ * groups_ * rows * taps_ * lines / 1000 * column_blocks * m_.line +
              unfolded_ * Padded(rows, 8) * column_blocks * kWindowsPack;
    }
    return time;
  }

  // Our sums over flat planes.
  double Direct() const {
    const DirectPlan plan = PlanDirect(g_, task_, 1, pairs_ ? Factors::kPairs : Factors::kFloat32);
    const double blocks =
        static_cast<double>(plan.image_blocks) * static_cast<double>(plan.flat.blocks);
    const double length = blocks * static_cast<double>(plan.flat.Length()) / 1000;
    const double planes = blocks * groups_ * static_cast<double>(plan.flat.Extent()) / 1000;
    const double phases = static_cast<double>(plan.flat.Phases());
    const bool far_stride = strided_ && g_.stride[2] > 2;
    const double units = static_cast<double>(plan.units) / 1000 * kDirectUnit;
    if (gives_weight_) {
      const double x_planes = planes * x_ * phases * static_cast<double>(plan.outer.y_blocks);
      return length * groups_ * x_ * y_ * taps_ * m_.direct_weight +
             x_planes * (kDirectX + (far_stride ? kDirectFarX : 0)) +
             planes * y_ * static_cast<double>(plan.outer.x_blocks) * kDirectY +
             of_weight_ * static_cast<double>(plan.outer.step_blocks + 3) * kDirectSum + units;
    }
    const auto& taps = plan.taps;
    const double outputs = static_cast<double>(CeilDivide(ResultChannels(g_, task_), taps.tile));
    const double of_tile[] = {0, kDirectTile1, kDirectTile2, kDirectTile2, m_.direct};
    const double sources = static_cast<double>(SourceChannels(g_, task_)) *
                           (task_ == Task::kForward ? phases : 1) *
                           static_cast<double>(std::max(taps.tile_blocks, int64_t{1}));
    double time = length * groups_ * static_cast<double>(taps.sources * taps.tile) * outputs *
                      taps_ * of_tile[taps.tile] +
                  planes * sources * m_.plane + OfResult() * kDirectResult +
                  of_weight_ * kDirectWeight + units;
    if (strided_) time += of_x_ * kDirectStep;
    return time;
  }

 private:
  static bool IsStrided(const Geometry& g) {
    for (int d = 0; d < kDims; ++d) {
      if (g.stride[d] > 1 && g.out[d] > 1) return true;
    }
    return false;
  }
  bool IsDepthwise() const { return g_.groups > 1 && g_.x_channels == 1 && g_.y_channels == 1; }
  // Windows of one element, for which oneDNN has kernels of their own.
  bool IsOfPixels() const {
    if (g_.groups > 1 || g_.KernelSize() > 1 || g_.HasPadding()) return false;
    for (int d = 0; d < kDims; ++d) {
      if (g_.in[d] != g_.out[d] * g_.stride[d]) return false;
    }
    return true;
  }
  double OfSource() const { return task_ == Task::kForward ? of_x_ : of_y_; }
  double OfResult() const { return task_ == Task::kForward ? of_y_ : of_x_; }

  // To bring an element of the weight to a layout, or from it.
  double Weight() const { return kWeight * (gives_weight_ ? 2 : 1); }
  double Library(double padding) const {
    double each = m_.library;
    if (gives_weight_) each += m_.library_weight;
    // A vector of channels for each tap is all that there is to multiply.
    if (IsDepthwise()) return live_ * Padded(groups_, m_.lanes) * (each + m_.library);
    if (gives_weight_) each += m_.library_line / static_cast<double>(g_.out[2]);
    return live_ * padding * each;
  }

  const Geometry& g_;
  const Task task_;
  const Machine& m_;
  const bool is_short_, pairs_, halves_, converts_, gives_weight_, strided_;
  const double x_, y_, groups_, images_, taps_, out_;
  const double all_, live_;               // multiplications, and those that meet no padding
  const double of_x_, of_y_, of_weight_;  // elements
  const double unfolded_;                 // of windows
  const double far_;                      // elements of x and y that are not near
};

}  // namespace

double ModelOf(const Job& job, Way way) {
  // In the order of Way.
  constexpr double (Model::*kOf[])()
      const = {&Model::Direct, &Model::Windows,      &Model::Blocked,
               &Model::Plain,  &Model::ChannelsLast, &Model::Columns};
  static_assert(std::size(kOf) == static_cast<size_t>(Way::kOnePass));
  // One pass leads wherever it fits.
  return way == Way::kOnePass ? 0 : (Model(job).*kOf[static_cast<int>(way)])();
}

}  // namespace aclimb::convolution_backward
