dtsim new platform mine --device v100 --nic-gbit 100
