between() {
    dtsim in/allreduce.json --set "platform.transports.between={\"name\": \"tcp\", $1}"
}
file() {
    sed "$1" in/all_reduce.txt >"$TMP/m.txt"
    between '"ranks": 4, "nodes": 4, "measured": "'"$TMP"'/m.txt"'
}
between '"measured": "in/all_reduce.txt"'
between '"measured": "in/all_reduce.txt", "ranks": 4'
between '"measured": "in/all_reduce.txt", "ranks": 4, "nodes": 3'
between '"measured": "in/all_reduce.txt", "ranks": 4, "nodes": 4, "efficiency": 0.9'
between '"ranks": 4'
between '"measured": "in/all_reduce.txt", "ranks": 8, "nodes": 4'
between '"measured": "in/all_reduce.txt", "ranks": 4, "nodes": 1'
between '"measured": "in/none.txt", "ranks": 4, "nodes": 4'
between '"measured": "in", "ranks": 4, "nodes": 4'
between '"measured": "in/model.json", "ranks": 4, "nodes": 4'
# Faster than the NIC.
dtsim in/allreduce.json --set platform.nics.bytes_per_s=5e8 --set 'platform.transports.between={"name": "tcp", "measured": "in/all_reduce.txt", "ranks": 4, "nodes": 4}'
# Without the heading; cut off within a row; a time that is none; in ms; two tests in one file.
file '/size/d'
file '/ 65536 /s/float.*//'
file 's/365.8/nan/'
file 's/  1895199/ 1895.199/'
file '$r in/all_reduce.txt'
