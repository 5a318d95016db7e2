#pragma once

// A debugger of this machine, gdb or lldb, makes a running Python execute a text: as its main thread's next step, or,
// where that thread waits in the kernel without Python's lock, at once.

#include "attach/process.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace memviz::attach {

enum class DebuggerKind { gdb, lldb };

/// Returns the debugger in PATH, gdb rather than lldb; nullopt if there is none.
[[nodiscard]] std::optional<DebuggerKind> debugger();

/// The text that Python executes: a file that ends with a zero byte, at most a page, and the page of the process that
/// gets it.
struct Injection {
  std::filesystem::path text;
  std::uint64_t page = 0;
};

/// Called with a message if the debugger takes longer than `seconds`.
struct Notice {
  double seconds = 0;
  std::function<void(const std::string&)> say;
};

/// Stops the process, for about a second, and gives it the text. It takes longer if a thread of the process holds
/// Python's lock in C code while the main thread sleeps, and cannot be interrupted. Returns the function in which its
/// main thread was, "" if the debugger does not see it. Throws Error if the text cannot be given to it; the process is
/// then as before. Writes commands for the debugger into the folder of the text.
[[nodiscard]] std::string inject(DebuggerKind kind, const Process& process, const Injection& injection,
                                 const Notice& notice);

/// Returns the first function with a name in a backtrace: "#1  0x00007f in clock_nanosleep () from ..." of gdb, "frame
/// #1: 0x00007f libc.so.6`clock_nanosleep + 35" of lldb; "" if there is none.
[[nodiscard]] std::string function_in(std::string_view backtrace);

} // namespace memviz::attach
