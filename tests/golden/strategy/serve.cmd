# Servers that answer as requests come: staleness, gradients that are thrown away, and what is refused.
dtsim --explain in/small.json --set model=resnet50 --set devices=[4] --set 'strategies=[{"kind":"ps","servers":1},{"kind":"ps","servers":1,"synchronous":false},{"kind":"ps","servers":1,"synchronous":false,"staleness_bound":0},{"kind":"ps","servers":1,"synchronous":false,"staleness_bound":1},{"kind":"ps","servers":1,"backup_workers":1}]'
dtsim --explain sync_or_async --set devices=16 --set 'strategies=[{"kind":"ps","synchronous":false},{"name":"lowered","kind":"ps","synchronous":false,"late_momentum":"lowered"}]' | sed -n '/time to/,/^$/p;/^  unsure/,/^  overlap/p'
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","synchronous":false}]' --engine fluid
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","staleness_bound":2}]'
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","synchronous":false,"backup_workers":2}]'
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","backup_workers":4}]'
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","late_rate":"adapted"}]'
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","synchronous":false,"staleness_bound":0,"late_momentum":"lowered"}]'
dtsim in/small.json --set devices=[4] --set optimizer=adam --set 'strategies=[{"kind":"ps","synchronous":false,"late_momentum":"lowered"}]'
dtsim in/small.json --set devices=[4] --set 'strategies=[{"kind":"ps","late_compensation":0.04}]'
