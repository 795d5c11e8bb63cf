#include "aclimb/contract/shapes.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclimb/contract/broadcast.h"
#include "aclimb/contract/given.h"
#include "aclimb/contract/violation.h"
#include "aclimb/core/text.h"

namespace aclimb::contract {
namespace {

using Extents = std::span<const int64_t>;

std::string TextOf(Extents extents) { return ShapeText(extents.data(), extents.size()); }

// A tensor, an element of a list, or the numbers of an int array.
struct Subject {
  int parameter;
  int element;  // -1 of what is no list
  Extents extents;

  bool operator==(const Subject& other) const {
    return parameter == other.parameter && element == other.element;
  }
};

// What a name of a pattern stands for in this call. Filled as far as it is used: a call has a few
// names, and there is room for many.
struct Named {
  static constexpr size_t kMostSources = 4;

  std::string_view name;
  int64_t extents[ShapePattern::kMost];
  size_t count;
  // Who said so; a broadcast comes from several.
  int parameters[kMostSources];
  int elements[kMostSources];
  size_t sources;

  Extents value() const { return {extents, count}; }
  void AddSource(const Subject& subject) {
    if (sources == kMostSources) return;
    parameters[sources] = subject.parameter;
    elements[sources++] = subject.element;
  }
};

class Shapes {
 public:
  Shapes(const Contract& contract, const Arguments& arguments)
      : contract_(contract), arguments_(arguments) {}

  Status Check() {
    // An output may precede the inputs that its broadcast comes from.
    for (const bool known : {false, true}) {
      broadcasts_known_ = known;
      if (known && !any_broadcast_) break;
      for (size_t i = 0; i < contract_.parameters.size(); ++i) {
        Status status = CheckParameter(static_cast<int>(i));
        if (!status.ok()) return status;
      }
    }
    return Ok();
  }

 private:
  Status CheckParameter(int index) {
    const Parameter& parameter = contract_.At(index);
    if (!parameter.HasShape() || (broadcasts_known_ && !IsWritten(parameter.role))) return Ok();
    const ShapePattern pattern = parameter.Shape();
    if (broadcasts_known_ && !pattern.Broadcasts()) return Ok();
    any_broadcast_ = any_broadcast_ || pattern.Broadcasts();
    if (parameter.kind == Kind::kIntArray) {
      if (!arguments_.Given(index)) return Ok();
      return Match(pattern, {index, -1, arguments_.Ints(index)});
    }
    for (size_t e = 0; e < TensorCount(contract_, arguments_, index); ++e) {
      const GivenTensor given = TensorAt(contract_, arguments_, index, e);
      if (!given) continue;
      Status status = Match(pattern, {index, given.element, given->shape});
      if (!status.ok()) return status;
    }
    return Ok();
  }

  Status Match(const ShapePattern& pattern, const Subject& subject) {
    size_t told = 0;  // dimensions, but for those of an open entry
    for (const Dimension& each : pattern) {
      if (!each.IsOpen()) told += LengthOf(each);
    }
    const size_t rank = subject.extents.size();
    if (rank > ShapePattern::kMost || rank < told || (rank > told && !pattern.IsOpen())) {
      return RefuseShape(pattern, subject, ~uint32_t{0});
    }
    uint32_t wrong = 0;  // a bit for each entry
    const int64_t* at = subject.extents.data();
    for (size_t i = 0; i < pattern.size(); ++i) {
      const size_t length = pattern[i].IsOpen() ? rank - told : LengthOf(pattern[i]);
      if (!Holds(pattern[i], {at, length}, subject)) wrong |= uint32_t{1} << i;
      at += length;
    }
    return wrong == 0 ? Ok() : RefuseShape(pattern, subject, wrong);
  }

  // Of an entry that is not open.
  size_t LengthOf(const Dimension& dimension) const {
    if (dimension.kind != Dimension::Kind::kArray) return 1;
    const IntArrayValue* const values = arguments_.IntsOrNull(contract_.IndexOf(dimension.name));
    return values == nullptr ? 0 : values->size();
  }

  bool Holds(const Dimension& dimension, Extents extents, const Subject& subject) {
    switch (dimension.kind) {
      case Dimension::Kind::kNumber:
        return extents[0] == dimension.number;
      case Dimension::Kind::kAttribute:
        return extents[0] == arguments_.Integer(contract_.IndexOf(dimension.name));
      case Dimension::Kind::kArray: {
        const auto* const values = arguments_.IntsOrNull(contract_.IndexOf(dimension.name));
        return values == nullptr || std::ranges::equal(extents, *values);
      }
      case Dimension::Kind::kExtent:
      case Dimension::Kind::kRun: {
        Named* const known = Find(dimension.name);
        if (known != nullptr) return std::ranges::equal(known->value(), extents);
        Bind(dimension.name, extents, subject);
        return true;
      }
      case Dimension::Kind::kBroadcast:
        return HoldsBroadcast(dimension, extents, subject);
    }
    return true;
  }

