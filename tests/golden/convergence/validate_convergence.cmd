dtsim validate convergence resnet50_lars
dtsim validate convergence rgat --format json | head -14
dtsim validate convergence rgat --format csv
