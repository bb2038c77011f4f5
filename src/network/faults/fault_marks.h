/* Dead nodes and links collected while a fault spec is read, either known to their neighbours or not. */
#ifndef BOUGH_NETWORK_FAULTS_FAULT_MARKS_H
#define BOUGH_NETWORK_FAULTS_FAULT_MARKS_H

#include "base/memory/bits.h"
#include "network/faults/faults.h"
#include "network/wiring.h"

typedef enum fault_mode { FAULT_MASKED, FAULT_BLIND, FAULT_REROUTED } fault_mode;
#define FAULT_MODES "masked|blind|rerouted"

struct bough_fault_marks {
    const bough_net *net;
    const char *text;              /* spec of the current fault, for messages */
    const bough_module *part;      /* entry of net->modules, for faults of modules */
    uint64_t *dead, *lost;         /* one bit per link */
    uint64_t *dead_node, *unknown; /* one bit per node: dead; dead but unknown to neighbours */
    bool rerouted;
    bool slow;                /* the current fault slows parts: it may hit all of them */
    uint32_t *rate, *compute; /* speeds of links, of hosts of endpoints (bough_speeds); NULL: all unchanged */
};

/* Zero-initialises and allocates. Errors: TOO_LARGE from 2^32 links on. */
bough_status marks_make(bough_fault_marks *marks, const bough_net *net, bough_error *error);
void marks_fini(bough_fault_marks *marks);
void marks_link(bough_fault_marks *marks, uint64_t link, fault_mode mode);
void marks_node(bough_fault_marks *marks, uint64_t node, fault_mode mode);
/* Marks the links from and to dead nodes. */
bough_status marks_settle(bough_fault_marks *marks, bough_error *error);

/* The mode of a fault; masked if its kind has none. */
fault_mode fault_mode_of(const bough_args *args);

uint64_t count_bits(const uint64_t *bits, uint64_t count);

/* Calls each for the links that end at node: by their twins, or (if a link has none) from a list that is
 * built once. */
typedef struct fault_inputs {
    const bough_net *net;
    compressed_rows in; /* empty: every link has a twin */
} fault_inputs;
bough_status inputs_make(fault_inputs *inputs, const bough_net *net, bough_error *error);
void inputs_fini(fault_inputs *inputs);
void inputs_visit(const fault_inputs *inputs, uint64_t node, void (*each)(void *context, uint64_t link),
                  void *context);

/* ---- draws (fault_draw.c) ---- */

/* Selects a fraction or a number of the candidates among 0 .. range-1: those with the smallest random words
 * of (key, name, id). */
typedef struct fault_draw {
    uint64_t range;
    bool (*candidate)(void *context, uint64_t id);
    void (*strike)(void *context, uint64_t id);
    void *context;
    const bough_fault_marks *marks;
    const char *what; /* "chips without links to endpoints" */
} fault_draw;
/* args has share, count and key. Errors: INVALID if there are no candidates, or if all of them would die. */
bough_status fault_strike(const fault_draw *draw, const bough_args *args, const char *name,
                          bough_error *error);

/* Draws links, or cables (both directions): args has level too. */
bough_status fault_mark_wires(const bough_args *args, bough_fault_marks *marks, const char *name, bool both,
                              bough_error *error);

/* ---- slow parts (slow_parts.c) ---- */

extern const bough_fault_kind bough_fault_slow;

/* ---- names (fault_names.c) ---- */

bough_status fault_by_name(const bough_args *args, bough_fault_marks *marks, bough_error *error);

#endif
