/* The paper's loss functions, one formula each.
 *
 * (a) The argument is x = (rank + beta) / alpha for a rank loss rho, x = <u_w, v_c - v_c'> for a pair loss l.
 * (b) The functions are inlined into the loops of the kernels; `kind` is constant in a loop.
 * (c) _losses.pyx applies them to arrays, so tests and objective.py use the same formulas.
 */
#ifndef WR_LOSSES_H
#define WR_LOSSES_H

#include <math.h>

enum { WR_IDENTITY, WR_LOG, WR_DCG, WR_LOG_T }; /* rho_0 .. rho_3 */
enum { WR_HINGE, WR_LOGISTIC };

#define WR_LN2 0.69314718055994530942

/* rho(x), equations (5) to (8) */
static inline double wr_rank_loss(int kind, double t, double x) {
    switch (kind) {
    case WR_LOG: return log1p(x) / WR_LN2;
    case WR_DCG: return 1.0 - 1.0 / log2(2.0 + x);
    case WR_LOG_T: return expm1((1.0 - t) * log(x)) / (1.0 - t);
    default: return x;
    }
}

/* rho'(x): non-increasing, because rho is concave */
static inline double wr_rank_slope(int kind, double t, double x) {
    switch (kind) {
    case WR_LOG: return 1.0 / (WR_LN2 * (1.0 + x));
    case WR_DCG: {
        double l = log2(2.0 + x);
        return 1.0 / (WR_LN2 * (2.0 + x) * l * l);
    }
    case WR_LOG_T: return pow(x, -t);
    default: return 1.0;
    }
}

/* l(x): max(0, 1 - x), or log2(1 + 2^-x) without overflow for large -x */
static inline double wr_pair_loss(int kind, double x) {
    if (kind == WR_HINGE) return x < 1.0 ? 1.0 - x : 0.0;
    return (x < 0.0 ? -x : 0.0) + log1p(exp2(-fabs(x))) / WR_LN2;
}

/* l'(x): -1 inside the margin, or -1 / (1 + 2^x) */
static inline double wr_pair_slope(int kind, double x) {
    if (kind == WR_HINGE) return x < 1.0 ? -1.0 : 0.0;
    return -1.0 / (1.0 + exp2(x));
}

#endif
