#include "tools/aclimb/exported_functions.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

namespace aclimb::cli {
namespace {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat found = {};
    if (descriptor >= 0 && fstat(descriptor, &found) == 0) {
      size_ = static_cast<size_t>(found.st_size);
      bytes_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    if (descriptor >= 0) close(descriptor);
    if (bytes_ == MAP_FAILED) throw std::runtime_error(path + " cannot be read");
  }
  ~MappedFile() { munmap(bytes_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // `count` values that begin at `offset`; null when the file ends before.
  template <typename T>
  const T* At(uint64_t offset, uint64_t count = 1) const {
    if (offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(static_cast<const char*>(bytes_) + offset);
  }

 private:
  void* bytes_ = MAP_FAILED;
  size_t size_ = 0;
};

// The functions that a library of 64 bits defines for others.
void AddFunctions(const std::string& path, std::vector<std::string>* names) {
  const MappedFile file(path);
  const auto* header = file.At<Elf64_Ehdr>(0);
  const auto* sections =
      header == nullptr ? nullptr : file.At<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) throw std::runtime_error(path + " is no library");
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& table = sections[i];
    if (table.sh_type != SHT_DYNSYM || table.sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& texts = sections[table.sh_link];
    const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    const auto* symbols = file.At<Elf64_Sym>(table.sh_offset, count);
    const auto* text = file.At<char>(texts.sh_offset, texts.sh_size);
    if (symbols == nullptr || text == nullptr) continue;
    for (uint64_t k = 0; k < count; ++k) {
      const Elf64_Sym& symbol = symbols[k];
      const bool function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
      if (!function || symbol.st_shndx == SHN_UNDEF || symbol.st_name >= texts.sh_size) continue;
      const std::string_view name = text + symbol.st_name;
      if (!name.starts_with("aclimb_")) names->emplace_back(name);
    }
  }
}

}  // namespace

std::vector<std::string> ExportedFunctions(const std::string& toolkit) {
  std::vector<std::string> names;
  for (const char* library : {"ascendcl", "nnopbase", "opapi", "acl_op_compiler", "hccl"}) {
    AddFunctions(toolkit + "/lib64/lib" + library + ".so", &names);
  }
  return names;
}

}  // namespace aclimb::cli
