#include "profile.hpp"

#include "numbers.hpp"

#include <array>
#include <fstream>
#include <set>
#include <stdexcept>

namespace memviz::rehearsal {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::uint64_t number(const std::string& value) {
  const auto result = parse_number(value);
  if (!result || *result == 0) throw std::runtime_error("'" + value + "' is not a number above 0");
  return *result;
}

int small_number(const std::string& value) {
  const std::uint64_t result = number(value);
  if (result > 1'000'000) throw std::runtime_error("'" + value + "' is too large");
  return static_cast<int>(result);
}

void set_capability(Profile& profile, const std::string& value) {
  const auto dot = value.find('.');
  const auto major = parse_number(value.substr(0, dot));
  const auto minor = dot == std::string::npos ? std::nullopt : parse_number(value.substr(dot + 1));
  if (!major || !minor || *major == 0 || *major > 99 || *minor > 9)
    throw std::runtime_error("'" + value + "' is not a compute capability like 9.0");
  profile.capability_major = static_cast<int>(*major);
  profile.capability_minor = static_cast<int>(*minor);
}

struct Key {
  const char* name;
  void (*set)(Profile&, const std::string&);
  bool is_needed = true;
};

constexpr std::array kKeys{
    Key{"device", [](Profile& p, const std::string& v) { p.device = v; }},
    Key{"compute_capability", set_capability},
    Key{"multiprocessors", [](Profile& p, const std::string& v) { p.multiprocessors = small_number(v); }},
    Key{"total_bytes", [](Profile& p, const std::string& v) { p.total_bytes = number(v); }},
    Key{"context_bytes", [](Profile& p, const std::string& v) { p.context_bytes = number(v); }},
    Key{"kernels_bytes", [](Profile& p, const std::string& v) { p.kernels_bytes = number(v); }, false},
    Key{"system_bytes", [](Profile& p, const std::string& v) { p.system_bytes = number(v); }, false},
    // For the program that starts the rehearsal: what else people call the card, and the words of the answer.
    Key{"also_called", [](Profile&, const std::string&) {}, false},
    Key{"least_total_bytes", [](Profile&, const std::string& v) { static_cast<void>(number(v)); }, false},
    Key{"most_total_bytes", [](Profile&, const std::string& v) { static_cast<void>(number(v)); }, false},
    Key{"threads_per_multiprocessor",
        [](Profile& p, const std::string& v) { p.threads_per_multiprocessor = small_number(v); }},
    Key{"blocks_per_multiprocessor",
        [](Profile& p, const std::string& v) { p.blocks_per_multiprocessor = small_number(v); }},
    Key{"shared_bytes_per_multiprocessor",
        [](Profile& p, const std::string& v) { p.shared_bytes_per_multiprocessor = number(v); }},
    Key{"shared_bytes_per_block", [](Profile& p, const std::string& v) { p.shared_bytes_per_block = number(v); }},
    Key{"l2_cache_bytes", [](Profile& p, const std::string& v) { p.l2_cache_bytes = number(v); }},
    Key{"memory_bus_bits", [](Profile& p, const std::string& v) { p.memory_bus_bits = small_number(v); }},
    Key{"nvlink_links", [](Profile& p, const std::string& v) { p.nvlink_links = small_number(v); }, false},
};

void set(Profile& profile, const std::string& key, const std::string& value) {
  for (const Key& known : kKeys)
    if (key == known.name) return known.set(profile, value);
  throw std::runtime_error("unknown key '" + key + "'");
}

std::string stem(const std::string& path) {
  const std::string file = path.substr(path.find_last_of('/') + 1);
  return file.substr(0, file.rfind('.'));
}

} // namespace

Profile read_profile(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": no such profile");
  Profile profile;
  profile.name = stem(path);
  std::set<std::string> given;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::string place = path + ":" + std::to_string(number) + ": ";
    const auto equals = line.find('=');
    if (equals == std::string::npos) throw std::runtime_error(place + "expected key = value");
    const std::string key = trimmed(line.substr(0, equals));
    if (!given.insert(key).second) throw std::runtime_error(place + "'" + key + "' is given twice");
    try {
      set(profile, key, trimmed(line.substr(equals + 1)));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(place + error.what());
    }
  }
  for (const Key& key : kKeys)
    if (key.is_needed && !given.count(key.name)) throw std::runtime_error(path + ": '" + key.name + "' is missing");
  if (profile.system_bytes >= profile.total_bytes ||
      profile.context_bytes >= profile.total_bytes - profile.system_bytes)
    throw std::runtime_error(path + ": context_bytes and system_bytes leave nothing of total_bytes");
  return profile;
}

} // namespace memviz::rehearsal
