#include "rehearsal_mark.hpp"

#include <array>
#include <cstddef>
#include <dlfcn.h>

namespace memviz::capture {
namespace {

/// Functions of the process, by name: the driver's are those of the made-up GPU, if it is present.
template <class Function> Function* find(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// Appends the low `bytes` bytes of `number`, the lowest first.
void append_number(std::uint64_t number, int bytes, std::string& pickle) {
  for (int byte = 0; byte < bytes; ++byte)
    pickle += static_cast<char>(number >> (8U * static_cast<unsigned>(byte)));
}

/// BINUNICODE.
void append_text(const std::string& text, std::string& pickle) {
  pickle += 'X';
  append_number(text.size(), 4, pickle);
  pickle += text;
}

/// LONG1 of nine bytes, the highest of which is the sign.
void append_natural(std::uint64_t number, std::string& pickle) {
  pickle += "\x8a\x09";
  append_number(number, 8, pickle);
  pickle += '\0';
}

} // namespace

std::optional<RehearsalMark> rehearsal_of_process() {
  auto* const profile = find<const char*()>("memviz_rehearsal_profile");
  if (profile == nullptr) return std::nullopt;
  RehearsalMark mark;
  if (const char* name = profile(); name != nullptr) mark.profile = name;
  std::array<char, 256> name{};
  auto* const get_name = find<int(char*, int, int)>("cuDeviceGetName");
  if (get_name != nullptr && get_name(name.data(), static_cast<int>(name.size() - 1), 0) == 0) mark.gpu = name.data();
  std::size_t total_bytes = 0;
  auto* const get_total = find<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
  if (get_total != nullptr && get_total(&total_bytes, 0) == 0) mark.total_bytes = total_bytes;
  return mark;
}

std::string with_rehearsal_mark(std::string pickle, const RehearsalMark& mark) {
  pickle.pop_back(); // STOP: the unpickler's stack contains the dict here
  append_text("memviz_rehearsal", pickle);
  pickle += "}("; // EMPTY_DICT, MARK
  append_text("gpu", pickle);
  append_text(mark.gpu, pickle);
  append_text("profile", pickle);
  append_text(mark.profile, pickle);
  if (mark.total_bytes != 0) {
    append_text("total_bytes", pickle);
    append_natural(mark.total_bytes, pickle);
  }
  pickle += "us."; // SETITEMS, SETITEM, STOP
  return pickle;
}

} // namespace memviz::capture
