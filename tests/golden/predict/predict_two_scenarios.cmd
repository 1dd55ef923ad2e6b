dtsim predict in/small.json in/small.json --engine fluid --set devices=2 -f csv
