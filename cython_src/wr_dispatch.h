/* Run-time dispatch by CPU level: the compiler makes one clone of a function per level, and one is chosen when the module loads.
 *
 * WR_CLONES marks functions with enough work (a row, a cell), as clones are called through a pointer; everything that is inlined
 * into a clone is compiled for its level. Levels differ in rounding (fused multiply-add), so results are bytewise reproducible
 * only within one level.
 */
#ifndef WR_DISPATCH_H
#define WR_DISPATCH_H

#include <stdint.h> /* brings __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(WR_ONE_LEVEL)
#define WR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define WR_HAS_CLONES 1
#else
#define WR_CLONES
#define WR_HAS_CLONES 0
#endif

#define WR_INLINE static inline __attribute__((always_inline)) /* into every clone */

/* The level whose clones run on this machine: 4, 3, or 0 for the compiler's default */
static inline int wr_cpu_level(void) {
#if WR_HAS_CLONES
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return 3;
#endif
    return 0;
}

#endif
