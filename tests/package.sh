#!/bin/sh
# package.sh BUILD [--fresh] -- the Debian package of a build: it names its libraries, holds what an installation
# holds, and runs where neither sources nor build are.
#
# --fresh installs it with apt on a Debian 12 that mmdebstrap makes (root; some minutes and 400 MB).
build=$(readlink -f "$1") || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/check.sh"
for tool in cpack dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
sources=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
[ -n "$sources" ] || { echo "$build: is no build folder"; exit 2; }

# cpack notes the list of what it installed in the build folder that it packs.
(cd "$work" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/made") >"$work/said" 2>&1 ||
    { cat "$work/said"; echo "FAIL cpack"; exit 1; }
set -- "$work"/made/dtsim_*.deb "$2"
package=$1
check "the name has version and architecture" test -f "$work/made/dtsim_$("$build/src/dtsim" --version |
    sed 's/.* //')_$(dpkg --print-architecture).deb"
depends=$(dpkg-deb -f "$package" Depends)

# depends PATTERN -- does one of the libraries that dpkg-shlibdeps found have such a name?
depends() { echo "$depends" | grep -q "$1"; }
check "it depends on libc, by version" depends 'libc6 (>= 2\.'
check "it depends on jansson" depends libjansson4
if [ -e "$build/lib/dtsim/libdtsim-simgrid.so" ]; then check "and on SimGrid" depends libsimgrid; fi
if [ -e "$build/src/dtsim-live" ]; then check "and on Open MPI" depends 'libopenmpi\|libmpi'; fi
if [ -e "$build/src/dtsim-measure" ]; then check "and on OpenBLAS" depends libopenblas; fi

check "it recommends gnuplot" sh -c "dpkg-deb -f '$package' Recommends | grep -q gnuplot-nox"

if [ "$2" = --fresh ]; then
    mmdebstrap --variant=apt --include=ca-certificates bookworm "$work/debian" >"$work/said" 2>&1 ||
        { tail "$work/said"; exit 1; }
    cp "$package" "$work/debian/tmp/dtsim.deb"
    # As this machine reaches the archive.
    cp /etc/resolv.conf /etc/hosts "$work/debian/etc/"
    rm -rf "$work/debian/etc/apt"
    cp -r /etc/apt "$work/debian/etc/"
    chroot "$work/debian" apt-get update >"$work/said" 2>&1 || tail "$work/said"
    chroot "$work/debian" apt-get install -y --no-install-recommends /tmp/dtsim.deb >"$work/said" 2>&1 ||
        tail "$work/said"
    check "apt installs it on a fresh Debian" test -x "$work/debian/usr/bin/dtsim"
    # The program finds itself in /proc.
    # shellcheck disable=SC2016 # the inner shell expands them
    inside() { unshare -m sh -c 'mount -t proc none "$0/proc" && exec chroot "$0" "$@"' "$work/debian" "$@"; }
    inside dtsim imagenet_1h --set devices=8 --format csv >"$work/answer" 2>&1
    check "and it answers there" grep -q '^imagenet_1h,' "$work/answer"
    inside dtsim imagenet_1h --set devices=2 --engine exact --format csv >"$work/answer" 2>&1
    check "by SimGrid, too" grep -q '^imagenet_1h,' "$work/answer"
fi

mkdir "$work/root"
dpkg-deb -x "$package" "$work/root"
for file in bin/dtsim share/doc/dtsim/copyright share/doc/dtsim/README.md share/doc/dtsim/docs/model.md \
    share/dtsim/models/resnet50.json share/dtsim/scenarios/imagenet_1h.json share/dtsim/tools/import_torch.py \
    share/dtsim/profiles/epyc_zen5_1thread.json share/man/man1/dtsim.1 share/bash-completion/completions/dtsim \
    share/zsh/vendor-completions/_dtsim share/fish/vendor_completions.d/dtsim.fish; do
    check "it holds $file" test -s "$work/root/usr/$file"
done
check "nothing in it names the sources" test -z "$(grep -rlF "$sources/" "$work/root" | head -n 3)"

# Where root may, both folders are covered by empty ones, for this command alone.
cat >"$work/run" <<END
#!/bin/sh
for folder in "$sources" "$build"; do
    [ "\$1" = covered ] || continue
    mkdir -p "\$folder" && mount -t tmpfs none "\$folder" || exit 1
done
cd "$work/root" && usr/bin/dtsim imagenet_1h --set devices=8 --format csv
END
if unshare -m sh "$work/run" covered >/dev/null 2>&1; then
    env -i unshare -m sh "$work/run" covered >"$work/answer" 2>&1
else
    env -i sh "$work/run" open >"$work/answer" 2>&1
fi
check "unpacked anywhere it answers" grep -q '^imagenet_1h,' "$work/answer"
"$build/src/dtsim" imagenet_1h --set devices=8 --format csv >"$work/wanted" 2>&1
check "as the build does" cmp -s "$work/answer" "$work/wanted"
checked
