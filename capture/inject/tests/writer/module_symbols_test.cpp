#include "module_symbols.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <string>

using memviz::capture::ModuleSymbols;

namespace {

/// Not exported: only the symbol table of the program's file has it.
__attribute__((noinline)) int module_symbols_test_hidden(int value) {
  asm volatile("" ::: "memory");
  return value + 1;
}

char* begin_of(const char* function) {
  return static_cast<char*>(dlsym(RTLD_DEFAULT, function));
}

} // namespace

TEST_CASE("ModuleSymbols: a function of a library, its module and no line") {
  ModuleSymbols symbols;
  const auto place = symbols.look_up(begin_of("rand") + 1); // which no sanitizer replaces
  CHECK(place.frame.name == "rand");
  CHECK(place.frame.filename.find("libc") != std::string::npos);
  CHECK(place.frame.line == 0);
}

TEST_CASE("ModuleSymbols: the beginning of a function is the end of a call before it") {
  ModuleSymbols symbols;
  CHECK(symbols.look_up(begin_of("abort")).frame.name != "abort");
}

TEST_CASE("ModuleSymbols: a function that is not exported, demangled") {
  ModuleSymbols symbols;
  CHECK(module_symbols_test_hidden(1) == 2);
  auto* const begin = reinterpret_cast<char*>(&module_symbols_test_hidden);
  CHECK(symbols.look_up(begin + 1).frame.name == "(anonymous namespace)::module_symbols_test_hidden(int)");
}

TEST_CASE("ModuleSymbols: an address that is in no module") {
  ModuleSymbols symbols;
  int local = 0;
  for (void* none : {static_cast<void*>(nullptr), static_cast<void*>(&local)}) {
    const auto place = symbols.look_up(none);
    CHECK(place.frame.name == "??");
    CHECK(place.frame.filename == "??");
    CHECK_FALSE(place.has_lines);
  }
}
