# What a shipped platform says holds where nothing else is said, with its source.
dtsim new platform ours --like dgx_a100 --nodes 32 -o $TMP/ours.json
grep -v '"//' $TMP/ours.json
# Other devices bring their own links, a faster NIC its cables, more nodes their own sizes.
dtsim new platform ours --like dgx_a100 --nodes 1000 --device h100 --nic-gbit 400 | grep -v '"//\|source' | grep 'links_per\|device_b\|count\|bytes_per_s\|rails\|down\|switches'
dtsim new platform ours --like dgx_a100 --set nics.rails=separate --set storage.shared_bytes_per_s=1e9 | grep -v '"//\|source' | grep 'rails\|shared'
# A network that is too small gets more of the same; a torus is as large as its nodes are many.
for like in "abci --nodes 5000" "juwels_booster --nodes 2000" "tpu_v4_pod --nodes 64" "dgx_h100 --nodes 512"; do
    dtsim new platform ours --like $like | grep -v '"//\|source' | grep '"down\|"up\|groups\|"link_b\|dims\|green_lanes'
done
dtsim new platform ours --like summit --topology star --fabric pcie | grep -v '"//\|source' | grep '"kind\|"within'
dtsim new platform ours --like dgx
dtsim new platform ours --like in/no_such.json
dtsim new platform ours --like in/model.json
