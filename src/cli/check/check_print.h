#ifndef BOUGH_CLI_CHECK_CHECK_PRINT_H
#define BOUGH_CLI_CHECK_CHECK_PRINT_H

#include "bough/adversary.h"
#include "bough/check.h"
#include "cli/check/check_against.h"
#include "cli/check/check_failures.h"
#include "cli/check/check_jobs.h"

typedef struct check_part {
    bough_routing *routing;
    bough_check_result result;
    bough_findings findings;
    bool worst_known;
    bough_adversary_result worst;
    check_failures failures;
} check_part;

typedef struct check_report {
    const bough_net *net;
    bough_findings wiring;
    check_part *part;
    size_t parts;
    uint64_t seed;
    check_against against;
    check_jobs jobs;
    const bough_routing **routings; /* of the parts */
    bool worst_asked;               /* for the worst permutation, whatever it costs */
    bool worst_shown; /* also unasked, where it costs little: the text does, JSON has what was asked for */
} check_report;

#define CHECK_NOT_LOOKED_AT                                                                                  \
    "Adaptive routing, service levels and virtual lanes (deadlocks are those of one), cable errors, and "    \
    "other traffic than all-to-all, shifts and permutations."

#define CHECK_LEVELS 256
/* Switches by level; returns the number of those without a cable, which have none. */
uint64_t check_count_levels(const bough_net *net, uint64_t per_level[CHECK_LEVELS]);

/* The text as a heap string; shown: findings of each kind to print, 0: all. */
bough_status check_text(const check_report *report, uint64_t shown, char **text, bough_error *error);
/* The verdict on one routing: sentences, each begins with two blanks and ends with a full stop and a line
 * end. Heap. */
bough_status check_verdict(const check_report *report, size_t part, char **text, bough_error *error);
bough_status check_print_text(const check_report *report, uint64_t shown, bough_error *error);
/* The page, for check's own arguments. */
struct cli_args;
bough_status check_write_page(const check_report *report, const struct cli_args *args, const char *file,
                              bough_error *error);
bough_status check_print_json(const check_report *report, bough_error *error);

#endif
