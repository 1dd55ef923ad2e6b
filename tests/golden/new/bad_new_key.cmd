dtsim new platform mine --nodes 4 --device v100 --nic-gbit 100 --set network.radix=4
