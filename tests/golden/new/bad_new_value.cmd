dtsim new platform mine --nodes many --device v100 --nic-gbit 100
