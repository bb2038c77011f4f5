#include "traffic/streams/lengths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_FLITS = UINT64_C(1) << 20;
static const double SHARES_ADD_UP = 1e-9;
enum { NUMBER = 64 };

/* ---- geometric ---- */

/* 1 + a geometric number of failures, by inversion: at least one flit, of mean `mean`. The logarithm of a
 * word is at least that of 2^-53, which bounds the lengths. */
static uint64_t geometric(double mean, uint64_t word) {
    double u = (double)((word >> 11) + 1) * 0x1p-53; /* in (0, 1] */
    return 1 + (uint64_t)(log(u) / log1p(-1 / mean));
}

static bough_status set_geometric(uint64_t flits, bough_lengths *out, bough_error *error) {
    double m = (double)flits;
    if (flits < 2)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "lengths=geometric needs a mean of 2 flits or more, as in flits=32");
    *out = (bough_lengths){.shortest = 1, .longest = geometric(m, 0)};
    out->moment[0] = m;
    out->moment[1] = m * (2 * m - 1);
    out->moment[2] = m * (6 * m * m - 6 * m + 1);
    return BOUGH_OK;
}

/* ---- lists ---- */

static bough_status bad_list(const char *text, const char *why, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "lengths=%s: %s (accepted: geometric, or lengths and their shares, as in 4:0.8+64:0.2)",
                      text, why);
}

/* Copies the text up to `end`. */
static bool copy_number(const char *from, const char *end, char number[NUMBER]) {
    size_t length = (size_t)(end - from);
    if (length == 0 || length >= NUMBER) return false;
    memcpy(number, from, length);
    number[length] = 0;
    return true;
}

/* One "flits:share" before `end`. */
static bough_status add_length(const char *item, const char *end, const char *text, bough_lengths *out,
                               bough_error *error) {
    const char *colon = memchr(item, ':', (size_t)(end - item));
    char flits[NUMBER], share[NUMBER];
    uint64_t value;
    double part;
    if (!colon || !copy_number(item, colon, flits) || !copy_number(colon + 1, end, share))
        return bad_list(text, "not a list of flits:share", error);
    if (out->count == BOUGH_LENGTHS_MAX) return bad_list(text, "more than 16 lengths", error);
    bough_status status = bough_parse_between(flits, "lengths", (bough_bounds){1, MOST_FLITS}, &value, error);
    if (!status) status = bough_parse_real(share, "lengths", &part, error);
    if (status) return status;
    if (!(part > 0 && part <= 1)) return bad_list(text, "a share is above 0 and at most 1", error);
    for (unsigned i = 0; i < out->count; i++)
        if (out->value[i] == value) return bad_list(text, "a length is given twice", error);
    out->value[out->count] = value;
    out->share[out->count++] = part;
    return BOUGH_OK;
}

/* Sorts, so that the order of the list does not matter. */
static void sort_list(bough_lengths *l) {
    for (unsigned i = 1; i < l->count; i++)
        for (unsigned j = i; j > 0 && l->value[j] < l->value[j - 1]; j--) {
            uint64_t value = l->value[j];
            double share = l->share[j];
            l->value[j] = l->value[j - 1], l->share[j] = l->share[j - 1];
            l->value[j - 1] = value, l->share[j - 1] = share;
        }
}

static bough_status set_list(const char *text, bough_lengths *out, bough_error *error) {
    double sum = 0;
    *out = (bough_lengths){0};
    for (const char *item = text, *end; item; item = *end ? end + 1 : NULL) {
        end = item + strcspn(item, "+");
        bough_status status = add_length(item, end, text, out, error);
        if (status) return status;
    }
    for (unsigned i = 0; i < out->count; i++) sum += out->share[i];
    if (fabs(sum - 1) > SHARES_ADD_UP) {
        char why[NUMBER];
        snprintf(why, sizeof why, "the shares add up to %.6g, not 1", sum);
        return bad_list(text, why, error);
    }
    sort_list(out);
    out->shortest = out->value[0];
    out->longest = out->value[out->count - 1];
    double below = 0;
    for (unsigned i = 0; i < out->count; i++) {
        double flits = (double)out->value[i];
        below += out->share[i];
        out->until[i] = below < 1 ? (uint64_t)ldexp(below, 64) : UINT64_MAX;
        for (int k = 0; k < 3; k++) out->moment[k] += out->share[i] * pow(flits, k + 1);
    }
    return BOUGH_OK;
}

bough_status lengths_parse(const char *text, uint64_t flits, bough_lengths *out, bough_error *error) {
    if (strcmp(text, "geometric") == 0) return set_geometric(flits, out, error);
    return set_list(text, out, error);
}

uint64_t lengths_draw(const bough_lengths *l, uint64_t word) {
    unsigned i = 0;
    if (!l->count) return geometric(l->moment[0], word);
    while (i + 1 < l->count && word >= l->until[i]) i++;
    return l->value[i];
}

/* ---- questions of models ---- */

double bough_lengths_share(const bough_lengths *l, uint64_t flits) {
    for (unsigned i = 0; i < l->count; i++)
        if (l->value[i] == flits) return l->share[i];
    if (l->count || flits == 0) return 0;
    return pow(1 - 1 / l->moment[0], (double)flits - 1) / l->moment[0];
}
