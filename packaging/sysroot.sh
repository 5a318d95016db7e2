#!/bin/sh
# sysroot.sh FOLDER ARCHITECTURE PACKAGE...: Debian's packages of another architecture, unpacked into FOLDER and not
# installed, for Debian's cross compiler. Takes no root, and leaves the system's own packages as they are.
set -eu
folder=$1 architecture=$2
shift 2
[ ! -e "$folder/done" ] || exit 0
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/packages"
: >"$folder/apt/status"
apt_get() {
  apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" \
    -o "Dir::State::status=$folder/apt/status" -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" \
    -o "APT::Sandbox::User=" "$@"
}
# Sources that do not have this architecture do not matter if the packages are found elsewhere.
apt_get update >"$folder/apt.log" 2>&1 || true
(cd "$folder/packages" && apt_get download "$@" >>../apt.log 2>&1) || {
  cat "$folder/apt.log" >&2
  exit 1
}
for package in "$folder"/packages/*.deb; do
  dpkg-deb --extract "$package" "$folder"
done
# Written last, so that an interrupted download is not mistaken for a complete one.
: >"$folder/done"
