/* Stage 2: rank(w,c) = sum over c' != c of l(s_c - s_c') for all pairs of one word, in one pass over its scores s.
 *
 * (a) One call processes one row of scores; (b) _ranks.pyx loops over the rows of a tile; (c) ranks.py computes tiles by SGEMM
 * and distributes them over threads. Both losses cost O(|C| + |Omega_w|) per word instead of O(|C| |Omega_w|).
 */
#include <string.h>

#include "wr_ranks.h"

int WR_KERNEL(wr_score_range)(const float *scores, int64_t n, float *low, float *high) {
    float smallest = scores[0], largest = scores[0];
    int valid = 1;
#pragma omp simd reduction(min : smallest) reduction(max : largest) reduction(& : valid)
    for (int64_t i = 0; i < n; i++) {
        float s = scores[i];
        smallest = s < smallest ? s : smallest;
        largest = s > largest ? s : largest;
        valid &= fabsf(s) < 1e30f;
    }
    *low = smallest;
    *high = largest;
    return valid;
}

/* ---- hinge ------------------------------------------------------------------------------------------------------
 * The sum over c' of max(0, 1 - s_c + s_c') depends on c only through the threshold theta = s_c - 1: it is the sum of
 * (s - theta) over scores s > theta. Sort the thresholds of the word's pairs; every score then falls between two
 * neighboring thresholds, found through a table of equal bins (and bisection in a crowded bin). The counts and sums of the gaps
 * between thresholds, accumulated from the top, give the rank of every pair.
 */
/* Monotone in x, and the same arithmetic for thresholds and scores: a lower bin means a lower value. */
static inline int64_t wr_bin(const wr_hinge_work *w, float x) {
    int64_t bin = (int64_t)((x - w->low) * w->per_unit);
    return bin < w->n_bins ? bin : w->n_bins - 1;
}

/* Shell sort: most bins hold a few thresholds, and a crowded one must not take quadratic time. */
static inline void wr_sort(float *x, int64_t n) {
    for (int64_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : (int64_t)(gap / 2.2))
        for (int64_t i = gap; i < n; i++) {
            float value = x[i];
            int64_t j = i;
            for (; j >= gap && x[j - gap] > value; j -= gap) x[j] = x[j - gap];
            x[j] = value;
        }
}

/* The number of thresholds strictly below x, for low <= x <= high */
static inline int64_t wr_count_below(const wr_hinge_work *w, float x) {
    int64_t bin = wr_bin(w, x);
    int64_t from = w->first[bin], to = w->first[bin + 1];
    while (to - from > 4) {
        int64_t middle = (from + to) / 2;
        if (w->thresholds[middle] < x) from = middle + 1;
        else to = middle;
    }
    while (from < to && w->thresholds[from] < x) from++;
    return from;
}

static inline void wr_sort_thresholds(wr_hinge_work *w, const float *scores, const int32_t *columns, int64_t n_pairs) {
    w->low = w->high = scores[columns[0]] - 1.0f;
    for (int64_t i = 1; i < n_pairs; i++) {
        float threshold = scores[columns[i]] - 1.0f;
        if (threshold < w->low) w->low = threshold;
        if (threshold > w->high) w->high = threshold;
    }
    float width = w->high - w->low;
    w->per_unit = width > 0.0f ? (float)w->n_bins / width : 0.0f;
    if (!(w->per_unit < 1e30f)) w->per_unit = 0.0f; /* the range is too narrow to divide by: one bin */

    memset(w->first, 0, (size_t)(w->n_bins + 1) * sizeof(int32_t));
    for (int64_t i = 0; i < n_pairs; i++) w->first[wr_bin(w, scores[columns[i]] - 1.0f)]++;
    int32_t sum = 0; /* counting sort: counts become ends, and filling backwards turns ends into starts */
    for (int64_t b = 0; b < w->n_bins; b++) w->first[b] = sum += w->first[b];
    w->first[w->n_bins] = sum;
    for (int64_t i = 0; i < n_pairs; i++) {
        float threshold = scores[columns[i]] - 1.0f;
        w->thresholds[--w->first[wr_bin(w, threshold)]] = threshold;
    }
    for (int64_t b = 0; b < w->n_bins; b++) {
        int64_t n = w->first[b + 1] - w->first[b];
        if (n > 1) wr_sort(w->thresholds + w->first[b], n);
    }
}

