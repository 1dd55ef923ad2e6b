#!/bin/sh
# by_rank.sh -- rank 0 runs the first command, the others the second. (mpirun's own way to ask for it,
# `mpirun -n 1 A : -n 1 B`, dies of a signal in Open MPI 5.0.7 whatever A and B are.)
#
#     mpirun.sh RANKS by_rank.sh COMMAND... -- COMMAND...
mine=first now=first
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || mine=second
for word; do
    shift
    if [ "$word" = -- ]; then
        now=second
    elif [ $now = $mine ]; then
        set -- "$@" "$word"
    fi
done
exec "$@"
