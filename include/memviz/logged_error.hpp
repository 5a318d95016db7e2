#pragma once

// The text of an out-of-memory error, alone or in the log of a job -> its figures, and the cause that these prove. Most
// people who ask have only this text. The figures are rounded in it, to two decimals of their unit.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The program that wrote the message, which decides what its figures mean.
enum class LoggedBy : std::uint8_t {
  pytorch,
  cuda,   ///< a call of CUDA or of one of its libraries, without figures
  vllm,   ///< its own checks before and while it starts
  sglang, ///< the same
  xla,    ///< JAX and TensorFlow
  llama,  ///< llama.cpp
};

/// Memory that a process has on the GPU, by the message.
struct LoggedProcess {
  std::uint64_t pid = 0;
  std::uint64_t bytes = 0;
};

/// One error. Everything optional is absent where the message does not say it.
struct LoggedError {
  LoggedBy by = LoggedBy::pytorch;
  std::string backend = "CUDA"; ///< as in "CUDA out of memory"
  std::optional<std::uint32_t> gpu;
  std::optional<std::uint64_t> requested_bytes;
  std::optional<std::uint64_t> total_bytes;       ///< of the device
  std::optional<std::uint64_t> free_bytes;        ///< of the device
  std::optional<std::uint64_t> allowed_bytes;     ///< a limit that the process has set itself
  std::optional<std::uint64_t> allocated_bytes;   ///< by PyTorch, in use
  std::optional<std::uint64_t> unallocated_bytes; ///< reserved by PyTorch, not in use
  std::optional<std::uint64_t> pool_bytes;        ///< in private pools, part of the allocated
  std::optional<std::uint64_t> own_bytes;         ///< of this process, with what is outside PyTorch
  std::optional<std::uint64_t> needed_bytes;      ///< what a server needs at least to start
  std::vector<LoggedProcess> processes;           ///< others, as the message calls them
  std::string file; ///< of the program's own innermost line in the traceback; "" if there is none
  std::uint64_t line = 0;
  std::string function;
  std::string command; ///< the command line in the log before the error, "" if there is none that is safe to repeat
};

/// Errors of one log.
struct LoggedErrors {
  std::vector<LoggedError> errors; ///< in the order of the log, at most kMostLoggedErrors: the first, and the last
  std::size_t count = 0;           ///< of all
};
inline constexpr std::size_t kMostLoggedErrors = 64;

/// Whether the first bytes of a file are text that can be no snapshot: neither a pickle nor a JSON object.
[[nodiscard]] bool may_be_log(std::string_view head);
/// Whether the text has a phrase of an out-of-memory error, and may_be_log().
[[nodiscard]] bool is_error_log(std::string_view bytes);

/// Returns the errors in a log, which may be wrapped at any width. The messages are those of PyTorch 1.0 to 2.15
/// (CUDACachingAllocator.cpp, CUDAMallocAsyncAllocator.cpp, MPSAllocator.mm, THC before 1.5), vLLM (v1/worker,
/// v1/core/kv_cache_utils.py), SGLang, XLA (RESOURCE_EXHAUSTED) and ggml.
[[nodiscard]] LoggedErrors read_logged_errors(std::string_view log);

/// The cause that the figures of a message prove.
enum class LoggedCause : std::uint8_t {
  unknown,            ///< it has too few figures
  larger_than_device, ///< the request alone
  own_limit,          ///< of the process, set by itself
  other_processes,
  outside_pytorch, ///< of this process
  fragmentation,   ///< the request is no larger than what PyTorch holds unused
  elsewhere,       ///< what is neither free nor PyTorch's, of a message that does not say whose it is
  free_enough,     ///< none that the figures show: more was free than was asked for
  full,            ///< with what PyTorch has allocated
  server_start,    ///< a server refuses to start: the memory it was promised is not free
  server_cache,    ///< no room is left for the KV cache
};

struct LoggedVerdict {
  LoggedCause cause = LoggedCause::unknown;
  /// Memory of other processes; excludes a process that can only be this one, which has another number inside a
  /// container.
  std::uint64_t other_bytes = 0;
  std::optional<std::uint64_t> own_outside_bytes; ///< of this process: context, libraries; nullopt: unknown
  std::uint64_t unexplained_bytes = 0;            ///< of the device, by no figure of the message
  std::optional<std::uint64_t> short_bytes;       ///< how much the request lacks, with all unused memory of PyTorch
  std::optional<std::uint64_t> same_process;      ///< the number of the process that can only be this one
};

[[nodiscard]] LoggedVerdict verdict_on(const LoggedError& error);

} // namespace memviz
