# A collective alone takes a time: 2 x 3/4 x 1 GB / (0.9415 x R).
dtsim explain in/allreduce.json --measured '3.2 s'
dtsim explain in/allreduce.json --measured 3.2 --metric step_s --format ndjson
dtsim explain in/allreduce.json --measured 3.2
# Where the transport was measured, neither links nor flows are in question.
dtsim explain in/allreduce.json --measured '3 s' --set 'platform.transports.between={"name": "tcp", "measured": "in/all_reduce.txt", "ranks": 4, "nodes": 4}'
