dtsim in/small.json --set 'strategies=[{"kind": "ps"}, {"kind": "ps"}]'
