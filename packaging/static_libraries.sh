#!/bin/sh
# static_libraries.sh FOLDER [CMAKE OPTION...]: libfmt.a and libzip.a, which Debian's packages lack, built from Debian's
# source packages. Takes no root: apt's lists of sources are kept in FOLDER.
set -eu
folder=$1
shift
[ ! -e "$folder/done" ] || exit 0
"$(dirname "$0")/debian_sources.sh" "$folder" fmtlib libzip

# build NAME CMAKE_OPTION...
build() {
  name=$1
  shift
  cmake -G Ninja -S "$folder/$name/source" -B "$folder/$name/build" -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$folder" -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build "$folder/$name/build" --target install
}
{
  build fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF "$@"
  # memviz reads stored and deflated members of an archive.
  build libzip -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF -DENABLE_BZIP2=OFF \
    -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
    -DENABLE_OPENSSL=OFF "$@"
} >"$folder/build.log" 2>&1 || {
  tail -n 40 "$folder/build.log" >&2
  exit 1
}
# Written last, so that an interrupted build is not mistaken for a complete one.
: >"$folder/done"
