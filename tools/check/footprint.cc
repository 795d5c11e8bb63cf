#include "tools/check/footprint.h"

#include <algorithm>

namespace aclimb::check {
namespace {

struct Dimension {
  uint64_t count;
  uint64_t stride;  // bytes
};

// Whether a run [begin, end) meets a row of `rows`, which is exact.
bool MeetsRow(uint64_t begin, uint64_t end, const Footprint& rows) {
  if (end <= rows.begin || begin >= rows.end()) return false;
  if (rows.rows == 1) return true;
  if (begin < rows.begin + rows.row_bytes) return true;
  // The last row that starts before the end of the run.
  const uint64_t row = std::min((end - 1 - rows.begin) / rows.pitch, rows.rows - 1);
  return rows.begin + row * rows.pitch + rows.row_bytes > begin;
}

bool ContainsRun(const Footprint& dense, uint64_t begin, uint64_t bytes) {
  return dense.begin <= begin && begin + bytes <= dense.end();
}

Overlap OverlapOfHull(const Footprint& hull, const Footprint& other) {
  const uint64_t last = hull.end() - hull.element_bytes;
  if (other.exact) {
    if (MeetsRow(hull.begin, hull.begin + hull.element_bytes, other) ||
        MeetsRow(last, hull.end(), other)) {
      return Overlap::kYes;
    }
  } else if (hull.begin == other.begin || hull.end() == other.end()) {
    return Overlap::kYes;
  }
  return Overlap::kUnknown;
}

}  // namespace

Footprint RowsOf(const void* address, uint64_t row_bytes, uint64_t pitch, uint64_t rows) {
  Footprint made;
  made.begin = reinterpret_cast<uint64_t>(address);
  made.row_bytes = row_bytes;
  made.rows = rows;
  made.pitch = pitch;
  if (rows == 1 || pitch == row_bytes) {
    made.row_bytes = row_bytes * rows;
    made.rows = 1;
    made.pitch = 0;
  }
  return made;
}

Footprint FootprintOf(const AclimbAccess& access) {
  const auto element = static_cast<uint64_t>(access.element_bytes);
  std::vector<Dimension> dimensions;
  for (int i = 0; i < access.rank; ++i) {
    if (access.shape[i] == 0) return RowsOf(access.address, 0, 0, 1);
    if (access.shape[i] == 1 || access.strides[i] == 0) continue;
    dimensions.push_back({static_cast<uint64_t>(access.shape[i]),
                          static_cast<uint64_t>(access.strides[i]) * element});
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  uint64_t run = element;
  size_t next = 0;
  while (next < dimensions.size() && dimensions[next].stride <= run) {
    run = dimensions[next].stride * (dimensions[next].count - 1) + run;
    ++next;
  }
  // What is left are rows, when it is one regular sequence of them.
  Footprint made = RowsOf(access.address, run, 0, 1);
  made.element_bytes = element;
  uint64_t rows = 1;
  bool regular = true;
  uint64_t hull = run;
  for (size_t i = next; i < dimensions.size(); ++i) {
    hull += dimensions[i].stride * (dimensions[i].count - 1);
    if (i > next && dimensions[i].stride != dimensions[next].stride * rows) regular = false;
    rows *= dimensions[i].count;
  }
  if (next == dimensions.size()) return made;
  if (regular) {
    made.rows = rows;
    made.pitch = dimensions[next].stride;
  } else {
    made.row_bytes = hull;
    made.exact = false;
  }
  return made;
}

Overlap OverlapOf(const Footprint& a, const Footprint& b) {
  if (a.row_bytes == 0 || b.row_bytes == 0) return Overlap::kNo;
  if (a.end() <= b.begin || b.end() <= a.begin) return Overlap::kNo;
  if (!a.exact) return OverlapOfHull(a, b);
  if (!b.exact) return OverlapOfHull(b, a);
  if (a.rows == 1) return MeetsRow(a.begin, a.end(), b) ? Overlap::kYes : Overlap::kNo;
  if (b.rows == 1) return MeetsRow(b.begin, b.end(), a) ? Overlap::kYes : Overlap::kNo;
  const Footprint& few = a.rows <= b.rows ? a : b;
  const Footprint& many = a.rows <= b.rows ? b : a;
  constexpr uint64_t kMostRows = 1 << 16;
  if (few.rows > kMostRows) return Overlap::kUnknown;
  for (uint64_t row = 0; row < few.rows; ++row) {
    const uint64_t begin = few.begin + row * few.pitch;
    if (MeetsRow(begin, begin + few.row_bytes, many)) return Overlap::kYes;
  }
  return Overlap::kNo;
}

bool Covers(const Footprint& outer, const Footprint& inner) {
  if (outer.dense()) return ContainsRun(outer, inner.begin, inner.end() - inner.begin);
  return outer.exact && inner.exact && outer.begin == inner.begin && outer.pitch == inner.pitch &&
         outer.rows >= inner.rows && outer.row_bytes >= inner.row_bytes;
}

}  // namespace aclimb::check
