#include "aclimb/runtime/aclop/missing.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "aclimb/core/fork.h"
#include "aclimb/core/text.h"
#include "aclimb/runtime/settings.h"

namespace aclimb::aclop {
namespace {

struct Missing {
  std::string why;
  uint64_t count = 0;
};

struct Book {
  std::mutex mutex;
  std::map<std::string, Missing, std::less<>> types;
  pid_t owner = 0;  // a child has its parent's list, and does not tell it again
};
// Never destroyed: the list is told after static objects are gone.
Book& TheBook() {
  static auto* const book = new Book;
  return *book;
}
ForkLock book_lock(TheBook().mutex);

void Tell() {
  try {
    Book& book = TheBook();
    const std::lock_guard<std::mutex> lock(book.mutex);
    if (book.owner != getpid()) return;
    std::string text = "aclimb: operators that the program asked for and did not get:\n";
    for (const auto& [type, missing] : book.types) {
      text += Cat("  ", type, ", ", missing.count, missing.count == 1 ? " time" : " times", ": ",
                  missing.why, "\n");
    }
    std::fputs(text.c_str(), stderr);
  } catch (...) {  // No memory for the text.
  }
}

}  // namespace

void NoteMissing(std::string_view type, std::string_view why) noexcept {
  if (!CurrentSettings().missing) return;
  try {
    Book& book = TheBook();
    const std::lock_guard<std::mutex> lock(book.mutex);
    if (book.owner != getpid()) {
      // Nobody to tell means nothing to note.
      if (book.owner == 0 && std::atexit(&Tell) != 0) return;
      book.owner = getpid();
      book.types.clear();
    }
    auto found = book.types.find(type);
    if (found == book.types.end()) {
      found = book.types.try_emplace(std::string(type), Missing{.why = std::string(why)}).first;
    }
    ++found->second.count;
  } catch (...) {  // No memory for the note.
  }
}

}  // namespace aclimb::aclop
