printf '{"summary": "\377"}' >$TMP/utf8.json
dtsim $TMP/utf8.json
