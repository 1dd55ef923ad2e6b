# Options that a command has no use for.
dtsim list --explain
dtsim list --set steps=4
dtsim help --seed 2
dtsim check in/small.json --explain
