#pragma once

// The Python text that a process executes: one statement, whose names do not appear in the program's __main__.

#include <cstdint>
#include <filesystem>
#include <string>

namespace memviz::attach {

/// Starts a thread that executes `program`, if it is there, and frees the page at `page`, unless that is 0. Never
/// raises, and prints nothing.
[[nodiscard]] std::string starting_text(const std::filesystem::path& program, std::uint64_t page);

/// Loads the recorder in `folder`, answers at the socket `socket`, and removes what it has loaded.
[[nodiscard]] std::string answering_program(const std::filesystem::path& folder, const std::filesystem::path& socket);

/// Asks Python 3.14 to execute the file `text` in the process `id`; exits with 1 in an older one.
[[nodiscard]] std::string asking_program(int id, const std::filesystem::path& text);

/// Removes the file `text`, which it is the content of, and its folder.
[[nodiscard]] std::string removing_text(const std::filesystem::path& text);

} // namespace memviz::attach
