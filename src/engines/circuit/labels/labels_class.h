/* One class of messages as labels, in one round. labels_rounds.c defines classes, and how they block each
 * other's links.
 *
 * Threads. The tiles of the levels below cut are divided into low units, those of the levels from cut on into
 * high units (labels_positions.h). While a class descends the levels of one kind, its units are independent:
 * they have their own words of `blocked`, because a low unit contains both tiles that differ in bit cut, and
 * a label of a low tile blocks links up to level cut + 1. A class below cut stays within a low unit in
 * whole. Links that are released are those of other units, too, and their words are changed atomically. */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_CLASS_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_LABELS_CLASS_H

#include "base/thread_team.h"
#include "engines/circuit/labels/labels_up.h"
#include "engines/circuit/labels/planes/labels_dense.h"

enum { LABELS_UNITS_MAX = 64, LABELS_RANGES_MAX = 32, LABELS_CLASSES = LABELS_LEVELS_MAX + 1 };

#define LABELS_LOCAL (1u << LABELS_TILE_BITS)

typedef struct label_span {
    uint32_t first, count;
} label_span;

/* Of one class and unit: the labels refused in this round, then those acknowledged in it. */
typedef struct label_losses {
    label *item;
    uint64_t refused, acknowledged;
} label_losses;

/* What a thread needs. */
typedef struct label_worker {
    uint32_t rival[LABELS_LOCAL + 1][2]; /* pairs of labels that request one link at the current level */
    uint64_t rivals;
    uint32_t holder[LABELS_LOCAL]; /* per link of a tile: stamp of the step | the label that holds it */
    uint32_t stamp;
    uint64_t claims;
    uint32_t next[LABELS_LOCAL / 64]; /* [tile of a unit]: where its next label goes */
} label_worker;

/* Result of a unit for a class. */
typedef struct unit_result {
    uint64_t arrived;
    unsigned reached; /* lowest level with requests */
} unit_result;

typedef struct label_lists {
    labels_places places;
    thread_team *team;
    unsigned low_units, high_units, ranges; /* powers of two; 1 if the team is one thread */
    unsigned unit_shift;                    /* a source shifted by it is the number of its low unit */
    label_worker **worker;
    unsigned workers;
    uint64_t lost_size;
    uint32_t *s;    /* live messages by class: sources */
    label *message; /* their labels */
    label *work[2]; /* the current class, sorted */
    label *lost[2]; /* by class and unit: of high, of low units; the same array if there is one unit */
    uint64_t first[LABELS_CLASSES], live[LABELS_CLASSES];
    label_span span[LABELS_CLASSES][LABELS_UNITS_MAX]; /* live messages by the low unit of the source */
    label_losses losses[LABELS_CLASSES][2 * LABELS_UNITS_MAX]; /* of low units, of high units */
    unit_result result[LABELS_CLASSES][2 * LABELS_UNITS_MAX];  /* likewise */
    uint64_t *blocked;                                         /* [place]: bits, for the current class */
    uint64_t *arrived;                 /* [link at the apex]: bits, of the current class */
    label_span *tile;                  /* where the labels of a tile are in `work` */
    uint32_t *tally;                   /* [range of the input][tile]: labels, then where the next one goes */
    label_span left[LABELS_UNITS_MAX]; /* what is left of a unit */
    labels_climb climb;
} label_lists;

/* The current class. */
typedef struct class_run {
    label_lists *w;
    labels_round *r;
    unsigned L;
    bool last; /* no later class, so the time at which its links become free does not matter */
} class_run;

bough_status label_lists_make(label_lists *lists, const labels_places *places, uint64_t messages,
                              bough_error *error);
void label_lists_fini(label_lists *lists);
/* Prepares a trial with a team. */
bough_status label_lists_start(label_lists *lists, thread_team *team, bough_error *error);
/* Prepares a round. */
void label_lists_round(label_lists *lists);

/* Frees the links that class L is the first to find free. */
void labels_release(const class_run *run);
/* Classes run->L .. to-1, all below cut, after releasing their links. Sets results. */
void labels_run_low(const class_run *run, unsigned to);
/* A class from cut on. */
void labels_run_class(const class_run *run);
/* Adds up the results of a class: returns the arrivals, lowers round->reached. */
uint64_t labels_class_result(const class_run *run);

#endif
