#include "support/process.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memviz::test {

namespace {

/// argv of memviz; made before the fork, because a child of a program with threads may not allocate.
class Words {
public:
  explicit Words(const std::vector<std::string>& arguments) : words_{MEMVIZ_BINARY} {
    words_.insert(words_.end(), arguments.begin(), arguments.end());
    for (std::string& word : words_)
      pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  [[noreturn]] void execute() {
    ::execv(MEMVIZ_BINARY, pointers_.data());
    ::_exit(127);
  }

private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

void use(int descriptor, const char* path, int flags, int number) {
  constexpr mode_t kMode = 0600;
  ::dup2(descriptor >= 0 ? descriptor : ::open(path, flags, kMode), number);
}

Outcome waited_for(pid_t id) {
  int status = 0;
  rusage usage{};
  ::wait4(id, &status, 0, &usage);
  Outcome outcome;
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

void end(pid_t id) {
  if (id < 0) return;
  ::kill(id, SIGKILL);
  ::waitpid(id, nullptr, 0);
}

pid_t start(const std::vector<std::string>& arguments, const Process::Setup& setup, const TemporaryFolder& folder) {
  Words words(arguments);
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  const pid_t id = ::fork();
  if (id < 0) throw std::runtime_error("cannot fork");
  if (id == 0) {
    constexpr int kNew = O_WRONLY | O_CREAT;
    use(setup.input, "/dev/null", O_RDONLY, STDIN_FILENO);
    use(setup.output, out.c_str(), kNew, STDOUT_FILENO);
    use(-1, err.c_str(), kNew, STDERR_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    const rlimit limit{setup.file_size_limit, setup.file_size_limit};
    if (setup.file_size_limit > 0) ::setrlimit(RLIMIT_FSIZE, &limit);
    // Signals that nohup or a shell's & left ignored could not be trapped by the program that memviz starts.
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT})
      ::signal(signal, SIG_DFL);
    if (setup.is_traced) ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    words.execute();
  }
  return id;
}

} // namespace

Process::Process(const std::vector<std::string>& arguments, const Setup& setup)
    : id_(start(arguments, setup, folder_)) {
}

Process::~Process() {
  end(id_);
}

bool Process::run_until(const std::function<bool()>& is_there) {
  int status = 0;
  while (::waitpid(id_, &status, 0) == id_ && WIFSTOPPED(status)) {
    if (is_there()) return true;
    const int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    ::ptrace(PTRACE_SYSCALL, id_, nullptr, signal);
  }
  id_ = -1;
  return false;
}

void Process::let_go(int signal) {
  ::ptrace(PTRACE_DETACH, id_, nullptr, signal);
}

void Process::send(int signal) const {
  ::kill(id_, signal);
}

Outcome Process::wait() {
  Outcome outcome = waited_for(id_);
  id_ = -1;
  if (const std::string out = folder_ / "out"; std::filesystem::exists(out)) outcome.out = read_bytes(out);
  outcome.err = read_bytes(folder_ / "err");
  return outcome;
}

TerminalProcess::TerminalProcess(const std::vector<std::string>& arguments, unsigned short columns,
                                 const std::string& kind) {
  Words words(arguments);
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  id_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (id_ < 0) throw std::runtime_error("cannot make a terminal");
  if (id_ > 0) return;
  ::setenv("TERM", kind.c_str(), 1);
  words.execute();
}

TerminalProcess::~TerminalProcess() {
  end(id_);
  ::close(terminal_);
}

const std::string& TerminalProcess::shown(int milliseconds) {
  pollfd waiting{.fd = terminal_, .events = POLLIN, .revents = 0};
  std::array<char, 4096> bytes{};
  while (::poll(&waiting, 1, milliseconds) > 0) {
    // A terminal whose other side is closed gives a read error, EIO.
    const ssize_t got = ::read(terminal_, bytes.data(), bytes.size());
    if (got <= 0) break;
    shown_.append(bytes.data(), static_cast<std::size_t>(got));
    milliseconds = 0;
  }
  return shown_;
}

void TerminalProcess::send(int signal) const {
  ::kill(id_, signal);
}

Outcome TerminalProcess::wait() {
  constexpr int kForever = -1;
  for (std::size_t before = ~std::size_t{0}; before != shown_.size();) {
    before = shown_.size();
    static_cast<void>(shown(kForever));
  }
  Outcome outcome = waited_for(id_);
  id_ = -1;
  outcome.out = shown_;
  return outcome;
}

} // namespace memviz::test
