/* Run-time dispatch by CPU level: each kernel (wr_*.c) is compiled once per level, and the level is chosen when a module is loaded.
 *
 * In a kernel's header, WR_DISPATCH declares its variants and defines a function that calls the one for this machine. In its source,
 * WR_KERNEL(name) is the name of the variant that is being compiled. A kernel does enough work (a row, a cell) to make up for the
 * indirection. Everything that it calls is static, so that no code of one level is linked into another.
 *
 * Levels differ in rounding (fused multiply-add, lanes of sums), so results are bytewise reproducible only within one level.
 */
#ifndef WR_DISPATCH_H
#define WR_DISPATCH_H

#include <stdint.h>
#include <stdlib.h>

#define WR_INLINE static inline __attribute__((always_inline)) /* into every kernel */

#ifdef WR_LEVEL /* set for kernels: _v4, _v3 or _base */

#define WR_JOIN_(name, level) name##level
#define WR_JOIN(name, level) WR_JOIN_(name, level)
#define WR_KERNEL(name) WR_JOIN(name, WR_LEVEL)
#define WR_DISPATCH(type, name, parameters, arguments) type WR_KERNEL(name) parameters;

#elif defined(__x86_64__)

#include <cpuid.h>

#define WR_DISPATCH(type, name, parameters, arguments) \
    type name##_v4 parameters; \
    type name##_v3 parameters; \
    type name##_base parameters; \
    static inline type name parameters { \
        if (wr_cpu_level == 4) return name##_v4 arguments; \
        if (wr_cpu_level == 3) return name##_v3 arguments; \
        return name##_base arguments; \
    }

/* The level of this CPU, if the operating system saves the registers it needs: x86-64-v4, x86-64-v3, or 0 for the base level */
static inline int wr_detect_cpu_level(void) {
    const unsigned v3_1 = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29; /* FMA, MOVBE, OSXSAVE, AVX, F16C */
    const unsigned v3_7 = 1u << 3 | 1u << 5 | 1u << 8;                          /* BMI1, AVX2, BMI2 */
    const unsigned v3_ext = 1u << 5;                                            /* LZCNT */
    const unsigned v4_7 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* AVX-512 F, DQ, CD, BW, VL */
    unsigned eax, ebx_7, ecx_1, ecx_ext, ebx, ecx, edx, saved;
    if (!__get_cpuid(1, &eax, &ebx, &ecx_1, &edx) || (ecx_1 & v3_1) != v3_1) return 0;
    if (!__get_cpuid_count(7, 0, &eax, &ebx_7, &ecx, &edx) || (ebx_7 & v3_7) != v3_7) return 0;
    if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx_ext, &edx) || !(ecx_ext & v3_ext)) return 0;
    __asm__("xgetbv" : "=a"(saved), "=d"(edx) : "c"(0));
    if ((saved & 0x06) != 0x06) return 0; /* SSE and AVX registers */
    return (ebx_7 & v4_7) == v4_7 && (saved & 0xe6) == 0xe6 ? 4 : 3;
}

static int wr_cpu_level;

/* Runs when the module is loaded. The environment variable selects a lower level than that of the CPU. */
__attribute__((constructor)) static void wr_choose_cpu_level(void) {
    const char *most = getenv("WORDRANK_CPU_LEVEL");
    wr_cpu_level = wr_detect_cpu_level();
    if (most && atoi(most) < wr_cpu_level) wr_cpu_level = atoi(most) < 3 ? 0 : 3;
}

#else /* one level, such as NEON on arm64 */

enum { wr_cpu_level = 0 };

#define WR_DISPATCH(type, name, parameters, arguments) \
    type name##_base parameters; \
    static inline type name parameters { return name##_base arguments; }

#endif

#endif
