#!/bin/sh
# install.sh -- what `cmake --install` puts somewhere runs from any folder, with its library.
#
#     install.sh CMAKE BUILD
set -e
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
"$1" --install "$2" --prefix "$prefix" >/dev/null
cd "$prefix"
for folder in models devices stacks platforms scenarios validation convergence accuracy; do
    for file in share/dtsim/"$folder"/*.json; do
        [ -e "$file" ] || { echo "FAIL share/dtsim/$folder holds no file"; exit 1; }
    done
done
for file in bin/dtsim share/doc/dtsim/copyright share/doc/dtsim/docs/model.md share/dtsim/tools/import_torch.py \
    share/dtsim/profiles/epyc_zen5_1thread.json share/man/man1/dtsim.1 share/bash-completion/completions/dtsim; do
    [ -s "$file" ] || { echo "FAIL $file is not installed"; exit 1; }
done
mkdir elsewhere
cd elsewhere
../bin/dtsim list models | grep -q '^  resnet50 ' || { echo "FAIL no resnet50"; exit 1; }
../bin/dtsim list scenarios | grep -q '^  imagenet_1h ' || { echo "FAIL no imagenet_1h"; exit 1; }
../bin/dtsim imagenet_1h --set devices=8 --format csv | grep -q '^imagenet_1h,' ||
    { echo "FAIL imagenet_1h does not run"; exit 1; }
if [ -e ../lib/dtsim/libdtsim-simgrid.so ]; then
    ../bin/dtsim imagenet_1h --set devices=2 --engine exact --format csv | grep -q '^imagenet_1h,' ||
        { echo "FAIL the engine exact does not run"; exit 1; }
fi
echo "1 passed, 0 failed"
