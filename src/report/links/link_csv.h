/* The loads of links as CSV, a line for each link. */
#ifndef BOUGH_REPORT_LINKS_LINK_CSV_H
#define BOUGH_REPORT_LINKS_LINK_CSV_H

#include "base/text/text.h"
#include "method/method.h"

/* The loads of one routing under one traffic. */
typedef struct link_csv_block {
    const bough_net *net;
    const char *routing, *traffic, *method;
    const bough_link_loads *loads;
    /* `use` is the share of this time, in s, in which a link carries data; NAN: the time is not known; 0:
     * `use` is the share of what the busiest link takes. */
    double seconds;
} link_csv_block;

void link_csv_head(bough_text *out);
void link_csv_put(bough_text *out, const link_csv_block *block);

/* The loads of a run, as means over trials 0 .. trials-1 of a seed. */
typedef struct link_csv_run {
    const bough_run *run;  /* of a method with `links` */
    const char *routing;   /* what it is called */
    uint64_t seed, trials; /* trials: one is enough if the traffic and the routing draw nothing */
    double seconds;
    const atomic_bool *stop; /* may be NULL */
} link_csv_run;
/* Errors: those of the method; INTERRUPTED, NO_MEMORY. */
bough_status link_csv_put_run(bough_text *out, const link_csv_run *run, bough_error *error);

#endif
