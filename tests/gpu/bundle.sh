#!/bin/sh
# Packs what tests/gpu/run.sh takes on a machine with a GPU, no network and no compiler: `./run gpu-bundle`.
# usage: bundle.sh FILE.tar.gz WHEEL [PYTHON_WITH_TORCH]
set -eu
file=$1 wheel=$2 python=${3:-python3}
source=$(cd "$(dirname "$0")/../.." && pwd)
most_mib=64
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/memviz-gpu
bin=$root/bundle/bin
mkdir -p "$bin" "$root/bundle/doctest"

# The part of the tree that the tests need.
(cd "$source" && git ls-files -z --cached capture cmake rehearsal/gpu/profiles python tests/gpu tests/record LICENSE | xargs -0 tar -cf -) | tar -xf - -C "$root"

# memviz itself, static, with its made-up GPU; the wheel for the step that installs it.
cp "$wheel" "$root/bundle/"
"$python" - "$wheel" "$folder/wheel" <<'PY'
import sys, zipfile
zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])
PY
mv "$folder"/wheel/*.data/scripts/memviz "$bin/memviz"
mv "$folder"/wheel/*.data/data/libexec/memviz/rehearsal "$bin/rehearsal"
chmod 755 "$bin/memviz"

# doctest is one header; parts that need CUDA are built if there is a toolkit, and with LibTorch if that is available.
cp /usr/include/doctest/doctest.h "$root/bundle/doctest/"
"$source/tests/gpu/run.sh" "$folder/build" --only-build --binaries "$bin" --python "$python" ||
  echo "bundle.sh: not everything was built here; run.sh builds it on the machine, or leaves it out" >&2
strip --strip-debug "$bin"/libmemviz_inject.so "$bin"/memviz_gpu_* 2>/dev/null || true

tar -C "$folder" -czf "$file" memviz-gpu
bytes=$(wc -c <"$file")
[ "$bytes" -le $((most_mib << 20)) ] || {
  echo "bundle.sh: $file has $bytes bytes, more than $most_mib MiB" >&2
  exit 1
}
ls "$bin"
echo "$file: $bytes bytes. On the machine: tar -xzf, then memviz-gpu/tests/gpu/run.sh OUT_FOLDER"
