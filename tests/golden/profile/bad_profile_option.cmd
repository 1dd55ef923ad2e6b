dtsim profile --model mlp --bach 8
