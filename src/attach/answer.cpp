#include "attach/answer.hpp"

#include "base/printable.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <span>
#include <string>
#include <sys/socket.h>

namespace memviz::attach {

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

/// For the walk over the heap and the bytes in memory, besides the seconds of --record.
constexpr double kSecondsForSnapshot = 300;
constexpr double kSecondsForPiece = 120;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Error ended(const Process& process) {
  Error error(fmt::format("process {} ended before it had answered", process.id));
  return error;
}

/// Receives at most `bytes.size()` bytes; returns their number. Throws Error at the end of the connection.
std::size_t received(const Descriptor& connection, const Process& process, double seconds, std::span<char> bytes) {
  if (!wait_for_bytes(connection, process, seconds)) throw NoAnswer();
  for (;;) {
    const ssize_t got = ::recv(connection.number(), bytes.data(), bytes.size(), 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0 || errno != EINTR) throw ended(process);
  }
}

/// Receives a line, byte by byte: the bytes after it are not text.
Json received_line(const Descriptor& connection, const Process& process, double seconds) {
  constexpr std::size_t kMostBytes = 1U << 16U;
  char byte = 0;
  std::string line;
  while (line.size() < kMostBytes && !line.ends_with('\n')) {
    static_cast<void>(received(connection, process, line.empty() ? seconds : kSecondsForPiece, std::span(&byte, 1)));
    line += byte;
  }
  const Json facts = Json::parse(line, nullptr, false);
  if (!facts.is_object() || facts.value("format", Json()) != 1)
    throw Error(fmt::format("process {} answers as another version of memviz does", process.id));
  return facts;
}

void send_request(const Descriptor& connection, const Process& process, const AttachRequest& request) {
  const std::string line = Json{{"format", 1}, {"record_seconds", request.record_seconds}}.dump() + '\n';
  if (::send(connection.number(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw ended(process);
}

/// Returns the size of the snapshot that follows. Throws Error with the reason if none does.
std::uint64_t size_of_answer(const Process& process, const Json& facts) {
  if (const Json reason = facts.value("error", Json()); reason.is_string())
    throw Error(fmt::format("process {}: {}", process.id, printable(reason.get<std::string>())));
  const Json bytes = facts.value("bytes", Json());
  if (!bytes.is_number_unsigned()) throw Error(fmt::format("process {} answers with no snapshot", process.id));
  return bytes.get<std::uint64_t>();
}

} // namespace

void check_signals() {
  sigset_t waiting{};
  if (::sigpending(&waiting) != 0) return;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    if (sigismember(&waiting, number) == 1) throw Interrupted();
}

bool wait_for_bytes(const Descriptor& descriptor, const Process& process, double seconds) {
  constexpr int kPieceMilliseconds = 200;
  const Clock::time_point begin = Clock::now();
  for (;;) {
    pollfd one{descriptor.number(), POLLIN, 0};
    if (::poll(&one, 1, kPieceMilliseconds) > 0) return true;
    check_signals();
    if (!is_running(process.id)) throw ended(process);
    if (seconds >= 0 && seconds_since(begin) >= seconds) return false;
  }
}

void receive(const Descriptor& connection, const Process& process, const AttachRequest& request,
             const std::function<void(std::string_view)>& take) {
  send_request(connection, process, request);
  static_cast<void>(received_line(connection, process, request.waits ? -1 : request.timeout_seconds)); // it has begun
  try {
    const double seconds = request.record_seconds + kSecondsForSnapshot;
    std::uint64_t rest = size_of_answer(process, received_line(connection, process, seconds));
    std::array<char, 1U << 16U> piece{};
    while (rest > 0) {
      const std::size_t got = received(connection, process, kSecondsForPiece,
                                       std::span(piece).first(std::min<std::size_t>(rest, piece.size())));
      take({piece.data(), got});
      rest -= got;
    }
  } catch (const NoAnswer&) {
    throw Error(fmt::format("process {} began to answer and did not go on", process.id));
  }
}

} // namespace memviz::attach
