#!/bin/sh
# predictions.sh -- what a program predicts for every scenario that ships, as CSV, so that two
# programs can be compared byte by byte.
#
#     predictions.sh PROGRAM [FOLDER]
#
# FOLDER is the tree whose scenarios, models, platforms, devices and stacks are used (default: the
# tree of this script). PROGRAM may have been built from another tree. Each scenario is a line
# "# scenarios/NAME.json", its CSV, and "# exit N" where N is not 0. Standard error is left out.
#
#     tests/predictions.sh /before/build/src/dtsim >before
#     tests/predictions.sh build/src/dtsim | diff before -
#
# The device `here` is not measured: every program is given the device that stands below.
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: predictions.sh PROGRAM [FOLDER]" >&2; exit 2; }
program=$(readlink -f "$1")
if ! [ -f "$program" ] || ! [ -x "$program" ]; then
    echo "predictions.sh: $1: no such program" >&2
    exit 2
fi
tree=$(cd "${2-$(dirname "$0")/..}" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# An installation of its own. The program looks for models and the like in ../share/dtsim, for the
# engine `exact` in ../lib/dtsim, and for the program that measures beside itself: a copy, because
# a link would lead it back to where it was built.
mkdir "$work/bin" "$work/share" "$work/lib"
cp "$program" "$work/bin/dtsim" || exit 2
ln -s "$tree" "$work/share/dtsim"
ln -s "$(dirname "$program")/../lib/dtsim" "$work/lib/dtsim"

# The program that measures is replaced by a script. It writes the device below into the file that
# its last argument names. The program asks for it because the cache is a new, empty folder.
export XDG_CACHE_HOME="$work/cache" LC_ALL=C
cat >"$work/bin/dtsim-measure" <<'MEASURE'
#!/bin/sh
for file; do :; done
cat >"$file" <<'HERE'
{
  "summary": "a processor of round numbers, the same on every machine",
  "kind": "cpu",
  "peak_flops_per_s": {
    "fp32": 200e9,
    "fp16": 180e9,
    "bf16": 190e9,
    "fp64": 100e9,
    "source": "made up for the test"
  },
  "memory": {"bytes": 24e9, "bytes_per_s": 50e9, "source": "made up for the test"},
  "efficiency": {"conv": 0.7, "matmul": 1, "memory": 1, "source": "made up for the test"},
  "call_s": 2e-8
}
HERE
MEASURE
chmod +x "$work/bin/dtsim-measure"

cd "$tree" || exit 2
for scenario in scenarios/*.json; do
    echo "# $scenario"
    "$work/bin/dtsim" "$scenario" --format csv 2>/dev/null </dev/null
    status=$?
    [ $status -eq 0 ] || echo "# exit $status"
done
