# Transports that were measured within 8 % make an interval of the step: total_s less 8 % of comm_s, or more; on one node
# those between nodes do not count, and without a measurement there is none.
dtsim in/small.json --engine fluid --set 'platform.transports.between={"name":"tcp","spread_percent":8}' --set 'devices=[1,2]' --format json |
    grep -o '"devices": [0-9]*\|"total_s": [0-9.]*\|"comm_s": [0-9.]*\|"\(low\|high\)_s": [0-9.]*'
dtsim --explain in/small.json --engine fluid --set 'platform.transports.between={"name":"tcp","spread_percent":8}' --set 'devices=[1,2]' | grep -A 1 '  interval'
dtsim in/small.json --engine fluid --set 'devices=2' --format json | grep -c 'low_s\|high_s'
dtsim in/small.json --set 'platform.transports.between={"name":"tcp","spread_percent":-1}'
