dtsim in/small.json --set device=a100
dtsim new platform mine --nodes 4 --device a100 --nic-gbit 100
dtsim new platform mine --nodes 4 --device v100_16gb --nic-gbit 100
