/* Splitting a text into words and numbering them, without a Python object a word.
 *
 * (a) Words are what Python's str.split() gives: separated by any white space of Unicode, here in UTF-8.
 * (b) A hash table (open addressing, linear probing) finds the number of a word; words are numbered in the order in which
 *     they first appear, and are kept as places in the text, which is not copied.
 * (c) A line feed becomes WR_BORDER.
 */
#ifndef WR_TOKENS_H
#define WR_TOKENS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WR_BORDER = -1 };

typedef struct {
    int32_t start, length; /* in the text */
    uint64_t hash;
} wr_word;

typedef struct {
    const uint8_t *text;
    wr_word *words; /* [room] */
    int32_t *slots; /* [2 * room] number of a word, or -1 */
    int64_t n_words, room; /* room is a power of two */
} wr_words;

/* Length of the white space that begins at p, or 0. */
static inline int64_t wr_space(const uint8_t *p, const uint8_t *end) {
    if (*p < 0x80) return *p == ' ' || (*p >= 9 && *p <= 13) || (*p >= 28 && *p <= 31);
    if (*p == 0xC2) return end - p > 1 && (p[1] == 0x85 || p[1] == 0xA0) ? 2 : 0; /* U+0085, U+00A0 */
    if (*p < 0xE1 || *p > 0xE3 || end - p < 3) return 0;
    if (*p == 0xE1) return p[1] == 0x9A && p[2] == 0x80 ? 3 : 0; /* U+1680 */
    if (*p == 0xE3) return p[1] == 0x80 && p[2] == 0x80 ? 3 : 0; /* U+3000 */
    if (p[1] == 0x81) return p[2] == 0x9F ? 3 : 0;               /* U+205F */
    /* U+2000 to U+200A, U+2028, U+2029, U+202F */
    return p[1] == 0x80 && ((p[2] >= 0x80 && p[2] <= 0x8A) || p[2] == 0xA8 || p[2] == 0xA9 || p[2] == 0xAF) ? 3 : 0;
}

/* Make room for twice as many words; return whether there was memory. */
static inline int wr_words_grow(wr_words *w) {
    int64_t room = w->room ? 2 * w->room : 1 << 14;
    wr_word *words = realloc(w->words, room * sizeof *words);
    if (!words) return 0;
    w->words = words;
    int32_t *slots = malloc(2 * room * sizeof *slots);
    if (!slots) return 0;
    free(w->slots);
    memset(slots, 0xFF, 2 * room * sizeof *slots);
    for (int64_t i = 0; i < w->n_words; i++) {
        uint64_t slot = words[i].hash & (2 * room - 1);
        while (slots[slot] >= 0) slot = (slot + 1) & (2 * room - 1);
        slots[slot] = (int32_t)i;
    }
    w->slots = slots;
    w->room = room;
    return 1;
}

/* Number of the word; -1 without memory. */
static inline int32_t wr_words_number(wr_words *w, int64_t start, int64_t length, uint64_t hash) {
    if (w->n_words == w->room && !wr_words_grow(w)) return -1;
    uint64_t mask = 2 * w->room - 1, slot = hash & mask;
    for (; w->slots[slot] >= 0; slot = (slot + 1) & mask) {
        const wr_word *known = w->words + w->slots[slot];
        if (known->hash == hash && known->length == length && !memcmp(w->text + known->start, w->text + start, length))
            return w->slots[slot];
    }
    w->words[w->n_words] = (wr_word){(int32_t)start, (int32_t)length, hash};
    return w->slots[slot] = (int32_t)w->n_words++;
}

/* Write the numbers of the words of text[0:length] to ids; return how many, or -1 without memory. */
static int64_t wr_tokenise(wr_words *w, int64_t length, int32_t *ids) {
    const uint8_t *p = w->text, *end = w->text + length;
    int32_t *out = ids;
    while (p < end) {
        int64_t space = wr_space(p, end);
        if (space) {
            if (*p == '\n') *out++ = WR_BORDER;
            p += space;
            continue;
        }
        const uint8_t *start = p;
        uint64_t hash = 0xCBF29CE484222325ULL; /* FNV-1a */
        do {
            hash = (hash ^ *p++) * 0x100000001B3ULL;
        } while (p < end && !wr_space(p, end));
        hash ^= hash >> 32; /* its low bits alone are weak */
        int32_t number = wr_words_number(w, start - w->text, p - start, hash);
        if (number < 0) return -1;
        *out++ = number;
    }
    return out - ids;
}

#endif
