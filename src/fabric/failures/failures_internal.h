/* The inside of bough_failures: wiring as flat arrays, tables, loads of the whole fabric, and the state in
 * which a thread takes something away and puts it back.
 *
 * Tables have a row for each target, and loads one for each shift, unlike those of loads/: a failure changes
 * single pairs, and mends all entries towards one target. */
#ifndef BOUGH_FABRIC_FAILURES_FAILURES_INTERNAL_H
#define BOUGH_FABRIC_FAILURES_FAILURES_INTERNAL_H

#include "base/memory/bits.h"
#include "fabric/failures/failures.h"
#include "network/hosts.h"
#include "network/wiring.h"

#define NO_LINK UINT32_MAX

/* Flows on links, of all-to-all and of every shift. */
typedef struct failure_loads {
    uint32_t *link;  /* [link] */
    uint16_t *shift; /* [k * links + link], k = 1 .. n-1 */
    uint32_t *of;    /* [k * (n + 1) + load]: links with so many flows of shift k; load >= 1 */
    uint32_t *most;  /* [k]: the largest load */
    uint64_t pairs;
} failure_loads;

struct bough_failures {
    const bough_routing *routing;
    const bough_net *net;
    uint32_t n, nodes, links; /* n: endpoints */
    net_plane_order planes;   /* shifts are within a plane */
    arena memory;
    uint32_t shifts; /* k = 1 .. shifts: endpoints of the largest plane, less one */
    bool made;       /* the tables */
    bool rates;      /* differ */
    unsigned threads;
    uint64_t *dead;              /* bit a link: not to be used from the start */
    uint32_t *start, *end;       /* [link] */
    compressed_rows in, out;     /* links into a node; links out of it */
    uint8_t *is_switch;          /* [node] */
    uint32_t *root, *root_link;  /* [endpoint]: the switch it hangs on and the link from there; else itself */
    uint32_t *root_index, roots; /* [endpoint]: a number for each root */
    uint32_t *next;              /* [target * nodes + node]: a link, or NO_LINK */
    uint32_t *entries;           /* [link]: addresses whose entry it is */
    uint32_t *talks;             /* [endpoint]: pairs that arrive, from it and to it */
    failure_loads loads;
    double time; /* of all-to-all, in flows over rate */
    bough_failure_load whole;
};

/* How entries are mended. Between failures it is as the whole fabric is. */
typedef struct failure_search {
    const bough_failures *f;
    const uint64_t *dead;        /* bit a link: of this failure and from the start */
    uint32_t *entries;           /* [link] */
    uint32_t *log;               /* 2 link: an entry went; 2 link + 1: one came */
    uint32_t *fresh;             /* [node]: the mended entry, where good is not set */
    uint8_t *good;               /* [node]: the target at hand is reached without what died */
    uint32_t *stack;             /* [node] */
    uint16_t *distance;          /* [root * nodes + node] */
    uint32_t *searched, failure; /* [root]: the failure of its distances */
    size_t logged;
    arena *memory;
} failure_search;

/* One thread's. */
typedef struct failure_state {
    const bough_failures *f;
    failure_loads loads;
    failure_search search;
    uint32_t *path; /* of the pairs at hand in order: the links of each, then NO_LINK */
    uint32_t *cut;  /* [endpoint]: pairs that it lost for good */
    size_t steps;
    arena memory;
} failure_state;

/* bough_failures_dead, with a routing computed anew or not. */
bough_status failures_dead(const bough_failures *f, const uint64_t *dead, bool anew, bough_failure *result,
                           bough_error *error);

/* ---- failures_anew.c ---- */

/* Whether so many failures are to be looked at with the routing computed anew. */
bool failures_anew_wanted(const bough_failures *f, uint64_t failures);
/* Replaces what a local repair came to in a result. dead: bit a link, with those that are dead from the
 * start. */
bough_status failures_anew(const bough_failures *f, const uint64_t *dead, bough_failure *result,
                           bough_error *error);

/* ---- failures_tables.c ---- */

bough_status tables_wire(bough_failures *f, bough_error *error);
/* The routing's tables, or new ones. */
bough_status tables_take(bough_failures *f, bough_error *error);

bough_status search_make(const bough_failures *f, arena *memory, failure_search *s, bough_error *error);
uint64_t search_bytes(const bough_failures *f);
void search_begin(failure_search *s, const uint64_t *dead);
/* Mends the entries towards target: see good and fresh. */
bough_status search_mend(failure_search *s, uint32_t target, bough_error *error);
void search_end(failure_search *s);

/* ---- failures_loads.c ---- */

bough_status loads_make(const bough_failures *f, arena *memory, failure_loads *loads, bough_error *error);
void loads_copy(const bough_failures *f, const failure_loads *from, failure_loads *to);
uint64_t loads_bytes(const bough_failures *f);
/* For a shift whose loads were written without the rest: sets its `of` and `most`, which were 0, and adds its
 * loads to link[]. */
void loads_count(const bough_failures *f, failure_loads *loads, uint32_t k, uint64_t *link);
void loads_add(const bough_failures *f, failure_loads *loads, uint32_t k, uint32_t link);
void loads_remove(const bough_failures *f, failure_loads *loads, uint32_t k, uint32_t link);
/* Everything but slowdown. Returns what all-to-all takes. */
double loads_measure(const bough_failures *f, const failure_loads *loads, const uint64_t *dead,
                     bough_failure_load *measured);

/* ---- failures_state.c ---- */

/* The caller frees its memory, also after an error; the state stays where it is. */
bough_status state_make(const bough_failures *f, failure_state *s, bough_error *error);
uint64_t state_bytes(const bough_failures *f);
/* The pairs that cross what is dead: target * n + source, ascending. */
typedef struct hit_pairs {
    const uint32_t *pair;
    size_t count;
} hit_pairs;

/* The loads under the tables as they are and under rerouted ones. */
bough_status state_evaluate(failure_state *s, const uint64_t *dead, hit_pairs hit, bough_failure *result,
                            bough_error *error);

/* The shift that sends source to target, which is of the same plane. */
static inline uint32_t failure_shift(const bough_failures *f, uint32_t source, uint32_t target) {
    const uint32_t *rank = f->planes.rank, from = rank[source], to = rank[target];
    return to >= from ? to - from : to + (uint32_t)net_plane_size(f->net, source) - from;
}

/* The entry of a node towards target. */
static inline uint32_t failure_next(const bough_failures *f, uint32_t target, uint32_t node) {
    return f->next[(uint64_t)target * f->nodes + node];
}

/* Whether a path to target may go on from node. */
static inline bool failure_passes(const bough_failures *f, uint32_t source, uint32_t node) {
    return node == source || f->is_switch[node];
}

/* The path of a pair under the tables as they are: at most `nodes` links into path; 0: it does not arrive. */
uint32_t failure_path(const bough_failures *f, uint32_t source, uint32_t target, uint32_t *path);

#endif
