# weights.sh -- trains, and says how far weights are apart that live.weights wrote; to be sourced. $bin and
# $here are the folders of the programs and of the tests, $work is a folder, $scenario what is trained,
# $program by what, $tensors how many numbers each tensor has, as the file has them.
scenario=$here/train.json program=dtsim

# train RANKS FILE ARGUMENT... -- leaves the weights in FILE.
train() {
    ranks=$1 file=$2
    shift 2
    rm -f "$file"
    "$here/mpirun.sh" "$ranks" "$bin/$program" --live "$scenario" --set live.weights="$file" "$@" \
        >"$work/out" 2>"$work/err"
}

# distance A B [FROM] -- how many weights, and |a - b| / |b - from| of the tensor where it is largest; FROM is 0
# where it is not given
distance() {
    od -An -v -w4 -t f4 "$1" >"$work/a"
    od -An -v -w4 -t f4 "$2" >"$work/b"
    od -An -v -w4 -t f4 "${3:-/dev/null}" | paste "$work/a" "$work/b" - | awk -v tensors="$tensors" '
        BEGIN { split(tensors, size, " "); t = 1 }
        { d += ($1 - $2) ^ 2; n += ($2 - $3) ^ 2 }
        ++i == size[t] { x = n > 0 ? sqrt(d / n) : 9; if (x > most) most = x; d = n = i = 0; t++ }
        END { print NR, most + 0 }'
}

# near A B LEAST MOST [FROM] -- the distance is between both, and the weights are all there.
near() {
    distance "$1" "$2" "$5" | awk -v least="$3" -v most="$4" -v count=$(($(echo "$tensors" | tr ' ' '+'))) \
        '{ print; exit !($1 == count && $2 >= least && $2 <= most) }' >"$work/distance"
}
