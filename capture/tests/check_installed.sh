#!/bin/sh
# Installs the library, moves it, and builds the project in tests/consumer with it, by find_package:
# check_installed.sh BUILD FOLDER TORCH_CMAKE_FOLDER
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2"
cmake --install "$1" --prefix "$2/first" >/dev/null
mv "$2/first" "$2/prefix"
test -f "$2/prefix/include/memviz/capture/recorder.hpp"
if grep -rF -e "${tests%/tests}/" -e "$1/" -e "${3%/share/cmake/Torch}/" "$2/prefix/lib"*/cmake/memviz_capture; then
  echo "the installed package names folders of the build"
  exit 1
fi
generator=
command -v ninja >/dev/null && generator="-G Ninja"
# LibTorch looks for a GPU to find the architecture, unless it is given one.
# shellcheck disable=SC2086 # two words or none
cmake -S "$tests/consumer" -B "$2/build" $generator "-DCMAKE_PREFIX_PATH=$2/prefix;$3" -DTORCH_CUDA_ARCH_LIST=9.0 >/dev/null
cmake --build "$2/build" --target consumer
"$2/build/consumer"
