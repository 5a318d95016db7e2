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
  --binaries FOLDER  runs memviz_gpu_tests, memviz_gpu_plain and libmemviz_inject.so from there, built elsewhere; what is
                     not there or does not load here is built; with --only-build copies them to it
  --rehearsal FOLDER runs on the made-up GPU of that folder (libmemviz_rehearsal.so), without the steps that take CUPTI
  --doctest FOLDER   folder in which doctest/doctest.h lies, where the system has none
  --python PROGRAM   default: python3
  --memviz PROGRAM   also reads each snapshot with memviz, and runs the steps of Python
  --wheel FILE       memviz_torch's, for the step with MEMVIZ_RECORD=1
  --no-cost          leaves the measurements out
  --seconds N        bound of each step (default 300)
  --total N          bound of all steps together, in seconds: what no longer fits is left out, and named in the results
  --limit MIB        of what is left in OUT_FOLDER (default 15): the largest snapshots go once they were checked, and are
                     named in the results
  --archive FILE     also packs results, logs and snapshots into one .tar.gz
Needs Python and no network. In a bundle of `./run gpu-bundle`, what that brings along is the default of --binaries,
--doctest, --memviz and --wheel. What cannot run on this machine is left out, with the reason in the results; what does
not build or fails is named, and the rest goes on; results.json is written after each step.
Without a GPU it builds, says "skipped: no CUDA device", and ends with 0. OUT_FOLDER has to be new, or that of an
earlier run, whose results are replaced.
TEXT
}

