#include "cli/database_output.hpp"

#include "cli/messages.hpp"
#include "cli/outputs.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace memviz::cli {

namespace {

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

DatabaseOutput::DatabaseOutput(const FileOptions& options, std::string path)
    : options_(options), path_(std::move(path)) {
  write([&] {
    file_.emplace(path_);
    if (file_->beside().empty()) scratch_.emplace();
  });
}

EventSink* DatabaseOutput::naming(EventSink* events) {
  if (events != nullptr) events_ = std::make_unique<NamingSink>(*events, path_);
  return events == nullptr ? nullptr : events_.get();
}

void DatabaseOutput::write(const std::function<void()>& part) {
  naming_output(path_, part);
}

void DatabaseOutput::finish() {
  constexpr std::size_t kOverlap = 4096; // no path that is hidden is longer
  if (options_.redactor != nullptr)
    read_pieces(path(), kOverlap, [&](std::string_view piece) { check_redacted(options_, piece); });
  write([&] {
    if (scratch_) read_pieces(path(), 0, [&](std::string_view piece) { file_->write(piece); });
    file_->commit();
  });
}

} // namespace memviz::cli
