# Energy and cost of epochs are columns, too, where the platform says what a node takes.
dtsim in/small.json --engine fluid --set devices=4 --set platform.node.power_w=3000 --set platform.node.price_per_hour=7 | sed -n '/compute/,/^$/p'
