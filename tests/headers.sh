#!/bin/sh
# headers.sh -- every header compiles alone, twice in one file, under strict warnings; every source says
# in its first line what it is.
#
#     headers.sh COMPILER SOURCES
compiler=$1
cd "$2" || exit 2
echo '#include <mpi.h>' | "$compiler" -fsyntax-only -xc - 2>/dev/null && mpi=yes
failed=0 passed=0
echo '#include <simgrid/forward.h>' | "$compiler" -fsyntax-only -xc - 2>/dev/null && simgrid=yes
for header in src/*/*.h tests/*.h; do
    if [ -z "$simgrid" ] && grep -q '^#include <simgrid/\|"sim/\(exact_\|simgrid_\)' "$header"; then
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
            -Werror -Isrc -I. -fsyntax-only -xc -; then
        passed=$((passed + 1))
    else
        echo "FAIL $header"
        failed=$((failed + 1))
    fi
done
for source in src/*/*.c src/*/*.h src/*/*.cu src/*/*.cuh src/*/*.cpp; do
    if head -n 1 "$source" | grep -q "^/\* ${source##*/} -- "; then
        passed=$((passed + 1))
    else
        echo "FAIL $source: begins without \"/* ${source##*/} -- what it is\""
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
