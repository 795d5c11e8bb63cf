#pragma once

#include <cstdint>
#include <span>

#include "aclimb/core/dtype.h"
#include "aclimb/ops/attention/band.h"

namespace aclimb::attention {

// Rows of neighbours in memory, one for each batch, head and query or key. Strides are in elements,
// 0 where a row stands for many.
struct Rows {
  char* data = nullptr;
  DType dtype = DType::kUndefined;
  int64_t size = 0;  // bytes of an element
  int64_t batch = 0, head = 0, row = 0;
  const int64_t* starts = nullptr;  // the first row of each batch, where all are in one

  bool given() const { return data != nullptr; }
  char* At(int64_t b, int64_t h, int64_t r) const {
    if (starts != nullptr) r += starts[b];
    return data + (b * batch + h * head + r * row) * size;
  }
};

// out = dropped(softmax(masked(scale * query @ key^T + bias_factor * bias))) @ value, where several
// heads of queries in a row have one head of keys and values.
struct Problem {
  int64_t batch = 0, heads = 0, key_heads = 0;
  int64_t queries = 0, keys = 0;       // rows of a head
  int64_t width = 0, value_width = 0;  // elements of a row of query and key, and of value
  double scale = 1, bias_factor = 1;
  Band band;
  double keep = 1;  // the share of weights that dropout leaves
  // How many queries and keys of each batch there are; none: all. Results beyond are 0, or belong
  // to the next batch.
  std::span<const int64_t> query_counts = {}, key_counts = {};
  // Where batches of several lengths lie one after the other: their first queries, keys and
  // weights, the weights as dropout counts them.
  std::span<const int64_t> query_starts = {}, key_starts = {}, weight_starts = {};

  Rows query, key, value;
  Rows bias, mask;                // [batch, heads, queries, keys]; bytes that are not 0 mask
  const uint8_t* kept = nullptr;  // a bit for each weight, where keep is below 1

  int64_t Group() const { return heads / key_heads; }
  int64_t QueriesOf(int64_t b) const {
    return query_counts.empty() ? queries : query_counts[static_cast<size_t>(b)];
  }
  int64_t KeysOf(int64_t b) const {
    return key_counts.empty() ? keys : key_counts[static_cast<size_t>(b)];
  }
  // The keys that may take part for a query.
  Range KeysOf(int64_t b, int64_t query_number) const {
    return band.KeysOf(query_number, QueriesOf(b), KeysOf(b));
  }
  bool IsPacked() const { return !query_starts.empty(); }
  // The number of a query's statistics.
  int64_t PlaceOf(int64_t b, int64_t head, int64_t query_number) const {
    if (!IsPacked()) return (b * heads + head) * queries + query_number;
    return (query_starts[static_cast<size_t>(b)] + query_number) * heads + head;
  }
  int64_t WeightOf(int64_t b, int64_t head, int64_t query_number) const {
    if (!IsPacked()) return PlaceOf(b, head, query_number) * keys;
    return weight_starts[static_cast<size_t>(b)] + (head * QueriesOf(b) + query_number) * KeysOf(b);
  }
  double Work() const {
    return static_cast<double>(batch) * static_cast<double>(heads) * static_cast<double>(queries) *
           static_cast<double>(keys) * static_cast<double>(width + value_width);
  }
};

}  // namespace aclimb::attention
