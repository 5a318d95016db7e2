#pragma once

// The output of the program: results on standard output, messages on standard error, and the name of the file before
// the library's messages about it.

#include "cli/file_options.hpp"
#include "io/output_file.hpp"
#include "memviz/error.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace memviz::cli {

/// To standard output. Throws Error when it cannot be written.
void print(std::string_view text);
/// To standard error, as it is.
void say(std::string_view text);
/// To standard error, as "memviz: MESSAGE", on one line whatever is in it.
void say_message(std::string_view message);
/// One line for each of warnings_of(), with the name of the file; none with --quiet, or where the answer shows them.
void say_warnings(const FileOptions& options, const std::string& file, const std::vector<std::string>& warnings);

/// Memory ran out over `file`.
class OutOfMemory : public Error {
public:
  explicit OutOfMemory(std::string file) : Error(file + ": out of memory"), file_(std::move(file)) {}
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

private:
  std::string file_;
};

/// Says what went wrong and returns the exit code for it.
int report(const std::exception& error);

/// About another file than the one that is worked on; the message has its name.
class NamedError : public Error {
public:
  using Error::Error;
};

/// Returns a message without the "`name`: " that naming_file() put before it.
[[nodiscard]] inline std::string_view without_name(std::string_view message, std::string_view name) {
  const bool is_named = message.starts_with(name) && message.substr(name.size()).starts_with(": ");
  return is_named ? message.substr(name.size() + 2) : message;
}

/// Runs `step`; an Error in it is thrown again with "`name`: " before its message, and std::bad_alloc as OutOfMemory. A
/// UsageError is about the command line, a NamedError about another file, and ReaderGone about nothing: they pass.
template <class Step> auto naming_file(const std::string& name, Step step) {
  try {
    return step();
  } catch (const UsageError&) {
    throw;
  } catch (const NamedError&) {
    throw;
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(name);
  } catch (const std::system_error& error) {
    // A thread that gets no memory for its stack.
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    throw OutOfMemory(name);
  }
}

} // namespace memviz::cli
