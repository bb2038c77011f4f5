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
    unsigned at;                          /* current level of joint; 0: not computed in this round */
    uint32_t ran;                         /* classes of this round */
    uint32_t owed[LABELS_LEVELS_MAX + 1]; /* [class]: the levels of due that are filled */
    uint64_t *block;                      /* all that follows */
    uint64_t *home;                       /* at the sources: presence, targets */
    all_tiles joint;                      /* the same while climbing, from level cut on */
    all_tiles down;                       /* the current class at level cut */
    all_tiles rise;                       /* the current class on its way back */
    uint64_t *cross, *held;               /* [place]: of the current class */
    uint64_t *arrived;                    /* [class][tile]: at the apex */
    uint64_t *first_worker;               /* memory of worker 0 */
    uint64_t *due;                        /* [class][place]: links to free before the class runs */
};

/* Planes of one tile. */
typedef struct tile_planes {
    uint64_t *plane;
    uint64_t tile;
    bool high; /* a tile of the levels from cut on */
} tile_planes;

/* Strides that are powers of two would map to few cache lines; they are avoided. */
static inline uint64_t stride_of(uint64_t planes, uint64_t words) {
    return planes * words + 8;
}

static inline uint64_t reach(unsigned later) {
    return 4 * later / 3;
}

static inline uint64_t *home_of(const labels_planes *p, uint64_t tile) {
    return p->home + tile * (p->places->h + 1) * p->places->low_words;
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

/* Stores in `set` the messages of class L in the planes of a tile: the high bits of target and position are
 * equal, bit L differs. Planes are at level L or below. */
void planes_find_class(const labels_planes *planes, const tile_planes *tile, unsigned L, uint64_t *set);

#endif
