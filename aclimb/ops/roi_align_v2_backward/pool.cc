#include "aclimb/ops/roi_align_v2_backward/pool.h"

#include <algorithm>
#include <cmath>

#include "aclimb/copy/convert.h"
#include "aclimb/core/divide.h"
#include "aclimb/core/half.h"
#include "aclimb/simd/parallel.h"
#include "aclimb/simd/slots.h"

namespace aclimb::roi_align_v2_backward {
namespace {

// Regions with all their channels, or fewer of them, that a loop is cut into at least.
constexpr int64_t kPieces = 32;

// A pixel that a bin reads, and how much of it.
struct Sample {
  float weight;
  int32_t pixel;
};

// The largest tables that a slot holds.
struct SlotLayout {
  int64_t table = 0;    // floats
  int64_t samples = 0;  // of both axes
  int64_t begins = 0;
  int64_t row = 0;  // floats

  int64_t Bytes() const {
    const int64_t bytes = table * int64_t{sizeof(float)} + samples * int64_t{sizeof(Sample)} +
                          begins * int64_t{sizeof(int32_t)} + row * int64_t{sizeof(float)};
    // A further line: tables a power of two apart would fight for the same cache sets.
    return RoundUp(bytes, 64) + 64;
  }
};

SlotLayout LayoutOf(const TensorView& input, const TensorView& output) {
  // Where no region has pixels, extents may be anything.
  if (input.ElementCount() == 0) return {.row = output.shape[3]};
  const int64_t y = output.shape[2] * input.shape[2], x = output.shape[3] * input.shape[3];
  return {.table = std::max(y, x),
          .samples = y + x,
          .begins = output.shape[2] + output.shape[3] + 2,
          .row = 2 * input.shape[3] + output.shape[3]};
}

// Of one axis: the samples of bin b are [begin[b], begin[b + 1]), at pixels [first, last).
struct AxisSamples {
  const int32_t* begin;
  const Sample* samples;
  int64_t first = 0;
  int64_t last = 0;
};

template <typename T>
class Pooling {
 public:
  Pooling(const PoolArgs& args, char* scratch)
      : args_(args),
        has_images_(args.images.dtype != DType::kUndefined),
        widen_(args.input.dtype, DType::kFloat32) {
    const SlotLayout layout = LayoutOf(args.input, args.output);
    samples_ = reinterpret_cast<Sample*>(scratch);
    table_ = reinterpret_cast<float*>(samples_ + layout.samples);
    pooled_ = table_ + layout.table;
    if (layout.table == 0) return;
    sum_ = pooled_ + args.output.shape[3];
    wide_ = sum_ + args.input.shape[3];
    begins_ = reinterpret_cast<int32_t*>(wide_ + args.input.shape[3]);
  }

  // Channels [begin, end) of one region.
  void Run(int64_t region, int64_t begin, int64_t end) {
    const int64_t image = Image(region);
    if (image < 0) {
      std::fill_n(pooled_, args_.output.shape[3], 0.0f);
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t ph = 0; ph < args_.output.shape[2]; ++ph) Put(region, c, ph);
      }
      return;
    }
    Sample* at = samples_;
    const AxisSamples x = SamplesOf(region, has_images_ ? 0 : 1, 3, begins_, at);
    const AxisSamples y =
        SamplesOf(region, has_images_ ? 1 : 2, 2, begins_ + args_.output.shape[3] + 1, at);
    for (int64_t c = begin; c < end; ++c) {
      const T* const plane =
          args_.input.As<const T>() + image * args_.input.stride[0] + c * args_.input.stride[1];
      for (int64_t ph = 0; ph < args_.output.shape[2]; ++ph) {
        SumRows(plane, y, ph, x);
        for (int64_t pw = 0; pw < args_.output.shape[3]; ++pw) {
          float sum = 0;
          for (int32_t i = x.begin[pw]; i < x.begin[pw + 1]; ++i) {
            sum += x.samples[i].weight * sum_[x.samples[i].pixel];
          }
          pooled_[pw] = sum;
        }
        Put(region, c, ph);
      }
    }
  }

 private:
  float Box(int64_t region, int64_t column) const {
    return ToFloat(
        args_.boxes.As<const T>()[region * args_.boxes.stride[0] + column * args_.boxes.stride[1]]);
  }
  // -1 when there is no such image, or no pixel; NaN is none.
  int64_t Image(int64_t region) const {
    const float image =
        has_images_
            ? static_cast<float>(args_.images.As<const int32_t>()[region * args_.images.stride[0]])
            : std::floor(Box(region, 0));
    const bool known = image >= 0 && image < static_cast<float>(args_.input.shape[0]) &&
                       args_.input.ElementCount() > 0;
    return known ? static_cast<int64_t>(image) : -1;
  }

