dtsim in/small.json --set 'placement={"kind": "listed", "nodes": [0, 9]}' --set devices=2
