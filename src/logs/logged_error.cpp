#include "memviz/logged_error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <re2/re2.h>
#include <string>
#include <string_view>
#include <utility>

namespace memviz {

namespace {

/// Returns an RE2 pattern with each "<size>" in it replaced by two groups: the number, and the unit, which is empty for
/// plain bytes.
std::string sized_pattern(std::string_view pattern) {
  constexpr std::string_view kPlace = "<size>";
  constexpr std::string_view kSize = R"((\d[\d,]*(?:\.\d+)?)\s*(bytes|[KMGT]i?B|[KMGT]\b|B\b|))";
  std::string whole(pattern);
  for (std::size_t at = whole.find(kPlace); at != std::string::npos; at = whole.find(kPlace, at + kSize.size()))
    whole.replace(at, kPlace.size(), kSize);
  return whole;
}

/// Returns the bytes of "79.26" and "GiB". All units are powers of 1024, also GB and G.
/// Returns nullopt for a number that is none, and for more bytes than any machine has.
std::optional<std::uint64_t> logged_bytes(std::string_view number, std::string_view unit) {
  constexpr double kMostLoggedBytes = 1e17;
  std::string plain;
  for (const char c : number)
    if (c != ',') plain += c;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc{} || end != plain.data() + plain.size()) return std::nullopt;
  for (const char first : std::string_view("KMGT")) {
    if (unit.empty() || unit.starts_with('b') || unit.starts_with('B')) break;
    value *= 1024;
    if (unit.starts_with(first)) break;
  }
  if (!(value >= 0 && value <= kMostLoggedBytes)) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(value));
}

using Bytes = std::optional<std::uint64_t>;

/// A phrase that every message of one kind has.
struct Phrase {
  LoggedBy by;
  std::string_view text;
};
constexpr std::array<Phrase, 19> kPhrases{{
    {LoggedBy::pytorch, "out of memory. Tried to allocate"},
    {LoggedBy::pytorch, "out of memory. Currently allocated"},
    {LoggedBy::pytorch, "allowed memory. (out of memory)"},
    {LoggedBy::pytorch, "backend out of memory"},
    {LoggedBy::cuda, "CUDA error: out of memory"},
    {LoggedBy::cuda, "HIP error: out of memory"},
    {LoggedBy::cuda, "cudaErrorMemoryAllocation"},
    {LoggedBy::cuda, "CUDA_ERROR_OUT_OF_MEMORY"},
    {LoggedBy::cuda, "CUBLAS_STATUS_ALLOC_FAILED"},
    {LoggedBy::cuda, "CUDNN_STATUS_ALLOC_FAILED"},
    {LoggedBy::cuda, "cuda runtime error (2) : out of memory"},
    {LoggedBy::cuda, "Cuda failure 'out of memory'"},
    {LoggedBy::cuda, "Cuda failure 2 'out of memory'"},
    {LoggedBy::vllm, "is less than desired GPU memory utilization"},
    {LoggedBy::vllm, "larger than the available KV cache memory"},
    {LoggedBy::vllm, "No available memory for the cache blocks"},
    {LoggedBy::sglang, "Not enough memory. Please try to increase --mem-fraction-static"},
    {LoggedBy::xla, "RESOURCE_EXHAUSTED"},
    {LoggedBy::llama, "cudaMalloc failed: out of memory"},
}};

/// One occurrence of a phrase.
struct Found {
  std::size_t offset;
  LoggedBy by;
};

std::vector<Found> find_phrases(std::string_view log) {
  std::vector<Found> found;
  for (const Phrase& phrase : kPhrases)
    for (std::size_t at = log.find(phrase.text); at != std::string_view::npos;
         at = log.find(phrase.text, at + phrase.text.size()))
      found.push_back({at, phrase.by});
  std::ranges::sort(found, {}, &Found::offset);
  return found;
}

