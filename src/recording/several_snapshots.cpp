#include "memviz/several_snapshots.hpp"

#include "base/printable.hpp"

#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

std::string message_of_several(const std::vector<std::string>& names) {
  return fmt::format("holds {} snapshots ({}): choose one with --rank, or compare all of them with memviz ranks",
                     names.size(), listed_snapshots(names));
}

} // namespace

std::string listed_snapshots(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 4;
  constexpr std::size_t kShownColumns = 60;
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMostShown; ++i) {
    // Subscripts have quotes where they quote the file, and --redact hides what is in quotes.
    const std::string_view quote = names[i].starts_with('[') ? "" : "'";
    list += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", quote, elided(names[i], kShownColumns), quote);
  }
  return names.size() > kMostShown ? list + ", ..." : list;
}

SeveralSnapshots::SeveralSnapshots(std::vector<std::string> names)
    : Error(message_of_several(names)), names_(std::move(names)) {
}

SeveralSnapshots::SeveralSnapshots(const std::string& file, const SeveralSnapshots& error)
    : Error(file + ": " + error.what()), names_(error.names()) {
}

} // namespace memviz
