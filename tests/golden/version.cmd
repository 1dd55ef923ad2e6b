dtsim --version