/// A message may have two phrases, and a log may repeat it on the next line: keeps the first of those that are close.
std::vector<Found> one_of_each_message(const std::vector<Found>& found) {
  constexpr std::size_t kLeastDistance = 160;
  std::vector<Found> kept;
  for (const Found& one : found)
    if (kept.empty() || one.offset - kept.back().offset >= kLeastDistance) kept.push_back(one);
  return kept;
}

/// The longest distance from a phrase to the figures of its message.
constexpr std::size_t kMessageBytes = 1536;
constexpr std::size_t kBeforeBytes = 160;

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_blank || (!line.empty() && line.back() != ' ')) line += is_blank ? ' ' : c;
  }
  return line;
}

/// A message on one line: from its phrase on, and with what is before the phrase, which may be of other lines.
struct Message {
  std::string text;
  std::string whole;
};

/// Returns the message of the phrase at `offset`, which begins after the phrase at `before` and ends before the line of
/// the phrase at `next`, whose figures may be before it.
Message message_at(std::string_view log, std::size_t before, std::size_t offset, std::size_t next) {
  std::string_view text = log.substr(offset, std::min(kMessageBytes, std::max(next, offset + 1) - offset));
  if (offset + text.size() == next && next < log.size()) text = text.substr(0, text.rfind('\n'));
  const std::size_t end = offset + text.size();
  const std::size_t end_of_before = std::min(log.find('\n', before), offset);
  const std::size_t begin = std::max(offset - std::min(offset, kBeforeBytes), before == offset ? 0 : end_of_before);
  return {on_one_line(text), on_one_line(log.substr(begin, end - begin))};
}

Bytes size_in(const std::string& message, const RE2& pattern) {
  re2::StringPiece number;
  re2::StringPiece unit;
  if (!RE2::PartialMatch(message, pattern, &number, &unit)) return std::nullopt;
  return logged_bytes({number.data(), number.size()}, {unit.data(), unit.size()});
}

/// Returns the size by the first pattern that finds one.
template <class... Patterns> Bytes first_size(const std::string& message, const Patterns&... patterns) {
  Bytes found;
  ((found = found ? found : size_in(message, patterns)), ...);
  return found;
}

void read_processes(LoggedError& error, const std::string& message) {
  static const RE2 pattern(sized_pattern(R"(Process (\d{1,10}) has <size> memory in use)"));
  re2::StringPiece rest(message);
  std::uint64_t pid = 0;
  re2::StringPiece number;
  re2::StringPiece unit;
  while (error.processes.size() < kMostLoggedErrors && RE2::FindAndConsume(&rest, pattern, &pid, &number, &unit))
    if (const Bytes bytes = logged_bytes({number.data(), number.size()}, {unit.data(), unit.size()}))
      error.processes.push_back({pid, *bytes});
}

/// PyTorch since 2.0: "GPU 0 has a total capacity of ... of which ... is free."; before: "(GPU 0; 7.79 GiB total
/// capacity; ...)"; cudaMallocAsync: "Currently allocated : ... Requested : ...".
void read_pytorch(LoggedError& error, const std::string& message) {
  static const RE2 requested(sized_pattern("Tried to allocate <size>"));
  static const RE2 requested_async(sized_pattern(R"(Requested\s*: <size>)"));
  static const RE2 total(sized_pattern("total capaci?ty of <size>"));
  static const RE2 total_before(sized_pattern("; <size> total capacity"));
  static const RE2 total_async(sized_pattern(R"(Device limit\s*: <size>)"));
  static const RE2 free(sized_pattern("of which <size> is free"));
  static const RE2 free_before(sized_pattern("; <size> free"));
  static const RE2 free_async(sized_pattern(R"(Free \(according to CUDA\): <size>)"));
  static const RE2 allowed(sized_pattern("[;.] <size> allowed"));
  static const RE2 allocated(sized_pattern("Of the allocated memory <size> is allocated by PyTorch"));
  static const RE2 allocated_before(sized_pattern("; <size> already allocated"));
  static const RE2 allocated_async(sized_pattern(R"(Currently allocated\s*: <size>)"));
  static const RE2 pools(sized_pattern("with <size> allocated in private pools"));
  static const RE2 unallocated(sized_pattern("<size> is reserved by PyTorch but unallocated"));
  static const RE2 reserved(sized_pattern("; <size> reserved in total by PyTorch"));
  static const RE2 cached(sized_pattern("; <size> cached"));
  static const RE2 own(sized_pattern("this process has <size> memory in use"));
  error.requested_bytes = first_size(message, requested, requested_async);
  error.total_bytes = first_size(message, total, total_before, total_async);
  error.free_bytes = first_size(message, free, free_before, free_async);
  error.allowed_bytes = size_in(message, allowed);
  error.allocated_bytes = first_size(message, allocated, allocated_before, allocated_async);
  error.pool_bytes = size_in(message, pools);
  error.unallocated_bytes = first_size(message, unallocated, cached);
  error.own_bytes = size_in(message, own);
  if (const Bytes all = size_in(message, reserved); all && error.allocated_bytes)
    error.unallocated_bytes = *all - std::min(*all, *error.allocated_bytes);
  read_processes(error, message);
}

