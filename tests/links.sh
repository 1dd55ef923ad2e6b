#!/bin/sh
# links.sh -- what a person reads names pages that exist, and the changelog stays short.
#
#     links.sh FOLDER
#
# FOLDER holds the sources. Held are: Markdown links in README.md, CONTRIBUTING.md, CHANGELOG.md,
# docs/*.md and scenarios/README.md, with their anchors, which must be headings; every
# "docs/NAME.md" there and in files under src/, tools/ and tests/; CHANGELOG.md: at most 100
# columns, and 80 lines a version. Each fault is a line `file:line: what`; the status is then 1.
[ $# -eq 1 ] || { echo "usage: links.sh FOLDER"; exit 2; }
cd "$1" || exit 2
found=$(mktemp) || exit 2
faults=$(mktemp) || exit 2
trap 'rm -f "$found" "$faults"' EXIT

# anchors FILE -- of its headings, as GitHub makes them: small letters, no marks, "-" for a blank.
anchors() {
    awk '/^```/ { code = !code }
         !code && /^##* / { sub(/^##* */, ""); print tolower($0) }' "$1" |
        sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# links FILE -- line and target of each Markdown link that is not in a block of code.
links() {
    awk '/^```/ { code = !code }
         code || /^    / { next }
         { rest = $0
           while (match(rest, /\]\([^) ]+\)/)) {
               print FNR, substr(rest, RSTART + 2, RLENGTH - 3)
               rest = substr(rest, RSTART + RLENGTH) } }' "$1"
}

for page in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md scenarios/README.md; do
    [ -e "$page" ] || continue
    links "$page" >"$found"
    while read -r line target; do
        case $target in *://* | mailto:*) continue ;; esac
        path=${target%%#*}
        file=$page
        [ -z "$path" ] || file=$(dirname "$page")/$path
        if ! [ -e "$file" ]; then
            echo "$page:$line: $target: there is no $file"
        elif [ "$target" != "$path" ] && ! anchors "$file" | grep -qxF -e "${target#*#}"; then
            echo "$page:$line: $target: $file has no such heading"
        fi
    done <"$found" >>"$faults"
done

# Names of pages, of this project: what is behind a slash or a letter is another one's.
grep -rnoE '(^|[^A-Za-z0-9_/.-])docs/[A-Za-z0-9_/-]+\.md' README.md CONTRIBUTING.md CHANGELOG.md docs \
    scenarios/README.md src tools tests --include='*.md' --include='*.[ch]' --include='*.cu' --include='*.cuh' \
    --include='*.cpp' --include='*.py' --include='*.sh' --include='*.txt' >"$found"
while IFS=: read -r file line name; do
    name=docs/${name#*docs/}
    [ -e "$name" ] || echo "$file:$line: there is no $name"
done <"$found" | grep -v '^tests/links\.sh:' >>"$faults"

awk 'length($0) > 100 { print FILENAME ":" FNR ": more than 100 columns" }
     /^## / { lines = 0 }
     { if (++lines == 81) print FILENAME ":" FNR ": more than 80 lines for one version" }' \
    CHANGELOG.md >>"$faults"

cat "$faults"
echo "$(wc -l <"$faults") faults"
! [ -s "$faults" ]
