#!/bin/sh
# debian_sources.sh FOLDER PACKAGE...: unpacks the upstream source of each of Debian's source packages into
# FOLDER/PACKAGE/source. Takes no root: apt's lists of sources are kept in FOLDER.
set -eu
folder=$1
shift
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/sources"

# The system's own package sources, extended to source packages.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  [ -r "$file" ] || continue
  case $file in
  *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/apt/$(basename "$file")" ;;
  *.list) sed -n 's/^deb /deb-src /p' "$file" >"$folder/apt/$(basename "$file")" ;;
  esac
done
apt_here() {
  command=$1
  shift
  "$command" -qq -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$folder/apt" \
    -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" -o "APT::Sandbox::User=" "$@"
}
apt_get() { apt_here apt-get "$@"; }
apt_cache() { apt_here apt-cache "$@"; }
# Sources that are unreachable or have no source packages do not matter if the packages are found elsewhere.
apt_get update >"$folder/apt.log" 2>&1 || true

# download PACKAGE: its newest version, or an older one if the archive lists one whose files it does not have.
download() {
  for version in $(apt_cache madison "$1" | cut -d '|' -f 2); do
    rm -f "$folder/sources/$1"_*
    (cd "$folder/sources" && apt_get source --download-only "$1=$version" >>../apt.log 2>&1) && return
  done
  return 1
}
for package; do
  download "$package" || {
    cat "$folder/apt.log" >&2
    echo "debian_sources.sh: no version of $package could be downloaded" >&2
    exit 1
  }
done
for package; do
  rm -rf "${folder:?}/$package"
  mkdir -p "$folder/$package/source"
  for archive in "$folder/sources/$package"_*.orig.tar.gz "$folder/sources/$package"_*.orig.tar.xz \
    "$folder/sources/$package"_*.orig.tar.bz2; do
    [ ! -e "$archive" ] || tar -C "$folder/$package/source" --strip-components 1 -xf "$archive"
  done
done
