#!/bin/sh
# agree_table.sh -- writes how well the two engines agree, case by case, as Markdown:
#
#     tests/agree_table.sh BUILD > docs/validation-engines.md
#
# The rows are what the tests unit.agree_* of this build compare; their limits are in the tests.
[ $# -eq 1 ] || { echo "usage: agree_table.sh BUILD"; exit 2; }
rows=$(mktemp) || exit 2
trap 'rm -f "$rows"' EXIT
cat <<'END'
# How well the engines agree

`exact` simulates every message of every rank with SimGrid. `fluid` counts the bytes on each link
and is thousands of times as fast. This page holds the second against the first: the error of
`fluid` is (fluid - exact) / exact, signed, in percent (below one in a million as a plain number).
It is written by a script from what the tests compare, and each row is a check of a test:

    tests/agree_table.sh build > docs/validation-engines.md

## What holds, and what does not

- **Counting is exact.** A step of a collective, all members beginning together, takes the same
  time on both engines on every topology, to rounding: 1e-6 is promised and held. So do incasts.
- **A whole collective alone** is exact to 1e-6 where all members have the same load in each step:
  rings in linear placement, halving and doubling of 2^k members on a network that does not block.
- **Where loads are uneven, fluid is wrong by what its lockstep costs.** Members of a collective
  meet only those with whom they exchange. Who is early goes on, and exact lets him. If the links are
  full, the early ones use the time in which others wait for latency, or for a slower part of the
  network: fluid is too slow, rings up to 4 %, halving and doubling up to 18 %, trees up to 25 %. If
  an early message takes a share of a port from one for which somebody waits, fluid is too fast:
  pieces in a tree, on a star too, up to 25 %. 1e-6 for any operation alone, as first aimed at, holds
  for rings of even load and single steps only; for trees count on 25 %, or use `--engine exact`.
- **Latency by path** costs rings 0.4 % at 100 MB and up to 9 % at 4 MB (promised: 2 % and 10 %).
- **Mixed traffic**: median far below 5 %, worst below 15 %, as promised.
- **Whole training steps** agree within 0.1 %, and so do starts and ends of all buckets (promised:
  1 %). One exception: when one device of a node pushes for all, the others begin their next sum
  within the node (and wait in it) before fluid lets them: 2 % of the step in the start of that
  operation, nothing in its end.
- **Several paths**: the engines model different routers, and differ by 13 to 38 % below. Fluid spreads a
  message over all paths of its pair, as adaptive routing does with packets; exact draws one path for
  each message, in proportion to their shares, and finds a lone message limited to one cable. `auto`
  takes fluid on such networks. So random placement can even be faster than linear on an empty
  dragonfly (fluid, ring of 32 on Theta: linear neighbours share the one cable between two routers); at
  2,048 nodes it is slower.
END
for test in alone mixed step; do
    DTSIM_AGREE_ROWS=$rows "$1/tests/test_agree_$test" >&2 || exit 1
done
cat "$rows"
