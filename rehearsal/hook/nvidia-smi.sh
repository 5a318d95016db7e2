#!/bin/sh
# nvidia-smi of a rehearsal: what the made-up GPUs are, by the variables of the rehearsal and its profile. Answers
# --query-gpu=FIELD,... with --format=csv[,noheader][,nounits] and -i N, and -L. Memory in use is
# known to the processes that use the GPU alone: [N/A].

of_profile() { sed -n "s/^$1 = *//p" "$MEMVIZ_REHEARSAL_GPU" | sed 's/ *#.*//'; }

value_of() {
  case $1 in
  name | gpu_name) of_profile device ;;
  index) echo "$device" ;;
  count) echo "$devices" ;;
  compute_cap) of_profile compute_capability ;;
  memory.total) echo "$((${MEMVIZ_REHEARSAL_MEMORY:-$(of_profile total_bytes)} >> 20))$unit" ;;
  *) echo '[N/A]' ;;
  esac
}

row() { # one word of the query after the other
  line=
  for field in $(echo "$query" | tr ',' ' '); do
    line="$line${line:+, }$("$@" "$field")"
  done
  echo "$line"
}

title_of() {
  case $1 in
  memory.*) echo "$1${unit:+ [MiB]}" ;;
  *) echo "$1" ;;
  esac
}

unit=' MiB' heading=1 query='' lists='' only=''
while [ $# -gt 0 ]; do
  case $1 in
  --query-gpu=*) query=${1#*=} ;;
  --format=*)
    case $1 in *noheader*) heading='' ;; esac
    case $1 in *nounits*) unit='' ;; esac
    ;;
  -i | --id)
    only=$2
    [ $# -gt 1 ] && shift
    ;;
  --id=*) only=${1#*=} ;;
  -L | --list-gpus) lists=1 ;;
  esac
  shift
done
if [ -z "$query$lists" ]; then
  echo 'memviz rehearse: the nvidia-smi of a rehearsal answers --query-gpu=... and -L only' >&2
  exit 2
fi
devices=${MEMVIZ_REHEARSAL_DEVICES:-1} device=0
[ -n "$query" ] && [ -n "$heading" ] && row title_of
while [ "$device" -lt "$devices" ]; do
  if [ -z "$only" ] || [ "$only" = "$device" ]; then
    if [ -n "$lists" ]; then echo "GPU $device: $(of_profile device)"; else row value_of; fi
  fi
  device=$((device + 1))
done
