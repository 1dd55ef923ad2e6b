dtsim spatial_cosmoflow --set devices=2048 | sed '/^Fastest/,$d'
dtsim check spatial_cosmoflow --set devices=2048 | sed '/^With all/,$d'
