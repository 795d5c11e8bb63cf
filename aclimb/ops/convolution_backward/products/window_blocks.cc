#include "aclimb/ops/convolution_backward/products/window_blocks.h"

#include "aclimb/ops/convolution_backward/taps.h"

namespace aclimb::convolution_backward {

int64_t MetLine(const Geometry& g, Task task, int64_t line, int64_t tap) {
  const int64_t height = (ReadsX(task) ? g.out : g.in)[1];
  const int64_t source_height = (ReadsX(task) ? g.in : g.out)[1];
  const int64_t depth = SourceAt(g, task, 0, line / height, tap / g.kernel[1]);
  const int64_t row = SourceAt(g, task, 1, line % height, tap % g.kernel[1]);
  return depth < 0 || row < 0 ? -1 : depth * source_height + row;
}

Part::Part(const VectorWindows& p, int64_t unit) {
  const int64_t across = CeilDivide(p.columns, p.unit_columns), blocks = p.Blocks();
  first_column = unit % across * p.unit_columns;
  block = unit / across % blocks;
  group = unit / across / blocks;
  columns = std::min(p.unit_columns, p.columns - first_column);
  width = RoundUp(columns, p.lanes);
}

int64_t PixelBlocks(const VectorWindows& p) {
  const Extents all = ResultOf(p);
  return CeilDivide(p.geometry.batch, p.images) * CeilDivide(all.lines, p.lines) *
         CeilDivide(all.width, p.width);
}

Block BlockAt(const VectorWindows& p, int64_t number) {
  const Extents all = ResultOf(p);
  const int64_t parts = CeilDivide(all.width, p.width), bands = CeilDivide(all.lines, p.lines);
  Block b;
  b.column = number % parts * p.width;
  b.width = std::min(p.width, all.width - b.column);
  b.line = number / parts % bands * p.lines;
  b.lines = std::min(p.lines, all.lines - b.line);
  b.image = number / parts / bands * p.images;
  b.images = std::min(p.images, p.geometry.batch - b.image);
  return b;
}

}  // namespace aclimb::convolution_backward
