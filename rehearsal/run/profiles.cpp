#include "run/profiles.hpp"

#include "base/ascii.hpp"
#include "base/parts.hpp"
#include "base/suggest.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <system_error>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".profile";
constexpr std::array<std::string_view, 5> kBrands{"nvidia", "geforce", "tesla", "quadro", "rtx"};
constexpr std::size_t kMostProfileBytes = std::size_t{1} << 16U;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::uint64_t bytes_of(const fs::path& file, std::string_view key, std::string_view value) {
  const auto bytes = whole_number<std::uint64_t>(value);
  if (!bytes || *bytes == 0)
    throw UsageError(fmt::format("{}: {} must be a number of bytes above 0, not '{}'", file.string(), key, value));
  return *bytes;
}

/// Returns the name without its folder and ending.
std::string stem_of(const fs::path& file) {
  return file.extension() == kEnding ? file.stem().string() : file.filename().string();
}

/// "NVIDIA GeForce RTX 4090" -> "nvidiageforcertx4090", "A100-80GB" -> "a10080".
std::string compact(std::string_view name) {
  std::string key;
  for (const char c : name)
    if (is_letter(c) || is_digit(c)) key += lower_case(c);
  if (key.size() > 2 && key.ends_with("gb") && is_digit(key[key.size() - 3])) key.resize(key.size() - 2);
  return key;
}

/// "nvidiageforcertx4090" -> "4090".
std::string without_brands(std::string key) {
  for (const std::string_view brand : kBrands)
    if (key.starts_with(brand)) key.erase(0, brand.size());
  return key;
}

/// "NVIDIA GeForce RTX 4090" -> "4090".
std::string_view name_without_brands(std::string_view name) {
  const auto is_next = [&](std::string_view brand) {
    return name.size() > brand.size() && (name[brand.size()] == ' ' || name[brand.size()] == '-') &&
           compact(name.substr(0, brand.size())) == brand;
  };
  for (const std::string_view brand : kBrands)
    if (is_next(brand)) name.remove_prefix(brand.size() + 1);
  return name;
}

/// Whether a compact name is the beginning of another name, and no other card's: "rtx5060" is not "RTX 5060 Ti", "l2"
/// not "L20".
bool begins(std::string_view key, std::string_view name) {
  std::size_t used = 0;
  for (std::string_view left = key; !left.empty(); ++used) {
    if (used == name.size()) return false;
    const std::string one = compact(name.substr(used, 1));
    if (one.empty()) continue;
    if (one.front() != left.front()) return false;
    left.remove_prefix(1);
  }
  if (used == name.size() || !is_digit(key.back())) return true;
  const std::string_view rest = name.substr(used);
  const std::size_t next = rest.find_first_not_of(" -");
  return next != std::string_view::npos && next > 0 && is_digit(rest[next]);
}

bool is_amd(const std::string& key) {
  const bool is_series = key.size() > 2 && (key.starts_with("mi") || key.starts_with("rx")) && is_digit(key[2]);
  return is_series || key.starts_with("amd") || key.starts_with("instinct") || key.starts_with("radeon") ||
         key.starts_with("gfx");
}

enum class Likeness { none, begins, is };

/// Returns how well a compact name matches the name of a GPU.
Likeness likeness_of(const std::string& asked, const std::string& name) {
  Likeness best = Likeness::none;
  const std::string called = compact(name);
  for (const std::string& one : {asked, without_brands(asked)}) {
    if (one.empty()) continue;
    if (one == called || one == without_brands(called)) return Likeness::is;
    if (begins(one, name) || begins(one, name_without_brands(name))) best = Likeness::begins;
  }
  return best;
}

struct Candidates {
  std::vector<fs::path> exact;
  std::vector<fs::path> beginning;
};

