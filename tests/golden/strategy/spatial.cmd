dtsim spatial_cosmoflow --set devices=2048 | sed '/^Not predicted/,$d'
dtsim check spatial_cosmoflow --set devices=2048 | sed '/^With all/,$d'