  bool HoldsBroadcast(const Dimension& dimension, Extents extents, const Subject& subject) {
    Named* const known = Find(dimension.name);
    if (broadcasts_known_) return known == nullptr || std::ranges::equal(known->value(), extents);
    if (contract_.At(subject.parameter).role == Role::kOutput) return true;
    if (known == nullptr) {
      Bind(dimension.name, extents, subject);
      return true;
    }
    known->AddSource(subject);
    const Named before = *known;
    if (BroadcastInto(extents, known->extents, known->count)) return true;
    *known = before;
    return false;
  }

  Named* Find(std::string_view name) {
    for (size_t i = 0; i < count_; ++i) {
      if (named_[i].name == name) return &named_[i];
    }
    return nullptr;
  }

  void Bind(std::string_view name, Extents extents, const Subject& subject) {
    Named& made = named_[count_++];
    made.name = name;
    made.count = extents.size();
    std::copy(extents.begin(), extents.end(), made.extents);
    made.sources = 0;
    made.AddSource(subject);
  }

  // ---- The text of a refusal

  std::string Told(const Subject& subject) const {
    const char* const of = contract_.At(subject.parameter).kind == Kind::kIntArray ? "" : ".shape";
    return Cat(NameOf(contract_, subject.parameter, subject.element), of, " is ",
               TextOf(subject.extents));
  }

  Subject Given(int parameter, int element) const {
    if (contract_.At(parameter).kind == Kind::kIntArray) {
      return {parameter, element, arguments_.Ints(parameter)};
    }
    const auto at = static_cast<size_t>(std::max(element, 0));
    return {parameter, element, TensorAt(contract_, arguments_, parameter, at)->shape};
  }

  // What tells the extents of an entry, except the subject itself.
  std::vector<std::string> SourcesOf(const Dimension& dimension, const Subject& subject) {
    if (dimension.kind == Dimension::Kind::kNumber) return {};
    if (dimension.kind == Dimension::Kind::kAttribute) {
      return {Cat(dimension.name, " is ", arguments_.Integer(contract_.IndexOf(dimension.name)))};
    }
    if (dimension.kind == Dimension::Kind::kArray) {
      const int array = contract_.IndexOf(dimension.name);
      if (!arguments_.Given(array)) return {};
      return {Told({array, -1, arguments_.Ints(array)})};
    }
    std::vector<std::string> texts;
    if (const Named* const known = Find(dimension.name)) {
      for (size_t i = 0; i < known->sources; ++i) {
        const Subject source = Given(known->parameters[i], known->elements[i]);
        if (!(source == subject)) texts.push_back(Told(source));
      }
    }
    return texts;
  }

  // "N = 8", or nothing when the subject alone says it.
  std::string ValueOf(const Dimension& dimension, const Subject& subject, bool wrong) {
    if (dimension.kind == Dimension::Kind::kBroadcast && !broadcasts_known_) {
      if (!wrong) return "";
      return Cat(dimension.name, " that broadcasts with ", TextOf(Find(dimension.name)->value()));
    }
    if (dimension.kind == Dimension::Kind::kNumber || SourcesOf(dimension, subject).empty()) {
      return "";
    }
    return Cat(dimension.name, " = ", Resolved(dimension, subject));
  }

  // "8", "[2, 3]", or the entry as it stands in the pattern.
  std::string Resolved(const Dimension& dimension, const Subject& subject) {
    if (dimension.kind == Dimension::Kind::kNumber) return EntryText(dimension);
    // At the end the others agree with what the subject says.
    const bool known = broadcasts_known_ || (dimension.kind != Dimension::Kind::kBroadcast &&
                                             !SourcesOf(dimension, subject).empty());
    if (!known) return EntryText(dimension);
    if (dimension.kind == Dimension::Kind::kAttribute) {
      return Cat(arguments_.Integer(contract_.IndexOf(dimension.name)));
    }
    if (dimension.kind == Dimension::Kind::kArray) {
      return TextOf(arguments_.Ints(contract_.IndexOf(dimension.name)));
    }
    const Extents value = Find(dimension.name)->value();
    return dimension.IsSingle() ? Cat(value[0]) : TextOf(value);
  }

  // "[8, 16]" with what is known.
  std::string ResolvedShape(const ShapePattern& pattern, const Subject& subject) {
    std::string text;
    for (const Dimension& each : pattern) {
      std::string part = Resolved(each, subject);
      if (part == "[]") continue;
      if (part.front() == '[') part = part.substr(1, part.size() - 2);
      text += Cat(text.empty() ? "" : ", ", part);
    }
    return Cat("[", text, "]");
  }

