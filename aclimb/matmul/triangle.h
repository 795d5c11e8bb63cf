#pragma once

#include <cstdint>
#include <span>

namespace aclimb::matmul {

// A square matrix in float32 of which one triangle counts. Elements of a row are neighbours, and
// rows are `row` elements apart.
struct Triangle {
  const float* matrix;
  int64_t row, rows;
  bool upper;
  bool unit_diagonal;  // the diagonal counts as ones
};

// Columns of the right sides, as PanelKernels::pack makes a panel of them: a term is a row.
struct SidePanel {
  float* panel;
  int64_t columns;
  // Where rows of the right sides are; null: in the panel.
  const float* from = nullptr;
  int64_t from_row = 0;
  // Where rows of the solutions go; null: nowhere else.
  float* to = nullptr;
  int64_t to_row = 0;
};

// Puts the solutions with their signs changed into the panels. These meet the rows of the triangle
// together; what is computed of one depends on no other.
//   zeros  for lower triangles, rows of the right sides that are -0, from the first on: some are
//          left out, which changes no solution; for upper ones 0
void SolveTriangle(const Triangle& triangle, int64_t zeros, std::span<const SidePanel> panels);

}  // namespace aclimb::matmul
