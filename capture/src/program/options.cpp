#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace memviz::capture::program {
namespace {

std::int64_t read_count(std::string_view text, std::int64_t max) {
  std::int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || stop != end || count < 1 || count > max) {
    throw UsageError("expected a whole number from 1 to " + std::to_string(max) + ", found '" + std::string(text) +
                     "'");
  }
  return count;
}

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

const Option& find_option(std::string_view name, const std::vector<Option>& options) {
  std::vector<std::string_view> names = {"--help"};
  for (const Option& option : options) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  throw UsageError("unknown option '" + std::string(name) + "'" + did_you_mean(name, names));
}

void read_value(const Option& option, std::string_view value) {
  try {
    option.read(value);
  } catch (const UsageError& error) {
    throw UsageError(std::string(option.name) + ": " + error.what());
  }
}

} // namespace

Option count_option(std::string_view name, std::int64_t& target, std::int64_t max, std::string_view help) {
  return {name, "N", help, [&target, max](std::string_view text) { target = read_count(text, max); }};
}

Option choice_option(std::string_view name, std::string& target, std::vector<std::string_view> choices,
                     std::string_view help) {
  auto read = [&target, choices = std::move(choices)](std::string_view text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      throw UsageError("expected " + listed(choices) + ", found '" + std::string(text) + "'" +
                       did_you_mean(text, choices));
    }
    target = text;
  };
  return {name, "NAME", help, std::move(read)};
}

Option text_option(std::string_view name, std::string_view value, std::string& target, std::string_view help) {
  auto read = [&target](std::string_view text) {
    if (text.empty()) throw UsageError("the value is empty");
    target = text;
  };
  return {name, value, help, std::move(read)};
}

bool parse_options(std::span<const std::string_view> arguments, const std::vector<Option>& options) {
  const auto asks_for_help = [](std::string_view word) { return word == "--help" || word == "-h"; };
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with('-')) throw UsageError("unexpected argument '" + std::string(word) + "'");
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const Option& option = find_option(word.substr(0, equals), options);
    if (equals != std::string_view::npos) {
      read_value(option, word.substr(equals + 1));
    } else if (++i < arguments.size()) {
      read_value(option, arguments[i]);
    } else {
      throw UsageError(std::string(option.name) + ": a value is missing");
    }
  }
  return true;
}

std::string help_of(const std::vector<Option>& options) {
  std::size_t width = 0;
  for (const Option& option : options)
    width = std::max(width, option.name.size() + 1 + option.value.size());
  std::string text;
  for (const Option& option : options) {
    const std::string left = std::string(option.name) + ' ' + std::string(option.value);
    text += "  " + left + std::string(width - left.size() + 2, ' ') + std::string(option.help) + '\n';
  }
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return "";
  std::string_view nearest;
  std::size_t nearest_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= nearest_distance || distance >= candidate.size()) continue;
    nearest = candidate;
    nearest_distance = distance;
  }
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

} // namespace memviz::capture::program
