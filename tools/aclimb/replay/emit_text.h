#pragma once

// The parts of an emitted program that are the same in each.
namespace aclimb::cli::emitted {

inline constexpr const char* kTold = R"(
// Prints what a call returned, with the library's message when it failed.
int Told(const char* call, int code) {
  std::printf("%s: %d\n", call, code);
  const char* message = code == 0 ? nullptr : aclGetRecentErrMsg();
  if (message != nullptr) std::printf("%s\n", message);
  return code;
}

// A call that only prepares: ends the program when it fails.
void Need(const char* call, int code) {
  if (code == 0) return;
  Told(call, code);
  std::exit(1);
}
)";

inline constexpr const char* kMemory = R"(
// Device memory, filled with bytes that no output should keep.
char* Allocate(size_t bytes) {
  void* memory = nullptr;
  Need("aclrtMalloc", aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Need("aclrtMemset", aclrtMemset(memory, bytes, 0xFF, bytes));
  return static_cast<char*>(memory);
}
)";

inline constexpr const char* kCopy = R"(
void CopyTo(char* device, const void* host, size_t bytes) {
  Need("aclrtMemcpy", aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
}
)";

inline constexpr const char* kTensor = R"(
// A view of `storage`; strides and offset are in elements.
aclTensor* View(aclDataType type, aclFormat format, const std::vector<int64_t>& shape,
                const std::vector<int64_t>& strides, int64_t offset,
                const std::vector<int64_t>& storage_shape, char* storage) {
  aclTensor* tensor =
      aclCreateTensor(shape.data(), shape.size(), type, strides.data(), offset, format,
                      storage_shape.data(), storage_shape.size(), storage);
  if (tensor == nullptr) Need("aclCreateTensor", 1);
  return tensor;
}
)";

inline constexpr const char* kNpy = R"(
// The elements of a one-dimensional .npy file (format 1.0), `bytes` of them.
std::vector<char> LoadNpy(const std::string& path, size_t bytes) {
  std::vector<char> data(bytes);
  unsigned char head[10] = {};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  const bool good = file != nullptr && std::fread(head, 1, sizeof(head), file) == sizeof(head) &&
                    std::memcmp(head, "\x93NUMPY\x01", 7) == 0 &&
                    std::fseek(file, 10 + head[8] + 256 * head[9], SEEK_SET) == 0 &&
                    std::fread(data.data(), 1, bytes, file) == bytes;
  if (file != nullptr) std::fclose(file);
  if (!good) {
    std::fprintf(stderr, "%s: cannot be read, or is no such .npy file\n", path.c_str());
    std::exit(1);
  }
  return data;
}
)";

// Elements as numbers, by the dtype of them or of their parts.
inline constexpr const char* kFloat = R"(
double Float(const char* at) {
  float value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}
)";
inline constexpr const char* kDouble = R"(
double Double(const char* at) {
  double value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
)";
inline constexpr const char* kFloat16 = R"(
double Float16(const char* at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}
)";
inline constexpr const char* kBFloat16 = R"(
double BFloat16(const char* at) {
  uint16_t high;
  std::memcpy(&high, at, sizeof(high));
  const uint32_t bits = static_cast<uint32_t>(high) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return static_cast<double>(value);
}
)";

// How Print writes an element. The first two take one of the above.
inline constexpr const char* kReal = R"(
template <double (*kRead)(const char*)>
void Real(const char* at) {
  std::printf(" %.9g", kRead(at));
}
)";
inline constexpr const char* kComplex = R"--(
// The imaginary part lies `kSize` bytes after the real part.
template <double (*kRead)(const char*), size_t kSize>
void Complex(const char* at) {
  std::printf(" (%.9g,%.9g)", kRead(at), kRead(at + kSize));
}
)--";
inline constexpr const char* kInteger = R"(
template <typename T>
void Integer(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  if (value > 0) {
    std::printf(" %llu", static_cast<unsigned long long>(value));
  } else {
    std::printf(" %lld", static_cast<long long>(value));
  }
}
)";

inline constexpr const char* kPrint = R"(
// Copies the view's part of the storage back and prints its elements in row-major order, the first
// 256 of a larger one.
void Print(const char* name, const char* first, size_t bytes, const std::vector<int64_t>& shape,
           const std::vector<int64_t>& strides, size_t element, void (*write)(const char*)) {
  std::vector<char> data(bytes);
  Need("aclrtMemcpy",
       aclrtMemcpy(data.data(), bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  std::vector<size_t> places(1, 0);
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<size_t> next;
    for (size_t place : places) {
      for (int64_t i = 0; i < shape[d]; ++i) {
        next.push_back(place + static_cast<size_t>(i * strides[d]));
      }
    }
    places.swap(next);
  }
  std::printf("%s:", name);
  for (size_t i = 0; i < places.size() && i < 256; ++i) {
    write(data.data() + places[i] * element);
  }
  std::printf(places.size() > 256 ? " ...\n" : "\n");
}
)";

}  // namespace aclimb::cli::emitted
