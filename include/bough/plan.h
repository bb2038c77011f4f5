/* Which fat-trees fit a number of hosts and a switch, and what they cost. */
#ifndef BOUGH_PLAN_H
#define BOUGH_PLAN_H

#include "bough/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOUGH_PLAN_LEVELS 4 /* of switches */

/* Of one switch, one cable between switches, and one host's cable (with its adapter). */
typedef struct bough_prices {
    double switches, cables, hosts;
    char currency[16]; /* as the file says; empty: none named */
    bool given;
} bough_prices;

/* Reads lines `item,price` (items switch, cable, host; and `currency,EUR`); # begins a comment. Errors:
 * INVALID with file:line. */
bough_status bough_prices_read(const char *path, bough_prices *prices, bough_error *error);

typedef struct bough_plan_ask {
    uint64_t hosts;  /* 1 .. 2^40 */
    uint32_t radix;  /* ports of a switch: 2 .. 1024 */
    double taper;    /* the most that is allowed; >= 1 */
    unsigned levels; /* of switches; 0: any */
    bough_prices prices;
} bough_plan_ask;

/* An XGFT: level i's nodes have down[i] children, up[i] parents above each child, links[i] cables to each;
 * leaf level first, as in the spec of `xgft`. */
typedef struct bough_plan_tree {
    unsigned levels;
    uint32_t down[BOUGH_PLAN_LEVELS], up[BOUGH_PLAN_LEVELS], links[BOUGH_PLAN_LEVELS];
    uint64_t endpoints;        /* that it has room for: at least the hosts */
    uint64_t switches, cables; /* cables: between switches */
    uint64_t free_ports;
    double taper;     /* the largest of all levels: endpoints below a switch or subtree over its cables up */
    double bisection; /* cables across the middle over half the endpoints: 1 is full */
    double cost;      /* 0 without prices */
    char spec[160];   /* "xgft:down=16x16,up=1x8,links=1x2" */
} bough_plan_tree;

/* The trees of which no other one has as few switches, as few cables (without prices; with them: costs as
 * little) and as little taper; by cost, else by switches and cables, ascending. All shapes of up to three
 * levels are looked at; in four levels the middle ones have as many ports down as up. *trees belongs to the
 * caller. Errors: INVALID for what is out of range, UNSUPPORTED when nothing fits, saying what would. Cost:
 * about radix^5 steps. */
bough_status bough_plan(const bough_plan_ask *ask, bough_plan_tree **trees, size_t *count,
                        bough_error *error);

#endif
