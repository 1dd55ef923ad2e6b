#!/bin/sh
# launcher.sh -- ./dtsim builds when it has to, once, and says why when it cannot. The build is
# done by a cmake of our own that takes no time.
#
#     launcher.sh SOURCES
root=$(mktemp -d) || exit 2
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin" "$root/src" "$root/cmake"
cp "$1/dtsim" "$root/dtsim"
cp "$1/cmake/setup.sh" "$root/cmake"
touch "$root/CMakeLists.txt" "$root/src/main.c"
cat >"$root/bin/cmake" <<END
#!/bin/sh
[ "\$1" = --build ] || { touch "$root/build/CMakeCache.txt" "$root/build/build.ninja"; exit 0; }
echo built >>"$root/built"
sleep 0.2
[ ! -e "$root/broken" ] || { echo "main.c:1: error: it is broken"; exit 1; }
mkdir -p "$root/build/src"
printf '#!/bin/sh\necho "ran \$*"\nexit 3\n' >"$root/build/src/dtsim"
chmod +x "$root/build/src/dtsim"
END
chmod +x "$root/bin/cmake"
PATH=$root/bin:$PATH
unset OMPI_COMM_WORLD_SIZE PMI_RANK PMIX_RANK
. "$(dirname "$0")/check.sh"

said_once() { [ "$(grep -c . "$root/err")" -eq 1 ] && grep -q "$1" "$root/err"; }
builds() { wc -l <"$root/built" | tr -d ' '; }

OMPI_COMM_WORLD_SIZE=2 "$root/dtsim" x >"$root/out" 2>/dev/null
check "under mpirun nothing is built" test ! -e "$root/built"

cd / || exit 2
"$root/dtsim" one >"$root/out1" 2>/dev/null & first=$!
"$root/dtsim" two >"$root/out2" 2>/dev/null
check "the exit status is the program's" test $? -eq 3
wait $first
check "two starts at once build once" test "$(builds)" -eq 1
check "the first of them runs" grep -qx "ran one" "$root/out1"
check "the second of them runs" grep -qx "ran two" "$root/out2"

"$root/dtsim" --set "a=b c" >"$root/out" 2>"$root/err"
check "nothing is built when nothing changed" test "$(builds)" -eq 1
check "arguments arrive" grep -qx "ran --set a=b c" "$root/out"
check "nothing else is said" test ! -s "$root/err"

sleep 0.01
touch "$root/src/main.c"
OMPI_COMM_WORLD_SIZE=2 "$root/dtsim" x >"$root/out" 2>"$root/err"
check "under mpirun nothing is built again" test "$(builds)" -eq 1
check "under mpirun the program runs" grep -qx "ran x" "$root/out"
check "under mpirun nothing is said" test ! -s "$root/err"

"$root/dtsim" >/dev/null 2>&1
check "a newer source is built" test "$(builds)" -eq 2

mkdir -p "$root/src/deep/er"
"$root/dtsim" >/dev/null 2>&1
check "a new folder is built" test "$(builds)" -eq 3
sleep 0.01
touch "$root/src/deep/er/b.c"
"$root/dtsim" >/dev/null 2>&1
check "a newer source in a folder in a folder is built" test "$(builds)" -eq 4

touch -d "+1 day" "$root/src/deep/er/b.c"
"$root/dtsim" >/dev/null 2>"$root/err"
check "a source from the future is built" test "$(builds)" -eq 5
check "one line says that it is dated so" grep -qx "dtsim: src/deep/er/b.c is dated in the future.*" "$root/err"
"$root/dtsim" x >"$root/out" 2>"$root/err"
check "and not built at each start" test "$(builds)" -eq 5
check "of which nothing is said any more" test ! -s "$root/err"
sleep 0.01
touch "$root/src/main.c"
"$root/dtsim" >/dev/null 2>"$root/err"
check "another source is built all the same" test "$(builds)" -eq 6
check "and the date is not said again" sh -c "! grep -q future '$root/err'"
touch -d "+2 days" "$root/src/deep/er/b.c"
"$root/dtsim" >/dev/null 2>&1
check "another date in the future is built" test "$(builds)" -eq 7
touch "$root/src/deep/er/b.c"
"$root/dtsim" >/dev/null 2>&1
check "a source that is of today again is built" test "$(builds)" -eq 8
"$root/dtsim" >/dev/null 2>&1
check "once" test "$(builds)" -eq 8

mv "$root/build/src/dtsim" "$root/kept"
(flock 9 && touch "$root/held" && sleep 0.5 && mv "$root/kept" "$root/build/src/dtsim") 9>>"$root/build/lock" &
while [ ! -e "$root/held" ]; do sleep 0.01; done
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$root/dtsim" x >"$root/out1" 2>"$root/err1" & other=$!
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$root/dtsim" x >"$root/out" 2>"$root/err"
wait $other
check "under mpirun a rank waits for a build" grep -qx "ran x" "$root/out" "$root/out1"
check "rank 0 says so" said_once "waiting for another start"
check "the others say nothing" test ! -s "$root/err1"
mv "$root/build/src/dtsim" "$root/kept"
OMPI_COMM_WORLD_SIZE=2 "$root/dtsim" x >"$root/out" 2>"$root/err"
check "under mpirun and without a program that is status 1" test $? -eq 1
check "and one line says who builds" said_once "./dtsim builds it"
mv "$root/kept" "$root/build/src/dtsim"

ln -s "$root/dtsim" "$root/bin/dtsim"
dtsim x >"$root/out" 2>&1
check "a link to it runs" grep -qx "ran x" "$root/out"

PATH='' "$root/dtsim" x >"$root/out" 2>"$root/err"
check "where nothing is in PATH the program runs" grep -qx "ran x" "$root/out"
check "where nothing is in PATH nothing is said" test ! -s "$root/err"
PATH='' "$root/bin/dtsim" x >"$root/out" 2>"$root/err"
check "a link to it is status 1 where nothing is in PATH" test $? -eq 1
check "and says why in one line" said_once "PATH has no readlink"
sleep 0.01
touch "$root/src/main.c"
PATH='' "$root/dtsim" x >"$root/out" 2>"$root/err"
check "where PATH has no tools the old program runs" grep -qx "ran x" "$root/out"
check "and one line says that it is old" said_once "PATH has no .*not built again"
mv "$root/build/src/dtsim" "$root/kept"
PATH='' "$root/dtsim" x >"$root/out" 2>"$root/err"
check "where there is no program either that is status 1" test $? -eq 1
check "and one line says what is missing" said_once "PATH has no "
mv "$root/kept" "$root/build/src/dtsim"
check "of this nothing was built" test "$(builds)" -eq 8

touch "$root/broken" "$root/src/main.c"
"$root/dtsim" >"$root/out" 2>"$root/err"
check "a build that fails is status 1" test $? -eq 1
check "a build that fails shows why" grep -q "it is broken" "$root/err"
rm "$root/broken"
"$root/dtsim" y >"$root/out" 2>/dev/null
check "it is tried again" grep -qx "ran y" "$root/out"

touch "$root/src/main.c"
mv "$root/build/lock" "$root/lock"
mkdir "$root/build/lock" # not even root can write it
"$root/dtsim" z >"$root/out" 2>"$root/err"
check "where nothing can be written the old program runs" grep -qx "ran z" "$root/out"
check "and says that it is old" grep -q "not built again" "$root/err"
rm "$root/build/src/dtsim"
"$root/dtsim" z >"$root/out" 2>"$root/err"
check "without a program that is status 1" test $? -eq 1
check "and says who can mend it in one line" grep -cq "owner has to run" "$root/err"

checked
