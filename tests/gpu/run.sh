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
  --binaries FOLDER  runs memviz_gpu_tests, memviz_gpu_plain and libmemviz_inject.so from there, built elsewhere; with
                     --only-build copies them to it
  --rehearsal FOLDER runs on the made-up GPU of that folder (libmemviz_rehearsal.so), without the steps that take CUPTI
  --doctest FOLDER   folder in which doctest/doctest.h lies, where the system has none
  --python PROGRAM   default: python3
  --memviz PROGRAM   also reads each snapshot with memviz
  --no-cost          leaves the measurements out
  --seconds N        bound of each step (default 300)
  --total N          bound of all steps together, in seconds: what no longer fits is left out, and named in the results
  --limit MIB        of what is left in OUT_FOLDER (default 15): the largest snapshots go once they were checked, and are
                     named in the results
  --archive FILE     also packs results, logs and snapshots into one .tar.gz
Needs no network. What does not build or fails is named, and the rest goes on; results.json is written after each step.
Without a GPU it builds, says "skipped: no CUDA device", and ends with 0. OUT_FOLDER has to be new, or that of an
earlier run, whose results are replaced.
TEXT
}

source_folder=$(cd "$(dirname "$0")/../.." && pwd)
out="" torch="" build="" binaries="" rehearsal="" doctest="" python=python3 memviz="" archive=""
seconds=300 total=0 limit_mib=15 is_building=1 only_builds=0 has_cost=1
while [ $# -gt 0 ]; do
  case $1 in
    --torch) torch=$2; shift ;;
    --build) build=$2; shift ;;
    --binaries) binaries=$2; shift ;;
    --rehearsal) rehearsal=$(cd "$2" && pwd) || exit 2; shift ;;
    --limit) limit_mib=$2; shift ;;
    --doctest) doctest=$2; shift ;;
    --python) python=$2; shift ;;
    --memviz) memviz=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    --total) total=$2; shift ;;
    --archive) archive=$2; shift ;;
    --no-build) is_building=0 ;;
    --only-build) only_builds=1 ;;
    --no-cost) has_cost=0 ;;
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
[ -z "$binaries" ] || [ $only_builds = 1 ] || is_building=0

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
rm -rf "$out"/{oom,inject,inject_libtorch,inject_training} "$out"/*.pickle

# results: what is known so far, in case the next step is the last that this machine sees.
results() { "$python" "$source_folder/tests/gpu/check.py" --without-snapshots "$out" >/dev/null; }

note() {
  echo "{\"step\": \"$1\", \"status\": $2}" >>"$out/steps.json"
  results
}

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

# shrink: removes the largest snapshots until what is left fits. They were checked, and their names stay.
shrink() {
  local size file
  while size=$(find "$out" -path "$build" -prune -o -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }') &&
    [ "$size" -gt $((limit_mib << 20)) ]; do
    file=$(find "$out" -path "$build" -prune -o -name '*.pickle' -printf '%s %P\n' | sort -rn | head -n 1 | cut -d ' ' -f 2-)
    [ -n "$file" ] || break
    rm -f "$out/${file:?}"
    echo "run.sh: $file was checked and left out: --limit $limit_mib" | tee -a "$out/left_out.log"
  done
}

# finish STATUS: shrinks, packs, and ends.
finish() {
  find "$out" -path "$build" -prune -o -name '*.log' -size +256k -print | while read -r log; do
    tail -c 262144 "$log" >"$log.end" && mv "$log.end" "$log"
  done
  shrink
  if [ -n "$archive" ]; then
    find "$out" -path "$build" -prune -o -type f \( -name '*.json' -o -name '*.log' -o -name '*.pickle' \) \
      -printf '%P\0' | tar -czf "$archive" -C "$out" --null -T - || echo "run.sh: cannot write $archive" >&2
  fi
  exit "$1"
}

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)

# build NAME SOURCE FOLDER TARGET...: configures where that was not done, and builds; status of the last step.
build() {
  local name=$1 source=$2 folder=$3 made=("${generator[@]}")
  shift 3
  [ -e "$folder/CMakeCache.txt" ] && made=()
  step "configure_$name" cmake -S "$source" -B "$folder" "${made[@]}" ${torch:+-DCMAKE_PREFIX_PATH="$torch"} \
    ${doctest:+-DDOCTEST_INCLUDE_DIR="$doctest"} &&
    step "build_$name" cmake --build "$folder" --parallel "$(nproc)" --target "$@"
}

# What stands before a command: the GPU that was asked for; the made-up one is not in the tools around the command.
on_gpu=(env)
[ -z "$rehearsal" ] ||
  on_gpu+=("LD_PRELOAD=$rehearsal/libmemviz_rehearsal.so" "LD_LIBRARY_PATH=$rehearsal${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "MEMVIZ_REHEARSAL_DEVICES=${MEMVIZ_REHEARSAL_DEVICES:-2}")

# under_inject FOLDER COMMAND...: with the inject library, which writes to the folder.
under_inject() {
  mkdir -p "$out/$1"
  MEMVIZ_OUT=$out/$1/ MEMVIZ_SIGNAL=USR2 CUDA_INJECTION64_PATH=$inject "${@:2}"
}

# The toolkit and the inject library need no LibTorch: what becomes of that, these are built and run first.
tests=$build/gpu/memviz_gpu_tests plain=$build/gpu/memviz_gpu_plain inject=$build/inject/libmemviz_inject.so
if [ -n "$binaries" ] && [ $only_builds = 0 ]; then
  binaries=$(cd "$binaries" && pwd) || finish 2
  tests=$binaries/memviz_gpu_tests plain=$binaries/memviz_gpu_plain inject=$binaries/libmemviz_inject.so
fi
if [ $is_building = 1 ]; then
  build inject "$source_folder/capture/inject" "$build/alone" memviz_inject && inject=$build/alone/libmemviz_inject.so
  # The rest with LibTorch; the plain program is a part of it, and may be left out where the toolkit lacks its part.
  build libtorch "$source_folder/capture" "$build" memviz_gpu_tests
  [ ! -e "$build/CMakeCache.txt" ] || step build_plain cmake --build "$build" --parallel "$(nproc)" --target memviz_gpu_plain
fi
if [ $only_builds = 1 ]; then
  if [ -n "$binaries" ]; then
    mkdir -p "$binaries" && cp -f "$tests" "$plain" "$inject" "$binaries/" || finish 1
  fi
  ! grep -q '"status": [1-9]' "$out/steps.json" 2>/dev/null
  finish $?
fi

export MEMVIZ_GPU_OUT=$out
if [ -x "$tests" ]; then
  run device "${on_gpu[@]}" "$tests" --list-test-cases
  if grep -q '^skipped: no CUDA device' "$out/device.log"; then
    # A machine that has a GPU is not one on which its tests may be skipped.
    if [ -n "$rehearsal" ] || [ -e "${MEMVIZ_GPU_DEVICE:-/dev/nvidiactl}" ]; then
      echo "run.sh: this machine has a GPU, and LibTorch finds no CUDA device" >&2
      finish 1
    fi
    echo "skipped: no CUDA device"
    finish 0
  fi
fi

# 1. CUDA and the inject library alone.
if [ -n "$rehearsal" ]; then
  : # no CUPTI
elif [ -x "$plain" ] && [ -e "$inject" ]; then
  # The wall times of the two say what recording a call costs.
  step plain_alone "$plain" 20000
  under_inject inject step plain_injected "$plain" 20000
  tail -n 1 "$out/plain_alone.log" >"$out/plain.json"
  for name in plain_alone plain_injected; do
    sed -n "s/.*\"ns_per_pair\": \([0-9]*\).*/{\"name\": \"$name.ns_per_pair\", \"value\": \1, \"unit\": \"ns\"}/p" \
      "$out/$name.log" >>"$out/figures.json"
  done
  ls "$out"/inject/*exit* "$out"/inject/*signal* "$out"/inject/*oom* >/dev/null
  note inject_files $?
else
  note inject 1
fi

if [ -x "$tests" ]; then
  # 2. The recorder.
  step tests "${on_gpu[@]}" "$tests" '--test-case-exclude=*expandable*,*cost*,gpu training:*'
  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True step expandable "${on_gpu[@]}" "$tests" '--test-case=*expandable*'
  # 3. The inject library below LibTorch's own allocator, in the same process as its own libcupti.
  if [ -z "$rehearsal" ] && [ -e "$inject" ]; then
    under_inject inject_libtorch step inject_libtorch "$tests" '--test-case=*three tensors*'
    under_inject inject_training step inject_training "$tests" '--test-case=gpu training:*'
  fi
  # 4. What it costs.
  [ $has_cost = 0 ] || step cost "${on_gpu[@]}" "$tests" '--test-case=gpu cost:*'
else
  note tests 1
fi
# 5. memviz_torch.record() and `memviz run`, with a Python that has torch; a line of its log says what NVML tells.
if [ -n "$memviz" ] && "$python" -c 'import torch' 2>"$out/recorder_in_python.log"; then
  step recorder_in_python "${on_gpu[@]}" "$python" -B "$source_folder/tests/record/check_record.py" "$memviz" on-gpu
fi
"$python" "$source_folder/tests/gpu/check.py" "$out" ${memviz:+"$memviz"}
finish $?
