#pragma once

// The commands by which a debugger gives a process a text to execute.

#include "attach/debugger.hpp"

#include <string>
#include <string_view>

namespace memviz::attach {

/// A word that the commands print once the process has the text.
constexpr std::string_view kInjected = "memviz-injected";

/// Maps a page for the text, fills it, and has Python execute it. No function is called that takes memory from the C
/// library, whose lock the stopped thread may hold, unless that thread is in a call of the kernel which nothing does
/// with the lock.
[[nodiscard]] std::string gdb_commands(const Injection& injection);
/// Undoes them if they failed, and lets the process go on.
[[nodiscard]] std::string gdb_cleanup(const Injection& injection);

[[nodiscard]] std::string lldb_commands(const Injection& injection);
[[nodiscard]] std::string lldb_cleanup(const Injection& injection);

} // namespace memviz::attach
