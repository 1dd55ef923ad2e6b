#!/bin/sh
# doubles.sh -- every name has one meaning: no tag of a struct, union or enum is defined in two files
# of src/, and no external function is defined twice. Both places are printed.
#
#     doubles.sh SOURCES
#
# A build without SimGrid, CUDA and the like has stand-ins for the functions of what it lacks: a file in
# a folder without_NAME may define what another file defines. Functions of headers are not external.
cd "$1" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Lines "tag NAME FILE:LINE" and "function NAME FILE:LINE". As the formatter has it, the brace of a
# tag ends its line, and the brace of a function is a line of its own.
find src \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | LC_ALL=C sort |
    while read -r file; do
        awk -v file="$file" '
            match($0, /^(typedef )?(struct|union|enum) dts_[A-Za-z0-9_]+ *\{/) {
                sub(/^typedef /, "")
                print "tag", $2, file ":" FNR
                head = ""
                next
            }
            /^\{/ && head !~ /(^| )static / && match(head, /dts_[A-Za-z0-9_]+\(/) &&
                file !~ /\/without_[^\/]*\/|\.h$|\.cuh$/ {
                print "function", substr(head, RSTART, RLENGTH - 1), file ":" line
            }
            /^[A-Za-z_]/ { head = ""; line = FNR }
            { head = head $0 " " }
            /[;{}][ \t]*$|^#/ { head = "" }
        ' "$file"
    done >"$work/found"

names=$(cut -d ' ' -f 1,2 "$work/found" | sort -u | grep -c .)
if [ "$names" -eq 0 ]; then
    echo "FAIL src/ has neither a tag nor a function"
    exit 1
fi

# A line for each name with more than one place.
awk '{
        name = $1 " " $2
        places[name] = places[name] " " $3
        if (++count[name] == 2)
            order[++doubles] = name
    }
    END {
        for (i = 1; i <= doubles; i++)
            print "FAIL " order[i] " is defined at" places[order[i]]
    }' "$work/found" >"$work/doubles"
cat "$work/doubles"
failed=$(grep -c . "$work/doubles")
echo "$((names - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
