# A NIC behind a slower slot: when the file is made, and once when it is asked.
dtsim new platform mine --nodes 4 --device v100 --nic-gbit 400 --transport nccl_ib -o $TMP/slow.json
dtsim in/allreduce.json --engine fluid --set platform=$TMP/slow.json --sweep strategies[0].algorithm=ring,tree --format csv 2>&1 >$TMP/csv
dtsim check in/allreduce.json --set platform=$TMP/slow.json --format json 2>&1 >$TMP/json
# One that is as fast as its slot has no note.
dtsim new platform mine --nodes 4 --device h100 --nic-gbit 400 --transport nccl_ib -o $TMP/fast.json
dtsim check in/allreduce.json --set platform=$TMP/fast.json --format json 2>&1 >$TMP/json
dtsim check in/allreduce.json --set platform=$TMP/fast.json --set platform.node.fabric.pcie.device_bytes_per_s=12.8e9 --format json 2>&1 >$TMP/json
