/* Which of several routings is better, for what, and by how much, in words without a full stop. */
#ifndef BOUGH_FABRIC_CHECK_ROUTING_COMPARISON_H
#define BOUGH_FABRIC_CHECK_ROUTING_COMPARISON_H

#include "base/text/text.h"
#include "fabric/check/check.h"

typedef struct routing_words {
    const bough_check_report *report;
    const char *const *name; /* [parts], of the routings */
    const char *sign;        /* between a value and its interval: " +- " */
} routing_words;

/* All measures: "a is best for all-to-all (1.2 times as fast as b and c); b and c are equally good for shifts
 * (1.1 times as fast as a)". */
void routing_comparison_put(bough_text *out, const routing_words *words);
#endif
