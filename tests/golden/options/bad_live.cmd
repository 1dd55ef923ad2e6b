cp "$(readlink -f "$(command -v dtsim)")" "$TMP/dtsim"; "$TMP/dtsim" in/small.json --live
