#!/usr/bin/env bash
# Builds capture, runs its tests on the GPU, measures, and leaves results.json and the recorded snapshots in a folder.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: tests/gpu/run.sh OUT_FOLDER [options]
  --torch FOLDER     LibTorch (its CMake prefix); default: that of python3's torch
  --build FOLDER     build folder, used as it is when it has been built; default: OUT_FOLDER/build
  --no-build         only runs what is in the build folder
  --only-build       ends when it is built
  --doctest FOLDER   folder in which doctest/doctest.h lies, where the system has none
  --python PROGRAM   default: python3
  --memviz PROGRAM   also reads each snapshot with memviz
  --no-cost          leaves the measurements out
  --no-pytorch-dump  measures PyTorch's recorder, but not its dump, which can take minutes
  --seconds N        bound of each step (default 300)
  --total N          bound of all steps together, in seconds: what no longer fits is left out, and named in the results
  --archive FILE     also packs results, logs and snapshots into one .tar.gz
Needs no network. Without a GPU it builds, says "skipped: no CUDA device", and ends with 0. OUT_FOLDER has to be new, or
that of an earlier run, whose results are replaced.
TEXT
}

source_folder=$(cd "$(dirname "$0")/../.." && pwd)
out="" torch="" build="" doctest="" python=python3 memviz="" archive=""
seconds=300 total=0 is_building=1 only_builds=0 has_cost=1 has_pytorch_dump=1
while [ $# -gt 0 ]; do
  case $1 in
    --torch) torch=$2; shift ;;
    --build) build=$2; shift ;;
    --doctest) doctest=$2; shift ;;
    --python) python=$2; shift ;;
    --memviz) memviz=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --total) total=$2; shift ;;
    --archive) archive=$2; shift ;;
    --no-build) is_building=0 ;;
    --only-build) only_builds=1 ;;
    --no-cost) has_cost=0 ;;
    --no-pytorch-dump) has_pytorch_dump=0 ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || { usage >&2; exit 2; }
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
if [ ! -e "$out/.memviz_gpu" ] && [ -n "$(ls -A "$out")" ]; then
  echo "run.sh: $out has other files in it: name a new folder" >&2
  exit 2
fi
: >"$out/.memviz_gpu" || exit 1
build=${build:-$out/build}

lacks() {
  echo "run.sh: $1" >&2
  missing=1
}
missing=0
command -v "$python" >/dev/null || lacks "no $python: it checks the snapshots (--python)"
if [ $is_building = 1 ]; then
  command -v cmake >/dev/null || lacks "no cmake"
  command -v "${CXX:-c++}" >/dev/null || lacks "no C++ compiler (CXX)"
  [ -n "$torch" ] || torch=$("$python" -c 'import torch; print(torch.utils.cmake_prefix_path)' 2>/dev/null) ||
    lacks "no LibTorch: python3 has no torch (--torch)"
  [ -n "$doctest" ] || [ -e /usr/include/doctest/doctest.h ] || lacks "no doctest/doctest.h (--doctest)"
  command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || lacks "no CUDA toolkit: no nvcc found"
fi
[ $missing = 0 ] || exit 2
[ -d /usr/local/cuda/bin ] && PATH=$PATH:/usr/local/cuda/bin

