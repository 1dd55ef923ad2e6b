# setup.sh -- what ./dtsim, ./test and .ci/run share: install what is missing, configure, build.
# To be sourced with $root, the folder of the sources. All words go to standard error.

say() { printf 'dtsim: %s\n' "$*" >&2; }

end() {
    say "$*"
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }
has_header() { printf '#include <%s>\n' "$1" | cc -E -xc - >/dev/null 2>&1; }

# Packages of Debian and Ubuntu that the build needs and that are not there.
missing_packages() {
    has cmake || echo cmake
    has cc || echo gcc libc6-dev
    has c++ || echo g++
    has ninja || has make || echo ninja-build
    has pkg-config || echo pkg-config
    has pkg-config && pkg-config --exists jansson || echo libjansson-dev
    has pkg-config && pkg-config --exists openblas || echo libopenblas-dev
    has pkg-config && pkg-config --exists zlib || echo zlib1g-dev
    has cc && has_header simgrid/version.h || echo libsimgrid-dev
    has mpicc && has mpirun || printf '%s\n' libopenmpi-dev openmpi-bin
}

# install_packages PACKAGE... -- through apt, as root or with sudo.
install_packages() {
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        has sudo || end "missing: $*; as root: apt-get install $*"
        as_root=sudo
    fi
    has apt-get || end "missing: $* (names of Debian packages; this system has no apt-get)"
    say "installing $* (apt-get${as_root:+ through sudo}; once)"
    export DEBIAN_FRONTEND=noninteractive
    apt="$as_root apt-get -qq -y -o DPkg::Lock::Timeout=300"
    log=$root/build/apt.log
    # The lists of a fresh machine are empty or old: update only when it fails without.
    $apt install --no-install-recommends "$@" </dev/null >"$log" 2>&1 && return
    $apt update </dev/null >>"$log" 2>&1
    $apt install --no-install-recommends "$@" </dev/null >>"$log" 2>&1
}

# install_missing [PATTERN] -- SimGrid and Open MPI may be missing: without them there is no engine `exact`,
# and no live program. Packages whose name has PATTERN are not wanted.
install_missing() {
    packages=$(missing_packages | grep -v "${1:-^$}" | tr '\n' ' ')
    [ -z "$packages" ] && return
    # shellcheck disable=SC2086 # a list of words
    install_packages $packages && return
    case " $packages " in *simgrid* | *openmpi*)
        packages=$(missing_packages | grep -v 'simgrid\|openmpi' | tr '\n' ' ')
        # shellcheck disable=SC2086
        if [ -z "$packages" ] || install_packages $packages; then
            install_packages libsimgrid-dev ||
                say "SimGrid cannot be installed here: building without the engine \`exact\`"
            install_packages libopenmpi-dev openmpi-bin ||
                say "Open MPI cannot be installed here: building without dtsim-live"
            return
        fi
        ;;
    esac
    tail -n 5 "$root/build/apt.log" >&2
    end "apt-get could not install $packages(all it said: build/apt.log)"
}

# configure FOLDER [OPTION...]
configure() {
    folder=$1
    shift
    generator="Unix Makefiles"
    has ninja && generator=Ninja
    has_header simgrid/version.h || set -- -DDTSIM_SIMGRID=OFF "$@"
    has mpicc && has mpirun || set -- -DDTSIM_LIVE=OFF "$@"
    pkg-config --exists openblas zlib || set -- -DDTSIM_OPENBLAS=OFF "$@"
    cmake -S "$root" -B "$folder" -G "$generator" "$@"
}

# build FOLDER [TARGET] -- configures where that was not done, or was done for another place.
build() {
    home=$(cd "$root" && pwd -P)
    if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$home" "$1/CMakeCache.txt"; then
        rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles"
    fi
    if ! [ -e "$1/CMakeCache.txt" ] || ! { [ -e "$1/build.ninja" ] || [ -e "$1/Makefile" ]; }; then
        configure "$1" || return 1
    fi
    cmake --build "$1" --parallel "$(nproc)" ${2:+--target "$2"}
}

# build_or_show FOLDER [TARGET] -- quietly; when it fails, the last lines.
build_or_show() {
    if ! build "$@" </dev/null >"$1/build.log" 2>&1; then
        grep 'error:' "$1/build.log" | head -n 5 >&2
        tail -n 10 "$1/build.log" >&2
        end "the build failed; all it said: $1/build.log"
    fi
}

# run_tests FOLDER [OPTION of ctest...] -- all tests, as many at once as there are cores unless --parallel says
# otherwise, and "N passed, N failed" as the last line.
run_tests() {
    log=$1/tests.log
    { ctest --parallel "$(nproc)" --test-dir "$@" --output-on-failure --no-tests=error </dev/null
        echo $? >"$log.status"; } 2>&1 | tee "$log"
    awk '/ Test +#[0-9]+: .* Passed /{passed++}
         / Test +#[0-9]+: .*\*\*\*(Failed|Timeout|Exception|Not Run)/{failed++}
         /^Errors while running CTest|^No tests were found/{broken = 1}
         END {print passed + 0 " passed, " (failed ? failed : broken + 0) " failed"}' "$log"
    return "$(cat "$log.status")"
}
