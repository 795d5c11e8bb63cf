#include "aclimb/collectives/frame.h"

#include "aclimb/collectives/bytes.h"

namespace aclimb::collectives {
namespace {

constexpr uint32_t kFrameMagic = 0x42484341;  // "ACHB"
constexpr size_t kHeaderBytes = 12;

}  // namespace

void WriteFlows(const std::vector<Flow>& flows, ByteWriter* writer) {
  writer->Number(static_cast<uint32_t>(flows.size()));
  for (const Flow& flow : flows) {
    writer->Number(flow.peer).Number(static_cast<uint8_t>(flow.sends));
    writer->Number(flow.number).Number(flow.bytes);
  }
}

std::vector<Flow> ReadFlows(ByteReader* reader) {
  std::vector<Flow> flows;
  const uint32_t count = reader->Number<uint32_t>();
  for (uint32_t i = 0; i < count && reader->ok(); ++i) {
    const uint32_t peer = reader->Number<uint32_t>();
    const bool sends = reader->Number<uint8_t>() != 0;
    const uint64_t number = reader->Number<uint64_t>();
    flows.push_back({peer, sends, number, reader->Number<uint64_t>()});
  }
  if (!reader->ok()) flows.clear();
  return flows;
}

std::string Encode(FrameType type, std::string_view body, uint16_t version) {
  return ByteWriter()
      .Number(kFrameMagic)
      .Number(static_cast<uint16_t>(type))
      .Number(version)
      .Text(body)
      .Take();
}

std::optional<Frame> FrameParser::Next() {
  const std::string_view rest = std::string_view(bytes_).substr(read_);
  if (broken_ || rest.empty()) return std::nullopt;
  // A wrong beginning is seen at its first byte, not when a header's length has come.
  const std::string header = Encode(FrameType::kHello, {});
  const size_t same = rest.size() < 4 ? rest.size() : 4;
  broken_ = rest.substr(0, same) != std::string_view(header).substr(0, same);
  if (broken_ || rest.size() < kHeaderBytes) return std::nullopt;
  ByteReader reader(rest);
  reader.Number<uint32_t>();
  const auto type = reader.Number<uint16_t>();
  const auto version = reader.Number<uint16_t>();
  const auto length = reader.Number<uint32_t>();
  const bool known = type != 0 && type <= kLastFrameType;
  broken_ = !known || version != version_.value_or(version) || length > most_;
  if (broken_ || reader.left() < length) return std::nullopt;
  version_ = version;
  Frame frame{static_cast<FrameType>(type), std::string(rest.substr(kHeaderBytes, length)),
              version};
  read_ += kHeaderBytes + length;
  if (read_ == bytes_.size() || read_ > (size_t{1} << 20)) {
    bytes_.erase(0, read_);
    read_ = 0;
  }
  return frame;
}

}  // namespace aclimb::collectives
