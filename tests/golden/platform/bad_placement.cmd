dtsim in/small.json --set 'placement={"kind": "rnadom"}'
