#include "settings.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <stdexcept>

namespace memviz::rehearsal {
namespace {

std::string value_or(const char* value, const char* instead) {
  return value && *value ? value : instead;
}

std::string profile_path(const std::string& gpu, const std::string& folder) {
  if (gpu.find('/') != std::string::npos) return gpu;
  return folder + "/profiles/" + gpu + ".profile";
}

// CUDA's rule: a list of numbers, which ends at the first that is not a device. Devices by UUID are not made up.
std::vector<int> visible_devices(const char* list, int devices) {
  std::vector<int> result;
  if (!list) {
    for (int device = 0; device < devices; ++device)
      result.push_back(device);
    return result;
  }
  const std::string text = list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = parse_number(text.substr(begin, end - begin));
    if (!number || *number >= static_cast<std::uint64_t>(devices)) break;
    result.push_back(static_cast<int>(*number));
    begin = end + 1;
  }
  return result;
}

EventsPass events_pass(const std::string& text) {
  if (text == "at-once") return EventsPass::at_once;
  if (text == "late") return EventsPass::late;
  throw std::runtime_error("MEMVIZ_REHEARSAL_EVENTS: '" + text + "' is neither at-once nor late");
}

bool packs_addresses(const std::string& text) {
  if (text == "linux") return false;
  if (text == "windows") return true;
  throw std::runtime_error("MEMVIZ_REHEARSAL_ADDRESSES: '" + text + "' is neither linux nor windows");
}

// "BYTES,BYTES": of each device, from the first.
std::vector<std::uint64_t> other_bytes(const std::string& list, std::uint64_t total_bytes) {
  std::vector<std::uint64_t> result;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const auto bytes = parse_number(list.substr(begin, end - begin));
    if (!bytes || *bytes > total_bytes)
      throw std::runtime_error("MEMVIZ_REHEARSAL_OTHERS: '" + list + "' is not a list of bytes that a device has");
    result.push_back(*bytes);
    begin = end + 1;
  }
  return result;
}

} // namespace

Settings read_settings(const std::function<const char*(const char*)>& variable, const std::string& folder) {
  Settings settings;
  settings.profile = read_profile(profile_path(value_or(variable("MEMVIZ_REHEARSAL_GPU"), "h100-80"), folder));
  const std::string devices_text = value_or(variable("MEMVIZ_REHEARSAL_DEVICES"), "1");
  const auto devices = parse_number(devices_text);
  if (!devices || *devices == 0 || *devices > kMostDevices)
    throw std::runtime_error("MEMVIZ_REHEARSAL_DEVICES: '" + devices_text + "' is not a number from 1 to 1024");
  settings.machine_devices = static_cast<int>(*devices);
  settings.devices = visible_devices(variable("CUDA_VISIBLE_DEVICES"), settings.machine_devices);
  if (const std::string memory_text = value_or(variable("MEMVIZ_REHEARSAL_MEMORY"), ""); !memory_text.empty()) {
    const auto memory_bytes = parse_number(memory_text);
    if (!memory_bytes)
      throw std::runtime_error("MEMVIZ_REHEARSAL_MEMORY: '" + memory_text + "' is not a number of bytes");
    if (*memory_bytes <= settings.profile.context_bytes)
      throw std::runtime_error("MEMVIZ_REHEARSAL_MEMORY: " + memory_text + " bytes are less than a context takes, " +
                               std::to_string(settings.profile.context_bytes));
    settings.profile.total_bytes = *memory_bytes;
  }
  const std::string typical_text = std::to_string(settings.profile.kernels_bytes);
  const std::string outside_text = value_or(variable("MEMVIZ_REHEARSAL_OUTSIDE"), typical_text.c_str());
  const auto outside_bytes = parse_number(outside_text);
  if (!outside_bytes || *outside_bytes > settings.profile.total_bytes)
    throw std::runtime_error("MEMVIZ_REHEARSAL_OUTSIDE: '" + outside_text +
                             "' is not a number of bytes that the device has");
  settings.outside_bytes = *outside_bytes;
  settings.events_pass = events_pass(value_or(variable("MEMVIZ_REHEARSAL_EVENTS"), "at-once"));
  settings.packs_addresses = packs_addresses(value_or(variable("MEMVIZ_REHEARSAL_ADDRESSES"), "linux"));
  settings.report_file = value_or(variable("MEMVIZ_REHEARSAL_REPORT"), "");
  settings.shared_file = value_or(variable("MEMVIZ_REHEARSAL_SHARED"), "");
  settings.other_bytes = other_bytes(value_or(variable("MEMVIZ_REHEARSAL_OTHERS"), ""), settings.profile.total_bytes);
  // The memory of one machine, whatever the number of devices; in fact there is one.
  if (settings.other_bytes.empty()) settings.other_bytes.push_back(0);
  settings.other_bytes.front() += settings.profile.system_bytes;
  return settings;
}

std::string library_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(&library_folder), &info) || !info.dli_fname) return ".";
  const std::string path = info.dli_fname;
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

} // namespace memviz::rehearsal
