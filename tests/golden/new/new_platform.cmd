dtsim new platform mine --nodes 4 --device v100 --devices-per-node 4 --nic-gbit 100 --transport verbs --output $TMP/mine.json
cat $TMP/mine.json
dtsim in/small.json --engine fluid --set platform=$TMP/mine.json --set devices=16 --format csv | cut -d, -f1-8
