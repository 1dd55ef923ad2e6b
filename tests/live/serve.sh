#!/bin/sh
# serve.sh -- servers that answer requests as they come: one worker's training is that of a server which waits for
# all, to the bit; several learn; staleness is logged; what ranks send is what the plan says.
#
#     serve.sh FOLDER-OF-PROGRAMS
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$here/weights.sh"
. "$here/parts.sh"

# servers RANKS FILE KEYS [ARGUMENT...] -- trains with one strategy; the result is JSON
servers() {
    ranks=$1 file=$2 keys=$3
    shift 3
    train "$ranks" "$file" --format json --set "strategies=[{\"kind\":\"ps\",$keys}]" "$@"
}

number() { # of the first member of this name
    grep -o "\"$1\": [-0-9.e]*" "$work/out" | head -n 1 | sed 's/.*: //'
}

within() { # WHAT NAME LEAST MOST
    number "$2" | awk -v least="$3" -v most="$4" '{ ok = $1 >= least && $1 <= most } END { exit !ok }' ||
        fail "$1: $2 is $(number "$2"), must be $3 to $4"
}

# One worker is behind nobody: in any order it is the same training.
for optimizer in momentum adam; do
    set -- --set optimizer=$optimizer --set live.learning_rate=0.01
    servers 3 "$work/sync" '"servers":2' "$@" --set 'devices=[1]' || fail "one worker, $optimizer"
    for keys in '"synchronous":false' '"synchronous":false,"staleness_bound":3' \
        '"synchronous":false,"bucket_bytes":2000' '"synchronous":false,"shard":"tensor"' \
        '"synchronous":false,"late_rate":"adapted","late_momentum":"lowered","late_compensation":3'; do
        case $optimizer,$keys in adam,*late_momentum*) continue ;; esac
        servers 3 "$work/many" "\"servers\":2,$keys" "$@" --set 'devices=[1]' || fail "one worker, $keys"
        cmp -s "$work/sync" "$work/many" || fail "one worker, $optimizer, $keys: other weights"
        within "$keys" most_updates 0 0
    done
done

# A bound of 0 is the synchronous plan.
set -- --set 'devices=[4]' --set optimizer=sgd --set live.learning_rate=0.01
servers 5 "$work/sync" '"servers":1' "$@" || fail "four workers in step"
cp "$work/sync" "$work/one"
tensors=$(($(wc -c <"$work/one") / 4))
servers 5 "$work/many" '"servers":1,"synchronous":false,"staleness_bound":0' "$@" || fail "bound 0"
cmp -s "$work/sync" "$work/many" || fail "a bound of 0 gives other weights than servers in step"

# Four workers, each on its own: other weights than in step, and none that are lost. In the mean a gradient is
# behind by those of the three others.
for keys in '"synchronous":false' '"synchronous":false,"bucket_bytes":2000' '"synchronous":false,"staleness_bound":2' \
    '"backup_workers":1' '"backup_workers":1,"bucket_bytes":2000'; do
    servers 5 "$work/many" "\"servers\":1,$keys" "$@" || fail "$keys"
    near "$work/many" "$work/one" 1e-6 0.1 || fail "$keys: weights"
    case $keys in
    *backup*)
        within "$keys" mean_updates 0 1
        grep -A12 '"staleness"' "$work/out" | grep -o '"used_share": 0\.[78]' >/dev/null || fail "$keys: used"
        ;;
    *) within "$keys" mean_updates 1 3.5 ;;
    esac
done

# Bound 2: nobody is more than two steps ahead, so no gradient is behind more than what three others do in them.
servers 5 "$work/many" '"servers":1,"synchronous":false,"staleness_bound":1' "$@" --set live.steps=60
within "bound 1" most_updates 1 9

# A momentum of 0.9 makes steps ten times as long, one that three others' gradients have lowered to 0.15 hardly.
set -- --set 'devices=[4]' --set optimizer=momentum --set live.learning_rate=0.002
servers 5 "$work/start" '"servers":1' "$@" --set live.learning_rate=0
servers 5 "$work/one" '"servers":1,"synchronous":false' "$@"
servers 5 "$work/many" '"servers":1,"synchronous":false,"late_momentum":"lowered"' "$@"
moves_less() { # KEY SHARE -- of how far weights move, $work/many against $work/one
    many=$(distance "$work/many" "$work/start" | sed 's/.* //') one=$(distance "$work/one" "$work/start" | sed 's/.* //')
    awk -v many="$many" -v one="$one" -v most="$2" 'BEGIN { exit !(many > 0 && many < most * one) }' ||
        fail "$1: moves $many, without it $one"
}
moves_less late_momentum 0.6

# A correction by 1000 g g (what three others have changed) holds back those that go on: 16 % here, where two runs are
# 1 % apart.
set -- --set 'devices=[4]' --set optimizer=sgd --set live.learning_rate=0.02 --set live.steps=60
servers 5 "$work/one" '"servers":1,"synchronous":false' "$@"
servers 5 "$work/many" '"servers":1,"synchronous":false,"late_compensation":1000' "$@"
moves_less late_compensation 0.93

servers 5 "$work/many" '"servers":1,"synchronous":false' "$@" --set precision=bf16 --set device=h100
status=$?
[ $status -eq 3 ] && grep -q 'precision must be fp32 or tf32' "$work/err" || fail "16 bits end with $status"
[ $failed -eq 0 ] && echo "ok   servers answer as requests come"
exit $failed