source_folder=$(cd "$(dirname "$0")/../.." && pwd)
out="" torch="" build="" binaries="" rehearsal="" doctest="" python=python3 memviz="" wheel="" archive=""
if [ -d "$source_folder/bundle" ]; then
  binaries=$source_folder/bundle/bin doctest=$source_folder/bundle memviz=$source_folder/bundle/bin/memviz
  wheel=$(ls "$source_folder"/bundle/*.whl 2>/dev/null)
fi
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
    --wheel) wheel=$2; shift ;;
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
command -v "$python" >/dev/null || {
  echo "run.sh: no $python: it checks the snapshots (--python)" >&2
  exit 2
}
[ -d /usr/local/cuda/bin ] && PATH=$PATH:/usr/local/cuda/bin
[ -n "$torch" ] || torch=$("$python" -c 'import torch; print(torch.utils.cmake_prefix_path)' 2>/dev/null)

rm -f "$out"/{figures,steps,device,plain,results}.json
rm -rf "$out"/{oom,inject,inject_libtorch,inject_training,run_async,rehearsal} "$out"/*.pickle

# results: what is known so far, in case the next step is the last that this machine runs.
results() { "$python" "$source_folder/tests/gpu/check.py" --without-snapshots "$out" >/dev/null; }

note() {
  echo "{\"step\": \"$1\", \"status\": $2}" >>"$out/steps.json"
  results
}

# leave_out STEP WHY: a step that this machine cannot run, or has no time for, is an entry of the results and not a
# failure.
leave_out() {
  echo "run.sh: $1 is left out: $2"
  "$python" -c 'import json, sys; print(json.dumps({"step": sys.argv[1], "left_out": sys.argv[2]}))' "$@" >>"$out/steps.json"
  results
}

# lacks PART...: which of them this machine lacks, in words.
lacks() {
  local part words=""
  for part; do
    case $part in
    cmake) command -v cmake >/dev/null || words+=", no cmake" ;;
    compiler) command -v "${CXX:-c++}" >/dev/null || words+=", no C++ compiler" ;;
    toolkit) command -v nvcc >/dev/null || words+=", no CUDA toolkit" ;;
    torch) [ -n "$torch" ] || words+=", no LibTorch" ;;
    doctest) [ -n "$doctest" ] || [ -e /usr/include/doctest/doctest.h ] || words+=", no doctest/doctest.h" ;;
    esac
  done
  echo "${words#, }"
}

# loads FILE: whether it exists, with all libraries and symbols that it needs: LibTorch may be another version.
loads() { [ -e "$1" ] && ! ldd -r "$1" 2>&1 | grep -Eq 'not found|undefined symbol|not a dynamic'; }

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
    echo "no time is left" >"$out/$name.log"
    status=77
  else
    timeout --kill-after=10 "$limit" "$@" >"$out/$name.log" 2>&1
    status=$?
  fi
  echo "run.sh: $name ended with $status"
  [ $status = 0 ] || [ $status = 77 ] || tail -n 30 "$out/$name.log"
  return $status
}

# step NAME COMMAND...: as run, and its exit status is part of the result; 77: it left itself out, its last line says why.
step() {
  run "$@"
  local status=$?
  if [ $status = 77 ]; then leave_out "$1" "$(tail -n 1 "$out/$1.log")"; else note "$1" $status; fi
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

# finish STATUS: shrinks, packs, and exits.
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

# The words before a command: the chosen GPU. The made-up one is not in the tools around the command.
on_gpu=(env)
[ -z "$rehearsal" ] ||
  on_gpu+=("LD_PRELOAD=$rehearsal/libmemviz_rehearsal.so" "LD_LIBRARY_PATH=$rehearsal${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "MEMVIZ_REHEARSAL_DEVICES=${MEMVIZ_REHEARSAL_DEVICES:-2}")

# under_inject FOLDER COMMAND...: with the inject library, which writes to the folder.
under_inject() {
  mkdir -p "$out/$1"
  MEMVIZ_OUT=$out/$1/ MEMVIZ_SIGNAL=USR2 CUDA_INJECTION64_PATH=$inject "${@:2}"
}

# The toolkit and the inject library need no LibTorch, so these are built and run first.
tests=$build/gpu/memviz_gpu_tests plain=$build/gpu/plain/memviz_gpu_plain inject=$build/inject/libmemviz_inject.so
if [ -n "$binaries" ] && [ $only_builds = 0 ]; then
  binaries=$(cd "$binaries" && pwd) || finish 2
  # LibTorch is Python's, wherever it is installed.
  [ -z "$torch" ] || export LD_LIBRARY_PATH=${torch%/share/cmake}/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  ! loads "$binaries/memviz_gpu_tests" || tests=$binaries/memviz_gpu_tests
  ! loads "$binaries/memviz_gpu_plain" || plain=$binaries/memviz_gpu_plain
  ! loads "$binaries/libmemviz_inject.so" || inject=$binaries/libmemviz_inject.so
fi

# build_alone NAME FILE SOURCE TARGET: where the file is not there and can be built.
build_alone() {
  local name=$1 file=$2 source=$3 target=$4 missing
  loads "$file" && return
  missing=$(lacks cmake compiler toolkit)
  if [ -n "$missing" ]; then leave_out "build_$name" "$missing"; else build "$name" "$source" "$build/alone_$name" "$target"; fi
}
if [ $is_building = 1 ]; then
  build_alone inject "$inject" "$source_folder/capture/inject" memviz_inject
  loads "$inject" || inject=$build/alone_inject/libmemviz_inject.so
  build_alone plain "$plain" "$source_folder/tests/gpu/plain" memviz_gpu_plain
  loads "$plain" || plain=$build/alone_plain/memviz_gpu_plain
  missing=$(lacks cmake compiler toolkit torch doctest)
  if [ -n "$missing" ] && ! loads "$tests"; then
    leave_out build_libtorch "$missing"
  elif [ "$tests" = "$build/gpu/memviz_gpu_tests" ]; then
    build libtorch "$source_folder/capture" "$build" memviz_gpu_tests
  fi
fi
if [ $only_builds = 1 ]; then
  if [ -n "$binaries" ]; then
    mkdir -p "$binaries"
    for file in "$tests" "$plain" "$inject"; do
      [ ! -e "$file" ] || cp -f "$file" "$binaries/" || finish 1
    done
  fi
  ! grep -q '"status": [1-9]' "$out/steps.json" 2>/dev/null
  finish $?
fi

export MEMVIZ_GPU_OUT=$out
if [ -x "$tests" ]; then
  run device "${on_gpu[@]}" "$tests" --list-test-cases
  if grep -q '^skipped: no CUDA device' "$out/device.log"; then
    # On a machine with a GPU its tests must not be skipped.
    if [ -n "$rehearsal" ] || [ -e "${MEMVIZ_GPU_DEVICE:-/dev/nvidiactl}" ]; then
      echo "run.sh: this machine has a GPU, and LibTorch finds no CUDA device" >&2
      finish 1
    fi
    echo "skipped: no CUDA device"
    finish 0
  fi
fi

# 1. CUDA and the inject library alone.
rm -f "$out/plain_alone.log"
if [ -z "$rehearsal" ] && [ -x "$plain" ] && [ -e "$inject" ]; then # the made-up GPU has no CUPTI
  # The wall times of the two show the cost of recording a call.
  step plain_alone "$plain" 20000
fi
if [ -n "$rehearsal" ]; then
  :
elif [ ! -e "$out/plain_alone.log" ]; then
  leave_out inject "the plain program or the inject library is not there"
elif grep -q '^skipped' "$out/plain_alone.log"; then
  leave_out inject "no CUDA device"
else
  under_inject inject step plain_injected "$plain" 20000
  tail -n 1 "$out/plain_alone.log" >"$out/plain.json"
  for name in plain_alone plain_injected; do
    sed -n "s/.*\"ns_per_pair\": \([0-9]*\).*/{\"name\": \"$name.ns_per_pair\", \"value\": \1, \"unit\": \"ns\"}/p" \
      "$out/$name.log" >>"$out/figures.json"
  done
  ls "$out"/inject/*exit* "$out"/inject/*signal* "$out"/inject/*oom* >/dev/null
  note inject_files $?
fi

# 2. Rehearsed, and here: with a Python that has torch.
in_python() { step "$1" "${on_gpu[@]}" "$python" -B "$source_folder/tests/gpu/steps.py" "$1" "$memviz" "$out" ${wheel:+"$wheel"}; }
on_record() { step "$1" "${on_gpu[@]}" "$python" -B "$source_folder/tests/record/check_record.py" "$memviz" "$2"; }
has_python_steps=0 missing="no memviz (--memviz)"
if [ -x "$memviz" ]; then
  if in_python device_in_python; then has_python_steps=1; else missing=$(tail -n 1 "$out/device_in_python.log"); fi
fi
if [ $has_python_steps = 1 ]; then
  in_python rehearsed
else
  for name in rehearsed recorder_in_python ranks malloc_async memviz_record overhead; do leave_out $name "$missing"; done
fi

if [ -x "$tests" ]; then
  # 3. The recorder.
  step tests "${on_gpu[@]}" "$tests" '--test-case-exclude=*expandable*,*cost*,gpu training:*'
  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True step expandable "${on_gpu[@]}" "$tests" '--test-case=*expandable*'
  # 4. The inject library below LibTorch's own allocator, in the same process as its own libcupti.
  if [ -z "$rehearsal" ] && [ -e "$inject" ]; then
    under_inject inject_libtorch step inject_libtorch "$tests" '--test-case=*three tensors*'
    under_inject inject_training step inject_training "$tests" '--test-case=gpu training:*'
  fi
  # 5. What it costs.
  [ $has_cost = 0 ] || step cost "${on_gpu[@]}" "$tests" '--test-case=gpu cost:*'
else
  leave_out tests "memviz_gpu_tests is not there"
fi
# 6. memviz_torch.record() and `memviz run`; a line of the recorder's log has what NVML reports.
if [ $has_python_steps = 1 ]; then
  on_record recorder_in_python on-gpu
  on_record ranks ranks-on-gpu
  in_python malloc_async
  in_python memviz_record
  [ $has_cost = 0 ] || in_python overhead
fi
"$python" "$source_folder/tests/gpu/check.py" "$out" ${memviz:+"$memviz"}
finish $?
