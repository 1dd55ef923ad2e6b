#!/bin/sh
# mpirun.sh -- mpirun with what tests need: as root, with more ranks than cores, and never for ever.
#
#     mpirun.sh RANKS PROGRAM [ARGUMENT...]
#
# About one start of Open MPI in ten hangs on some machines: a start that was killed after
# DTSIM_MPI_SECONDS (60, where most need one) is tried again, DTSIM_MPI_TRIES (3) times in all.
ranks=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
# Who waits yields its core only where there are fewer of them than ranks (src/live/idle_wait.h).
[ "$ranks" -le "$(nproc)" ] || export OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_pml=ob1 # to look for others takes a third of a start
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # the same, of Open MPI 5
# Copies through the other process's memory (CMA) are not allowed in every container.
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# When a rank ends with an error mpirun ends the others, and gives them so many seconds for it (its own
# is 1) even where none is left. Who ends runs from outside gives them that second.
export OMPI_MCA_odls_base_sigkill_timeout="${DTSIM_MPI_KILL_SECONDS:-0}"
# MPI itself leaks; addresses and undefined behaviour are still checked.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
for start in $(seq "${DTSIM_MPI_TRIES:-3}"); do
    timeout -k 5 "${DTSIM_MPI_SECONDS:-60}" mpirun -n "$ranks" "$@" </dev/null
    status=$?
    [ $status -eq 124 ] || [ $status -eq 137 ] || exit $status
    echo "mpirun hung, start $start" >&2
done
exit 1
