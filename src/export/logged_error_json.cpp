#include "base/json_object_schema.hpp"
#include "export/schemas.hpp"
#include "memviz/logged_error.hpp"
#include "memviz/logged_error_report.hpp"
#include "story/logged_error_words.hpp"

#include <array>
#include <string_view>

namespace memviz {

namespace {

constexpr std::array<std::string_view, 11> kLoggedCauseWords{
    "unknown",   "larger_than_device", "own_limit", "other_processes", "outside_pytorch", "fragmentation",
    "elsewhere", "free_enough",        "full",      "server_start",    "server_cache"};

constexpr std::array<std::string_view, 6> kLoggedByWords{"pytorch", "cuda", "vllm", "sglang", "xla", "llama.cpp"};

constexpr auto kLoggedProcess = json_object<LoggedProcess>(
    {.meaning = "A process on the device", .layout = JsonLayout::spaced},
    member("pid", "Its number, which inside a container may differ from the program's own", &LoggedProcess::pid),
    member("bytes", "Its memory on the device", &LoggedProcess::bytes));

constexpr auto kLoggedFigures = json_object<LoggedError>(
    {}, //
    member("by", "Who wrote the message", &LoggedError::by, one_of(kLoggedByWords)),
    member("backend", "CUDA, HIP, XPU or MPS", &LoggedError::backend),
    member("gpu", "The number of the device", &LoggedError::gpu),
    member("requested_bytes", "The request that failed", &LoggedError::requested_bytes),
    member("total_bytes", "Memory of the device", &LoggedError::total_bytes),
    member("free_bytes", "Free memory of the device; of a server, free memory for what it needs",
           &LoggedError::free_bytes),
    member("allowed_bytes", "A limit of the process itself", &LoggedError::allowed_bytes),
    member("allocated_bytes", "Allocated by PyTorch", &LoggedError::allocated_bytes),
    member("unallocated_bytes", "Reserved by PyTorch and not in use", &LoggedError::unallocated_bytes),
    member("private_pools_bytes", "Allocated in private pools, such as those of CUDA graphs; part of the allocated",
           &LoggedError::pool_bytes),
    member("process_bytes", "Memory of this process on the device, including what is outside PyTorch",
           &LoggedError::own_bytes),
    member("needed_bytes", "What a server may or must take to start", &LoggedError::needed_bytes),
    member("processes", "The processes that the message lists", &LoggedError::processes, kLoggedProcess),
    member("file", "The program's own innermost line in the traceback; empty if there is none", &LoggedError::file),
    member("line", "The same: the number of the line, 0 if there is none", &LoggedError::line),
    member("function", "The same: the function", &LoggedError::function),
    member("command", "The command line in the log before the error; empty if there is none that is safe to repeat",
           &LoggedError::command));

struct LoggedAnswer {
  std::string_view file;
  std::size_t count;
  LoggedErrorText words;
  const LoggedError* error;
  LoggedVerdict verdict;
};

constexpr auto kLoggedError = json_described<LoggedAnswer>(
    {.schema = "memviz.logged-error/1.0",
     .title = "The text of an out-of-memory error",
     .meaning = "What `memviz explain` answers for a log or for the text of an error alone. Sizes are as exact as the "
                "message, which rounds them to two decimals of their unit."},
    member("file", "The file as the command line names it", &LoggedAnswer::file),
    member("count", "How many out-of-memory errors the log has", &LoggedAnswer::count).at_least(1),
    member("cause",
           "What the figures prove. elsewhere: memory that is neither free nor PyTorch's, of a message that does not "
           "show whose it is. free_enough: more was free than was asked for. server_start and server_cache: a server "
           "did not start, because the GPU was in use, or because too little was left for the KV cache",
           part_of(&LoggedAnswer::verdict, &LoggedVerdict::cause), one_of(kLoggedCauseWords)),
    member("headline", "What happened, in a sentence", part_of(&LoggedAnswer::words, &LoggedErrorText::headline)),
    member("verdict", "Why, in a sentence", part_of(&LoggedAnswer::words, &LoggedErrorText::cause)),
    member("helps", "What would help, a sentence each", part_of(&LoggedAnswer::words, &LoggedErrorText::helps)),
    member("notes", "What the message does not show, and how to see it, a sentence each",
           part_of(&LoggedAnswer::words, &LoggedErrorText::notes)),
    member("other_processes_bytes", "Memory of other processes, by the message",
           part_of(&LoggedAnswer::verdict, &LoggedVerdict::other_bytes)),
    member("outside_pytorch_bytes", "Memory of this process outside PyTorch; null: unknown",
           part_of(&LoggedAnswer::verdict, &LoggedVerdict::own_outside_bytes)),
    member("short_bytes", "What the request lacks beyond the free memory and what PyTorch holds unused; null: unknown",
           part_of(&LoggedAnswer::verdict, &LoggedVerdict::short_bytes)),
    member(
        "error", "The last error with figures, else the last. null: the message does not have the figure",
        [](const LoggedAnswer& answer) -> const LoggedError& { return *answer.error; }, kLoggedFigures));

} // namespace

std::string logged_error_json(const std::string& file, const LoggedErrors& errors) {
  const LoggedError& error = leading_error(errors);
  return document_text(kLoggedError, {file, errors.count, in_words(errors), &error, verdict_on(error)});
}

std::string logged_error_schema() {
  return schema_text(kLoggedError);
}

} // namespace memviz
