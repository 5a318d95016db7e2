#pragma once

// Return address -> function and module, from the symbol tables in the files of the process's libraries. The dynamic
// linker's dladdr() knows only exported functions and takes a millisecond for each address in a library as large as
// LibTorch; here each table is sorted once.

#include "snapshot_data.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::capture {

/// The modules that are loaded when it is constructed. Not safe for several threads at once.
class ModuleSymbols {
public:
  ModuleSymbols();

  struct Place {
    FrameData frame;        ///< function (demangled), module's file, line 0; "??" for what is not known
    bool has_lines = false; ///< whether the module's file has DWARF
  };
  /// Looks up the call before `return_address`, because that address may be the beginning of the next function. For a
  /// module whose file is gone or is not the loaded one, uses dladdr().
  [[nodiscard]] Place look_up(void* return_address);

private:
  struct Function {
    std::uint64_t begin = 0; ///< relative to the module
    std::uint64_t bytes = 0;
    std::string name; ///< mangled
  };
  struct Module {
    std::string path;
    std::uint64_t base = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges; ///< first address, end
    std::string program_headers;                                 ///< as loaded, to recognise the file
    bool is_read = false;
    bool has_lines = false;
    std::vector<Function> functions; ///< by address, one for each
  };

  static void read(Module& module);
  [[nodiscard]] static std::string function_at(const Module& module, std::uint64_t address);

  std::vector<Module> modules_;
};

} // namespace memviz::capture
