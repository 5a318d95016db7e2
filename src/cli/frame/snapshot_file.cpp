#include "cli/frame/snapshot_file.hpp"

#include "memviz/input.hpp"
#include "memviz/warnings.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace memviz::cli {

namespace {

std::optional<SourceLines> sources_of(const std::string& file, const FileOptions& options) {
  if (options.sources.empty()) return std::nullopt;
  return std::optional<SourceLines>(std::in_place, options.sources, written_ns(file));
}

SessionOptions with_sources(SessionOptions options, std::optional<SourceLines>& sources) {
  if (sources)
    options.add_sources = [&sources](FrameTable& frames, auto first_us) { sources->add_to(frames, first_us); };
  return options;
}

SessionOptions taking_text(SessionOptions options, bool takes_text) {
  options.takes_text = takes_text;
  return options;
}

} // namespace

SnapshotFile::SnapshotFile(const std::string& file, const FileOptions& options, bool takes_text)
    : sources_(sources_of(file, options)),
      progress_(picture_name(file), options.is_quiet || options.waiting_messages != nullptr),
      session_(file, taking_text(with_sources(session_options(shown_name(file, options), options, progress_), sources_),
                                 takes_text)) {
}

std::vector<std::string> SnapshotFile::remarks() const {
  return sources_ ? sources_->remarks() : std::vector<std::string>();
}

SessionOptions session_options(const std::string& name, const FileOptions& options, ProgressLine& progress) {
  return {.name = name,
          .rewriter = options.redactor.get(),
          .threads = options.threads,
          .rank = options.rank,
          .on_progress = [&progress](std::string_view step, std::uint64_t done_bytes, std::uint64_t total_bytes) {
            progress.show(step, done_bytes, total_bytes);
          }};
}

KindRules kind_rules_of(const FileOptions& options) {
  if (!options.kinds) return {};
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;
  const InputOptions limits{.max_bytes = kMostBytes};
  return naming_file(*options.kinds, [&] { return KindRules(read_input(*options.kinds, limits).bytes()); });
}

Wants with_kind_rules(Wants wants, const FileOptions& options) {
  wants.kind_rules = kind_rules_of(options);
  return wants;
}

namespace {

Loaded loaded_with_remarks(SnapshotFile& snapshot, const FileOptions& options, const Wants& wants,
                           std::optional<DeviceId> device) {
  Loaded loaded = loaded_from(snapshot.session(), wants, device);
  for (const std::string& remark : snapshot.remarks())
    options.advise(fmt::format("{}: {}", loaded.name, remark));
  return loaded;
}

} // namespace

Loaded load(const std::string& file, const FileOptions& options, const Wants& wants, std::optional<DeviceId> device) {
  const Wants with_rules = with_kind_rules(wants, options);
  return naming_file(shown_name(file, options), [&] {
    SnapshotFile snapshot(file, options);
    return loaded_with_remarks(snapshot, options, with_rules, device);
  });
}

Loaded load_file(SnapshotFile& snapshot, const FileOptions& options, const Wants& wants,
                 std::optional<DeviceId> device) {
  Loaded loaded = loaded_with_remarks(snapshot, options, wants, device);
  say_warnings(options, loaded.name, warnings_of(loaded.state));
  return loaded;
}

Loaded load_one(const CommandOptions& options, const Wants& wants, std::optional<DeviceId> device) {
  return load_file(options.operands.front(), options.file, wants, device);
}

Loaded load_file(const std::string& file, const FileOptions& options, const Wants& wants,
                 std::optional<DeviceId> device) {
  Loaded loaded = load(file, options, wants, device);
  say_warnings(options, loaded.name, warnings_of(loaded.state));
  return loaded;
}

} // namespace memviz::cli
