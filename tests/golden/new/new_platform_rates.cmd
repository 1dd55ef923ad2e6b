# A ring of 1 GB in a node of 8 V100: 2 x 7/8 GB over two links of 25 GB/s, of which 83 % are data: 42.2 ms, and sums.
dtsim new platform cube --nodes 1 --device v100 --devices-per-node 8 --nic-gbit 100 -o $TMP/cube.json
dtsim in/allreduce.json --engine fluid --set devices=[8] --set platform=$TMP/cube.json --format json | grep " \"comm_s\""
# 512 MB on 32 nodes of 8 H100, 8 rings: no slot of PCIe 3 binds them (14.4 ms with one).
dtsim new platform pod --nodes 32 --device h100 --devices-per-node 8 --nics 8 --nic-gbit 400 --transport nccl_ib -o $TMP/pod.json
dtsim in/allreduce.json --engine fluid --set devices=[256] --set platform=$TMP/pod.json --set strategies[0].bytes=512e6 --set strategies[0].channels=8 --format json | grep " \"comm_s\""
