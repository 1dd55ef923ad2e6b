dtsim profile --model mlp --output $TMP/none/mine.json
