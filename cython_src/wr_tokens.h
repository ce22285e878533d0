/* Tokenizing a text: words become integer ids, without creating a Python object per word.
 *
 * (a) Words are those of Python's str.split(): separated by any Unicode white space, here in UTF-8.
 * (b) A hash table (open addressing, linear probing) maps words to ids, in order of first appearance. It stores words as
 *     positions in the text, which is not copied. The hash has a secret key: without one, a text could be made in
 *     which all words have the same slot, and each would be compared with all before it.
 * (c) A line feed becomes WR_SENTENCE_BOUNDARY.
 */
#ifndef WR_TOKENS_H
#define WR_TOKENS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WR_SENTENCE_BOUNDARY = -1 };

typedef struct {
    int32_t start, length; /* in the text */
    uint64_t hash;
} wr_word;

typedef struct {
    const uint8_t *text;
    uint64_t key[2];           /* of the hash: below 2^60, and from 1 to 2^61 - 2 */
    wr_word *words;            /* [capacity] */
    int32_t *slots;            /* [2 * capacity] id of a word, or -1 */
    int64_t n_words, capacity; /* a power of two */
} wr_vocab;

/* The length of the white space that begins at p, or 0 */
static inline int64_t wr_space_length(const uint8_t *p, const uint8_t *end) {
    if (*p < 0x80) return *p == ' ' || (*p >= 9 && *p <= 13) || (*p >= 28 && *p <= 31);
    if (*p == 0xC2) return end - p > 1 && (p[1] == 0x85 || p[1] == 0xA0) ? 2 : 0; /* U+0085, U+00A0 */
    if (*p < 0xE1 || *p > 0xE3 || end - p < 3) return 0;
    if (*p == 0xE1) return p[1] == 0x9A && p[2] == 0x80 ? 3 : 0; /* U+1680 */
    if (*p == 0xE3) return p[1] == 0x80 && p[2] == 0x80 ? 3 : 0; /* U+3000 */
    if (p[1] == 0x81) return p[2] == 0x9F ? 3 : 0;               /* U+205F */
    /* U+2000 to U+200A, U+2028, U+2029, U+202F */
    return p[1] == 0x80 && ((p[2] >= 0x80 && p[2] <= 0x8A) || p[2] == 0xA8 || p[2] == 0xA9 || p[2] == 0xAF) ? 3 : 0;
}

/* Whether a byte belongs to a word: most do, and need no call of wr_space_length. */
static inline int wr_is_letter(uint8_t byte) { return byte > ' ' && byte < 0x80; }

/* The first `n` bytes at p as a number, with 0 <= n <= 7; `left` bytes can be read. */
static inline uint64_t wr_load(const uint8_t *p, int64_t n, int64_t left) {
    uint64_t block = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (left >= 8) {
        memcpy(&block, p, 8);
        return block & (((uint64_t)1 << 8 * n) - 1);
    }
#endif
    (void)left;
    for (int64_t i = 0; i < n; i++) block |= (uint64_t)p[i] << 8 * i;
    return block;
}

/* x modulo the prime 2^61 - 1, or that and up to 4 more */
static inline uint64_t wr_mod(unsigned __int128 x) {
    const uint64_t prime = ((uint64_t)1 << 61) - 1, sum = ((uint64_t)x & prime) + (uint64_t)(x >> 61);
    return (sum & prime) + (sum >> 61);
}

/* The hash of a word: its bytes, seven at a time, are the coefficients of a polynomial in key[1], a random number below 2^61 - 1
 * (Carter and Wegman, 1979). Whatever the words are, two of n bytes get the same slot with a probability of about n / 7 per slot.
 */
static inline uint64_t wr_hash(const uint64_t *key, const uint8_t *p, int64_t length, int64_t left) {
    uint64_t hash = key[0] + (uint64_t)length;
    for (; length > 7; p += 7, length -= 7, left -= 7)
        hash = wr_mod((unsigned __int128)(hash + wr_load(p, 7, left)) * key[1]);
    return wr_mod((unsigned __int128)(hash + wr_load(p, length, left)) * key[1]);
}

/* Double the capacity; return 0 if memory is exhausted. */
static inline int wr_vocab_grow(wr_vocab *w) {
    int64_t capacity = w->capacity ? 2 * w->capacity : 1 << 14;
    wr_word *words = realloc(w->words, capacity * sizeof *words);
    if (!words) return 0;
    w->words = words;
    int32_t *slots = malloc(2 * capacity * sizeof *slots);
    if (!slots) return 0;
    free(w->slots);
    memset(slots, 0xFF, 2 * capacity * sizeof *slots);
    for (int64_t i = 0; i < w->n_words; i++) {
        uint64_t slot = words[i].hash & (2 * capacity - 1);
        while (slots[slot] >= 0) slot = (slot + 1) & (2 * capacity - 1);
        slots[slot] = (int32_t)i;
    }
    w->slots = slots;
    w->capacity = capacity;
    return 1;
}

/* Return the id of a word, new or known, or -1 if memory is exhausted. */
static inline int32_t wr_word_id(wr_vocab *w, int64_t start, int64_t length, uint64_t hash) {
    if (w->n_words == w->capacity && !wr_vocab_grow(w)) return -1;
    uint64_t mask = 2 * w->capacity - 1, slot = hash & mask;
    for (; w->slots[slot] >= 0; slot = (slot + 1) & mask) {
        const wr_word *known = w->words + w->slots[slot];
        if (known->hash == hash && known->length == length && !memcmp(w->text + known->start, w->text + start, length))
            return w->slots[slot];
    }
    w->words[w->n_words] = (wr_word){(int32_t)start, (int32_t)length, hash};
    return w->slots[slot] = (int32_t)w->n_words++;
}

/* Write the ids of text[0:length]; return how many, or -1 if memory is exhausted. */
static int64_t wr_tokenize(wr_vocab *w, int64_t length, int32_t *ids) {
    const uint8_t *p = w->text, *end = w->text + length;
    int32_t *out = ids;
    while (p < end) {
        const int64_t space = wr_space_length(p, end);
        if (space) {
            if (*p == '\n') *out++ = WR_SENTENCE_BOUNDARY;
            p += space;
            continue;
        }
        const uint8_t *start = p;
        do p++;
        while (p < end && (wr_is_letter(*p) || !wr_space_length(p, end)));
        const int32_t id = wr_word_id(w, start - w->text, p - start, wr_hash(w->key, start, p - start, end - start));
        if (id < 0) return -1;
        *out++ = id;
    }
    return out - ids;
}

#endif
