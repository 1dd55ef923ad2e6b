dtsim --explain in/small.json --engine fluid --set devices=4 --sweep platform.nics.bytes_per_s=1e9,2e9 --sweep steps=3,5
