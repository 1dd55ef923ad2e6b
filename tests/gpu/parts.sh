#!/bin/sh
# parts.sh list | PART -- the parts of first_run.sh, which runs each in a process of its own: `list` prints them with
# their limits in seconds, the most telling first. A part ends with 0 (passed), 77 (cannot run here; its last line says
# why) or another status (failed).
#
# What parts leave lies in $DTSIM_FIRST_RUN_FOLDER/first_run, where `compare`, the last one, finds it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${DTSIM_FIRST_RUN_FOLDER:-$root/build-gpu}
left=$work/first_run
command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin

networks="resnet50 gpt2"
list() {
    echo "machine 20"
    echo "build 180"
    echo "tests 60"
    for network in $networks; do of_network "$network-fp32"; done
    echo "memcheck 90"
    for network in $networks; do of_network "$network-bf16"; done
    echo "racecheck 75"
    for network in $networks; do of_network "$network-tf32"; done
    echo "initcheck 60"
    echo "compare 15"
}
of_network() {
    echo "profile-$1 75"
    echo "step-$1 30"
    echo "torch-$1 45"
}

# not_here WHY -- no verdict.
not_here() {
    echo "$*"
    exit 77
}
needs_card() {
    [ -n "$(capability)" ] || not_here "no card: nvidia-smi finds none"
}
needs_program() {
    [ -x "$work/$1" ] || not_here "$1 was not built"
}

# say KEY FILE -- the file, and its first line with KEY as the part's word.
say() {
    cat "$2"
    echo
    grep -m 1 "\"$1\"" "$2" | tr -d ' ,"'
}

# "90" of each kind of card here; nothing: there is none.
capability() {
    nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d ' .' | grep -E '^[0-9]+$' | sort -u
}

machine() {
    nproc
    head -n 3 /proc/meminfo 2>/dev/null || true
    for tool in gcc cmake nvcc python3 compute-sanitizer; do
        command -v $tool && $tool --version | head -n 5
    done || true
    python3 -c 'import torch; print("torch", torch.__version__, torch.cuda.is_available())' || true
    needs_card
    nvidia-smi -q
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
}

