dtsim profile --model mlp --precision fp64
