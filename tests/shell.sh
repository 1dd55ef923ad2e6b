#!/bin/sh
# shell.sh PROGRAM -- the manual page and the completions are understood by those who read them, and bash
# completes as it says.
program=$(readlink -f "$1") || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/check.sh"

has() { command -v "$1" >/dev/null; }

for subject in man bash zsh fish; do
    "$program" help "$subject" -o "$work/$subject"
    check "help $subject" test -s "$work/$subject"
done

if has groff; then
    groff -man -Tutf8 -ww "$work/man" >"$work/page" 2>"$work/said"
    check "groff has nothing to say of the page" test ! -s "$work/said"
    # Without the marks of bold and underlined letters.
    sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' "$work/page" >"$work/plain"
    check "the page names itself" grep -q 'dtsim - predict' "$work/plain"
    check "the page is 80 columns wide" test -z "$(awk 'length > 80' "$work/plain")"
fi
if has mandoc; then
    check "mandoc reads the page" mandoc -T lint -W error "$work/man"
fi
if has shellcheck; then
    check "shellcheck has nothing to say of bash's" shellcheck -s bash "$work/bash"
fi
for shell in bash zsh fish; do
    if has $shell; then
        check "$shell reads it" $shell -n "$work/$shell"
    fi
done

# offers WORD... -- what bash offers for the last word, on one line.
offers() {
    bash --norc --noprofile -c '
        source "$1"
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _dtsim 2>/dev/null
        echo " ${COMPREPLY[*]} "' bash "$work/bash" "$program" "$@"
}

# offered WANTED WORD...
offered() {
    wanted=$1
    shift
    offers "$@" | grep -qF " $wanted "
}
nothing_else() { [ "$(offers "$@" | wc -w)" -eq 1 ]; }

if has bash; then
    cd "$work" || exit 2
    touch there.json
    check "commands" offered validate val
    check "scenarios" offered imagenet_1h imagenet_1
    check "files" offered there.json check the
    check "options" offered --sweep --sw
    check "and no others" nothing_else --sw
    check "options of the command" offered --measured explain x.json --me
    check "which others do not have" test -z "$(offers check x.json --me | tr -d ' ')"
    check "words of the command" offered topologies list top
    check "of each command its own" offered platform new plat
    check "topics of the help" offered stack help sta
    check "models" offered resnet50 new scenario x --model resnet5
    check "engines" offered fluid x.json --engine fl
    check "formats behind a letter" offered ndjson x.json -f nd
    check "keys of a scenario" offered batch.per_device= x.json --set batch.per
    check "names as values of a key" offered dgx1_v100 x.json --set platform = dgx1_
    check "all of them behind the sign" offered adam x.json --set optimizer =
    check "kinds of pictures" offered timeline x.json --plot ti
    check "keys of the platform's file" offered platform.nics.bytes_per_s= x.json --set platform.nics
    check "keys of the stack's" offered stack.transport.between= x.json --set stack.tr
    check "machines behind the list of them" offered theta list platforms the
    check "classes" offered memory validate mem
    check "and families that are files" offered there.json validate the
    check "files for what is written" offered there.json x.json -o ther
    check "nothing for a number" test -z "$(offers x.json --seed '' | tr -d ' ')"
fi
if has fish; then
    cd "$work" || exit 2
    ln -s "$program" dtsim
    fishes() { PATH="$work:$PATH" HOME="$work" fish --no-config -c "source '$work/fish'; complete -C '$1'"; }
    completes() { fishes "$2" | grep -q "^$1"; }
    check "fish: kinds of pictures" completes timeline 'dtsim imagenet_1h --plot ti'
    check "fish: keys of the platform's file, with their types" \
        completes "platform.nics.bytes_per_s=.number" 'dtsim imagenet_1h --set platform.nics'
    check "fish: keys of a scenario with theirs" completes "batch.per_device=.whole" 'dtsim imagenet_1h --set batch.per'
    check "fish: machines behind the list of them" completes theta 'dtsim list platforms the'
fi
checked
