// memviz_bench_opcode_pass: the least that any reader of a pickle has to do. Walks the opcodes of a file, skips their
// arguments, keeps nothing and checks nothing but that it stays inside the file. What memviz's decoder takes is
// measured against this.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace {

struct Counts {
  std::uint64_t opcodes = 0;
  std::uint64_t containers = 0;
  std::uint64_t texts = 0;
  std::uint64_t references = 0;
  bool is_whole = false;
};

/// Returns the length in the next `bytes` bytes, including them; more than what is left if the file ends early.
std::uint64_t counted(const unsigned char* at, std::uint64_t left, std::size_t bytes) {
  if (bytes > left) return left + 1;
  std::uint64_t length = 0;
  std::memcpy(&length, at, bytes);
  return length > left - bytes ? left + 1 : bytes + length;
}

Counts walk(const unsigned char* at, const unsigned char* end) {
  Counts counts;
  while (at != end) {
    const unsigned char opcode = *at++;
    ++counts.opcodes;
    const auto left = static_cast<std::uint64_t>(end - at);
    std::uint64_t argument = 0;
    switch (opcode) {
    case '(':
    case ')':
    case '0':
    case '1':
    case '2':
    case 'N':
    case 'a':
    case 'd':
    case 'e':
    case 'l':
    case 's':
    case 't':
    case 'u':
    case 0x85:
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 0x94: break;
    case '}':
    case ']': ++counts.containers; break;
    case 'h':
      ++counts.references;
      argument = 1;
      break;
    case 'j':
      ++counts.references;
      argument = 4;
      break;
    case 'K':
    case 'q':
    case 0x80: argument = 1; break;
    case 'M': argument = 2; break;
    case 'J':
    case 'r': argument = 4; break;
    case 'G':
    case 0x95: argument = 8; break;
    case 0x8a: argument = counted(at, left, 1); break;
    case 0x8c:
      ++counts.texts;
      argument = counted(at, left, 1);
      break;
    case 'X':
      ++counts.texts;
      argument = counted(at, left, 4);
      break;
    case '.': counts.is_whole = true; return counts;
    default: return counts;
    }
    if (argument > left) return counts;
    at += argument;
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
