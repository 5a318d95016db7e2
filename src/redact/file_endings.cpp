#include "redact/file_endings.hpp"

#include <algorithm>
#include <array>

namespace memviz {
namespace {

constexpr std::array<std::string_view, 13> kSource{".py",  ".pyx", ".cpp", ".cc", ".cxx", ".cu", ".cuh",
                                                   ".hpp", ".h",   ".c",   ".so", ".rs",  ".mm"};
constexpr std::array<std::string_view, 29> kData{
    ".bin",  ".cfg", ".ckpt", ".csv",  ".gz",  ".h5",     ".ini", ".ipynb",   ".json",       ".log",
    ".md",   ".npy", ".npz",  ".onnx", ".pkl", ".pickle", ".pt",  ".pth",     ".sh",         ".tar",
    ".toml", ".txt", ".xml",  ".yaml", ".yml", ".zip",    ".zst", ".parquet", ".safetensors"};

template <class Endings> std::string_view ending_of(std::string_view path, const Endings& endings) {
  const auto found = std::ranges::find_if(endings, [&](std::string_view ending) { return path.ends_with(ending); });
  return found == endings.end() ? std::string_view() : *found;
}

} // namespace

std::string_view known_extension(std::string_view path) {
  const std::string_view source = ending_of(path, kSource);
  return source.empty() ? ending_of(path, kData) : source;
}

bool is_source_ending(std::string_view ending) {
  return std::ranges::find(kSource, ending) != kSource.end();
}

} // namespace memviz
