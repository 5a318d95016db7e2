#include "story/logged_error_words.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

namespace memviz {

namespace {

std::string device_text(const LoggedError& error) {
  return error.gpu ? fmt::format("GPU {}", *error.gpu) : error.backend == "MPS" ? "The Mac's GPU" : "The GPU";
}

std::string place_text(const LoggedError& error) {
  return error.file.empty() ? "" : fmt::format("{} {}:{}", error.function, file_basename(error.file), error.line);
}

std::string server_headline(const LoggedError& error) {
  const std::string_view server = error.by == LoggedBy::vllm ? "vLLM" : "SGLang";
  if (error.total_bytes && error.needed_bytes && error.free_bytes)
    return fmt::format("{} did not start: it may use {} of the GPU, and {} of {} was free.", server,
                       format_bytes(*error.needed_bytes), format_bytes(*error.free_bytes),
                       format_bytes(*error.total_bytes));
  if (error.needed_bytes && error.free_bytes)
    return fmt::format("{} did not start: one request needs {} of KV cache, and {} was left for it.", server,
                       format_bytes(*error.needed_bytes), format_bytes(*error.free_bytes));
  return fmt::format("{} did not start: no memory was left for the KV cache.", server);
}

std::string headline(const LoggedError& error) {
  if (error.by == LoggedBy::vllm || error.by == LoggedBy::sglang) return server_headline(error);
  std::string text = device_text(error) + " ran out of memory";
  if (error.requested_bytes) text += fmt::format(": {} asked for", format_bytes(*error.requested_bytes));
  if (const std::string place = place_text(error); !place.empty())
    text += (error.requested_bytes ? " by " : " in ") + place;
  if (error.free_bytes && error.total_bytes)
    return text +
           fmt::format("; {} of {} was free.", format_bytes(*error.free_bytes), format_bytes(*error.total_bytes));
  if (error.free_bytes) return text + fmt::format("; {} was free.", format_bytes(*error.free_bytes));
  return text + '.';
}

std::string size_or_unknown(const std::optional<std::uint64_t>& bytes) {
  return bytes ? format_bytes(*bytes) : "an unknown size";
}

std::string full_text(const LoggedError& error, const LoggedVerdict& verdict) {
  const std::uint64_t allocated = error.allocated_bytes.value_or(0);
  std::string text =
      fmt::format("Tensors of this program fill the GPU: PyTorch has {} allocated", format_bytes(allocated));
  if (error.total_bytes) text += fmt::format(", {} of the device", format_percent(allocated, *error.total_bytes));
  if (!error.unallocated_bytes) return text + '.';
  text += fmt::format(", and holds {} that is not in use", format_bytes(*error.unallocated_bytes));
  if (!verdict.short_bytes) return text + '.';
  if (*verdict.short_bytes == 0)
    return text + ". That and the free memory would hold the request, but not in one piece.";
  return text + fmt::format(". With that and the free memory the request still lacks {}, so fragmentation is not the "
                            "cause.",
                            format_bytes(*verdict.short_bytes));
}

std::string limit_text(const LoggedError& error) {
  const std::string allowed = format_bytes(*error.allowed_bytes);
  if (error.backend == "MPS")
    return fmt::format("PyTorch may take {} of this machine's memory: {} was allocated.", allowed,
                       size_or_unknown(error.allocated_bytes));
  return fmt::format("The process has limited itself to {}: the device has more{}.", allowed,
                     error.total_bytes ? fmt::format(" ({})", format_bytes(*error.total_bytes)) : "");
}

std::string server_cause(const LoggedError& error) {
  if (error.total_bytes && error.free_bytes)
    return fmt::format("Other processes have {} of the GPU, with the driver's own memory.",
                       format_bytes(*error.total_bytes - std::min(*error.free_bytes, *error.total_bytes)));
  return "The weights, the activations of the largest batch and the CUDA graphs leave too little of the memory that "
         "the "
         "server may use.";
}

std::string cause_text(const LoggedError& error, const LoggedVerdict& verdict) {
  switch (verdict.cause) {
  case LoggedCause::unknown: return "The message has too few figures to say why.";
  case LoggedCause::larger_than_device:
    return fmt::format("The request alone is larger than the device: {}, and the device has {}.",
                       format_bytes(*error.requested_bytes), format_bytes(*error.total_bytes));
  case LoggedCause::own_limit: return limit_text(error);
  case LoggedCause::other_processes:
    return fmt::format("Other processes have {} of the GPU.", format_bytes(verdict.other_bytes));
  case LoggedCause::outside_pytorch:
    return fmt::format("{} of this process is outside PyTorch: the CUDA context, NCCL, cuBLAS and other libraries.",
                       format_bytes(*verdict.own_outside_bytes));
  case LoggedCause::fragmentation:
    return fmt::format("Fragmentation: PyTorch holds {} that is not in use, enough for the request, but not in one "
                       "piece.",
                       format_bytes(error.unallocated_bytes.value_or(0)));
  case LoggedCause::elsewhere:
    return fmt::format(
        "{} of the GPU is neither free nor PyTorch's: other processes have it, or libraries in this one. The "
        "message does not show which.",
        format_bytes(verdict.unexplained_bytes));
  case LoggedCause::free_enough:
    return "The figures do not show why: more was free than was asked for. Another process or thread freed memory "
           "before "
           "the message was written, or the system limits this process (WSL, a virtual GPU).";
  case LoggedCause::full: return full_text(error, verdict);
  case LoggedCause::server_start:
  case LoggedCause::server_cache: return server_cause(error);
  }
  return "";
}

std::vector<std::string> server_helps(const LoggedError& error) {
  if (error.by == LoggedBy::sglang)
    return {"Raise --mem-fraction-static, shorten --context-length, or use more GPUs (--tp)."};
  if (error.total_bytes) return {"End the other processes (nvidia-smi lists them), or lower --gpu-memory-utilization."};
  return {"Shorten --max-model-len, raise --gpu-memory-utilization, or use more GPUs (--tensor-parallel-size)."};
}

std::vector<std::string> expandable_segments_help(const LoggedError& error) {
  if (error.backend == "XPU") return {};
  return {fmt::format("Set PYTORCH_{}_ALLOC_CONF=expandable_segments:True, with which unused memory need not be in one "
                      "piece: this request can fit then; the rest of the program is unknown.",
                      error.backend == "HIP" ? "HIP" : "CUDA")};
}

std::vector<std::string> helps_text(const LoggedError& error, const LoggedVerdict& verdict) {
  switch (verdict.cause) {
  case LoggedCause::larger_than_device:
    return {"Look for a shape that is larger than intended, such as a comparison of each row with each other row, and "
            "compute it in parts."};
  case LoggedCause::own_limit:
    if (error.backend == "MPS") return {"Raise PYTORCH_MPS_HIGH_WATERMARK_RATIO; 0.0 removes the limit."};
    return {
        "Raise the limit: torch.cuda.set_per_process_memory_fraction(), or the setting of the program that calls it."};
  case LoggedCause::other_processes:
    return {"End them (nvidia-smi lists them), or choose another GPU with CUDA_VISIBLE_DEVICES."};
  case LoggedCause::fragmentation: return expandable_segments_help(error);
  case LoggedCause::full:
    return verdict.short_bytes == 0U ? expandable_segments_help(error) : std::vector<std::string>();
  case LoggedCause::elsewhere:
    return {"Look at the processes on the GPU (nvidia-smi lists them), or choose another with CUDA_VISIBLE_DEVICES."};
  case LoggedCause::server_start:
  case LoggedCause::server_cache: return server_helps(error);
  case LoggedCause::unknown:
  case LoggedCause::free_enough:
  case LoggedCause::outside_pytorch: return {};
  }
  return {};
}

std::string_view example_command(const LoggedError& error) {
  if (error.by == LoggedBy::vllm) return "vllm serve MODEL";
  return error.by == LoggedBy::sglang ? "python -m sglang.launch_server --model-path MODEL" : "python PROGRAM";
}

std::string how_to_see(const LoggedError& error) {
  if (error.by == LoggedBy::xla)
    return "memviz reads recordings of PyTorch. JAX writes who holds memory with "
           "jax.profiler.save_device_memory_profile(\"memory.prof\").";
  if (error.backend == "MPS" || error.backend == "XPU" || error.by == LoggedBy::llama) return "";
  const bool is_server = error.by == LoggedBy::vllm || error.by == LoggedBy::sglang;
  const std::string command = error.command.empty() ? std::string(example_command(error)) : error.command;
  if (is_server)
    return fmt::format(
        "What the server takes on a GPU, and how many tokens of cache are left: memviz rehearse --gpu h100 "
        "-- {}",
        command);
  return fmt::format("Which lines hold the memory is not in the message. Run it once more with memviz, which writes a "
                     "snapshot at the error and explains it: memviz run -- {}",
                     command);
}

bool has_figures(const LoggedError& error) {
  return error.requested_bytes || error.needed_bytes;
}

std::vector<std::string> notes_text(const LoggedErrors& errors, const LoggedError& error,
                                    const LoggedVerdict& verdict) {
  std::vector<std::string> notes;
  if (errors.count > 1)
    notes.push_back(fmt::format("The log has {} such errors; this is the last{}.", format_count(errors.count),
                                has_figures(error) ? " with figures" : ""));
  if (verdict.same_process)
    notes.push_back(
        fmt::format("Process {} is this program: besides it, no other of that size has room on the GPU. Inside a "
                    "container a process has another number.",
                    *verdict.same_process));
  if (error.by == LoggedBy::pytorch && !error.own_bytes && !verdict.same_process && error.backend != "MPS" &&
      error.allocated_bytes)
    notes.emplace_back("Memory of this process outside PyTorch is unknown: the message does not show it.");
  if (std::string how = how_to_see(error); !how.empty()) notes.push_back(std::move(how));
  return notes;
}

/// Returns the parts of the device. The last is what no figure of the message covers.
std::vector<LoggedPart> parts_of(const LoggedError& error, const LoggedVerdict& verdict) {
  std::vector<LoggedPart> parts;
  if (!error.total_bytes || !error.allocated_bytes) return parts;
  const auto add = [&](std::string_view name, std::optional<std::uint64_t> bytes) {
    if (bytes) parts.push_back({std::string(name), *bytes});
  };
  add("allocated by PyTorch", error.allocated_bytes);
  add("reserved by PyTorch, not in use", error.unallocated_bytes);
  add("of this process, outside PyTorch", verdict.own_outside_bytes);
  if (verdict.other_bytes > 0) add("of other processes", verdict.other_bytes);
  add("free", error.free_bytes);
  const std::uint64_t known =
      std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const LoggedPart& part) { return sum + part.bytes; });
  if (known < *error.total_bytes) parts.push_back({"not in the message", *error.total_bytes - known});
  return parts;
}

} // namespace

const LoggedError& leading_error(const LoggedErrors& errors) {
  const auto last = std::find_if(errors.errors.rbegin(), errors.errors.rend(), has_figures);
  return last == errors.errors.rend() ? errors.errors.back() : *last;
}

LoggedErrorText in_words(const LoggedErrors& errors) {
  const LoggedError& error = leading_error(errors);
  const LoggedVerdict verdict = verdict_on(error);
  return {headline(error), cause_text(error, verdict), helps_text(error, verdict), notes_text(errors, error, verdict),
          parts_of(error, verdict)};
}

} // namespace memviz
