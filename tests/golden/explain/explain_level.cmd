# What was measured levels the prediction as it levels that of the scenario.
dtsim explain in/measured.json --measured '40 ms'
dtsim in/measured.json --engine fluid --format json | grep -E '"(total_s|kernels|step)":'
dtsim explain in/measured.json --measured '40 ms' --format json | grep level
