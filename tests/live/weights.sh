# weights.sh -- trains, and says how far weights are apart that live.weights wrote; to be sourced. $bin and
# $here are the folders of the programs and of the tests, $work is a folder,
# $tensors how many numbers each tensor has, as the file has them, $parameters their sum.

# train RANKS FILE ARGUMENT... -- train.json; leaves the weights in FILE.
train() {
    ranks=$1 file=$2
    shift 2
    "$here/mpirun.sh" "$ranks" "$bin/dtsim" --live "$here/train.json" --set live.weights="$file" "$@" \
        >"$work/out" 2>"$work/err"
}

# distance A B -- weights, and |a - b| / |b| of the tensor where it is largest
distance() {
    od -An -v -w4 -t f4 "$1" >"$work/a"
    od -An -v -w4 -t f4 "$2" | paste "$work/a" - | awk -v tensors="$tensors" '
        BEGIN { split(tensors, size, " "); t = 1 }
        { d += ($1 - $2) ^ 2; n += $2 ^ 2 }
        ++i == size[t] { x = n > 0 ? sqrt(d / n) : 9; if (x > most) most = x; d = n = i = 0; t++ }
        END { print NR, most + 0 }'
}

# near A B LEAST MOST -- the distance is between both, and the weights are all there.
near() {
    distance "$1" "$2" | awk -v least="$3" -v most="$4" \
        -v parameters=$parameters '{ print; exit !($1 == parameters && $2 >= least && $2 <= most) }' >"$work/distance"
}
