#!/bin/sh
# Compiles the core (cmake/core_sources.cmake) for 32 bits, where a std::size_t holds less than a size in a file: a
# browser's WebAssembly is such a machine. Makes no program, as Debian has the libraries for 64 bits alone.
#   compiles_for_32_bits.sh SOURCE
set -eu
source=$(readlink -f "$1")
# The package gcc-multilib, which links the kernel's headers, conflicts with all cross compilers; without it they are in a
# folder for 64 bits only.
compile="g++ -m32 -idirafter /usr/include/x86_64-linux-gnu -std=c++20 -Wall -Wextra -Wconversion -Wsign-conversion -Werror -fsyntax-only -x c++ -"
if ! echo '#include <vector>' | $compile 2>/dev/null; then
  echo "skipped: g++ has no headers for 32 bits (g++-12-multilib)"
  exit 77
fi
failed=0
sources=$(cmake -P "$source/cmake/core_sources.cmake")
for folder in $(echo "$sources" | xargs -n 1 dirname | sort -u); do
  echo "$sources" | grep "^$folder/[^/]*$" | sed 's/.*/#include "&"/' |
    $compile -I"$source/include" -I"$source/src" -I"$source/render" '-DMEMVIZ_VERSION=""' '-DMEMVIZ_DATE=""' || failed=1
done
exit $failed
