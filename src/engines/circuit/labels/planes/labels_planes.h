/* State of the planes (labels_dense.c, labels_planes.c). */
#ifndef BOUGH_ENGINES_CIRCUIT_LABELS_PLANES_LABELS_PLANES_H
#define BOUGH_ENGINES_CIRCUIT_LABELS_PLANES_LABELS_PLANES_H

#include "engines/circuit/labels/planes/labels_dense.h"

enum {
    TRAIL_MAX = LABELS_LEVELS_MAX * 4 / 3 + 1,
    SCRATCH = TRAIL_MAX + 2, /* planes; more than levels + 1 */
    TOGETHER = 8,            /* tiles that are transposed together: words of a cache line */
    AHEAD = 16               /* cache lines */
};

/* The planes of all tiles of one kind, `stride` words for each tile. */
typedef struct all_tiles {
    uint64_t *word, stride;
} all_tiles;

/* What a thread needs. */
typedef struct plane_worker {
    uint64_t *block;
    uint64_t *scratch[2]; /* planes of a tile */
    uint64_t *stage;      /* the same for TOGETHER consecutive tiles */
    uint64_t claims;
    /* of the current class */
    uint64_t arrivals;
    unsigned reached;
    char apart[THREAD_APART];
} plane_worker;

struct labels_planes {
    thread_team *team;
    plane_worker *worker;
    unsigned workers;
    const labels_places *places;
    const labels_climb *climb;
    unsigned lowest;
    unsigned bits;                     /* of targets, and levels: h, or more if classes cross the border */
    unsigned at;                       /* current level of joint; 0: not computed in this round */
    uint32_t ran;                      /* classes of this round */
    uint32_t owed[LABELS_TOP_MAX + 1]; /* [class]: the levels of due that are filled */
    uint64_t *block;                   /* all that follows */
    uint64_t *home;                    /* at the sources: presence, targets */
    all_tiles joint;                   /* the same while climbing, from level cut on */
    all_tiles down;                    /* the current class at level cut */
    all_tiles rise;                    /* the current class on its way back */
    uint64_t *cross, *held;            /* [place]: of the current class */
    uint64_t *arrived;                 /* [class][tile]: at the apex */
    uint64_t *first_worker;            /* memory of worker 0 */
    uint64_t *due;                     /* [class][place]: links to free before the class runs */
    /* planes that cross the border: [rank][tile][plane][word]; up: what came for the classes from h on */
    uint64_t *out, *in, *up;
    uint64_t *above; /* [tile]: at level h, messages that turned above it and arrived */
};

/* Of the levels below cut, of those from cut on, and of those from h on (labels_column_first). */
typedef enum tile_kind { TILE_LOW, TILE_HIGH, TILE_COLUMN } tile_kind;

/* Planes of one tile. */
typedef struct tile_planes {
    uint64_t *plane;
    uint64_t tile;
    tile_kind kind;
} tile_planes;

static inline unsigned plane_bit(const labels_places *s, unsigned l) {
    return l < s->h ? labels_tile_bit(s, l) : labels_column_bit(s, l);
}
static inline uint64_t plane_first(const labels_places *s, unsigned l, uint64_t tile) {
    return l < s->h ? labels_tile_first(s, l, tile) : labels_column_first(s, l, tile);
}
static inline uint64_t plane_words(const labels_places *s, tile_kind kind) {
    return kind == TILE_LOW ? s->low_words : s->high_words;
}

/* Strides that are powers of two would map to few cache lines; they are avoided. */
static inline uint64_t stride_of(uint64_t planes, uint64_t words) {
    return planes * words + 8;
}

static inline uint64_t reach(unsigned later) {
    return 4 * later / 3;
}

static inline uint64_t *home_of(const labels_planes *p, uint64_t tile) {
    return p->home + tile * (p->bits + 1) * p->places->low_words;
}

/* Calls step for each TOGETHER consecutive tiles. */
static inline void each_group(const labels_planes *p, uint64_t tiles,
                              void (*step)(void *context, unsigned worker, uint64_t group), void *context) {
    team_each(p->team, (tiles + TOGETHER - 1) / TOGETHER, step, context);
}

/* The tile behind the last one of a group. */
static inline uint64_t end_of(uint64_t group, uint64_t tiles) {
    uint64_t end = (group + 1) * TOGETHER;
    return end < tiles ? end : tiles;
}

/* Run of the current class. */
typedef struct planes_pass {
    labels_planes *p;
    labels_round *r;
    plane_worker *k;   /* of this thread */
    unsigned L, trail; /* G_1 .. G_trail are needed; 0: no later class */
} planes_pass;

/* Starts a class: sets r->reached as the lowest level so far. */
planes_pass planes_begin(labels_planes *planes, labels_round *round, unsigned L);
/* Moves all messages to level cut; a no-op if they are there or above. */
void planes_climb_to_cut(const planes_pass *pass);
/* Moves the first `planes` planes from level `from` to level `to`. */
void planes_climb(const labels_planes *p, const tile_planes *t, uint64_t planes, unsigned from, unsigned to);
/* A tile in the buffer where its planes are prepared for the other kind of tile. */
tile_planes planes_staged(const labels_planes *planes, const plane_worker *worker, uint64_t tile,
                          tile_kind kind);
/* Prepares the planes of the class at its apex, from those of all messages. */
void planes_turn(const planes_pass *pass, const tile_planes *from, uint64_t *to);
/* Planes of the class from level `from` to level `to`. */
void planes_descend(const planes_pass *pass, const tile_planes *tile, unsigned from, unsigned to);
/* A high tile of the class at level `from`, in the buffer: to level cut, and to the low tiles. */
void planes_descend_high(const planes_pass *pass, const tile_planes *tile, unsigned from);
/* All levels below cut, and back. */
void planes_low_levels(const planes_pass *pass);
/* Moves the record of the class in a tile from level `from` to level `to`, without what is behind that. */
void planes_lift(const planes_pass *pass, uint64_t *trail, unsigned from, unsigned to, uint64_t tile);
/* Ends the way back at the apex. */
void planes_leave_at_apex(const planes_pass *pass, uint64_t tile, const uint64_t *trail);
/* Joins the messages that wait at the levels of a tile, from the highest level down, and moves
 * them to its lowest. The plane holds those that come from higher levels; any: there are some. */
void planes_gather(const labels_planes *planes, const tile_planes *tile, bool any);
/* Ends a class; returns the number of arrivals and lowers r->reached. */
uint64_t planes_finish(const planes_pass *pass);

/* Stores in `set` the messages of class L in the planes of a tile: the high bits of target and position are
 * equal, bit L differs. Planes are at level L or below. */
void planes_find_class(const labels_planes *planes, const tile_planes *tile, unsigned L, uint64_t *set);

#endif
