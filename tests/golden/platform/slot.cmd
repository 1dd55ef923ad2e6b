# What a NIC gets through its slot is what NCCL counts: a faster NIC behind the same slot changes nothing.
for rate in 26e9 50e9; do
    dtsim --explain in/small.json --set platform=dgx_a100 --set devices=[64] --set stack=nccl_2_12 --set platform.nics.bytes_per_s=$rate --set 'strategies=[{"kind":"collective","bytes":6e8,"algorithm":"auto"}]' | sed -n '/^Collectives/,/^$/p;/^strategy/,/^$/p'
done
