#include "cli/frame/sqlite_output.hpp"

#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "memviz/version.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace memviz::cli {

namespace {

/// Adds the name of the output to the errors of another sink.
class NamingSink final : public EventSink {
public:
  NamingSink(EventSink& events, const std::string& path) : events_(events), path_(path) {}

  void begin(const FrameTable& frames) override {
    naming_output(path_, [&] { events_.begin(frames); });
  }
  void take(DeviceId device, std::span<const Event> events) override {
    naming_output(path_, [&] { events_.take(device, events); });
  }
  void restart() override {
    naming_output(path_, [&] { events_.restart(); });
  }

private:
  EventSink& events_;
  const std::string& path_;
};

} // namespace

SqliteOutput::SqliteOutput(const FileOptions& options, std::string path, const SqliteTables& tables)
    : options_(options), path_(std::move(path)) {
  naming_output(path_, [&] {
    file_.emplace(path_);
    if (file_->beside().empty()) scratch_.emplace();
    sqlite_.emplace(written(), tables);
  });
  if (sqlite_->events() != nullptr) events_ = std::make_unique<NamingSink>(*sqlite_->events(), path_);
}

void SqliteOutput::finish(const Loaded& loaded, const Figures& figures) {
  constexpr std::size_t kOverlap = 4096; // no hidden path is longer
  const SqliteSubject subject{.file = picture_name(loaded.name),
                              .version = std::string(version()),
                              .state = loaded.state,
                              .report = figures.report,
                              .project = figures.project};
  naming_file(loaded.name, [&] { check_proportion(subject); });
  naming_output(path_, [&] { sqlite_->finish(subject); });
  if (options_.redactor != nullptr)
    read_pieces(written(), kOverlap, [&](std::string_view piece) { check_redacted(options_, piece); });
  naming_output(path_, [&] {
    if (scratch_) read_pieces(written(), 0, [&](std::string_view piece) { file_->write(piece); });
    file_->commit();
  });
}

} // namespace memviz::cli