/// "(MPS allocated: 17.42 GB, other allocations: 640.00 KB, max allowed: 18.13 GB). Tried to allocate ..."
void read_mps(LoggedError& error, const std::string& message) {
  static const RE2 allocated(sized_pattern("MPS allocated: <size>"));
  static const RE2 allowed(sized_pattern("max allowed: <size>"));
  error.allocated_bytes = size_in(message, allocated);
  error.allowed_bytes = size_in(message, allowed);
}

/// "Free memory on device (7.25/14.75 GiB) on startup is less than desired GPU memory utilization (0.9, 13.28 GiB)";
/// "(16.00 GiB KV cache is needed, which is larger than the available KV cache memory (3.69 GiB)"
void read_vllm(LoggedError& error, const std::string& message) {
  static const RE2 free(R"(Free memory on device [^(]{0,40}\((\d[\d.]*)\s?(?:GiB)?/\s?\d[\d.]*\s?(GiB))");
  static const RE2 total(R"(Free memory on device [^(]{0,40}\(\d[\d.]*\s?(?:GiB)?/\s?(\d[\d.]*)\s?(GiB))");
  static const RE2 desired(sized_pattern(R"(desired GPU memory utilization \(\d[\d.]*, <size>)"));
  static const RE2 cache_needed(sized_pattern("<size> KV cache is needed"));
  static const RE2 cache_free(sized_pattern(R"(available KV cache memory \(<size>)"));
  error.free_bytes = first_size(message, free, cache_free);
  error.total_bytes = size_in(message, total);
  error.needed_bytes = first_size(message, desired, cache_needed);
}

/// Servers, XLA, llama.cpp and cudaMallocAsync have figures before the phrase.
void read_figures(LoggedError& error, const Message& message) {
  static const RE2 gpu(R"(GPU (\d{1,4})\b)");
  static const RE2 gpu_before(R"((?:Allocation on device |MiB on device |device:GPU:)(\d{1,4})\b)");
  static const RE2 backend("(CUDA|HIP|XPU|MPS)(?: backend)? out of memory");
  static const RE2 request(sized_pattern("(?:allocate|allocating) <size>"));
  std::uint32_t number = 0;
  if (RE2::PartialMatch(message.text, gpu, &number) || RE2::PartialMatch(message.whole, gpu_before, &number))
    error.gpu = number;
  if (error.by == LoggedBy::pytorch) {
    RE2::PartialMatch(message.whole, backend, &error.backend);
    read_pytorch(error, message.text);
  }
  if (error.backend == "MPS") read_mps(error, message.text);
  if (error.by == LoggedBy::vllm) read_vllm(error, message.whole);
  if (error.by == LoggedBy::xla) error.requested_bytes = size_in(message.text, request);
  if (error.by == LoggedBy::llama) error.requested_bytes = size_in(message.whole, request);
}

/// The longest traceback that is looked at, and the longest distance from a command line to its error.
constexpr std::size_t kTracebackBytes = std::size_t{64} << 10U;

