#include "cli/frame/command.hpp"

#include "cli/frame/messages.hpp"
#include "io/memory_limit.hpp"
#include "io/output_file.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <system_error>

namespace memviz::cli {

namespace {

ParsedWords words_with_program(const CommandText& text, const std::vector<OptionText>& options,
                               const std::vector<std::string>& words) {
  const auto separator = std::ranges::find(words, "--");
  ParsedWords parsed = parse_words({words.begin(), separator}, options);
  if (!parsed.operands.empty())
    throw UsageError(
        fmt::format("'{}' must come after --: memviz {} {}", parsed.operands.front(), text.name, text.operands));
  if (separator == words.end() || separator + 1 == words.end())
    throw UsageError(fmt::format("{0} needs a program: memviz {0} {1}", text.name, text.operands));
  parsed.operands.assign(separator + 1, words.end());
  return parsed;
}

int run_limited(const CommandOptions& options, const std::function<int()>& work) {
  if (options.out_of_memory.empty()) return work();
  const auto message = [&](const std::string& file) { return fmt::format("{}: {}", file, options.out_of_memory); };
  try {
    return work();
  } catch (const OutOfMemory& error) {
    throw Error(message(error.file()));
  } catch (const std::bad_alloc&) {
    std::vector<std::string> names;
    for (const std::string& file : options.operands)
      names.push_back(shown_name(file, options.file));
    throw Error(message(fmt::format("{}", fmt::join(names, " and "))));
  }
}

/// The most memory of a command, besides the stacks of its threads, and the end of the message for more.
struct Ceiling {
  std::uint64_t bytes = 0;
  unsigned threads = 0;
  std::string message;
};

/// Several files are read at once, each perhaps by several threads.
unsigned most_threads(const CommandText& text, const CommandOptions& options) {
  const bool has_several = text.takes_several && options.operands.size() > 1;
  const bool has_folder = std::ranges::any_of(options.operands, [](const std::string& operand) {
    std::error_code unknown;
    return std::filesystem::is_directory(operand, unknown);
  });
  return options.file.threads + (has_several || has_folder ? 2 * threads_for_files(options.file) : 0);
}

Ceiling ceiling_of(const CommandText& text, const CommandOptions& options) {
  if (const auto& given = options.file.max_memory)
    return {given->bytes, 0, fmt::format("needs more memory than --max-memory {} allows", given->word)};
  const std::uint64_t bytes = usual_memory_limit(options.operands, main_memory_bytes());
  return {bytes, most_threads(text, options),
          fmt::format("needs more than {} of memory; raise the limit with --max-memory SIZE", format_bytes(bytes))};
}

std::string operand_words(const CommandText& text, std::string_view article) {
  if (text.takes_process) return fmt::format("{} process id", article);
  return text.operand_count == 1 ? fmt::format("{} snapshot", article) : "two snapshots";
}

} // namespace

ParsedWords words_of_command(const CommandText& text, const std::vector<OptionText>& options,
                             const std::vector<std::string>& words) {
  if (text.takes_program) return words_with_program(text, options, words);
  ParsedWords parsed = parse_words(words, options);
  const std::size_t found = parsed.operands.size();
  const bool is_alone = std::ranges::any_of(
      parsed.given, [&](const GivenOption& given) { return options[given.option].name == text.stands_alone; });
  if (is_alone && found > 0)
    throw UsageError(fmt::format("--{} takes no {}; '{}' is one too many", text.stands_alone,
                                 text.takes_process ? "process" : "snapshots", parsed.operands.front()));
  if (is_alone) return parsed;
  if (found < text.operand_count) {
    throw UsageError(
        fmt::format("{} needs {}: memviz {} {}", text.name, operand_words(text, "a"), text.name, text.operands));
  }
  if (found > text.operand_count && !text.takes_several) {
    throw UsageError(fmt::format("{} takes {}; '{}' is one too many", text.name, operand_words(text, "one"),
                                 parsed.operands[text.operand_count]));
  }
  for (const std::string& operand : parsed.operands)
    if (operand.empty()) throw UsageError("the name of a snapshot is empty; - is standard input");
  if (text.takes_several && std::ranges::count(parsed.operands, "-") > 1)
    throw UsageError("only one of the snapshots can be standard input");
  return parsed;
}

int run_within_limits(const CommandText& text, CommandOptions& options, const std::function<int()>& work) {
  const bool starts_others = text.takes_program || text.takes_process;
  const bool is_limited = options.file.max_memory || (!starts_others && kCanLimitMemory);
  if (!is_limited) return run_with_messages(options, work);
  const Ceiling ceiling = ceiling_of(text, options);
  const MemoryLimit limit(ceiling.bytes, ceiling.threads);
  if (!limit.is_set() && options.file.max_memory)
    throw Error("--max-memory: this system does not limit the memory of a program");
  if (limit.is_set()) options.out_of_memory = ceiling.message;
  return run_with_messages(options, work);
}

int run_with_messages(const CommandOptions& options, const std::function<int()>& work) {
  if (options.file.redactor == nullptr) return run_limited(options, work);
  try {
    return run_limited(options, work);
  } catch (const UsageError&) {
    throw; // about the command line
  } catch (const OutOfMemory&) {
    throw;
  } catch (const ReaderGone&) {
    throw;
  } catch (const Error& error) {
    throw Error(Redactor::message(error.what()));
  }
}

} // namespace memviz::cli
