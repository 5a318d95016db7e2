#!/bin/sh
# Installs memviz, builds examples/ against what was installed, by find_package and by pkg-config, and runs them:
# check_install.sh BUILD SOURCE CXX
set -eu
build=$1 source=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" >"$folder/log"
cmake -S "$source/examples" -B "$folder/examples" "-DCMAKE_PREFIX_PATH=$folder/prefix" "-DCMAKE_CXX_COMPILER=$compiler" >>"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
cmake --build "$folder/examples"

for path in man/man1/memviz.1 bash-completion/completions/memviz zsh/site-functions/_memviz \
  fish/vendor_completions.d/memviz.fish doc/memviz/docs/schemas/explain.json; do
  [ -f "$folder/prefix/share/$path" ] || { echo "$path is not installed"; exit 1; }
done

expected=' 90.0 MiB  append_page cache.py:47'
check_top_lines() {
  case $("$1" "$source/testdata/oom.pickle" | head -n 1) in
  *"$expected") ;;
  *) echo "$1: the first line does not end in '$expected'"; exit 1 ;;
  esac
}
check_top_lines "$folder/examples/top_lines"
"$folder/examples/draw" <"$source/testdata/oom.pickle" >"$folder/mem.svg"
case $(tail -c 7 "$folder/mem.svg") in
*"</svg>"*) ;;
*) echo "draw: no whole SVG"; exit 1 ;;
esac
if "$folder/examples/top_lines" "$source/README.md" 2>"$folder/error"; then
  echo "top_lines: read README.md"
  exit 1
fi
grep -q "README.md: " "$folder/error"

PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name memviz.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # words of a command line
"$compiler" -std=c++20 "$source/examples/top_lines.cpp" $(pkg-config --cflags --libs memviz) -o "$folder/by_pkg_config"
check_top_lines "$folder/by_pkg_config"

# Each header includes what it uses: `./run lint` reads each file of src/ and render/ alone, and with it the header that
# the file includes first.
grep -rhm 1 '^#include' --include='*.cpp' "$source/src" "$source/render" >"$folder/read_first"
cd "$folder/prefix/include"
for header in memviz/*.hpp; do
  ! grep -qF "\"$header\"" "$folder/read_first" || continue
  "$compiler" -std=c++20 -fsyntax-only -I . -include "$header" -x c++ /dev/null || { echo "$header alone does not compile"; exit 1; }
done
# All of them together need nothing that is not installed.
printf '#include "%s"\n' memviz/*.hpp | "$compiler" -std=c++20 -fsyntax-only -I . -x c++ -
echo "installed: $(find memviz -name '*.hpp' | wc -l) headers, two examples"
