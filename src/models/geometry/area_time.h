/* Area and time (bay1991, section 5) of a method that counts bit steps on a network with a layout. */
#ifndef BOUGH_MODELS_GEOMETRY_AREA_TIME_H
#define BOUGH_MODELS_GEOMETRY_AREA_TIME_H

#include "method/method_run.h"
#include "network/layout/layout.h"

#define AT2_PARAM                                                                                            \
    {                                                                                                        \
        "area", "also report area x time^2, of the H-tree layout (method layout) under its default rules",   \
            BOUGH_FLAG, "0"                                                                                  \
    }

/* Checks that the network of a run has a layout; called by open if area=1. */
bough_status at2_open(const bough_run *run, bough_error *error);

/* The area of a network's layout, in squares of the wire pitch. rules may be NULL. */
bough_status at2_area(const bough_net *net, const bough_layout_rules *rules, double *area,
                      bough_error *error);
/* The reference load factor eta of the messages of a trial. */
bough_status at2_eta(const method_trial *trial, double *eta, bough_error *error);

/* What a method measured, and the circuits that it measured it with. */
typedef struct at2_run {
    double steps, body;       /* bit steps of the trial; bits of a message's body */
    bough_layout_rules rules; /* zero: defaults */
} at2_run;

/* Adds area_grid, at2, and at2 over the lower bound of section 5 for any router, b^2 eta^2 n. Cost:
 * O(messages + endpoints), plus the layout. */
bough_status at2_add(const method_trial *trial, const at2_run *measured, bough_rows *rows,
                     bough_error *error);

/* Writes (K, b, s, l) of the sorters of a layout into the note; nothing if it has none. */
void note_sorters(const bough_layout_size *size, bough_rows *rows);

#endif
