#include "cli/frame/outputs.hpp"

#include "cli/frame/messages.hpp"
#include "io/file_bytes.hpp"
#include "io/terminal.hpp"
#include "memviz/error.hpp"

#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace memviz::cli {

void naming_output(const std::string& path, const std::function<void()>& write) {
  try {
    write();
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw NamedError((path == "-" ? "standard output" : path) + ": " + error.what());
  }
}

void check_binary_output(const std::string& path, std::string_view what) {
  if (path != "-" || !output_is_terminal()) return;
  throw UsageError(fmt::format("a terminal cannot show {}: write it to a file with -o FILE, or to a pipe", what));
}

void check_redacted(const FileOptions& options, std::string_view text) {
  if (options.redactor != nullptr) options.redactor->check_output(text);
}

void write_output(const FileOptions& options, const std::string& path, std::string_view text) {
  check_redacted(options, text);
  naming_output(path, [&] { write_file(path, text); });
}

void write_output(const FileOptions& options, const std::string& path, const TextSource& source) {
  PieceOutput output(options, path);
  source([&](std::string_view piece) { output.write(piece); });
  output.finish();
}

PieceOutput::PieceOutput(const FileOptions& options, std::string path) : options_(options), path_(std::move(path)) {
  naming_output(path_, [&] {
    file_.emplace(path_);
    if (path_ == "-" && options_.redactor != nullptr) waiting_.emplace();
  });
}

void PieceOutput::write(std::string_view piece) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20U;
  if (options_.redactor == nullptr) return naming_output(path_, [&] { file_->write(piece); });
  rest_ += piece;
  // A path that is searched for contains none of these.
  constexpr std::string_view kEnds = "\n\" ";
  if (rest_.size() < kAtOnce || piece.find_first_of(kEnds) == std::string_view::npos) return;
  const std::size_t whole = rest_.find_last_of(kEnds) + 1;
  look_through(std::string_view(rest_).substr(0, whole));
  rest_.erase(0, whole);
}

void PieceOutput::look_through(std::string_view text) {
  check_redacted(options_, text);
  naming_output(path_, [&] {
    if (waiting_)
      waiting_->write(text);
    else
      file_->write(text);
  });
}

void PieceOutput::finish() {
  look_through(rest_);
  naming_output(path_, [&] {
    if (waiting_) waiting_->read([&](std::string_view piece) { file_->write(piece); });
    file_->commit();
  });
}

namespace {

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code error;
  if (one == other) return true;
  if (one == "-" || other == "-") return false;
  if (std::filesystem::equivalent(one, other, error) && !error) return true;
  // Neither need exist yet: then only the existing beginning is made canonical.
  const auto canonical = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return canonical(one) == canonical(other) && !error;
}

void check_that_differ(std::initializer_list<NamedOutput> outputs) {
  for (const NamedOutput* one = outputs.begin(); one != outputs.end(); ++one)
    for (const NamedOutput* other = one + 1; other != outputs.end(); ++other)
      if (one->path && other->path && is_same_file(*one->path, *other->path))
        throw UsageError(fmt::format("{} and {} name the same output", one->option, other->option));
}

bool is_input(const std::string& input, const std::string& output) {
  std::error_code error;
  if (output == "-") return false;
  if (input == "-") return is_standard_input(output);
  return std::filesystem::is_regular_file(input, error) && std::filesystem::equivalent(input, output, error) && !error;
}

void check_one(const std::vector<std::string>& inputs, const std::string& output) {
  if (output.empty()) throw UsageError("the name of an output is empty; - is standard output");
  if (output.starts_with('=')) {
    throw UsageError(fmt::format("'{0}' would be the name of the output; write '-o {1}', or './{0}' if that is meant",
                                 output, output.substr(1)));
  }
  for (const std::string& input : inputs)
    if (is_input(input, output))
      throw UsageError(fmt::format("the output '{}' would replace a file that is read", output));
}

} // namespace

void check_outputs(const CommandOptions& options, std::initializer_list<NamedOutput> outputs) {
  check_outputs(options.operands, outputs);
}

void check_outputs(const std::vector<std::string>& inputs, std::initializer_list<NamedOutput> outputs) {
  for (const NamedOutput& output : outputs)
    if (output.path) check_one(inputs, *output.path);
  check_that_differ(outputs);
  for (const NamedOutput& output : outputs)
    if (output.path) naming_output(*output.path, [&] { check_output(*output.path); });
}

} // namespace memviz::cli
