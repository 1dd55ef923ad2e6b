dtsim profile --model mlp --sweeps 1
