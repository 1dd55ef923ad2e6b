#!/bin/sh
# folders.sh -- a folder is a list that a person can read: none has more than 45 files. What `dtsim list`
# lists (a machine, a network a file) may have 100.
#
#     folders.sh SOURCES
most=45 listed=100
cd "$1" || exit 2

# files FOLDER... -- what git knows; where there is no checkout, all that lies there.
files() {
    if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
        git ls-files -- "$@"
    else
        for folder; do [ ! -d "$folder" ] || find "$folder" -type f; done
    fi
}

# A file counts for the folder that it is in, and not for the folders above.
files src tests docs tools bench models devices platforms stacks validation convergence accuracy |
    sed 's|/[^/]*$||' | LC_ALL=C sort | uniq -c |
    awk -v most=$most -v listed=$listed '
        { limit = $2 ~ /^(models|devices|platforms|stacks|validation|convergence|accuracy)$/ ? listed : most }
        $1 <= limit { passed++ }
        $1 > limit { failed++; print "FAIL " $2 " has " $1 " files, more than " limit }
        END {
            print passed + 0 " passed, " failed + 0 " failed"
            exit failed > 0 || passed == 0
        }'
