# What NCCL takes by size, on four nodes and in one, and what an MPI library takes.
set -- in/allreduce.json --set engine=fluid --set stack.algorithm=auto --set 'strategies[0].algorithm=null' --set 'strategies[0].channels=null' --set platform=gcp_a3_ultra
dtsim "$@" --set 'stack.library={"name": "nccl", "version": "2.27"}' --set devices=[32] --sweep 'strategies[0].bytes=1024,1MiB,16MiB,4GiB' | sed -n '/^strategy/,/^$/p'
dtsim "$@" --set 'stack.library={"name": "nccl", "version": "2.27"}' --set devices=[8] --set 'strategies[0].bytes=1GiB' --format json | grep chosen
dtsim --explain "$@" --set 'stack.library={"name": "openmpi", "version": "4.1"}' --set devices=[32] --set 'strategies[0].bytes=64' | sed -n '/^Collectives/,/^$/p'
dtsim "$@" --set devices=[32]
