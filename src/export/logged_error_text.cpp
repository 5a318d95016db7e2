#include "base/json_schema.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/logged_error.hpp"
#include "memviz/logged_error_report.hpp"
#include "memviz/logged_error_words.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

std::string parts_table(const std::vector<LoggedPart>& parts, std::uint64_t total_bytes) {
  TextTable table{Align::left, Align::right, Align::right};
  for (const LoggedPart& part : parts)
    table.add_row({part.name, format_bytes(part.bytes), format_percent(part.bytes, total_bytes)});
  return table.text("  ");
}

std::string_view word_of(LoggedCause cause) {
  constexpr std::array<std::string_view, 11> kWords{
      "unknown",   "larger_than_device", "own_limit", "other_processes", "outside_pytorch", "fragmentation",
      "elsewhere", "free_enough",        "full",      "server_start",    "server_cache"};
  return kWords.at(static_cast<std::size_t>(cause));
}

std::string_view word_of(LoggedBy by) {
  constexpr std::array<std::string_view, 6> kWords{"pytorch", "cuda", "vllm", "sglang", "xla", "llama.cpp"};
  return kWords.at(static_cast<std::size_t>(by));
}

void write_error(JsonWriter& json, const LoggedError& error) {
  json.begin_object();
  json.member("by", word_of(error.by)).member("backend", error.backend).member("gpu", error.gpu);
  for (const auto& [name, bytes] :
       {std::pair("requested_bytes", error.requested_bytes), std::pair("total_bytes", error.total_bytes),
        std::pair("free_bytes", error.free_bytes), std::pair("allowed_bytes", error.allowed_bytes),
        std::pair("allocated_bytes", error.allocated_bytes), std::pair("unallocated_bytes", error.unallocated_bytes),
        std::pair("private_pools_bytes", error.pool_bytes), std::pair("process_bytes", error.own_bytes),
        std::pair("needed_bytes", error.needed_bytes)})
    json.member(name, bytes);
  json.key("processes").begin_array();
  for (const LoggedProcess& process : error.processes)
    json.begin_object(JsonLayout::spaced).member("pid", process.pid).member("bytes", process.bytes).end_object();
  json.end_array();
  json.member("file", error.file).member("line", error.line).member("function", error.function);
  json.member("command", error.command).end_object();
}

} // namespace

std::string logged_error_text(const std::string& file, const LoggedErrors& errors, std::size_t columns) {
  const LoggedErrorText words = in_words(errors);
  std::string text = printable(file) + '\n';
  text += '\n' + wrapped_text(words.headline, "", columns);
  text += '\n' + wrapped_text(words.cause, "", columns);
  const auto add_list = [&](std::string_view title, const std::vector<std::string>& list) {
    if (!list.empty()) (text += '\n').append(title) += '\n';
    for (const std::string& sentence : list)
      text += wrapped_text(sentence, "  - ", columns);
  };
  add_list("What would help", words.helps);
  if (!words.parts.empty())
    text += "\nWhere the memory was\n" + parts_table(words.parts, leading_error(errors).total_bytes.value_or(0));
  add_list("What to know", words.notes);
  return text;
}

std::string logged_error_json(const std::string& file, const LoggedErrors& errors) {
  const LoggedErrorText words = in_words(errors);
  const LoggedError& leading = leading_error(errors);
  const LoggedVerdict verdict = verdict_on(leading);
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.logged-error/1.0").member("file", file).member("count", errors.count);
    json.member("cause", word_of(verdict.cause)).member("headline", words.headline).member("verdict", words.cause);
    json.member("helps", words.helps).member("notes", words.notes);
    json.member("other_processes_bytes", verdict.other_bytes);
    json.member("outside_pytorch_bytes", verdict.own_outside_bytes);
    json.member("short_bytes", verdict.short_bytes);
    json.key("error");
    write_error(json, leading);
    json.end_object();
  });
}

} // namespace memviz
