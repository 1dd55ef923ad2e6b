mkfifo "$TMP/pipe.json"
timeout 10 dtsim check "$TMP/pipe.json"