std::vector<fs::path> profile_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "profiles", error))
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Whether the name is one of a slice of a GPU (NVIDIA's Multi-Instance GPU), which only its own name means.
bool is_slice(std::string_view name) {
  return name.find("mig") != std::string_view::npos;
}

/// Returns what the GPU of a profile is called; only the profile's own name if it cannot be read.
std::vector<std::string> names_of(const fs::path& file) try {
  const Profile profile = read_profile(file);
  return {profile.name, profile.gpu, profile.also_called};
} catch (const UsageError&) {
  return {stem_of(file)};
}

Candidates candidates_for(const fs::path& folder, const std::string& key) {
  Candidates found;
  for (const fs::path& file : profile_files(folder)) {
    Likeness likeness = Likeness::none;
    for (const std::string& name : names_of(file))
      likeness = std::max(likeness, likeness_of(key, name));
    if (likeness == Likeness::is) found.exact.push_back(file);
    if (likeness == Likeness::begins && (is_slice(key) || !is_slice(stem_of(file)))) found.beginning.push_back(file);
  }
  return found;
}

std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files)
    names.push_back(stem_of(file));
  std::ranges::sort(names);
  return names;
}

} // namespace

std::vector<std::string_view> known_gpus() {
  std::vector<std::string_view> names;
  for (std::string_view rest = MEMVIZ_GPU_NAMES; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    names.push_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return names;
}

std::vector<std::string> profile_names(const fs::path& folder) {
  return names_of(profile_files(folder));
}

fs::path profile_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) {
    if (!fs::is_regular_file(name, ignored)) throw UsageError("--gpu: no such file: " + name);
    return fs::absolute(name);
  }
  const std::string key = compact(name);
  const auto [exact, beginning] = candidates_for(folder, key);
  const std::vector<fs::path>& found = exact.empty() ? beginning : exact;
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    const std::vector<std::string> names = names_of(found);
    throw UsageError(
        fmt::format("--gpu: '{}' may be {}", name, listed(std::vector<std::string_view>(names.begin(), names.end()))));
  }
  if (is_amd(key))
    throw UsageError(fmt::format(
        "--gpu: '{}' is an AMD GPU: PyTorch uses it through ROCm, and only the libraries of CUDA are made up", name));
  throw UsageError(fmt::format("--gpu: '{}' is unknown; there are {}; a profile of your own has a '/' in its name",
                               name, fmt::join(profile_names(folder), ", ")));
}

Profile read_profile(const fs::path& file) {
  std::string content(kMostProfileBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UsageError(file.string() + ": cannot be read");
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(stream.gcount()));
  if (content.size() == kMostProfileBytes) throw UsageError(file.string() + ": too large for a profile of a GPU");
  Profile profile;
  profile.name = stem_of(file);
  for (std::string_view rest = content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string_view text = trimmed(line.substr(0, line.find('#')));
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(text.substr(0, equals));
    const std::string_view value = trimmed(text.substr(equals + 1));
    if (key == "name" || key == "device") profile.gpu = value;
    if (key == "also_called") profile.also_called = value;
    if (key == "total_bytes") profile.total_bytes = bytes_of(file, key, value);
    if (key == "context_bytes") profile.context_bytes = bytes_of(file, key, value);
    if (key == "kernels_bytes") profile.kernels_bytes = bytes_of(file, key, value);
    if (key == "system_bytes") profile.system_bytes = bytes_of(file, key, value);
    if (key == "least_total_bytes") profile.least_total_bytes = bytes_of(file, key, value);
    if (key == "most_total_bytes") profile.most_total_bytes = bytes_of(file, key, value);
  }
  if (profile.total_bytes == 0) throw UsageError(file.string() + ": no profile of a GPU: 'total_bytes' is missing");
  if (profile.gpu.empty()) profile.gpu = profile.name;
  return profile;
}

std::vector<std::string> parse_gpus(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : parts_of(text, ',')) {
    names.emplace_back(trimmed(part));
    if (names.back().empty())
      throw UsageError(fmt::format("--gpu must be names of GPUs, as in h100,a100-40, not '{}'", text));
  }
  return names;
}

} // namespace memviz::rehearse