void WR_KERNEL(wr_hinge_ranks)(
    const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs, wr_hinge_work *w, double *ranks
) {
    wr_sort_thresholds(w, scores, columns, n_pairs);
    memset(w->count, 0, (size_t)(n_pairs + 1) * sizeof(int64_t));
    memset(w->sum, 0, (size_t)(n_pairs + 1) * sizeof(double));
    int64_t top_count = 0;
    double top_sum = 0.0;
    for (int64_t c = 0; c < n_contexts; c++) {
        float s = scores[c];
        if (s <= w->low) continue; /* below every threshold: no loss for any pair */
        if (s > w->high) {
            top_count++;
            top_sum += s;
            continue;
        }
        int64_t gap = wr_count_below(w, s);
        w->count[gap]++;
        w->sum[gap] += s;
    }
    w->count[n_pairs] += top_count;
    w->sum[n_pairs] += top_sum;
    for (int64_t i = n_pairs - 1; i >= 0; i--) { /* scores above at least i thresholds */
        w->count[i] += w->count[i + 1];
        w->sum[i] += w->sum[i + 1];
    }
    for (int64_t i = 0; i < n_pairs; i++) {
        float s = scores[columns[i]], threshold = s - 1.0f;
        int64_t above = wr_count_below(w, threshold) + 1;
        double rank = w->sum[above] - (double)w->count[above] * ((double)s - 1.0); /* s - 1 in double: s - 1.0f is rounded */
        rank -= s > threshold ? 1.0 : 0.0; /* c' = c, whose hinge is 1; beyond 2^24, s - 1.0f = s and it was not counted */
        ranks[i] = rank > 0.0 ? rank : 0.0;
    }
}

/* ---- logistic ---------------------------------------------------------------------------------------------------
 * Divide the scores into bins of width WR_BIN. With s_c = a + e, s_c' = b + d (a, b bin centers, |e|, |d| <= WR_BIN/2),
 * l(s_c - s_c') is expanded about a - b to degree WR_DEGREE in (e - d). The d's of a bin enter only through their power sums,
 * which leaves one polynomial in e per bin. Since |l^(n)| <= ln(2)^n l and l(x - h) <= 2^h l(x), the error is at most
 *     (ln(2) WR_BIN)^6 / 6! * 4^WR_BIN * (rank + 1)  <  6e-8 (rank + 1).
 * Scores more than WR_REACH below s_c add less than 2^-WR_REACH each and are ignored; those as far above add s_c' - s_c.
 */
static const double WR_BINOMIAL[WR_DEGREE + 1][WR_DEGREE + 1] = {
    {1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}, {1, 5, 10, 10, 5, 1}};

/* Add to the polynomial in e: sum over m of taylor[m] * (sum over d of (e - d)^m). */
static inline void wr_add_bin(const double *taylor, const double *powers, double *poly) {
    for (int m = 0; m <= WR_DEGREE; m++)
        for (int j = 0; j <= m; j++) {
            double sign = (m - j) % 2 ? -1.0 : 1.0;
            poly[j] += taylor[m] * WR_BINOMIAL[m][j] * sign * powers[m - j];
        }
}

static inline int64_t wr_logistic_bin(const wr_logistic_work *w, double x) { return (int64_t)((x - w->low) / WR_BIN); }

static inline double wr_bin_center(const wr_logistic_work *w, int64_t bin) { return w->low + ((double)bin + 0.5) * WR_BIN; }

int64_t WR_KERNEL(wr_n_bins)(const float *scores, int64_t n_contexts, float *low) {
    float high;
    WR_KERNEL(wr_score_range)(scores, n_contexts, low, &high);
    const double width = ((double)high - *low) / WR_BIN;
    return width < WR_MAX_BINS ? (int64_t)width + 1 : 0;
}

