#include "cli/frame/words.hpp"

#include "base/suggest.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <string_view>

namespace memviz::cli {

namespace po = boost::program_options;

namespace {

po::options_description described(const std::vector<OptionText>& options) {
  po::options_description description;
  for (const OptionText& option : options) {
    std::string names(option.name);
    if (option.letter != '\0') names += fmt::format(",{}", option.letter);
    if (option.value.empty())
      description.add_options()(names.c_str(), "");
    else if (!option.value_alone.empty())
      description.add_options()(names.c_str(),
                                po::value<std::string>()->implicit_value(std::string(option.value_alone)), "");
    else
      description.add_options()(names.c_str(), po::value<std::string>(), "");
  }
  return description;
}

[[noreturn]] void refuse_unknown(const std::string& word, const std::vector<OptionText>& options) {
  std::vector<std::string> spelled;
  for (const OptionText& option : options)
    spelled.push_back(fmt::format("--{}", option.name));
  const std::vector<std::string_view> candidates(spelled.begin(), spelled.end());
  // The word of PyTorch's users and of nvidia-smi.
  const bool means_device = word == "--gpu" && std::ranges::find(candidates, "--device") != candidates.end();
  const std::string hint = means_device ? "; did you mean '--device'?" : did_you_mean(word, candidates);
  throw UsageError(fmt::format("unknown option '{}'{}", word, hint.empty() ? "; --help lists the options" : hint));
}

[[noreturn]] void refuse_syntax(const po::invalid_command_line_syntax& error, const std::vector<OptionText>& options) {
  const std::string name = error.get_option_name();
  if (error.kind() == po::invalid_syntax::extra_parameter) throw UsageError(name + " takes no value");
  for (const OptionText& option : options)
    if (name == fmt::format("--{}", option.name) || name == fmt::format("-{}", option.letter))
      throw UsageError(fmt::format("{} needs a value: {} {}", name, name, option.value));
  throw UsageError(error.what());
}

/// An option whose value was omitted would take the next option as its value.
void refuse_option_as_value(const po::option& option, const OptionText& text) {
  const bool is_next_word = option.original_tokens.size() == 2;
  if (!is_next_word || option.value.empty() || !option.value.front().starts_with("--")) return;
  const std::string& value = option.value.front();
  throw UsageError(fmt::format("--{0} needs a value: --{0} {1}; if '{2}' is the value, write --{0}={2}", text.name,
                               text.value, value));
}

po::parsed_options parsed(const std::vector<std::string>& words, const std::vector<OptionText>& options) {
  namespace style = po::command_line_style;
  const po::options_description description = described(options);
  po::command_line_parser parser(words);
  // Without guessing: an abbreviation that is unique today becomes ambiguous when an option is added.
  parser.options(description).style(style::unix_style & ~style::allow_guessing);
  try {
    return parser.run();
  } catch (const po::unknown_option& error) {
    refuse_unknown(error.get_option_name(), options);
  } catch (const po::invalid_command_line_syntax& error) {
    refuse_syntax(error, options);
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

} // namespace

ParsedWords parse_words(const std::vector<std::string>& words, const std::vector<OptionText>& options) {
  ParsedWords result;
  std::vector<bool> is_given(options.size());
  for (const po::option& option : parsed(words, options).options) {
    if (option.position_key >= 0) {
      result.operands.insert(result.operands.end(), option.value.begin(), option.value.end());
      continue;
    }
    const auto known =
        std::ranges::find_if(options, [&](const OptionText& one) { return one.name == option.string_key; });
    const auto index = static_cast<std::size_t>(known - options.begin());
    if (is_given.at(index) && !known->may_repeat)
      throw UsageError(fmt::format("--{} is given twice", option.string_key));
    is_given[index] = true;
    refuse_option_as_value(option, *known);
    result.given.push_back({index, option.value.empty() ? std::string(known->value_alone) : option.value.front()});
  }
  return result;
}

} // namespace memviz::cli
