#!/bin/sh
# Makes the Debian package, looks into it, unpacks it into a folder and runs what is in it: check_package.sh BUILD SOURCE
set -eu
build=$1 source=$2
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-dev"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

(cd "$folder" && cpack --config "$build/CPackConfig.cmake" -B "$folder" >"$folder/log" 2>&1) || { cat "$folder/log"; exit 1; }
package=$(echo "$folder"/memviz_*.deb)
fail() { echo "$1" >&2; exit 1; }

version=$("$build/memviz" --version | cut -d ' ' -f 2)
[ "$(dpkg-deb -f "$package" Package Version | tr '\n' ' ')" = "Package: memviz Version: $version " ] || fail "wrong name or version"
dpkg-deb -f "$package" Depends | grep -q 'libc6 .*libfmt' || fail "no dependencies: $(dpkg-deb -f "$package" Depends)"

dpkg-deb -c "$package" | awk '{print $6}' >"$folder/list"
for path in usr/bin/memviz usr/share/man/man1/memviz.1 usr/share/man/man1/memviz-explain.1 \
  usr/share/bash-completion/completions/memviz usr/share/zsh/vendor-completions/_memviz \
  usr/share/fish/vendor_completions.d/memviz.fish usr/share/doc/memviz/README.md usr/share/doc/memviz/CHANGELOG.md \
  usr/share/doc/memviz/SKILL.md usr/share/doc/memviz/copyright usr/share/doc/memviz/docs/schemas/stats.json; do
  grep -qx "./$path" "$folder/list" || fail "$path is not in the package"
done
grep -q 'memviz/rehearsal/libmemviz_rehearsal.so$' "$folder/list" || fail "the made-up GPU is not in the package"
grep -q 'memviz/rehearsal/profiles/h100-80.profile$' "$folder/list" || fail "the profiles are not in the package"
! grep -E '\.(a|hpp)$' "$folder/list" && ! grep -F -e "$source" -e "$build" "$folder/list" || fail "the package has what it should not have"
said=$(dpkg-deb -f "$package" Installed-Size)
kib=$(dpkg-deb -c "$package" | awk '{sum += $3} END {print int(sum / 1024)}')
[ "$said" -lt $((kib * 2)) ] || fail "the package says that it takes $said KiB, and its files take $kib"

dpkg-deb -x "$package" "$folder/root"
"$folder/root/usr/bin/memviz" stats "$source/testdata/oom.pickle" >"$folder/stats"
grep -q "^GPU 0 " "$folder/stats" || fail "the program in the package does not work"
# The made-up GPU is found relative to the program: python3 never uses it, and the message says that.
"$folder/root/usr/bin/memviz" rehearse -q -o "$folder/out" -- python3 -c 'print()' >"$folder/rehearsal" 2>&1 && fail "no GPU was used"
! grep -q "is missing; looked in" "$folder/rehearsal" || { cat "$folder/rehearsal"; exit 1; }
echo "package: $(basename "$package"), $(wc -l <"$folder/list") files"