# Tests whose programs call a GPU: they include gpu_here.h, or a header that does.
tests_of_gpus() (
    cd "$root/tests"
    headers=gpu_here.h
    for _ in 1 2 3 4; do # deep
        headers=$(grep -lE "#include \"(kernels/)?($headers)\"" ./*.h kernels/*.h | sed 's|.*/||' | sort -u | tr '\n' '|')gpu_here.h
    done
    grep -lE "#include \"(kernels/)?($headers)\"" kernels/test_*.c | sed 's|.*/||; s|\.c$||'
)

# What OpenBLAS is called for, where there is none.
plain_blas() {
    mkdir -p "$work/prefix/include" "$work/prefix/lib"
    cp "$here/plain_blas/cblas.h" "$work/prefix/include/"
    gcc -O3 -fPIC -c -o "$work/prefix/plain_blas.o" "$here/plain_blas/plain_blas.c"
    ar rcs "$work/prefix/lib/libopenblas.a" "$work/prefix/plain_blas.o"
}

# For the card at hand; unknown, code that any one translates at its first use.
build() {
    nvcc=$(command -v nvcc) || not_here "no nvcc"
    cards=$(capability | paste -s -d ';' -)
    pkg-config --exists openblas 2>/dev/null || plain_blas
    set -- "Unix Makefiles"
    command -v make >/dev/null || set -- Ninja
    cmake -G "$1" -S "$root" -B "$work" -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DDTSIM_CUDA=ON -DDTSIM_SIMGRID=OFF -DDTSIM_LIVE=OFF -DDTSIM_OPENBLAS=ON \
        -DCMAKE_CUDA_ARCHITECTURES="${cards:-75}" -DCMAKE_CUDA_FLAGS=-lineinfo \
        -DCMAKE_PREFIX_PATH="$work/prefix;$root/build/gpu-packages"
    # shellcheck disable=SC2046 # a list of words
    cmake --build "$work" -j "$(nproc)" --target dtsim dtsim-measure gpu_step $(tests_of_gpus)
}

# run_tests COMMAND... -- each test program behind COMMAND, some at once; the part fails where one fails or skips.
run_tests() {
    mkdir -p "$left/$part"
    # shellcheck disable=SC2016 # the inner shell's
    tests_of_gpus | DTSIM_CHECK=gpu xargs -P 4 -I '{}' sh -c \
        'name=$1 log=$2; shift 2; "$@" >"$log" 2>&1; echo "$name: status $?: $(tail -n 1 "$log")"' \
        run '{}' "$left/$part/{}.log" "$@" "$work/tests/{}" | tee "$left/$part/all.txt"
    grep -hE '^(FAIL|skip) |ERROR SUMMARY|RACECHECK SUMMARY' "$left/$part"/*.log | sort | uniq -c
    ! grep -qv ': status 0: ' "$left/$part/all.txt" || return 1
    ! grep -lE '^skip ' "$left/$part"/*.log || return 1
    echo "$(wc -l <"$left/$part/all.txt") programs"
}
tests() {
    needs_program tests/test_op_linear
    needs_card
    run_tests env
}
sanitizer() {
    needs_program tests/test_op_linear
    needs_card
    tool=$(command -v compute-sanitizer || ls /usr/local/cuda/compute-sanitizer/compute-sanitizer 2>/dev/null) ||
        not_here "compute-sanitizer is not here"
    run_tests "$tool" --tool "$part" --error-exitcode 9 "$@"
}

# Of a network in a precision: "resnet50-bf16" sets these.
choose() {
    network=${1%-*} precision=${1##*-}
    case $network in
    resnet50) batch=${DTSIM_FIRST_RUN_IMAGES:-32} optimizer=momentum ;;
    gpt2) batch=${DTSIM_FIRST_RUN_SEQUENCES:-4} optimizer=adamw ;;
    esac
}

profile() {
    choose "$1"
    needs_program src/dtsim-measure
    needs_card
    "$work/src/dtsim" profile --model "$network" --batch "$batch" --device cuda:0 --precision "$precision" \
        --optimizer "$optimizer" --sweeps 3 -o "$left/profile-$1.json"
    "$work/src/dtsim" here --set "device=$left/profile-$1.json" --set "model=$network" --set "devices=[1]" \
        --set "batch.per_device=$batch" --set "precision=$precision" --set "optimizer=$optimizer" \
        --set dataset.samples=1000000 --engine fluid --format json >"$left/predicted-$1.json"
    say total_s "$left/predicted-$1.json"
}

step() {
    choose "$1"
    needs_program tests/gpu_step
    needs_card
    "$work/tests/gpu_step" "$root/models/$network.json" "$batch" 10 "$optimizer" "$precision" cuda:0 \
        >"$left/step-$1.json"
    say step_s "$left/step-$1.json"
}

in_torch() {
    choose "$1"
    python3 -c 'import torch' 2>/dev/null || not_here "Python has no torch"
    needs_card
    python3 -c 'import torch; torch.zeros(1).cuda()' || not_here "torch finds no card"
    python3 "$here/torch_step.py" "$network" "$batch" 20 "$optimizer" "$precision" cuda >"$left/torch-$1.json"
    say step_s "$left/torch-$1.json"
}

compare() {
    command -v python3 >/dev/null || not_here "no Python"
    python3 "$here/compare.py" "$left"
}

part=${1:-list}
case $part in
list | machine | build | tests | compare) $part ;;
memcheck) sanitizer --leak-check no --report-api-errors no ;;
racecheck | initcheck) sanitizer ;;
profile-*) profile "${part#profile-}" ;;
step-*) step "${part#step-}" ;;
torch-*) in_torch "${part#torch-}" ;;
*) echo "parts.sh: no part $part" && exit 2 ;;
esac
