#include "io/scratch_file.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace memviz {

namespace {

[[noreturn]] void fail() {
  throw Error("temporary file: " + system_message(errno));
}

/// std::tmpfile() does not look at TMPDIR.
std::FILE* open_nameless() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/memviz-XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  ::unlink(name.c_str());
  return ::fdopen(descriptor, "w+b");
}

} // namespace

ScratchFile::ScratchFile() : file_(open_nameless(), std::fclose) {
  if (!file_) throw Error("no temporary file (in TMPDIR, else /tmp): " + system_message(errno));
}

void ScratchFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

int ScratchFile::rewound() {
  if (std::fflush(file_.get()) != 0) fail();
  std::rewind(file_.get());
  return descriptor();
}

void ScratchFile::read(const std::function<void(std::string_view)>& take) {
  static_cast<void>(rewound());
  std::array<char, 65536> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file_.get()))
    take({piece.data(), count});
  if (std::ferror(file_.get()) != 0) fail();
}

} // namespace memviz