  // ", or pass [3] as normalizedShape": of an input whose last dimensions are an array's, which may
  // be what is wrong.
  std::string OtherArrayText(const ShapePattern& pattern, const Subject& subject, uint32_t wrong) {
    const size_t last = pattern.size() - 1;
    const Dimension& dimension = pattern[last];
    const bool is_wrong = (wrong >> last & 1) != 0;
    if (!is_wrong || dimension.kind != Dimension::Kind::kArray) return "";
    if (contract_.At(subject.parameter).role != Role::kInput) return "";
    const size_t length =
        std::min(arguments_.Ints(contract_.IndexOf(dimension.name)).size(), subject.extents.size());
    return Cat(", or pass ", TextOf(subject.extents.last(length)), " as ", dimension.name);
  }

  Status RefuseShape(const ShapePattern& pattern, const Subject& subject, uint32_t wrong) {
    const Parameter& parameter = contract_.At(subject.parameter);
    std::vector<std::string> sources, values;
    const auto add = [](std::vector<std::string>& to, std::string text) {
      if (text.empty() || std::ranges::find(to, text) != to.end()) return;
      to.push_back(std::move(text));
    };
    for (size_t i = 0; i < pattern.size(); ++i) {
      const bool is_wrong = (wrong >> i & 1) != 0;
      add(values, ValueOf(pattern[i], subject, is_wrong));
      if (!is_wrong) continue;
      for (std::string& source : SourcesOf(pattern[i], subject)) add(sources, std::move(source));
    }
    std::string what =
        Cat(Told(subject), sources.empty() ? "" : " but ", Joined(sources), "; expected ",
            PatternText(pattern), values.empty() ? "" : " with ", Joined(values), ".");
    std::string fix = parameter.shape_fix;
    if (fix.empty()) {
      const std::string name = NameOf(contract_, subject.parameter, subject.element);
      const std::string shape = ResolvedShape(pattern, subject);
      fix = parameter.kind == Kind::kIntArray ? Cat("pass ", shape, " as ", name)
                                              : Cat("create ", name, " with shape ", shape);
      fix += OtherArrayText(pattern, subject, wrong);
    }
    return Refuse(contract_.shape_code, std::move(what), std::move(fix),
                  Cat(contract_.folder, "/shape/", parameter.name));
  }

  const Contract& contract_;
  const Arguments& arguments_;
  Named named_[Contract::kMostNames];
  size_t count_ = 0;
  bool any_broadcast_ = false;
  bool broadcasts_known_ = false;  // of all inputs; then outputs are held against them
};

// Whether the name of an entry stands where the checks were before they come to it.
bool IsNamedBefore(const Contract& contract, int parameter, size_t entry) {
  const Dimension dimension = contract.At(parameter).Shape()[entry];
  // The second tensor of a list follows the first.
  if (contract.At(parameter).kind == Kind::kTensorList && !dimension.name.empty()) return true;
  const bool last =
      dimension.kind == Dimension::Kind::kBroadcast && IsWritten(contract.At(parameter).role);
  const int end = last ? static_cast<int>(contract.parameters.size()) : parameter + 1;
  for (int i = 0; i < end; ++i) {
    if (!contract.At(i).HasShape()) continue;
    const ShapePattern pattern = contract.At(i).Shape();
    for (size_t k = 0; k < pattern.size(); ++k) {
      const bool itself = i == parameter && k >= entry;
      if (!itself && !dimension.name.empty() && pattern[k].name == dimension.name) return true;
    }
  }
  return false;
}

}  // namespace

Status CheckShapes(const Contract& contract, const Arguments& arguments) {
  const auto has_shape = [](const Parameter& parameter) { return parameter.HasShape(); };
  if (std::ranges::none_of(contract.parameters, has_shape)) return Ok();
  return Shapes(contract, arguments).Check();
}

int CheckedEntry(const Contract& contract, int parameter) {
  if (!contract.At(parameter).HasShape()) return -1;
  const ShapePattern pattern = contract.At(parameter).Shape();
  int open = -1;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool told = pattern[i].kind == Dimension::Kind::kNumber ||
                      pattern[i].kind == Dimension::Kind::kAttribute ||
                      pattern[i].kind == Dimension::Kind::kArray ||
                      IsNamedBefore(contract, parameter, i);
    if (told && pattern[i].IsSingle()) return static_cast<int>(i);
    if (told && open < 0) open = static_cast<int>(i);
  }
  return open;
}

bool CanViolateShape(const Contract& contract, int parameter) {
  const Parameter& of = contract.At(parameter);
  return of.HasShape() && (of.kind == Kind::kIntArray || CheckedEntry(contract, parameter) >= 0);
}

std::string ShapeStatement(const Parameter& parameter) {
  const bool is_array = parameter.kind == Kind::kIntArray;
  return Cat(parameter.name, is_array ? " is " : " has the shape ", PatternText(parameter.Shape()));
}

std::string ShapeFix(const Parameter& parameter) {
  if (*parameter.shape_fix != '\0') return parameter.shape_fix;
  const std::string shape = PatternText(parameter.Shape());
  if (parameter.kind == Kind::kIntArray) return Cat("pass ", shape, " as ", parameter.name);
  return Cat("create ", parameter.name, " with shape ", shape);
}

}  // namespace aclimb::contract
