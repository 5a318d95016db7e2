#!/bin/sh
# static_libraries.sh FOLDER [CMAKE OPTION...]: libfmt.a and libzip.a, which Debian's packages lack, built from Debian's
# source packages. Takes no root: apt's lists of sources are kept in FOLDER.
set -eu
folder=$1
shift
[ ! -e "$folder/done" ] || exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/sources"

# The system's own places of packages, asked for sources.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  [ -r "$file" ] || continue
  case $file in
  *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/apt/$(basename "$file")" ;;
  *.list) sed -n 's/^deb /deb-src /p' "$file" >"$folder/apt/$(basename "$file")" ;;
  esac
done
apt_get() {
  apt-get -qq -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$folder/apt" \
    -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" -o "APT::Sandbox::User=" "$@"
}
# Places that have no sources, or are not to be reached, do not matter where the two packages are found.
apt_get update >"$folder/apt.log" 2>&1 || true
(cd "$folder/sources" && apt_get source --download-only fmtlib libzip >>../apt.log 2>&1) || {
  cat "$folder/apt.log" >&2
  exit 1
}

# build NAME CMAKE_OPTION...
build() {
  name=$1
  shift
  rm -rf "${folder:?}/$name"
  mkdir -p "$folder/$name/source"
  tar -C "$folder/$name/source" --strip-components 1 -xf "$folder/sources/$name"_*.orig.tar.*
  cmake -G Ninja -S "$folder/$name/source" -B "$folder/$name/build" -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$folder" -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build "$folder/$name/build" --target install
}
{
  build fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF "$@"
  # Of an archive memviz reads what is stored or deflated.
  build libzip -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF -DENABLE_BZIP2=OFF \
    -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
    -DENABLE_OPENSSL=OFF "$@"
} >"$folder/build.log" 2>&1 || {
  tail -n 40 "$folder/build.log" >&2
  exit 1
}
# Written last: a broken-off build is not taken for a whole one.
: >"$folder/done"
