#!/bin/sh
# headers.sh -- every header compiles alone, twice in one file, under strict warnings; every source says
# in its first line what it is. The emulator's are C++.
#
#     headers.sh COMPILER SOURCES
compiler=$1
cd "$2" || exit 2
files=$(mktemp) || exit 2
trap 'rm -f "$files"' EXIT
can() { echo "#include <$1>" | "$compiler" -fsyntax-only -xc - 2>/dev/null; }
can mpi.h && mpi=yes
can simgrid/forward.h && simgrid=yes
failed=0 passed=0

find src tests -path tests/gpu/emulator -prune -o -name '*.h' -print | sort >"$files"
while read -r header; do
    if [ -z "$simgrid" ] && grep -q '^#include <simgrid/\|"sim/exact/' "$header"; then
        echo "skip $header: no SimGrid here"
        continue
    fi
    if grep -q '^#include <mpi.h>\|"live/mpi_call.h"' "$header" && [ -z "$mpi" ]; then
        echo "skip $header: the compiler alone does not find MPI"
        continue
    fi
    include=${header#src/}
    if printf '#include "%s"\n#include "%s"\n' "$include" "$include" |
        "$compiler" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Wno-unused-function -fopenmp-simd \
            -Werror -Isrc -Itests -I"${header%/*}" -I. -fsyntax-only -xc -; then
        passed=$((passed + 1))
    else
        echo "FAIL $header"
        failed=$((failed + 1))
    fi
done <"$files"

find src -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' | sort >"$files"
while read -r source; do
    if head -n 1 "$source" | grep -q "^/\* ${source##*/} -- "; then
        passed=$((passed + 1))
    else
        echo "FAIL $source: begins without \"/* ${source##*/} -- what it is\""
        failed=$((failed + 1))
    fi
done <"$files"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