rm -f "$out"/{figures,steps,device,plain,results}.json
rm -rf "$out"/{oom,inject,inject_libtorch} "$out"/*.pickle

note() { echo "{\"step\": \"$1\", \"status\": $2}" >>"$out/steps.json"; }

# bound: the seconds that the next step may take; 0: none are left.
bound() {
  local left=$((total - SECONDS))
  if [ "$total" = 0 ] || [ $left -gt "$seconds" ]; then echo "$seconds"; else echo $((left > 0 ? left : 0)); fi
}

# run NAME COMMAND...: within the bound of time, its output to NAME.log.
run() {
  local name=$1 limit status
  shift
  limit=$(bound)
  if [ "$limit" = 0 ]; then
    echo "left out: no time" >"$out/$name.log"
    status=124
  else
    timeout --kill-after=10 "$limit" "$@" >"$out/$name.log" 2>&1
    status=$?
  fi
  echo "run.sh: $name ended with $status"
  [ $status = 0 ] || tail -n 30 "$out/$name.log"
  return $status
}

# step NAME COMMAND...: as run, and its exit status is part of the result.
step() {
  run "$@"
  local status=$?
  note "$1" $status
  return $status
}

# finish STATUS: packs, and ends.
finish() {
  if [ -n "$archive" ]; then
    find "$out" -path "$build" -prune -o -type f \( -name '*.json' -o -name '*.log' -o -name '*.pickle' \) \
      -printf '%P\0' | tar -czf "$archive" -C "$out" --null -T - || echo "run.sh: cannot write $archive" >&2
  fi
  exit "$1"
}

if [ $is_building = 1 ]; then
  generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  [ -e "$build/CMakeCache.txt" ] && generator=()
  step configure cmake -S "$source_folder/capture" -B "$build" "${generator[@]}" -DCMAKE_PREFIX_PATH="$torch" \
    ${doctest:+-DDOCTEST_INCLUDE_DIR="$doctest"} || finish 1
  step build cmake --build "$build" --parallel "$(nproc)" --target memviz_gpu_tests || finish 1
  # Either may be left out where the toolkit lacks its part.
  step build_plain cmake --build "$build" --parallel "$(nproc)" --target memviz_gpu_plain
  step build_inject cmake --build "$build" --parallel "$(nproc)" --target memviz_inject
fi
[ $only_builds = 0 ] || finish 0

tests=$build/gpu/memviz_gpu_tests
plain=$build/gpu/memviz_gpu_plain
inject=$build/inject/libmemviz_inject.so
export MEMVIZ_GPU_OUT=$out
if step tests "$tests" '--test-case-exclude=*expandable*,*cost*' &&
  grep -q '^skipped: no CUDA device' "$out/tests.log"; then
  # A machine that has a GPU is not one on which its tests may be skipped.
  if [ -e "${MEMVIZ_GPU_DEVICE:-/dev/nvidiactl}" ]; then
    echo "run.sh: this machine has a GPU, and LibTorch finds no CUDA device" >&2
    finish 1
  fi
  echo "skipped: no CUDA device"
  finish 0
fi
PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True step expandable "$tests" '--test-case=*expandable*'

if [ -x "$plain" ] && [ -e "$inject" ]; then
  mkdir -p "$out/inject" "$out/inject_libtorch"
  # The wall times of the two say what recording a call costs.
  step plain_alone "$plain" 20000
  CUDA_INJECTION64_PATH=$inject MEMVIZ_OUT=$out/inject/ MEMVIZ_SIGNAL=USR2 step plain_injected "$plain" 20000
  tail -n 1 "$out/plain_alone.log" >"$out/plain.json"
  for name in plain_alone plain_injected; do
    sed -n "s/.*\"ns_per_pair\": \([0-9]*\).*/{\"name\": \"$name.ns_per_pair\", \"value\": \1, \"unit\": \"ns\"}/p" \
      "$out/$name.log" >>"$out/figures.json"
  done
  ls "$out"/inject/*exit* "$out"/inject/*signal* "$out"/inject/*oom* >/dev/null
  note inject_files $?
  # LibTorch's own allocator seen from below, in the same process as its own libcupti.
  CUDA_INJECTION64_PATH=$inject MEMVIZ_OUT=$out/inject_libtorch/ step inject_libtorch "$tests" '--test-case=*three tensors*'
else
  note inject 1
fi
if [ $has_cost = 1 ]; then
  step cost "$tests" '--test-case=gpu cost:*'
  # Minutes are its answer, not a failure: it is not ours.
  if [ $has_pytorch_dump = 1 ]; then
    limit=$(bound)
    run pytorch_dump "$tests" '--test-case=gpu cost of PyTorch:*'
    status=$?
    if [ $status = 124 ]; then
      echo "{\"name\": \"pytorch.broken_off_after_seconds\", \"value\": $limit, \"unit\": \"s\"}" >>"$out/figures.json"
      rm -f "$out/pytorch.pickle"
    else
      note pytorch_dump $status
    fi
  fi
fi
"$python" "$source_folder/tests/gpu/check.py" "$out" ${memviz:+"$memviz"}
finish $?
