# A ring of 4 over 4 nodes was measured: 3 x 2 steps of 20 us + bytes / 0.4 GB/s below 64 KiB a message,
# 60 us + bytes / 0.85 GB/s from there on. The same all-reduces take as long: 123.8 us, 365.8 us,
# 7.762 ms, 1.895 s.
for bytes in 1024 65536 4194304 1073741824; do
    dtsim in/allreduce.json --engine fluid --format csv \
        --set 'platform.transports.between={"name": "tcp", "measured": "in/all_reduce.txt", "ranks": 4, "nodes": 4}' \
        --set 'strategies=[{"kind": "collective", "algorithm": "ring", "bytes": '$bytes'}]' | tail -n 1 | cut -d, -f4,11,32
done