/// Whether a traceback with this rest, before the line of the error, ends with another exception, which was handled.
bool ends_with_another(std::string_view rest) {
  static const RE2 exception(R"((?m)^(?:\[[^\]\n]{1,40}\]:? ?)?\w[\w.]*(?:Error|Exception|Interrupt)\b)");
  const std::size_t line = rest.rfind('\n');
  if (line == std::string_view::npos) return false;
  return RE2::PartialMatch(re2::StringPiece(rest.data(), line), exception);
}

/// Sets the program's own innermost line of the traceback that ends with the error.
void read_traceback(LoggedError& error, std::string_view before) {
  static const RE2 frame(R"re(File "([^"\n]{1,1000})", line (\d{1,9}), in ([^\n\r]{1,256}))re");
  const std::size_t begin = before.rfind("Traceback (most recent call last)");
  if (begin == std::string_view::npos) return;
  re2::StringPiece rest(before.data() + begin, before.size() - begin);
  re2::StringPiece file;
  re2::StringPiece function;
  std::uint64_t line = 0;
  LoggedError found;
  while (RE2::FindAndConsume(&rest, frame, &file, &line, &function)) {
    if (origin_of({file.data(), file.size()}) != CodeOrigin::user) continue;
    found.file.assign(file.data(), file.size());
    found.function.assign(function.data(), function.size());
    found.line = line;
  }
  if (ends_with_another({rest.data(), rest.size()})) return;
  error.file = std::move(found.file);
  error.function = std::move(found.function);
  error.line = found.line;
}

/// Sets the last command line before the error that begins a line. One that a shell could read as more than a program
/// and its words is left out, because people paste what they are shown.
void read_command(LoggedError& error, std::string_view before) {
  static const RE2 pattern(R"((?m)^(?:\[[^\]\n]{1,40}\]:? ?)?(?:\S{0,40}[$#>+] +)?((?:[A-Z_]{1,40}=[\w./:,-]{0,80} +)*)"
                           R"((?:python3?|torchrun|accelerate launch|deepspeed|vllm serve|sglang serve|uv run|srun) )"
                           R"([\w./=:,@+ -]{1,300})\s*$)");
  re2::StringPiece rest(before.data(), before.size());
  re2::StringPiece command;
  while (RE2::FindAndConsume(&rest, pattern, &command))
    error.command.assign(command.data(), command.size());
  error.command.erase(error.command.find_last_not_of(' ') + 1);
}

/// Reads the error of `found[i]`.
LoggedError read_error(std::string_view log, const std::vector<Found>& all, std::size_t i) {
  const Found& found = all[i];
  const std::size_t before_it = i > 0 ? all[i - 1].offset : found.offset;
  const std::size_t next = i + 1 < all.size() ? all[i + 1].offset : log.size();
  LoggedError error;
  error.by = found.by;
  read_figures(error, message_at(log, before_it, found.offset, next));
  const std::size_t begin = found.offset - std::min(found.offset, kTracebackBytes);
  const std::string_view before = log.substr(begin, found.offset - begin);
  read_traceback(error, before);
  read_command(error, before);
  return error;
}

} // namespace

bool may_be_log(std::string_view head) {
  constexpr std::size_t kLookedAt = 4096;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] == '{' || head[first] == '\x80') return false;
  return head.substr(0, kLookedAt).find('\0') == std::string_view::npos;
}

bool is_error_log(std::string_view bytes) {
  return may_be_log(bytes) && std::ranges::any_of(kPhrases, [&](const Phrase& phrase) {
           return bytes.find(phrase.text) != std::string_view::npos;
         });
}

LoggedErrors read_logged_errors(std::string_view log) {
  const std::vector<Found> found = one_of_each_message(find_phrases(log));
  LoggedErrors all;
  all.count = found.size();
  // A log may repeat one error without end.
  constexpr std::size_t kFirst = kMostLoggedErrors / 2;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i == kFirst) i = std::max(i, found.size() - std::min(found.size(), kMostLoggedErrors - kFirst));
    all.errors.push_back(read_error(log, found, i));
  }
  return all;
}

} // namespace memviz
