#!/bin/sh
# The figures and the folded stacks of one snapshot, left in a folder: FILE.json and FILE.folded, or FILE.error where it
# cannot be read. Exits with 0 in both cases, so that a bad file stops nothing.
# usage: one.sh OUT FILE
set -u
out=$1 file=$2
name=$out/$(printf '%s' "$file" | tr / _)
memviz=${MEMVIZ:-memviz}
mkdir -p "$out"
if "$memviz" stats -q --threads 1 --json "$name.json" "$file" 2>"$name.error" &&
  "$memviz" export -q --threads 1 --format folded --at auto -o "$name.folded" "$file" 2>>"$name.error"; then
  rm "$name.error"
else
  rm -f "$name.json" "$name.folded"
  test -s "$name.error" || echo "memviz ended without a message" >"$name.error"
fi
