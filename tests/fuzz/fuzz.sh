#!/bin/sh
# Runs every fuzzer of a build for SECONDS, as many at once as there are processors; fails when one finds something.
# What they learn stays in BUILD/corpus and is where the next run begins; what they find is kept in BUILD/finds.
# usage: fuzz.sh BUILD SECONDS [FUZZER...]
set -eu
build=$1 seconds=$2
shift 2
[ $# -gt 0 ] || set -- snapshot compare pickle json written options flops commands containers
source=$(cd "$(dirname "$0")/../.." && pwd)
testdata=$source/testdata seeds=$source/tests/fuzz/seeds
mkdir -p "$build/finds"

# max_bytes FUZZER: longer inputs find little more and take long.
max_bytes() {
  case $1 in
  compare) echo 32000 ;;
  commands) echo 20000 ;;
  options) echo 400 ;;
  written) echo 8000 ;;
  *) echo 16000 ;;
  esac
}

# small FUZZER FOLDER PATTERN: the files that a fuzzer can take completely.
small() { find "$2" -type f -name "$3" -size -"$(max_bytes "$1")"c; }

# Every file gets a separate name, because the fuzzers of pickles have seeds from several folders.
seed() {
  folder=$build/seeds/$1
  rm -rf "$folder"
  mkdir -p "$folder" "$build/corpus/$1"
  case $1 in
  json | options | written) small "$1" "$seeds/$1" '*' ;;
  flops) small flops "$testdata/flops" '*.pt2' ;;
  containers) small containers "$testdata/containers" '*' ;;
  commands) # of the archives every eighth
    small commands "$testdata" '*.pickle'
    small commands "$testdata/containers" '*'
    small commands "$testdata/flops" '*.pt2' | sed -n 'p;n;n;n;n;n;n;n'
    ;;
  *) small "$1" "$testdata" '*.pickle' ;;
  esac >"$build/seeds/$1.list"
  [ "$1" != json ] || small json "$testdata" '*.json' | grep -v /expected >>"$build/seeds/$1.list"
  [ "$1" != written ] || { small written "$testdata" '*.folded'; small written "$testdata/logs" '*.txt'; } >>"$build/seeds/$1.list"
  number=0
  while read -r file; do
    number=$((number + 1))
    cp "$file" "$folder/$number-$(basename "$file")"
    # Two pickles, one after another, are compared.
    case $1-$((number % 3))-$file in
    compare-* | commands-0-*.pickle) cat "$testdata/gen_2.3_settings.pickle" >>"$folder/$number-$(basename "$file")" ;;
    esac
  done <"$build/seeds/$1.list"
  # The programs alone, without their archives.
  case $1 in flops | commands) python3 "$source/tests/fuzz/programs.py" "$folder" "$(max_bytes "$1")" ;; esac
  [ "$1" != compare ] || cat "$testdata/before.pickle" "$testdata/after.pickle" >"$folder/before-after"
}

fuzz() {
  seed "$1"
  dictionary=$seeds/$1.dict
  [ -e "$dictionary" ] || dictionary=$seeds/words.dict
  # Chooses inputs without counts of what each reached, which take a third to two thirds of the time where as much code
  # runs for each input; and closes the output of commands (reports of the sanitizers are still written).
  options=-close_fd_mask=0
  case $1 in
  commands) options="-close_fd_mask=3 -entropic=0" ;;
  snapshot) options=-entropic=0 ;;
  esac
  # zstd asks for the window that a frame states, of up to 2 GiB, and touches what it uses of it.
  most_mb=80
  case $1 in containers | commands) most_mb=2100 ;; esac
  # Memory and time are also checked: inputs have at most a few kilobytes. The limit of time allows for other load.
  # shellcheck disable=SC2086 # a list of words
  "$build/tests/fuzz/$1_fuzzer" $options -max_total_time="$seconds" -max_len="$(max_bytes "$1")" -timeout=20 -rss_limit_mb=1024 \
    -malloc_limit_mb="$most_mb" -dict="$dictionary" -artifact_prefix="$build/finds/$1-" -print_final_stats=1 -verbosity=1 \
    "$build/corpus/$1" "$build/seeds/$1" >"$build/finds/$1.log" 2>&1
}

if [ "${MEMVIZ_FUZZ_ONE:-}" = 1 ]; then
  # The freed memory that is kept to detect uses of it would count towards the limit.
  export ASAN_OPTIONS="quarantine_size_mb=32:detect_stack_use_after_return=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
  export UBSAN_OPTIONS=print_stacktrace=1
  if fuzz "$1"; then
    echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/finds/$1.log") inputs, nothing found"
  else
    echo "$1: FOUND something; the input and the log are in $build/finds"
    tail -n 60 "$build/finds/$1.log"
    exit 1
  fi
else
  printf '%s\n' "$@" | MEMVIZ_FUZZ_ONE=1 xargs -n 1 -P "$(nproc)" "$0" "$build" "$seconds"
fi
