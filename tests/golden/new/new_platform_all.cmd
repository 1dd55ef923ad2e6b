for topology in $(dtsim list topologies | sed -n "s/^  \([a-z_0-9]*\) .*/\1/p"); do
    for nodes in 1 30 1000 30000; do
        dtsim new platform mine --nodes $nodes --device v100 --nic-gbit 100 --topology $topology -o $TMP/$topology$nodes || exit
    done
done
for fabric in $(dtsim list fabrics | sed -n "s/^  \([a-z_0-9]*\) .*/\1/p" | grep -v none); do
    dtsim new platform mine --nodes 4 --device v100 --devices-per-node 8 --nic-gbit 100 --fabric $fabric -o $TMP/$fabric || exit
done
