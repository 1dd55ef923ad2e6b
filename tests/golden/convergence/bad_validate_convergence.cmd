dtsim validate convergence resnet51
dtsim validate convergence stable_diffusion_v5
dtsim validate convergence --folds yes
dtsim validate convergence --cases $TMP/x.csv
