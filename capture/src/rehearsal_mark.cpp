#include "rehearsal_mark.hpp"

#include "pickle_append.hpp"

#include <array>
#include <cstddef>
#include <dlfcn.h>

namespace memviz::capture {
namespace {

/// Functions of the process, by name: the driver's are those of the made-up GPU, if it is present.
template <class Function> Function* find(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
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

void add_rehearsal_mark(const RehearsalMark& mark, std::string& pickle) {
  add_key("memviz_rehearsal", pickle, [&](std::string& value) {
    value += "}("; // EMPTY_DICT, MARK
    append_text("gpu", value);
    append_text(mark.gpu, value);
    append_text("profile", value);
    append_text(mark.profile, value);
    if (mark.total_bytes != 0) {
      append_text("total_bytes", value);
      append_natural(mark.total_bytes, value);
    }
    value += 'u'; // SETITEMS
  });
}

} // namespace memviz::capture
