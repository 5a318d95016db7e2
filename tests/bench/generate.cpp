// memviz_bench_generate: a snapshot of any number of events, as PyTorch would have written it.

#include "snapshot_writer.hpp"

#include <charconv>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr std::string_view kUsage =
    "usage: memviz_bench_generate [--events N] [--seed N] [--depth N] [--writer python|cpp] [--shape "
    "own|alloc|shared]\n"
    "                             [-o FILE]\n"
    "  --events N   events of the two devices together (default: 1000000)\n"
    "  --depth N    frames of the deepest stack, 5 to 200 (default: 60)\n"
    "  --writer W   python: protocol 4 (default); cpp: protocol 2, torch::cuda::_memory_snapshot_pickled\n"
    "  --shape S    own: a list of frames for each alloc and free, as recorded by default (about 160 bytes an event)\n"
    "               alloc: frees refer to the list of their alloc (context=\"alloc\")\n"
    "               shared: one list for each distinct stack (about 80 bytes an event)\n"
    "  -o FILE      where the snapshot goes (default: standard output)\n";

struct Arguments {
  memviz::bench::SnapshotOptions options;
  std::string output = "-";
};

template <class Number> Number number_of(std::string_view word, Number least, Number most) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < least || value > most)
    throw std::runtime_error("not a number in range: " + std::string(word));
  return value;
}

void set(Arguments& arguments, std::string_view name, std::string_view value) {
  using namespace memviz::bench;
  SnapshotOptions& options = arguments.options;
  if (name == "-o")
    arguments.output = value;
  else if (name == "--events")
    options.events = number_of<std::uint64_t>(value, 16, std::uint64_t{1} << 30U);
  else if (name == "--seed")
    options.seed = number_of<std::uint64_t>(value, 0, ~std::uint64_t{0});
  else if (name == "--depth")
    options.max_depth = number_of<std::uint32_t>(value, 5, 200);
  else if (name == "--writer" && value == "python")
    options.writer = Writer::python;
  else if (name == "--writer" && value == "cpp")
    options.writer = Writer::cpp;
  else if (name == "--shape" && value == "own")
    options.shape = Shape::own;
  else if (name == "--shape" && value == "alloc")
    options.shape = Shape::alloc;
  else if (name == "--shape" && value == "shared")
    options.shape = Shape::shared;
  else
    throw std::runtime_error("unknown option: " + std::string(name) + " " + std::string(value));
}

Arguments parse(std::span<char*> words) {
  if (words.size() % 2 != 0) throw std::runtime_error("each option takes a value");
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); i += 2)
    set(arguments, words[i], words[i + 1]);
  return arguments;
}

void run(const Arguments& arguments) {
  const auto closed = [](std::FILE* file) { return std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(closed)> opened(nullptr, closed);
  if (arguments.output != "-") {
    opened.reset(std::fopen(arguments.output.c_str(), "wb"));
    if (!opened) throw std::runtime_error("cannot write " + arguments.output);
  }
  memviz::bench::write_snapshot(arguments.options, opened ? opened.get() : stdout);
  if (std::fflush(opened ? opened.get() : stdout) != 0) throw std::runtime_error("the output could not be written");
}

} // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  try {
    arguments = parse(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz_bench_generate: %s\n%s", error.what(), kUsage.data());
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memviz_bench_generate: %s\n", error.what());
    return 1;
  }
  return 0;
}
