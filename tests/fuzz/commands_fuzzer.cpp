// Any file -> what the program itself writes of it: the commands, formats and views of its own tables, and the answers
// of the engine of `memviz view`; a few for each input, chosen by the input. Each ends with a result or an error, and
// never with a complaint about its options. Commands that take two files get a pair where the input is one.

#include "../support/page_questions.hpp"
#include "../support/zip_builder.hpp"
#include "cli/dispatch.hpp"
#include "cli/frame/messages.hpp"
#include "engine/engine.hpp"
#include "measured_commands.hpp"
#include "memviz/error.hpp"
#include "pickle/decoder.hpp"
#include "require.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace memviz;

namespace {

/// Returns all commands for files of this kind, with each table that `export` writes.
std::vector<fuzz::MeasuredStep> all_steps(fuzz::FileKind kind) {
  constexpr std::size_t kTables = 16; // at least as many as there are
  std::vector<fuzz::MeasuredStep> steps;
  for (std::size_t table = 0; table < kTables; ++table)
    for (fuzz::MeasuredStep& step : fuzz::measured_steps(kind, table))
      if (std::ranges::find(steps, step.words, &fuzz::MeasuredStep::words) == steps.end())
        steps.push_back(std::move(step));
  return steps;
}

/// Takes `count` of `all`, spread over them.
template <class Item, class Take>
void take_some(const std::vector<Item>& all, std::size_t choice, std::size_t count, const Take& take) {
  for (std::size_t i = 0; i < count; ++i)
    take(all[(choice + i * (all.size() / count)) % all.size()]);
}

std::string file_for(std::string_view bytes, std::string_view ending) {
  static const std::string beginning = "/dev/shm/memviz-fuzz-" + std::to_string(getpid());
  const std::string path = beginning + std::string(ending);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  fuzz::require(static_cast<bool>(file.flush()), "room for the input", path);
  return path;
}

/// Splits two pickles, one after another; the same bytes twice if there is only one.
std::array<std::string_view, 2> pair_in(std::string_view bytes) {
  try {
    const auto end = static_cast<std::size_t>(pickle::decode(bytes).end_offset);
    if (end < bytes.size()) return {bytes.substr(0, end), bytes.substr(end)};
  } catch (const Error&) { // the commands report it as well
  }
  return {bytes, bytes};
}

/// Runs a command line as main() does.
int exit_code_of(const std::vector<std::string>& words) {
  try {
    return cli::run_command_line(words);
  } catch (const std::exception& error) {
    return cli::report(error);
  }
}

void run_step(const fuzz::MeasuredStep& step, std::string_view bytes) {
  constexpr std::array<std::string_view, 2> kEndings{".before.pickle", ".after.pickle"};
  const auto files = step.files == 2 ? pair_in(bytes) : std::array{bytes, bytes};
  std::vector<std::string> words = step.words;
  std::size_t file = 0;
  for (std::string& word : words) {
    if (word != "FILE") continue;
    const std::size_t which = std::min(file++, files.size() - 1);
    word = file_for(files[which], kEndings[which]);
  }
  const int exit_code = exit_code_of(words);
  const bool is_refused = exit_code == 2 && needs_keepers(step);
  fuzz::require(exit_code == 0 || exit_code == 1 || exit_code == 3 || is_refused, "a result or an error", step.name);
}

/// Opens both files of a pair, as a page does that compares, and asks.
void ask_page(std::string_view bytes, std::size_t choice) {
  constexpr std::size_t kQuestions = 6;
  static const std::vector<std::string> questions = test::page_questions();
  view::Engine engine;
  try {
    for (const std::string_view file : pair_in(bytes))
      engine.add("mem.pickle", input_of(std::string(file)));
  } catch (const Error&) {
    return; // as for a file that the page cannot open
  }
  take_some(questions, choice, kQuestions, [&](const std::string& question) {
    try {
      static_cast<void>(engine.answer(question));
    } catch (const Error&) { // a message of the page
    }
  });
}

void run_snapshot(std::string_view bytes, std::size_t choice) {
  constexpr std::size_t kSteps = 3;
  static const std::vector<fuzz::MeasuredStep> steps = all_steps(fuzz::FileKind::snapshot);
  take_some(steps, choice, kSteps, [&](const fuzz::MeasuredStep& step) { run_step(step, bytes); });
  if (choice % 2 == 0) ask_page(bytes, choice / 2);
}

void run_archive(std::string_view bytes, std::size_t choice) {
  static const std::vector<fuzz::MeasuredStep> steps = all_steps(fuzz::FileKind::archive);
  take_some(steps, choice, 1, [&](const fuzz::MeasuredStep& step) { run_step(step, bytes); });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::size_t choice = size;
  for (const char c : bytes)
    choice = choice * 31 + static_cast<std::uint8_t>(c);
  if (bytes.starts_with("PK")) {
    run_archive(bytes, choice);
  } else if (bytes.starts_with('{') && choice % 4 != 0) {
    // Most changes of an archive break its checksums.
    run_archive(test::flat_program(bytes), choice / 4);
  } else {
    run_snapshot(bytes, choice);
  }
  return 0;
}
