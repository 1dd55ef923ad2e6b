dtsim profile --model mlp --batch '' -o $TMP/p
dtsim profile --model mlp --batch 1,,2 -o $TMP/p
