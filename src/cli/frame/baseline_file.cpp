#include "cli/frame/baseline_file.hpp"

#include "cli/frame/snapshot_file.hpp"
#include "memviz/baseline_json.hpp"
#include "memviz/input.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace memviz::cli {

std::optional<Baseline> baseline_in(const std::string& file, const std::string& name) {
  // A pipe can be read only once, so it is treated as a snapshot.
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  std::string head(1, '\0');
  if (!std::ifstream(file).read(head.data(), 1) || head != "{") return std::nullopt;
  return naming_file(name, [&]() -> std::optional<Baseline> {
    const Input input = read_input(file);
    if (!is_baseline_json(input.bytes())) return std::nullopt;
    return read_baseline_json(input.bytes());
  });
}

void add_snapshot(Baseline& baseline, const std::string& file, const FileOptions& options) {
  const Loaded peak = load(file, options, {.moment = moment_of(peak_scope()), .kinds = true});
  const Loaded end = load_file(file, options, {.kinds = true}, std::nullopt);
  naming_file(end.name, [&] { add_recording(baseline, picture_name(end.name), peak.state, end.state); });
}

} // namespace memviz::cli
