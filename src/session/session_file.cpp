#include "memviz/logged_error.hpp"
#include "memviz/session.hpp"
#include "recording/file_kind.hpp"
#include "session/chosen_snapshot.hpp"

#include <string_view>

namespace memviz {

namespace {

InputOptions input_options(const SessionOptions& options) {
  InputOptions input;
  input.check_head = [takes_text = options.takes_text](std::string_view head) {
    if (!takes_text || !may_be_log(head)) reject_foreign_head(head);
  };
  if (!options.on_progress) return input;
  input.on_progress = [&options](std::uint64_t done_bytes, std::uint64_t total_bytes) {
    options.on_progress("reading", done_bytes, total_bytes);
  };
  return input;
}

Contents::Snapshot snapshot_in(const std::string& path, const SessionOptions& options) {
  Contents contents = contents_of(path, options);
  return contents.take(chosen_snapshot(contents.names(), options.rank));
}

} // namespace

Contents contents_of(const std::string& path, const SessionOptions& options) {
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep")) throw_other_file("a report of Nsight Systems");
  return Contents(path, input_options(options));
}

Session::Session(const std::string& path, const SessionOptions& options)
    : Session(snapshot_in(path, options), options) {
}

Opened open(const std::string& path, const Wants& wants, const SessionOptions& options) {
  return Session(path, options).open(wants);
}

} // namespace memviz
