#include "attach/injection.hpp"

#include "attach/debugger.hpp"
#include "attach/injected_text.hpp"
#include "attach/unix_address.hpp"
#include "hooks/hook_folder.hpp"
#include "io/output_file.hpp"
#include "io/own_folder.hpp"
#include "io/program.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memviz::attach {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSocket = "answer";
constexpr const char* kProgram = "program.py";
constexpr const char* kPage = "page";
constexpr std::size_t kPageBytes = 4096;

Descriptor listening(const fs::path& path) {
  const auto address = unix_address(path);
  if (!address)
    throw Error(fmt::format("{}: the path is too long for a socket; set TMPDIR to a shorter one", path.string()));
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.is_open() ||
      ::bind(listener.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      ::listen(listener.number(), 1) != 0)
    throw Error(fmt::format("{}: {}", path.string(), system_message(errno)));
  return listener;
}

/// Gives everything in the folder to the user of the process, if root attaches to it.
void hand_over(const fs::path& folder, const Process& process) {
  if (process.user == ::geteuid()) return;
  const auto give = [&](const fs::path& path) {
    if (::lchown(path.c_str(), process.user, process.group) != 0)
      throw Error(fmt::format("{}: {}", path.string(), system_message(errno)));
  };
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    give(entry.path());
  give(folder);
}

} // namespace

Intrusion::Intrusion(const Process& process, Request request)
    : process_(process), request_(std::move(request)), listener_(listening(folder_.path() / kSocket)),
      page_(free_page_of(process)) {
  write_texts();
  if (!try_python()) use_debugger();
}

Intrusion::~Intrusion() {
  if (accepted_.empty()) return;
  try {
    if (!is_executed_ && is_running(process_.id)) {
      write_file(accepted_.string(), removing_text(accepted_));
      return;
    }
  } catch (const Error&) {
    // Then it is removed now.
  }
  std::error_code ignored;
  fs::remove_all(accepted_.parent_path(), ignored);
}

void Intrusion::write_texts() {
  const fs::path& folder = folder_.path();
  hooks::write_hook(folder);
  write_file((folder / kProgram).string(), answering_program(folder, folder / kSocket));
  const std::string text = starting_text(folder / kProgram, page_) + '\0';
  if (text.size() > kPageBytes) throw Error(folder.string() + ": the path is too long; set TMPDIR to a shorter one");
  write_file((folder / kPage).string(), text);
  hand_over(folder, process_);
}

bool Intrusion::try_python() {
  // Root does not run a program of another user's.
  const auto interpreter = interpreter_of(process_);
  if (!interpreter || process_.user != ::geteuid()) return false;
  const fs::path folder = make_private_temporary_folder("memviz-");
  accepted_ = folder / "text.py";
  try {
    write_file(accepted_.string(), starting_text(folder_.path() / kProgram, 0));
    static_cast<void>(output_of({*interpreter, "-I", "-S", "-c", asking_program(process_.id, accepted_)}, ""));
    return true;
  } catch (const Error&) { // of an older Python, or of one that forbids it
    accepted_.clear();
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return false;
  }
}

void Intrusion::use_debugger() {
  const auto kind = debugger();
  if (!kind)
    throw Error(
        fmt::format("cannot attach to process {}: memviz does not record it, and neither gdb nor lldb is in PATH: "
                    "install gdb, or start the job with memviz run",
                    process_.id));
  function_ = inject(*kind, process_, {folder_.path() / kPage, page_}, {request_.timeout_seconds, request_.say});
}

Descriptor Intrusion::connection() {
  if (!wait_for_bytes(listener_, process_, request_.waits ? -1 : request_.timeout_seconds)) throw NoAnswer();
  Descriptor connection(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.is_open())
    throw Error(fmt::format("process {} did not connect: {}", process_.id, system_message(errno)));
  is_executed_ = true;
  return connection;
}

} // namespace memviz::attach
