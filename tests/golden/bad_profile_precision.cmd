dtsim profile --model mlp --precision tf32
