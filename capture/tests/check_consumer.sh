#!/bin/sh
# Builds the project in tests/consumer as its users would: check_consumer.sh BUILD_FOLDER TORCH_CMAKE_FOLDER FINDS_TORCH_FIRST
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
generator=
command -v ninja >/dev/null && generator="-G Ninja"
# LibTorch looks for a GPU to find the architecture, unless it is given one.
# shellcheck disable=SC2086 # two words or none
cmake -S "$tests/consumer" -B "$1" $generator -DMEMVIZ_CAPTURE_FOLDER="$tests/.." -DTorch_DIR="$2" -DFINDS_TORCH_FIRST="$3" -DTORCH_CUDA_ARCH_LIST=9.0
# Only configured twice: the order of find_package matters only to CMake.
[ "$3" = OFF ] || exit 0
cmake --build "$1" --target consumer plugin
"$1/consumer"
