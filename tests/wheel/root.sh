#!/bin/sh
# root.sh FOLDER COMMAND...: runs a command in its own root, with /proc, as a container would. Takes root.
set -eu
folder=$1
shift
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$folder" "$@"
