# A measurement that names no strategy levels all of them: said where they are of several kinds.
kinds='strategies=[{"name":"ring","kind":"allreduce"},{"name":"servers","kind":"ps","servers":0}]'
ask() { dtsim "${verb-predict}" in/small.json --engine fluid --set "$1" --set "measurements=[{\"devices\":$2,\"metric\":\"step_s\",\"value\":0.03$3}]" --format csv -o $TMP/out; }
ask "$kinds" 4
ask "$kinds" 4 ',"strategy":"ring"'
ask "$kinds" 1
ask 'strategies=[{"name":"a","kind":"allreduce"},{"name":"b","kind":"allreduce","algorithm":"tree"}]' 4
verb=check ask "$kinds" 4
