# A broadcast of 4 bytes passes 6 hops of 2 us and 4 ns in a tree, 63 in a chain; a ring moves 2 x 63/64 GB by
# 1 GB/s and pays 126 latencies, and its sums; bus bandwidth as nccl-tests has it.
dtsim in/broadcast.json --engine fluid --format csv | cut -d, -f2,4,6,11,13,31-32
dtsim --explain in/broadcast.json --engine fluid
# One device sends nothing: it has no bandwidth.
dtsim in/broadcast.json --engine fluid --set devices=1 --format csv | cut -d, -f2,4,6,11,13,31-32
