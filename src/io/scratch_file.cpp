#include "io/scratch_file.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
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

/// Returns the pattern from which mkostemp() makes a name.
std::string name_pattern() {
  const char* const folder = std::getenv("TMPDIR");
  return std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/memviz-XXXXXX";
}

[[noreturn]] void fail_to_open() {
  throw Error("no temporary file (in TMPDIR, else /tmp): " + system_message(errno));
}

/// std::tmpfile() ignores TMPDIR.
std::FILE* open_nameless() {
  std::string name = name_pattern();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  ::unlink(name.c_str());
  return ::fdopen(descriptor, "w+b");
}

} // namespace

ScratchFile::ScratchFile() : file_(open_nameless(), std::fclose) {
  if (!file_) fail_to_open();
}

void ScratchFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

int ScratchFile::rewound() {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) fail();
  return descriptor();
}

void ScratchFile::read(const std::function<void(std::string_view)>& take) {
  static_cast<void>(rewound());
  std::array<char, 65536> piece{};
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file_.get()))
    take({piece.data(), count});
  if (std::ferror(file_.get()) != 0) fail();
}

NamedScratchFile::NamedScratchFile() : path_(name_pattern()) {
  const SignalDelay until_it_is_known;
  const int descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
  if (descriptor < 0) fail_to_open();
  ::close(descriptor);
  removal_.emplace(path_);
}

NamedScratchFile::~NamedScratchFile() {
  ::unlink(path_.c_str());
}

void read_pieces(const std::string& path, std::size_t overlap, const std::function<void(std::string_view)>& take) {
  constexpr std::size_t kReadBytes = std::size_t{1} << 20U;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) fail();
  std::string piece(overlap + kReadBytes, '\0');
  std::size_t kept = 0;
  while (const std::size_t count = std::fread(piece.data() + kept, 1, kReadBytes, file.get())) {
    take(std::string_view(piece).substr(0, kept + count));
    const std::size_t end = kept + count;
    kept = std::min(overlap, end);
    std::copy(piece.begin() + static_cast<std::ptrdiff_t>(end - kept), piece.begin() + static_cast<std::ptrdiff_t>(end),
              piece.begin());
  }
  if (std::ferror(file.get()) != 0) fail();
}

} // namespace memviz
