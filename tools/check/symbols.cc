#include "tools/check/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "aclimb/core/text.h"

namespace aclimb::check {
namespace {

// The part of libdw's stable binary interface that is used here; the library is opened by name, so
// that neither its headers nor the library are needed to build and run without it.
struct Dwfl;
struct DwflModule;
struct DwflLine;
struct DwarfDie;
struct DwarfLine;
struct Elf;

using FindElf = int(DwflModule*, void**, const char*, uint64_t, char**, Elf**);
using FindDebugInfo = int(DwflModule*, void**, const char*, uint64_t, const char*, const char*,
                          uint32_t, char**);

struct DwflCallbacks {
  FindElf* find_elf;
  FindDebugInfo* find_debuginfo;
  int (*section_address)(DwflModule*, void**, const char*, uint64_t, const char*, uint32_t,
                         const void*, uint64_t*);
  char** debuginfo_path;
};

class LibDw {
 public:
  // Null when libdw is not installed or cannot read this process.
  static const LibDw* Get() {
    static const LibDw* const loaded = [] {
      auto made = std::make_unique<LibDw>();
      return made->Load() ? made.release() : nullptr;
    }();
    return loaded;
  }

  void Describe(uintptr_t counter, Symbol& symbol) const {
    DwflModule* module = module_at_(dwfl_, counter);
    if (module == nullptr) return;
    if (const char* name = name_at_(module, counter)) symbol.function = name;
    DwflLine* line = line_at_(module, counter);
    if (line == nullptr) return DescribeByUnit(module, counter, symbol);
    const char* file = line_info_(line, nullptr, &symbol.line, nullptr, nullptr, nullptr);
    if (file != nullptr) symbol.file = file;
  }

 private:
  // Where there is no table of addresses, as clang writes none, the units are asked one by one.
  void DescribeByUnit(DwflModule* module, uintptr_t counter, Symbol& symbol) const {
    uint64_t bias = 0;
    for (DwarfDie* unit = next_unit_(module, nullptr, &bias); unit != nullptr;
         unit = next_unit_(module, unit, &bias)) {
      if (has_address_(unit, counter - bias) <= 0) continue;
      DwarfLine* line = unit_line_at_(unit, counter - bias);
      const char* file = line == nullptr ? nullptr : line_file_(line, nullptr, nullptr);
      if (file == nullptr || line_number_(line, &symbol.line) != 0) continue;
      symbol.file = file;
      return;
    }
  }

  template <typename Function>
  bool Find(void* library, const char* name, Function** function) {
    *function = reinterpret_cast<Function*>(dlsym(library, name));
    return *function != nullptr;
  }

  bool Load() {
    void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    Dwfl* (*begin)(const DwflCallbacks*) = nullptr;
    int (*report)(Dwfl*, pid_t) = nullptr;
    int (*report_end)(Dwfl*, void*, void*) = nullptr;
    if (!Find(library, "dwfl_begin", &begin) || !Find(library, "dwfl_linux_proc_report", &report) ||
        !Find(library, "dwfl_report_end", &report_end) ||
        !Find(library, "dwfl_addrmodule", &module_at_) ||
        !Find(library, "dwfl_module_addrname", &name_at_) ||
        !Find(library, "dwfl_module_getsrc", &line_at_) ||
        !Find(library, "dwfl_lineinfo", &line_info_) ||
        !Find(library, "dwfl_module_nextcu", &next_unit_) ||
        !Find(library, "dwarf_haspc", &has_address_) ||
        !Find(library, "dwarf_getsrc_die", &unit_line_at_) ||
        !Find(library, "dwarf_linesrc", &line_file_) ||
        !Find(library, "dwarf_lineno", &line_number_) ||
        !Find(library, "dwfl_linux_proc_find_elf", &callbacks_.find_elf)) {
      return false;
    }
    // The loaded files only: the standard search might ask a server.
    callbacks_.find_debuginfo = [](DwflModule*, void**, const char*, uint64_t, const char*,
                                   const char*, uint32_t, char**) { return -1; };
    dwfl_ = begin(&callbacks_);
    return dwfl_ != nullptr && report(dwfl_, getpid()) == 0 &&
           report_end(dwfl_, nullptr, nullptr) == 0;
  }

  DwflCallbacks callbacks_ = {};
  Dwfl* dwfl_ = nullptr;
  DwflModule* (*module_at_)(Dwfl*, uint64_t) = nullptr;
  const char* (*name_at_)(DwflModule*, uint64_t) = nullptr;
  DwflLine* (*line_at_)(DwflModule*, uint64_t) = nullptr;
  const char* (*line_info_)(DwflLine*, uint64_t*, int*, int*, uint64_t*, uint64_t*) = nullptr;
  DwarfDie* (*next_unit_)(DwflModule*, DwarfDie*, uint64_t*) = nullptr;
  int (*has_address_)(DwarfDie*, uint64_t) = nullptr;
  DwarfLine* (*unit_line_at_)(DwarfDie*, uint64_t) = nullptr;
  const char* (*line_file_)(DwarfLine*, uint64_t*, uint64_t*) = nullptr;
  int (*line_number_)(DwarfLine*, int*) = nullptr;
};

std::string Readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string Hex(uintptr_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Symbol SymbolOf(uintptr_t counter) {
  Symbol symbol;
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(counter), &info) != 0) {
    if (info.dli_fname != nullptr) symbol.library = info.dli_fname;
    symbol.offset = counter - reinterpret_cast<uintptr_t>(info.dli_fbase);
    if (info.dli_sname != nullptr) symbol.function = info.dli_sname;
  }
  if (const LibDw* libdw = LibDw::Get()) libdw->Describe(counter, symbol);
  if (!symbol.function.empty()) symbol.function = Readable(symbol.function);
  return symbol;
}

bool IsStart(const std::string& function) {
  return function == "_start" || function == "__libc_start_main" ||
         function.starts_with("__libc_start_call_main") ||
         function.starts_with("__libc_start_main") || function == "start_thread" ||
         function == "clone" || function == "clone3" || function == "__clone3";
}

std::string TextOf(const Symbol& symbol) {
  const std::string name = symbol.function.empty() ? Hex(symbol.offset) : symbol.function;
  if (!symbol.file.empty()) return Cat(name, " (", symbol.file, ":", symbol.line, ")");
  if (symbol.function.empty()) return Cat(name, " (", symbol.library, ")");
  return Cat(name, " (", symbol.library, "+", Hex(symbol.offset), ")");
}

}  // namespace aclimb::check
