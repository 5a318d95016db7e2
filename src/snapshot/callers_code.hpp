#pragma once

// Tells what the caller's code throws from what the reader finds in a file: only the latter is a reason to read the
// file in another way, and the caller may throw a ParseError, too.

#include "memviz/recording.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// What ReadOptions holds of the caller's code, watched.
class CallersCode {
  template <class Code> static auto watched(bool& has_thrown, const Code& code) {
    try {
      return code();
    } catch (...) {
      has_thrown = true;
      throw;
    }
  }

public:
  explicit CallersCode(const ReadOptions& options) : options_(options) {
    if (options.sink != nullptr) options_.sink = &sink_.emplace(*options.sink, has_thrown_);
    if (options.rewriter != nullptr) options_.rewriter = &rewriter_.emplace(*options.rewriter, has_thrown_);
    if (options.on_progress)
      options_.on_progress = [this, &options](std::uint64_t done_bytes) {
        watched(has_thrown_, [&] { options.on_progress(done_bytes); });
      };
  }
  CallersCode(const CallersCode&) = delete;
  CallersCode& operator=(const CallersCode&) = delete;
  ~CallersCode() = default;

  [[nodiscard]] const ReadOptions& options() const { return options_; }
  [[nodiscard]] bool has_thrown() const { return has_thrown_; }

private:
  class Sink final : public EventSink {
  public:
    Sink(EventSink& sink, bool& has_thrown) : sink_(sink), has_thrown_(has_thrown) {}
    void begin(const FrameTable& frames) override {
      watched(has_thrown_, [&] { sink_.begin(frames); });
    }
    void take(DeviceId device, std::span<const Event> events) override {
      watched(has_thrown_, [&] { sink_.take(device, events); });
    }
    void restart() override { sink_.restart(); }

  private:
    EventSink& sink_;
    bool& has_thrown_;
  };

  class Rewriter final : public TextRewriter {
  public:
    Rewriter(TextRewriter& rewriter, bool& has_thrown) : rewriter_(rewriter), has_thrown_(has_thrown) {}
    [[nodiscard]] FrameText frame(std::string_view name, std::string_view filename) override {
      return watched(has_thrown_, [&] { return rewriter_.frame(name, filename); });
    }
    [[nodiscard]] std::string text(TextKind kind, std::string_view text) override {
      return watched(has_thrown_, [&] { return rewriter_.text(kind, text); });
    }

  private:
    TextRewriter& rewriter_;
    bool& has_thrown_;
  };

  ReadOptions options_;
  std::optional<Sink> sink_;
  std::optional<Rewriter> rewriter_;
  bool has_thrown_ = false;
};

} // namespace memviz
