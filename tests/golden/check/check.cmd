dtsim check in/small.json --set devices=2 --engine fluid
