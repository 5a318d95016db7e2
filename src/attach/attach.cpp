#include "attach/attach.hpp"

#include "attach/channel.hpp"
#include "attach/injection.hpp"
#include "attach/proc_files.hpp"
#include "attach/process.hpp"
#include "base/printable.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>
#include <string>

namespace memviz::attach {

namespace {

/// Returns where the main thread is now, as far as the system knows.
std::string place_of(const Process& process, const std::string& function) {
  if (!function.empty()) return fmt::format("its main thread was in {} (C code)", function);
  const std::string waits_in = proc_text(process.id, "wchan").value_or("0");
  if (waits_in.empty() || waits_in == "0") return "its main thread computes in C code";
  return fmt::format("its main thread waits in the system ({})", printable(waits_in));
}

Error no_answer(const Process& process, const AttachRequest& request, const std::string& place) {
  Error error(
      fmt::format("process {} has executed no Python code for memviz in {:.3g} s: {}. Nothing is left in it; use "
                  "--wait to wait until it does",
                  process.id, request.timeout_seconds, place));
  return error;
}

} // namespace

void take_snapshot(pid_t id, const AttachRequest& request, const std::function<void(std::string_view)>& take) {
  const Process process = process_of(id);
  if (const auto channel = channel_of(process)) {
    try {
      return receive(*channel, process, request, take);
    } catch (const NoAnswer&) {
      throw no_answer(process, request, "another request is in progress, or " + place_of(process, ""));
    }
  }
  check_traceable(process);
  Intrusion intrusion(process, request);
  try {
    receive(intrusion.connection(), process, request, take);
  } catch (const NoAnswer&) {
    throw no_answer(process, request, place_of(process, intrusion.function()));
  }
}

} // namespace memviz::attach
