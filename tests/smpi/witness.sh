#!/bin/sh
# witness.sh -- a second witness for `exact`: the live program's communication under SMPI sends the
# same messages and bytes, and takes the same time within 2 %, on 2 to 64 ranks of a
# star, and on up to 13 that share a backbone.
#
#     witness.sh EXPECTED LIBWITNESS
#
# EXPECTED is the program that asks `exact`; LIBWITNESS, compiled by smpicc, is what smpirun runs. Links
# have no latency, models and precision are those that `exact` sets (docs/architecture.md). A sender
# waits until its message is there, as in `exact`: SMPI would let go of it below 64 KiB, and a double
# tree then takes up to 25 % longer, as pieces of several steps share the wire.
expected=$1 witness=$2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

seq 0 63 | sed 's/^/node-/' >"$work/hosts"

# platform FILE BACKBONE
platform() {
    cat >"$1" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="125MBps" lat="0s"
 sharing_policy="SPLITDUPLEX" $2/>
</platform>
END
}
platform "$work/star.xml" ''
platform "$work/backbone.xml" 'bb_bw="500MBps" bb_lat="0s"'

for network in star backbone; do
    sizes="2 3 4 8 13"
    [ $network = star ] && sizes="$sizes 64" # half of the time of all: once
    for ranks in $sizes; do
        "$expected" "$work/$network.xml" $ranks >"$work/expected" || exit 1
        timeout -k 5 400 smpirun -no-privatize -np $ranks -platform "$work/$network.xml" \
            -hostfile "$work/hosts" --cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
            --cfg=network/TCP-gamma:1e30 --cfg=surf/precision:1e-12 \
            --cfg=smpi/simulate-computation:no --cfg=smpi/send-is-detached-thresh:0 \
            --log=root.thres:error "$witness" \
            >"$work/witness" 2>"$work/err" </dev/null ||
            { echo "FAIL $network, $ranks ranks: $(cat "$work/err")"; failed=1; }
        paste -d ' ' "$work/expected" "$work/witness" | awk -v on="$network" '
            { error = $8 / $3 - 1; seen++ }
            $1 != $6 || $2 != $7 || $4 != $9 || $5 != $10 || NF != 10 || error^2 > 0.02^2 {
                print "FAIL", on ":", $0; bad = 1
            }
            { printf "%s %s %d: %.2f ms, %+.3f %%, %d messages, %d bytes\n",
                on, $1, $2, 1e3 * $3, 100 * error, $4, $5 }
            END { exit bad || seen < 5 }' || failed=1
    done
done
exit $failed
