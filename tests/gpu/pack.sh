#!/bin/sh
# pack.sh [FOLDER] -- headers and static libraries of jansson and zlib from this Debian's or Ubuntu's packages, for
# a machine with a GPU that can install nothing: first_run.sh finds them in FOLDER (build/gpu-packages), which
# travels with the sources.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
to=${1:-$root/build/gpu-packages}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$to/include" "$to/lib"
# apt fetches as a user of its own where it can
chmod 755 "$work"
cd "$work"
apt-get -qq download libjansson-dev zlib1g-dev
for package in *.deb; do
    dpkg-deb -x "$package" unpacked
done
find unpacked/usr/include \( -name 'jansson*.h' -o -name zlib.h -o -name zconf.h \) -exec cp {} "$to/include/" \;
find unpacked/usr/lib \( -name libjansson.a -o -name libz.a \) -exec cp {} "$to/lib/" \;
for file in include/jansson.h include/jansson_config.h include/zlib.h include/zconf.h lib/libjansson.a lib/libz.a; do
    [ -e "$to/$file" ] || { echo "pack.sh: the packages have no $file" >&2; exit 1; }
done
echo "$to: $(du -sk "$to" | cut -f1) KiB of $(printf '%s ' *.deb)"
