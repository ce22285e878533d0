#!/bin/sh
# Compile the kernels for other platforms, and run them where that is possible:
#
#     sh benchmarks/kernels/cross.sh NAME LEVELS COMPILER...
#     sh benchmarks/kernels/cross.sh musl "base v3 v4" musl-gcc
#     sh benchmarks/kernels/cross.sh macos-arm64 base python -m ziglang cc -target aarch64-macos
#
# Writes build/cross/NAME/train_cell. Run it with WORDRANK_CPU_LEVEL=4, 3 and 0, or with qemu-aarch64-static for arm64.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
place=$source/build/cross/$1
levels=$2
shift 2
mkdir -p "$place"
flags="-O3 -std=gnu11 -fno-math-errno -ffp-contract=off -fopenmp-simd -I$source/cython_src"
case "$*" in
    *zig*) x86=x86_64 sep=_ flags="$flags -fno-sanitize=undefined" ;; # zig spells levels in its own way
    *) x86=x86-64 sep=- ;;
esac
objects=
for kernel in wr_cell wr_cooccurrence wr_pair_sampling wr_ranks wr_triplet_step; do
    for level in $levels; do
        case $level in
            v3) march="-march=$x86${sep}v3" ;;
            v4) march="-march=$x86${sep}v4 -mprefer-vector-width=512" ;;
            *) march= ;;
        esac
        # shellcheck disable=SC2086
        "$@" $flags $march -DWR_LEVEL=_$level -c "$source/cython_src/$kernel.c" -o "$place/$kernel-$level.o"
        objects="$objects $place/$kernel-$level.o"
    done
done
# shellcheck disable=SC2086
"$@" $flags "$source/benchmarks/kernels/train_cell.c" $objects -lm -o "$place/train_cell"
