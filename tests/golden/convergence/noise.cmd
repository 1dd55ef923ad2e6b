# A target from one run and the noise of its gradients; whole benchmarks left out.
run='{"noise_scale": {"scale": 900, "batch": 64, "samples": 1.2e6}}'
dtsim --explain time_to_accuracy --set devices=8,64 --set training.target="$run" | sed -n '/time to/,/^$/p;/^  target/,/^  overlap/p'
dtsim validate convergence | sed -n '/^A whole/,$p'
dtsim validate convergence --format json | grep -A 11 '"benchmark": "MNIST"'
