#!/bin/sh
# Trains on several ranks, each a process of this host.
#
#   train_digits_ranks.sh <program train_digits_ranks> <number of ranks>
#
# The same with Open MPI, or with PyTorch's launcher:
#   mpirun -n 2 ./train_digits_ranks /tmp/file
#   torchrun --no-python --nproc-per-node 2 ./train_digits_ranks /tmp/file
set -eu
if [ $# -ne 2 ]; then
  echo "usage: $0 <program train_digits_ranks> <number of ranks>" >&2
  exit 2
fi

folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export WORLD_SIZE="$2"
processes=
rank=0
while [ "$rank" -lt "$2" ]; do
  RANK=$rank "$1" "$folder/root" &
  processes="$processes $!"
  rank=$((rank + 1))
done
for process in $processes; do wait "$process"; done
