// Runs a target for builds without libFuzzer, on files, on byte strings at random, or on both:
//   fuzz_<target> [--random=COUNT] FILE_OR_FOLDER...

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void RunAtRandom(int count) {
  for (int i = 0; i < count; ++i) {
    std::mt19937_64 random(static_cast<uint64_t>(i));
    std::vector<uint8_t> bytes(random() % 200);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    // Most proper calls have small numbers: a choice that is strange has a large one.
    for (uint8_t& byte : bytes) {
      if (i % 2 == 0 && random() % 8 != 0) byte &= 0x7F;
    }
    std::printf("random %d\n", i);
    std::fflush(stdout);
    (void)LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kRandom = "--random=";
  std::vector<std::filesystem::path> files;
  int at_random = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kRandom)) {
      at_random = std::atoi(argv[i] + kRandom.size());
      continue;
    }
    if (!std::filesystem::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      std::fprintf(stderr, "FAILED: cannot read %s\n", file.c_str());
      return 2;
    }
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    // The last name printed is the input that failed.
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    (void)LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  RunAtRandom(at_random);
  std::printf("%zu inputs, %d at random\n", files.size(), at_random);
  return files.empty() && at_random == 0 ? 2 : 0;
}
