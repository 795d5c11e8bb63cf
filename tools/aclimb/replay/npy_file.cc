#include "tools/aclimb/replay/npy_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tools/aclimb/replay/recording.h"
#include "tools/record/npy.h"

namespace aclimb::cli {

std::vector<unsigned char> ReadNpy(const std::string& path, DType dtype, uint64_t elements) {
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) throw Unreadable(fmt::format("{}: {}", path, std::strerror(errno)));
  // What was written, byte for byte: there is one way to say each.
  const std::string expected = tools::NpyHeader(dtype, elements);
  std::string header(expected.size(), '\0');
  const size_t read = std::fread(header.data(), 1, header.size(), file.get());
  if (read < 6 || header.compare(0, 6, expected, 0, 6) != 0) {
    throw Unreadable(fmt::format("{}: it does not begin as a .npy file", path));
  }
  if (header != expected) {
    throw Unreadable(fmt::format("{}: its header does not say one dimension of {} elements of {}",
                                 path, elements, tools::NpyType(dtype)));
  }
  std::vector<unsigned char> data;
  const uint64_t bytes = elements * SizeOf(dtype);
  // Not before it is known that the file is that large.
  if (std::fseek(file.get(), 0, SEEK_END) != 0) throw Unreadable(path + ": cannot be read");
  const long end = std::ftell(file.get());
  if (end < 0 || static_cast<uint64_t>(end) != expected.size() + bytes) {
    throw Unreadable(
        fmt::format("{}: it has {} bytes, expected {}", path, end, expected.size() + bytes));
  }
  data.resize(bytes);
  std::fseek(file.get(), static_cast<long>(expected.size()), SEEK_SET);
  if (std::fread(data.data(), 1, bytes, file.get()) != bytes) {
    throw Unreadable(path + ": cannot be read");
  }
  return data;
}

}  // namespace aclimb::cli