  // Of the axis whose edges stand in boxes at `column` and two further on. Takes from `at` what it
  // needs.
  AxisSamples SamplesOf(int64_t region, int64_t column, int dimension, int32_t* begin,
                        Sample*& at) {
    const int64_t bins = args_.output.shape[dimension], extent = args_.input.shape[dimension];
    const Axis axis = MakeAxis(Box(region, column), Box(region, column + 2), bins, args_.sampling);
    const AxisPart part = {
        .first_bin = 0, .bins = bins, .extent = extent, .begin = 0, .end = extent};
    const PixelRange range = FillAxisTable(axis, part, table_);
    AxisSamples result = {.begin = begin, .samples = at, .first = extent, .last = 0};
    int32_t count = 0;
    for (int64_t b = 0; b < bins; ++b) {
      begin[b] = count;
      for (int64_t i = 0; i < range.count; ++i) {
        const float weight = table_[i * bins + b];
        if (weight == 0) continue;
        const int64_t pixel = range.first + i;
        at[count++] = {weight, static_cast<int32_t>(pixel)};
        result.first = std::min(result.first, pixel);
        result.last = std::max(result.last, pixel + 1);
      }
    }
    begin[bins] = count;
    at += count;
    return result;
  }

  // The rows that a bin reads, weighted and added up, in sum_.
  void SumRows(const T* plane, const AxisSamples& y, int64_t ph, const AxisSamples& x) {
    const int64_t columns = x.last - x.first;
    if (columns <= 0) return;
    float* const sum = sum_ + x.first;
    std::fill_n(sum, columns, 0.0f);
    for (int32_t i = y.begin[ph]; i < y.begin[ph + 1]; ++i) {
      const float weight = y.samples[i].weight;
      const int64_t stride = args_.input.stride[3];
      const T* const from = plane + y.samples[i].pixel * args_.input.stride[2] + x.first * stride;
      const float* const row = Widened(from, stride, columns);
      for (int64_t k = 0; k < columns; ++k) sum[k] += weight * row[k];
    }
  }

  const float* Widened(const T* from, int64_t stride, int64_t count) {
    if (stride == 1) {
      if constexpr (std::is_same_v<T, float>) return from;
      widen_.Run(from, count, wide_);
    } else {
      for (int64_t k = 0; k < count; ++k) wide_[k] = ToFloat(from[k * stride]);
    }
    return wide_;
  }

  void Put(int64_t region, int64_t c, int64_t ph) {
    const TensorView& out = args_.output;
    T* const to = out.As<T>() + region * out.stride[0] + c * out.stride[1] + ph * out.stride[2];
    for (int64_t pw = 0; pw < out.shape[3]; ++pw)
      to[pw * out.stride[3]] = FromFloat<T>(pooled_[pw]);
  }

  const PoolArgs& args_;
  const bool has_images_;
  const copy::Converter widen_;
  Sample* samples_;
  float* table_;
  float* pooled_;          // a row of the output
  float* sum_ = nullptr;   // one for each column of the map
  float* wide_ = nullptr;  // a row in float32
  int32_t* begins_ = nullptr;
};

template <typename T>
void PoolTyped(const PoolArgs& args) {
  const int64_t regions = args.output.shape[0], channels = args.output.shape[1];
  const int64_t blocks = std::min(channels, CeilDivide(kPieces, regions));
  const int64_t length = CeilDivide(channels, blocks);
  const int64_t slot_bytes = PoolSlotBytes(args.input, args.output);
  Slots slots(args.slots);
  ParallelFor(regions * blocks, 1, [&](int64_t first, int64_t last) {
    const Slots::Lease lease(slots);
    Pooling<T> pooling(args, static_cast<char*>(args.scratch) + lease.number() * slot_bytes);
    for (int64_t piece = first; piece < last; ++piece) {
      const int64_t begin = piece % blocks * length;
      pooling.Run(piece / blocks, begin, std::min(channels, begin + length));
    }
  });
}

}  // namespace

int64_t PoolSlotBytes(const TensorView& input, const TensorView& output) {
  if (input.ElementCount() == 0) return LayoutOf(input, output).Bytes();
  // In double first, where nothing overflows.
  const double entries =
      static_cast<double>(output.shape[2]) * static_cast<double>(input.shape[2]) +
      static_cast<double>(output.shape[3]) * static_cast<double>(input.shape[3]);
  if (entries > 0x1p48) return -1;
  return LayoutOf(input, output).Bytes();
}

double PoolCycles(const TensorView& input, const TensorView& output) {
  // A region that covers the map reads all of it, for each of its channels.
  const double bins = static_cast<double>(output.ElementCount());
  const double maps = static_cast<double>(output.shape[0]) * static_cast<double>(output.shape[1]);
  const double pixels = static_cast<double>(input.shape[2]) * static_cast<double>(input.shape[3]);
  return 10 * bins + 0.1 * maps * pixels;
}

void Pool(const PoolArgs& args) {
  if (args.input.dtype == DType::kFloat16) {
    PoolTyped<Float16>(args);
  } else {
    PoolTyped<float>(args);
  }
}

}  // namespace aclimb::roi_align_v2_backward
