# Points from one node to the machine, whatever its size: the last is all of it.
for machine in "64 8" "12 8" "1 4" "4608 6" "3 1"; do
    rm -f $TMP/m.json $TMP/s.json
    dtsim new platform m --nodes ${machine% *} --device a100_80gb --devices-per-node ${machine#* } --nic-gbit 200 -o $TMP/m.json 2>/dev/null
    dtsim new scenario s --model bert_large --platform $TMP/m.json | grep '"devices"'
done
