dtsim profile --model mlp --set batch.per_device=64
