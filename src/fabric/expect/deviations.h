/* What the comparisons with a plan share: the list of deviations, and its findings. */
#ifndef BOUGH_FABRIC_EXPECT_DEVIATIONS_H
#define BOUGH_FABRIC_EXPECT_DEVIATIONS_H

#include "base/text/text.h"
#include "fabric/expect/expect.h"

enum { CABLE_NAME = 300 }; /* bytes of the name of a cable */

/* A deviation that is about to be added. Names are copied. */
typedef struct deviation_head {
    bough_deviation_kind kind;
    bough_severity severity;
    const char *now[2], *planned[2], *node;
    uint64_t cables; /* 0: one */
} deviation_head;

/* Adds a deviation and counts it. */
bough_status deviation_add(bough_expected *expected, const deviation_head *head, bough_error *error,
                           const char *format, ...) BOUGH_PRINTF(4, 5);
/* Sorts the deviations by kind, in the order of their adding, and makes findings of them. */
bough_status deviations_finish(bough_expected *expected, bough_error *error);

/* The comparisons. They fill all of *expected but basis and plan. */
bough_status expect_file(const bough_fabric *fabric, const char *spec, bough_expected *expected,
                         bough_error *error);
/* The same with a plan that was read. It gets the kinds of the nodes of the fabric. */
bough_status expect_plan(const bough_fabric *fabric, bough_fabric *plan, bough_expected *expected,
                         bough_error *error);
/* planned: NULL: the nearest regular tree. */
bough_status expect_tree(const bough_net *net, const bough_net *planned, bough_expected *expected,
                         bough_error *error);

#endif