/* The definition, pair by pair, in O(|C| |Omega_w|) */
static inline void wr_direct_logistic_ranks(
    const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs, double *ranks
) {
    for (int64_t i = 0; i < n_pairs; i++) {
        ranks[i] = -1.0; /* c' = c: l(0) = 1 */
        for (int64_t c = 0; c < n_contexts; c++)
            ranks[i] += wr_pair_loss(WR_LOGISTIC, (double)scores[columns[i]] - scores[c]);
    }
}

/* Add every score's powers of d to its bin, and mark the bins of the pairs. */
WR_INLINE void wr_fill_bins(
    wr_logistic_work *w, const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs
) {
    const int64_t n = WR_DEGREE + 1;
    memset(w->powers, 0, (size_t)(w->n_bins * n) * sizeof(double));
    memset(w->has_pairs, 0, (size_t)w->n_bins);
    for (int64_t c = 0; c < n_contexts; c++) {
        int64_t bin = wr_logistic_bin(w, scores[c]);
        double d = scores[c] - wr_bin_center(w, bin), power = 1.0;
        for (int64_t m = 0; m < n; m++, power *= d) w->powers[bin * n + m] += power;
    }
    for (int64_t i = 0; i < n_pairs; i++) w->has_pairs[wr_logistic_bin(w, scores[columns[i]])] = 1;
}

/* taylor: [2 * WR_BAND + 1][WR_DEGREE + 1], expansions about (i - WR_BAND) * WR_BIN */
WR_INLINE void wr_bin_polynomials(wr_logistic_work *w, const double *taylor) {
    const int64_t n = WR_DEGREE + 1, last = w->n_bins - 1;
    double far_count = 0.0, far_sum = 0.0; /* bins beyond the band: l(s_c - s_c') = s_c' - s_c */
    memset(w->poly, 0, (size_t)(w->n_bins * n) * sizeof(double));
    for (int64_t a = last; a >= 0; a--) {
        if (a + WR_BAND < last) {
            const double *far = w->powers + (a + WR_BAND + 1) * n;
            far_count += far[0];
            far_sum += far[1] + far[0] * wr_bin_center(w, a + WR_BAND + 1);
        }
        if (!w->has_pairs[a]) continue;
        double *poly = w->poly + a * n;
        for (int64_t b = a > WR_BAND ? a - WR_BAND : 0; b <= (a + WR_BAND < last ? a + WR_BAND : last); b++)
            if (w->powers[b * n] > 0.0) wr_add_bin(taylor + (a - b + WR_BAND) * n, w->powers + b * n, poly);
        poly[0] += far_sum - far_count * wr_bin_center(w, a);
        poly[1] -= far_count;
    }
}

void WR_KERNEL(wr_logistic_ranks)(
    const float *scores, int64_t n_contexts, const int32_t *columns, int64_t n_pairs,
    const double *taylor, wr_logistic_work *w, double *ranks
) {
    float low;
    w->n_bins = WR_KERNEL(wr_n_bins)(scores, n_contexts, &low);
    w->low = low;
    if (w->n_bins == 0) {
        wr_direct_logistic_ranks(scores, n_contexts, columns, n_pairs, ranks);
        return;
    }
    wr_fill_bins(w, scores, n_contexts, columns, n_pairs);
    wr_bin_polynomials(w, taylor);
    for (int64_t i = 0; i < n_pairs; i++) {
        double s = scores[columns[i]];
        int64_t bin = wr_logistic_bin(w, s);
        const double *poly = w->poly + bin * (WR_DEGREE + 1);
        double e = s - wr_bin_center(w, bin), rank = poly[WR_DEGREE];
        for (int j = WR_DEGREE - 1; j >= 0; j--) rank = rank * e + poly[j];
        rank -= 1.0; /* c' = c: l(0) = 1 */
        ranks[i] = rank > 0.0 ? rank : 0.0;
    }
}
