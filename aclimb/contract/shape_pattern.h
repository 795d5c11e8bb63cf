#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Shapes as data. A pattern is a list of dimensions with one space between them:
//   5            an extent of five
//   N  Cout      an extent with a name: equal wherever the name stands in the contract
//   numWeights   the value of an integer attribute (names of attributes begin in lower case)
//   S...         any number of dimensions: equal wherever the name stands, one at most in a pattern
//   sizes...     as many dimensions as the int array `sizes` has numbers, with these extents
//   *B           leads the pattern: any number of dimensions that broadcast against each other; in
//                an output they are the broadcast of those in the inputs
// "N C" is a matrix, "*B M K" a batch of matrices, "" a single element.
namespace aclimb::contract {

struct Dimension {
  enum class Kind : uint8_t { kNumber, kExtent, kAttribute, kRun, kArray, kBroadcast };

  Kind kind = Kind::kNumber;
  std::string_view name = {};
  int64_t number = 0;  // kNumber

  // Whether it stands for exactly one dimension.
  constexpr bool IsSingle() const {
    return kind == Kind::kNumber || kind == Kind::kExtent || kind == Kind::kAttribute;
  }
  // Whether the pattern alone tells neither how many dimensions it stands for nor where to ask.
  constexpr bool IsOpen() const { return kind == Kind::kRun || kind == Kind::kBroadcast; }
};

// The dimensions of a pattern, read from its text, which it refers to.
class ShapePattern {
 public:
  static constexpr size_t kMost = 8;

  constexpr explicit ShapePattern(std::string_view text) { well_formed_ = Read(text); }

  constexpr bool well_formed() const { return well_formed_; }
  constexpr size_t size() const { return size_; }
  constexpr const Dimension* begin() const { return dimensions_; }
  constexpr const Dimension* end() const { return dimensions_ + size_; }
  constexpr const Dimension& operator[](size_t i) const { return dimensions_[i]; }

  constexpr bool IsOpen() const {
    for (const Dimension& each : *this) {
      if (each.IsOpen()) return true;
    }
    return false;
  }
  constexpr bool Broadcasts() const {
    return size_ > 0 && dimensions_[0].kind == Dimension::Kind::kBroadcast;
  }

  constexpr int MinRank() const {
    int rank = 0;
    for (const Dimension& each : *this) rank += each.IsSingle() ? 1 : 0;
    return rank;
  }
  constexpr int MaxRank() const {
    return MinRank() == static_cast<int>(size_) ? MinRank() : static_cast<int>(kMost);
  }

 private:
  static constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
  static constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

  static constexpr bool IsName(std::string_view text) {
    if (text.empty() || !(IsUpper(text[0]) || IsLower(text[0]))) return false;
    for (char c : text) {
      if (!IsUpper(c) && !IsLower(c) && !IsDigit(c)) return false;
    }
    return true;
  }

  // Extents above a million stand in no document.
  static constexpr bool ReadNumber(std::string_view text, int64_t& number) {
    if (text.size() > 6 || (text.size() > 1 && text[0] == '0')) return false;
    for (char c : text) {
      if (!IsDigit(c)) return false;
      number = number * 10 + (c - '0');
    }
    return true;
  }

  static constexpr bool ReadDimension(std::string_view text, Dimension& out) {
    if (text.empty()) return false;
    if (IsDigit(text[0])) return ReadNumber(text, out.number);
    const bool leads = text[0] == '*';
    if (leads) text.remove_prefix(1);
    const bool repeats = !leads && text.ends_with("...");
    if (repeats) text.remove_suffix(3);
    if (!IsName(text) || (leads && IsLower(text[0]))) return false;
    const bool attribute = IsLower(text[0]);
    out.name = text;
    out.kind = leads     ? Dimension::Kind::kBroadcast
               : repeats ? (attribute ? Dimension::Kind::kArray : Dimension::Kind::kRun)
                         : (attribute ? Dimension::Kind::kAttribute : Dimension::Kind::kExtent);
    return true;
  }

  constexpr bool Read(std::string_view text) {
    bool open = false;
    while (!text.empty()) {
      const size_t space = text.find(' ');
      if (space + 1 == text.size() || size_ == kMost) return false;
      Dimension& dimension = dimensions_[size_];
      if (!ReadDimension(text.substr(0, space), dimension)) return false;
      if (dimension.kind == Dimension::Kind::kBroadcast && size_ > 0) return false;
      if (dimension.IsOpen() && open) return false;
      open = open || dimension.IsOpen();
      ++size_;
      text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    }
    return true;
  }

  Dimension dimensions_[kMost];
  size_t size_ = 0;
  bool well_formed_ = false;
};

constexpr bool IsShapePattern(std::string_view text) { return ShapePattern(text).well_formed(); }

// As messages and pages show it: "[N, C]", "[*B, M, K]", "[]"; and one entry, "*B".
std::string PatternText(const ShapePattern& pattern);
std::string EntryText(const Dimension& dimension);

}  // namespace aclimb::contract
