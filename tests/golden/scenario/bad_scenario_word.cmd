dtsim imagnet_1h
