dtsim check imagenet_records
echo '{"cases": "imagenet_record"}' >$TMP/a.json; dtsim $TMP/a.json
echo '{"cases": "nanotron_memory"}' >$TMP/b.json; dtsim $TMP/b.json
echo '{"cases": "imagenet_records", "devices": 8}' >$TMP/c.json; dtsim $TMP/c.json
dtsim imagenet_records --set cases=tf_ps_p2_xlarge
