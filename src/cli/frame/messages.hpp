#pragma once

// The output of the program: results on standard output, messages on standard error, and the file's name before the
// library's messages about it.

#include "cli/frame/file_options.hpp"
#include "io/output_file.hpp"
#include "memviz/error.hpp"
#include "memviz/several_snapshots.hpp"

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace memviz::cli {

/// Writes to standard output. Throws Error if that fails.
void print(std::string_view text);
/// Writes to standard error, unchanged.
void say(std::string_view text);
/// Writes to standard error, as "memviz: MESSAGE", on one line whatever it contains.
void say_message(std::string_view message);
/// Writes one line for each of warnings_of(), with the file's name; none with --quiet, or if the answer shows them.
void say_warnings(const FileOptions& options, const std::string& file, const std::vector<std::string>& warnings);

/// Memory ran out while `file` was processed.
class OutOfMemory : public Error {
public:
  explicit OutOfMemory(std::string file) : Error(file + ": out of memory"), file_(std::move(file)) {}
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

private:
  std::string file_;
};

/// Reports an error and returns its exit code.
int report(const std::exception& error);

/// An error about a file other than the current one; the message contains its name.
class NamedError : public Error {
public:
  using Error::Error;
};

/// Returns a message without the "`name`: " that naming_file() put before it.
[[nodiscard]] inline std::string_view without_name(std::string_view message, std::string_view name) {
  const bool is_named = message.starts_with(name) && message.substr(name.size()).starts_with(": ");
  return is_named ? message.substr(name.size() + 2) : message;
}

/// Runs `step`; rethrows an Error with "`name`: " before its message, and std::bad_alloc as OutOfMemory. Does not
/// change a UsageError, which is about the command line, a NamedError, which is about another file, and ReaderGone,
/// which is not an error.
template <class Step> auto naming_file(const std::string& name, Step step) {
  try {
    return step();
  } catch (const UsageError&) {
    throw;
  } catch (const NamedError&) {
    throw;
  } catch (const ReaderGone&) {
    throw;
  } catch (const SeveralSnapshots& error) {
    throw SeveralSnapshots(name, error);
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
