dtsim in/small.json --engine exact --set devices=2 --set 'platform.node.compute={"messages": 0.5}'
