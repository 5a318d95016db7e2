#include "memviz/check.hpp"

#include "memviz/error.hpp"
#include "memviz/replay.hpp"
#include "memviz/several_snapshots.hpp"
#include "pickle/survey.hpp"
#include "recording/file_kind.hpp"
#include "recording/folded_reader.hpp"
#include "session/sinks.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace memviz {

namespace {

std::optional<std::uint64_t> stored_bytes_of(const std::string& path, std::uint64_t size_bytes) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  return error || bytes == size_bytes ? std::nullopt : std::optional(bytes);
}

/// In bytes that are not a pickle, opcodes occur only by chance.
bool may_be_pickle(std::string_view bytes) {
  try {
    reject_foreign_file(bytes);
  } catch (const Error&) {
    return false;
  }
  return !looks_like_json(bytes) && !looks_like_folded(bytes);
}

std::shared_ptr<const pickle::Survey> survey_of(Input& input, const SessionOptions& options) {
  if (!may_be_pickle(input.bytes())) return nullptr;
  const pickle::Progress progress([&](std::uint64_t done_bytes) {
    input.release_before(static_cast<std::size_t>(done_bytes));
    if (options.on_progress) options.on_progress("counting opcodes", done_bytes, input.bytes().size());
  });
  return std::make_shared<const pickle::Survey>(pickle::survey(input.bytes(), progress));
}

void decode(Session& session, CheckDepth depth, CheckReport& report) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  try {
    if (depth == CheckDepth::structure) {
      NoEvents nobody;
      report.recording = session.read(nobody);
    } else {
      report.state = session.open().state;
      report.recording = report.state->recording;
    }
  } catch (const UsageError&) {
    throw;
  } catch (const SeveralSnapshots&) {
    throw;
  } catch (const Error& error) {
    report.error = error.what();
  }
  report.decoding_seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace

bool CheckReport::is_balanced() const {
  return state && std::ranges::all_of(state->devices,
                                      [](const DeviceState& device_state) { return device_state.figures.balanced(); });
}

CheckReport check(const std::string& path, CheckDepth depth, const SessionOptions& options) {
  CheckReport report;
  report.file = path;
  SessionOptions noted = options;
  noted.on_reader = [&](const ReadBy& read_by) { report.read_by = read_by; };
  Session session(path, noted);
  report.size_bytes = session.input().bytes().size();
  report.layers = session.layers();
  report.stored_bytes = stored_bytes_of(path, report.size_bytes);
  decode(session, depth, report);
  // If only the structure is wanted, a second pass would distort its time.
  if (depth == CheckDepth::whole || !report.recording) report.survey = survey_of(session.input(), options);
  return report;
}

} // namespace memviz
