#include "cli/frame/messages.hpp"

#include "base/printable.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/highlight.hpp"

#include <cstdio>
#include <new>

namespace memviz::cli {

void print(std::string_view text) {
  try {
    write_file("-", text);
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw Error(std::string("standard output: ") + error.what());
  }
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void say_message(std::string_view message) {
  say(for_messages("memviz: " + printable(message) + '\n'));
}

void say_warnings(const FileOptions& options, const std::string& file, const std::vector<std::string>& warnings) {
  if (options.are_warnings_shown) return;
  for (const std::string& warning : warnings)
    options.advise(file + ": warning: " + warning);
}

int report(const std::exception& error) {
  if (dynamic_cast<const ReaderGone*>(&error) != nullptr) return kBadData;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    say("memviz: out of memory\n"); // without an allocation
    return kBadData;
  }
  say_message(error.what());
  return dynamic_cast<const UsageError*>(&error) != nullptr ? kBadUsage : kBadData;
}

} // namespace memviz::cli
