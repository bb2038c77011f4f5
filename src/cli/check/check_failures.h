/* The faults of `bough check`: single failures (each:cable), curves (links:share=0..10%), and what is simply
 * missing (any other spec). */
#ifndef BOUGH_CLI_CHECK_CHECK_FAILURES_H
#define BOUGH_CLI_CHECK_CHECK_FAILURES_H

#include "base/text/text.h"
#include "bough/failures.h"
#include "cli/cli.h"

#include <jansson.h>

/* What --faults asks for. Zero-initialise. */
typedef struct check_faults {
    const char **each;
    size_t eaches;
    struct check_curve {
        char *spec; /* without its share */
        double *share;
        size_t shares;
    } * curve;
    size_t curves;
    char *missing; /* all others, joined; NULL: none */
} check_faults;

bough_status check_faults_read(const cli_args *args, check_faults *faults, bough_error *error);
void check_faults_fini(check_faults *faults);

/* What came out under one routing. Zero-initialise. */
typedef struct check_failures {
    bool made; /* tables of bough's own */
    bough_failure_load whole;
    bough_failure_list *list;
    size_t lists;
    bough_degradation *curve;
    size_t curves;
    char *missing; /* what --faults takes out; NULL: nothing, or the routing is no set of tables */
    bough_failure without;
} check_failures;

/* routing: on the fabric at hand; whole: the one before --faults took something out of it. Single points of
 * failure become findings. trials: draws for each share. */
bough_status check_failures_find(const check_faults *faults, const bough_net *whole,
                                 const bough_routing *routing, uint64_t trials,
                                 const bough_failures_options *options, check_failures *result,
                                 bough_findings *findings, bough_error *error);
void check_failures_fini(check_failures *result);

void check_failures_print(bough_text *out, const bough_routing *routing, const check_failures *result);
/* One list under several routings: a heading, then a row for each. */
void check_failures_heading(bough_text *out, const bough_failure_list *list);
void check_failures_row(bough_text *out, const bough_routing *routing, const bough_failure_list *list);
void check_failures_json(json_t **object, const bough_net *net, const check_failures *result);

#endif
