dtsim validate in/no_such.json
dtsim validate data_paralel
dtsim validate dlperf
dtsim validate in/cases.json --set devices=4
dtsim validate in/cases.json --engine exact
dtsim validate in/cases.json --trace t.json
dtsim validate in/small.json
cp in/model.json in/platform.json in/stack.json in/device.json $TMP
broken() { sed "s|$1|$2|" in/cases.json >$TMP/broken.json; dtsim validate $TMP/broken.json 2>&1 | sed "s|$TMP|TMP|"; }
broken '"class": "data_parallel"' '"class": "pipelines"'
broken '"metric": "throughput_samples_per_s"' '"metric": "time_s"'
broken '"devices", "value"' '"devices", "worth"'
broken '"batch.per_device"' '"batch.per_devise"'
broken '1, 1500, null, null' '1, 1500, null'
broken '1, 1500, null, null' '1, 1500, "anchor", null'
broken '1, 1500' '0, 1500'
broken '1, 1500' '1, -1500'
broken '4,   90' '9,   90'
broken '"model.json"' '"no_model.json"'
broken '"cases": .' '"cases": 7, "rows": ['
