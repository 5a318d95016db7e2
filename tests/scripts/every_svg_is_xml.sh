#!/bin/sh
# every_svg_is_xml.sh MEMVIZ SOURCE_DIR: draws every valid snapshot there is, in every way, and has xmllint read the pictures.
set -eu
memviz=$1 source=$2
command -v xmllint >/dev/null || {
  echo "skipped: no xmllint"
  exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ ! -d "$source/../shared/snapshots" ]; then
  echo "without real snapshots: no ../shared"
  [ -z "${MEMVIZ_NEED_SHARED:-}" ] || exit 1
fi
count=0
for snapshot in "$source"/testdata/*.pickle "$source"/../shared/snapshots/*.pickle; do
  [ -e "$snapshot" ] || continue
  "$memviz" flame --quiet "$snapshot" -o "$folder/memory.svg"
  "$memviz" flame --quiet --view segments --frames all --upward "$snapshot" -o "$folder/segments.svg"
  "$memviz" compare --quiet "$source/testdata/before.pickle" "$snapshot" -o "$folder/compare.svg" >/dev/null
  "$memviz" timeline --quiet "$snapshot" -o "$folder/timeline.svg"
  "$memviz" state --quiet "$snapshot" -o "$folder/state.svg"
  "$memviz" explain --quiet "$snapshot" -o "$folder/explain.svg" >/dev/null
  xmllint --noout --nonet "$folder"/*.svg || {
    echo "not XML: a picture of $snapshot"
    exit 1
  }
  count=$((count + 1))
done
echo "$count snapshots drawn six times"
[ "$count" -gt 0 ]
