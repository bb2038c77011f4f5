/* Division by a number that is used often: a multiplication and a shift. For d with 2^(s-1) < d <= 2^s and
 * factor = ceil(2^(62+s) / d), the quotient of n < 2^62 is floor(n factor / 2^(62+s)): the error of the
 * factor is below d <= 2^s in units of 1/d, so that of the product is below 2^(62+s) / d. */
#ifndef BOUGH_BASE_DIVISOR_H
#define BOUGH_BASE_DIVISOR_H

#include <stdint.h>

typedef struct divisor {
    uint64_t value, factor;
    unsigned shift;
} divisor;

/* value: 1 to 2^62. */
static inline divisor divisor_make(uint64_t value) {
    unsigned shift = value > 1 ? 64 - (unsigned)__builtin_clzll(value - 1) : 0;
    unsigned __int128 power = (unsigned __int128)1 << (62 + shift);
    return (divisor){value, (uint64_t)((power + value - 1) / value), shift};
}

/* number: below 2^62. */
static inline uint64_t divisor_quotient(const divisor *d, uint64_t number) {
    return (uint64_t)((unsigned __int128)(number << 2) * d->factor >> 64) >> d->shift;
}

static inline uint64_t divisor_remainder(const divisor *d, uint64_t number) {
    return number - divisor_quotient(d, number) * d->value;
}

#endif
