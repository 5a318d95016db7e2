// memviz_bench_opcode_pass: the least that any reader of a pickle has to do. Walks the opcodes of a file, skips their
// arguments, keeps nothing and checks nothing but that it stays inside the file. What memviz's decoder takes is
// measured against this.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>

namespace {

constexpr unsigned char kUnknown = 0xff;
constexpr unsigned char kCounted = 0x80; ///< the argument begins with its own length; the low bits tell the length's

/// For each opcode of plain data in protocols 2 to 5, the bytes of its argument.
constexpr std::array<unsigned char, 256> argument_sizes() {
  std::array<unsigned char, 256> sizes{};
  sizes.fill(kUnknown);
  for (const char opcode : std::string_view("().0N]aeustbld}12\x81\x85\x86\x87\x88\x89\x94"))
    sizes[static_cast<unsigned char>(opcode)] = 0;
  for (const char opcode : std::string_view("Khq\x80"))
    sizes[static_cast<unsigned char>(opcode)] = 1;
  sizes['M'] = 2;
  for (const char opcode : std::string_view("Jjr"))
    sizes[static_cast<unsigned char>(opcode)] = 4;
  for (const char opcode : std::string_view("G\x95"))
    sizes[static_cast<unsigned char>(opcode)] = 8;
  sizes[0x8a] = sizes[0x8c] = sizes['U'] = kCounted | 1U;
  sizes['X'] = sizes[0x8b] = kCounted | 4U;
  sizes[0x8d] = kCounted | 8U;
  return sizes;
}

struct Counts {
  std::uint64_t opcodes = 0;
  std::uint64_t containers = 0;
  std::uint64_t texts = 0;
  std::uint64_t references = 0;
  bool is_whole = false;
};

std::uint64_t length_at(const unsigned char* at, std::size_t bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, at, bytes);
  return length;
}

Counts walk(const unsigned char* at, const unsigned char* end) {
  static constexpr auto kSizes = argument_sizes();
  Counts counts;
  while (at != end) {
    const unsigned char opcode = *at++;
    ++counts.opcodes;
    switch (opcode) {
    case '}':
    case ']': ++counts.containers; break;
    case 'X':
    case 0x8c: ++counts.texts; break;
    case 'h':
    case 'j': ++counts.references; break;
    case '.': counts.is_whole = true; return counts;
    default: break;
    }
    const unsigned char size = kSizes[opcode];
    const auto left = static_cast<std::uint64_t>(end - at);
    if (size < kCounted) {
      if (size > left) return counts;
      at += size;
    } else {
      if (size == kUnknown) return counts;
      const std::size_t prefix = size & ~std::size_t{kCounted};
      if (prefix > left) return counts;
      const std::uint64_t length = length_at(at, prefix);
      if (length > left - prefix) return counts;
      at += prefix + length;
    }
  }
  return counts;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: memviz_bench_opcode_pass FILE\n", stderr);
    return 2;
  }
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
    std::perror(argv[1]);
    return 1;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapping == MAP_FAILED) {
    std::perror(argv[1]);
    return 1;
  }
  const auto* bytes = static_cast<const unsigned char*>(mapping);
  const Counts counts = walk(bytes, bytes + size);
  std::printf("%zu bytes, %llu opcodes, %llu containers, %llu texts, %llu references\n", size,
              static_cast<unsigned long long>(counts.opcodes), static_cast<unsigned long long>(counts.containers),
              static_cast<unsigned long long>(counts.texts), static_cast<unsigned long long>(counts.references));
  if (!counts.is_whole) std::fputs("memviz_bench_opcode_pass: the file ends early, or is no plain pickle\n", stderr);
  return counts.is_whole ? 0 : 1;
}
