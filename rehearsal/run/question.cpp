#include "run/question.hpp"

#include "io/file_bytes.hpp"
#include "io/program.hpp"
#include "run/read_files.hpp"
#include "run/run_environment.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace memviz::rehearse {

namespace fs = std::filesystem;

namespace {

/// Variables of a shell, a terminal or a session, which differ from one to the next.
constexpr std::array<std::string_view, 18> kOfSession{"_",
                                                      "SHLVL",
                                                      "OLDPWD",
                                                      "TERM",
                                                      "COLORTERM",
                                                      "COLUMNS",
                                                      "LINES",
                                                      "LS_COLORS",
                                                      "SSH_CLIENT",
                                                      "SSH_CONNECTION",
                                                      "SSH_TTY",
                                                      "SSH_AUTH_SOCK",
                                                      "TMUX",
                                                      "TMUX_PANE",
                                                      "STY",
                                                      "WINDOWID",
                                                      "DBUS_SESSION_BUS_ADDRESS",
                                                      "XDG_SESSION_ID"};

/// A sequence of texts, each with its length, so that no two sequences have one text.
class Text {
public:
  void add(std::string_view part) { text_ += fmt::format("{}:{}\n", part.size(), part); }
  void add(const Variables& variables) {
    for (const auto& [name, value] : variables) {
      add(name);
      add(value);
    }
  }
  void add_file(const fs::path& path) {
    add(path.string());
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    add(fmt::format("{} {}.{} {}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino));
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

private:
  std::string text_;
};

/// Adds what the program reads from standard input. Returns false for a pipe, whose bytes are not known.
bool add_standard_input(Text& text) {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || S_ISCHR(status.st_mode)) return true;
  if (!S_ISREG(status.st_mode)) return false;
  text.add(fmt::format("{} {} {} {}.{} {}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec, ::lseek(STDIN_FILENO, 0, SEEK_CUR)));
  return true;
}

void add_own_environment(Text& text) {
  std::vector<std::string_view> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    if (std::ranges::find(kOfSession, variable.substr(0, variable.find('='))) == kOfSession.end())
      variables.push_back(variable);
  }
  std::ranges::sort(variables);
  for (const std::string_view variable : variables)
    text.add(variable);
}

/// Returns the setup without what differs in a run that is the same: where snapshots go, and the limit of its time.
Setup comparable(const Setup& setup) {
  Setup same = setup;
  same.output = "/output";
  same.most_seconds = std::nullopt;
  return same;
}

} // namespace

std::optional<std::string> question_of(const Setup& setup, const std::vector<std::string>& words,
                                       const Variables& variables, const RankSet* ranks) {
  const Places places{"/hook", "/run/log", "/run/report", "/run/shared", "/run/reads", "/gpu"};
  const Setup same = comparable(setup);
  Text text;
  text.add(setup.version);
  text.add_file(own_file());
  text.add_file(setup.folder / "libmemviz_rehearsal.so");
  text.add_file(setup.profile_file);
  text.add(fmt::format("{} {}", setup.profile.total_bytes, std::thread::hardware_concurrency()));
  text.add(fs::current_path().string());
  for (const std::string& word : words)
    text.add(word);
  text.add("environment");
  if (ranks == nullptr) text.add(environment(same, places, nullptr));
  for (std::size_t i = 0; ranks != nullptr && i < ranks->size(); ++i) {
    const Present present{(*ranks)[i], *ranks, "/meeting"};
    text.add(environment(same, places, &present));
  }
  text.add(variables);
  add_own_environment(text);
  return add_standard_input(text) ? std::optional(text.take()) : std::nullopt;
}

} // namespace memviz::rehearse
