dtsim new platform mine --nodes 0 --device v100 --nic-gbit 100
