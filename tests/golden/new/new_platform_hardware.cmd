# Nodes, links, PCIe and transports follow from the device.
show() {
    dtsim new platform mine --nodes 4 "$@" >$TMP/mine.json
    echo "exit $?: $*"
    grep -v '"//\|source' $TMP/mine.json | grep '"kind"\|links_per\|nvlink_b\|device_b\|"within"\|"between"\|dims\|"bytes_per_s\|link_bytes'
}
show --device p100 --devices-per-node 8 --nic-gbit 100
show --device v100_32gb --devices-per-node 16 --nics 8 --nic-gbit 100
show --device a100_40gb --devices-per-node 4 --nics 4 --nic-gbit 200
show --device h100 --devices-per-node 8 --nics 8 --nic-gbit 400
show --device mi300x --devices-per-node 8 --nics 8 --nic-gbit 400
show --device l4 --nic-gbit 25
show --device rtx4090 --devices-per-node 8 --nic-gbit 100
show --device tpu_v4
show --device tpu_v3 --nic-gbit 100 --topology star --transport tcp
# Whatever a person says holds.
show --device h100 --devices-per-node 8 --nic-gbit 100 --fabric nvlink_cube --transport-within nvlink_simple \
    --set node.fabric.nvlink_bytes_per_s=20e9 --set node.fabric.pcie.device_bytes_per_s=55e9
