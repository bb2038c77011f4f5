/* Wiring of a transit network.
 *
 * Wires into the routers of one set are dealt in rounds (transit_dealer.h), bundle by bundle. The routers of
 * a bundle are in random order (deterministic wiring: in order). So bundles are spread as evenly as possible,
 * all routers have equally many inputs, routers of the upper layers of a unit tree have inputs from above and
 * from the same level, and the wires of one direction lead to different routers. The input port is the number
 * of the round.
 *
 * Wires between stages are dealt twice: first from unit trees to the unit trees of the tree node, so that the
 * wires of one are spread evenly and the wires of one direction lead to different ones; then, in order of
 * arrival, to the routers.
 *
 * Every set, and every tree node that wires leave, has random numbers of its own, so threads make them in any
 * order. */
#include "base/memory/memory.h"
#include "base/random/random.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "bough/status.h"
#include "network/families/transit/transit.h"

#include <string.h>

/* ---- transit dealer ---- */

/* clang-format off */
/* Deals wires to places (routers of a set, or unit trees of a tree node) in rounds: in each round every place
 * gets one wire, so that all get equally many. Wires come in runs (the wires of one direction of a router),
 * and those of a run go to different places.
 *
 *     random         a round is a random permutation. Where the end of a round divides a run, places of the
 *                    next round are exchanged until the run's differ
 *     checked        the same; a round is drawn again until no more runs lead to the same places than the
 *                    limit
 *     deterministic  a round is the next one of a tournament (the circle method; with an odd number of places
 *                    multiples of 1, 2, ..), so that runs of two lead to each pair of places once before any
 *                    pair has two */
/* clang-format on */

/* Counts of sets of places, by hash. */
typedef struct transit_sets {
    uint64_t *key; /* 0: free */
    uint32_t *count;
    uint64_t size, used_size; /* powers of two: allocated; in use */
} transit_sets;

typedef struct transit_dealer {
    uint32_t places; /* per round */
    uint32_t run;    /* wires of a run */
    uint64_t dealt, end;
    uint32_t *place; /* the present round */
    transit_wires wires;
    bough_stream *stream;
    bool fresh;         /* a distribution begins within a round */
    transit_sets *sets; /* checked: of the present distribution; NULL: no check */
    uint32_t limit;
} transit_dealer;

/* The wires of a distribution: `before` precede it and form whole runs, `end` is the number of the last one,
 * plus one. A round that two distributions share is divided between them: the first gets its first places. */
typedef struct transit_deal_range {
    uint64_t before, end;
} transit_deal_range;

enum { TRIES = 4000 }; /* of a round, before the limit is raised */

/* ---- sets of places ---- */

static bough_status transit_sets_init(transit_sets *sets, uint64_t most, bough_error *error) {
    sets->size = 16;
    while (sets->size < 2 * most) sets->size *= 2;
    bough_status status = bough_alloc(&sets->key, sets->size, sizeof *sets->key, error);
    TRY(bough_alloc(&sets->count, sets->size, sizeof *sets->count, error));
    return status;
}

static void transit_sets_fini(transit_sets *sets) {
    FREE_ALL(sets->key, sets->count);
}

/* Before at most so many different sets. */
static void transit_sets_clear(transit_sets *sets, uint64_t most) {
    sets->used_size = 16;
    while (sets->used_size < 2 * most && sets->used_size < sets->size) sets->used_size *= 2;
    memset(sets->key, 0, sets->used_size * sizeof *sets->key);
}

/* Identifies a set of places, in any order; not 0. */
/* A sum of mixed values (splitmix64), so that the order does not matter. */
static uint64_t transit_set_key(const uint32_t *place, unsigned count) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t x = (place[i] + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
        x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
        sum += x ^ x >> 31;
    }
    return sum ? sum : 1;
}

static uint64_t slot_of(const transit_sets *sets, uint64_t key) {
    uint64_t i = key & (sets->used_size - 1);
    while (sets->key[i] && sets->key[i] != key) i = (i + 1) & (sets->used_size - 1);
    return i;
}

static uint32_t count_of(const transit_sets *sets, uint64_t key) {
    uint64_t i = slot_of(sets, key);
    return sets->key[i] ? sets->count[i] : 0;
}

/* The count with it. */
static uint32_t transit_sets_add(transit_sets *sets, uint64_t key) {
    uint64_t i = slot_of(sets, key);
    if (!sets->key[i]) sets->key[i] = key, sets->count[i] = 0;
    return ++sets->count[i];
}

/* The most runs that lead to the same places, if they are spread evenly: runs over the sets of `width` of
 * `places`. */
static uint32_t transit_sets_limit(uint64_t runs, uint64_t places, unsigned width) {
    double sets = 1;
    for (unsigned i = 0; i < width; i++) sets = sets * (double)(places - i) / (i + 1);
    if (width >= places || sets < 1) return UINT32_MAX; /* there is one set */
    double each = (double)runs / sets;
    return each <= 1 ? 1 : (uint32_t)each + (each > (uint32_t)each);
}

/* ---- rounds ---- */

static void transit_dealer_start(transit_dealer *d, uint64_t places, unsigned run, transit_deal_range wires) {
    uint64_t runs = (wires.end - wires.before) / run;
    d->places = (uint32_t)places;
    d->run = run;
    d->dealt = wires.before;
    d->end = wires.end;
    d->fresh = wires.before % places;
    d->limit = UINT32_MAX; /* not checked */
    if (d->wires != TRANSIT_CHECKED || !d->sets || run < 2) return;
    d->limit = transit_sets_limit(runs, places, run);
    transit_sets_clear(d->sets, runs);
}

/* Durstenfeld's shuffle, inside-out variant. */
static void shuffle(transit_dealer *d, uint32_t at, uint32_t count) {
    uint32_t *place = d->place + at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = (uint32_t)bough_stream_below(d->stream, i + 1);
        place[i] = place[k];
        place[k] = at + i;
    }
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A round of a tournament: the pairs of neighbouring places are its matches. */
static void arrange(transit_dealer *d, uint32_t at, uint32_t count) {
    uint32_t n = d->places, odd = n - 1, round = (uint32_t)(d->dealt / n);
    if (count < n) {
        for (uint32_t i = 0; i < count; i++) d->place[at + i] = at + i;
    } else if (n % 2 == 0) {
        for (uint32_t i = 0; i < n / 2; i++) {
            d->place[2 * i] = i ? (round + i) % odd : odd;
            d->place[2 * i + 1] = (round % odd + odd - i) % odd;
        }
    } else {
        uint32_t step = round / 2 % n + 1; /* two rounds with each multiplier */
        while (common_divisor(step, n) > 1) step = step % n + 1;
        for (uint32_t i = 0; i < n; i++) d->place[i] = (uint32_t)((uint64_t)i * step % n);
    }
}

static bool contains(const uint32_t *list, uint32_t count, uint32_t place) {
    while (count--)
        if (list[count] == place) return true;
    return false;
}

/* The places of a run that the previous round ended with are exchanged for others in this one. */
static void part_run(transit_dealer *d, const uint32_t *recent, uint32_t before, uint32_t count) {
    uint32_t rest = d->run - before;
    bool drawn = d->wires != TRANSIT_DETERMINISTIC;
    for (uint32_t i = 0; i < rest && rest < count; i++) {
        uint32_t k = rest;
        for (uint32_t tries = 0; contains(recent, before, d->place[i]) && tries < 64 + count; tries++) {
            if (drawn)
                k = rest + (uint32_t)bough_stream_below(d->stream, count - rest);
            else if (tries)
                k = k + 1 < count ? k + 1 : rest;
            uint32_t place = d->place[i];
            d->place[i] = d->place[k];
            d->place[k] = place;
        }
    }
}

/* The runs that end in this round, of which `before` places of the first are in `recent`. add: counts them;
 * else returns whether one of them would exceed the limit. */
static bool examine(transit_dealer *d, const uint32_t *recent, uint32_t before, uint32_t count, bool add) {
    uint32_t set[TRANSIT_PORTS_MAX];
    uint64_t first = 0;
    const uint32_t *round = d->place + d->dealt % d->places;
    uint32_t i = 0;
    if (before) {
        for (; i < before; i++) set[i] = recent[i];
        for (i = 0; before + i < d->run && i < count; i++) set[before + i] = round[i];
        if (before + i < d->run) return false;
        first = transit_set_key(set, d->run);
        if (add)
            transit_sets_add(d->sets, first);
        else if (count_of(d->sets, first) >= d->limit)
            return true;
    }
    for (; i + d->run <= count; i += d->run) {
        uint64_t key = transit_set_key(round + i, d->run);
        if (add)
            transit_sets_add(d->sets, key);
        else if (count_of(d->sets, key) + (key == first) >= d->limit)
            return true;
    }
    return false;
}

static void draw_round(transit_dealer *d, uint32_t at, uint32_t count) {
    uint32_t recent[TRANSIT_PORTS_MAX], before = (uint32_t)(d->dealt % d->run);
    bool part = before && d->places >= d->run && at == 0;
    if (part) memcpy(recent, d->place + d->places - before, before * sizeof *recent);
    for (unsigned tries = 1;; tries++) {
        if (d->wires == TRANSIT_DETERMINISTIC)
            arrange(d, at, count);
        else
            shuffle(d, at, count);
        if (part) part_run(d, recent, before, count);
        if (d->limit == UINT32_MAX) return;
        if (!examine(d, recent, part ? before : 0, count, false)) break;
        if (tries % TRIES == 0) d->limit++;
    }
    examine(d, recent, part ? before : 0, count, true);
}

/* The place of the next wire. */
static uint32_t transit_deal(transit_dealer *d) {
    uint32_t at = (uint32_t)(d->dealt % d->places);
    bool first = at == 0 || d->fresh;
    uint64_t left = d->end - d->dealt;
    uint32_t count = left < d->places - at ? (uint32_t)left : d->places - at;
    if (first && d->places > 1) draw_round(d, at, count);
    d->fresh = false;
    d->dealt++;
    return d->places > 1 ? d->place[at] : 0;
}

/* ---- transit wiring ---- */

enum { NODE_TRIES = 1000 }; /* of the wires between two tree nodes, before the limit is raised */

/* The wires of one direction of a router. */
typedef struct strand {
    uint64_t link;
    uint32_t wires;
} strand;

/* What one thread needs. */
typedef struct wiring {
    transit *t;
    bough_key key;
    bough_stream stream;
    transit_dealer router, unit;
    transit_sets sets;
    uint32_t *arrival; /* by unit and arrival: router and port */
    strand *bundle;    /* the strands that are dealt next */
    uint64_t strands;
    char apart[THREAD_APART];
} wiring;

/* Router and input port. */
static uint32_t deal_input(const transit *t, transit_dealer *d) {
    uint32_t port = (uint32_t)(d->dealt / d->places);
    return transit_deal(d) << t->port_bits | port;
}

static void put(transit *t, uint64_t link, uint32_t input) {
    if (t->wire16)
        t->wire16[link - t->wired_from] = (uint16_t)input;
    else
        t->wire32[link - t->wired_from] = input;
}

/* ---- bundles ---- */

/* Adds one direction of `count` consecutive routers of a layer. */
static void add_routers(wiring *w, const transit_layer *l, uint64_t router, uint64_t count,
                        unsigned direction) {
    uint64_t fan = transit_size(l->fan);
    for (uint64_t r = router; r < router + count; r++) {
        unsigned first = transit_first_wire(l, r, direction);
        unsigned wires = transit_first_wire(l, r, direction + 1) - first;
        w->bundle[w->strands++] = (strand){l->link + r * fan + first, wires};
    }
}

/* Shuffles the strands from `first` on. */
static void mix(wiring *w, uint64_t first) {
    if (w->t->ask.wires == TRANSIT_DETERMINISTIC) return;
    for (uint64_t i = w->strands; i > first + 1; i--) {
        uint64_t k = first + bough_stream_below(&w->stream, i - first);
        strand s = w->bundle[i - 1];
        w->bundle[i - 1] = w->bundle[k];
        w->bundle[k] = s;
    }
}

static uint64_t set_at(const transit_layer *l, uint64_t position, uint64_t unit) {
    return (position * transit_size(l->units) + unit) * transit_size(l->set);
}

/* ---- inside stacks ---- */

/* Wires of layer `from` into a set of the next one, in the same unit tree. */
typedef struct source {
    const transit_layer *from;
    unsigned direction;
} source;

/* Deals the bundle of a source to the set of a position. Sources that aim by direction lead to it from one
 * position. */
static void deal_bundle(wiring *w, source s, uint64_t position, uint64_t unit) {
    const transit_layer *l = s.from;
    const transit_aim *aim = &l->aim[s.direction];
    uint64_t groups = transit_size(aim->drop), first = position * groups, set = transit_size(l->set);
    if (aim->times > 1) {
        first = position / aim->times;
        s.direction = (unsigned)(position % aim->times);
    }
    for (uint64_t g = 0; g < groups; g++) add_routers(w, l, set_at(l, first + g, unit), set, s.direction);
    mix(w, 0);
    for (uint64_t r = 0; r < w->strands; r++)
        for (unsigned k = 0; k < w->bundle[r].wires; k++)
            put(w->t, w->bundle[r].link + k, deal_input(w->t, &w->router));
    w->strands = 0;
}

/* The sources of a layer inside its stack: at most one layer above or before it, then at most one up layer.
 */
static unsigned find_sources(const transit *t, unsigned to, source found[2]) {
    unsigned count = 0;
    for (int up = 0; up < 2; up++)
        for (unsigned i = 0; i < t->layers; i++) {
            const transit_layer *from = &t->layer[i];
            if ((from->kind == TRANSIT_UP) != up) continue;
            unsigned d = 0;
            while (d < from->directions && (from->aim[d].layer != to || from->aim[d].leaves)) d++;
            if (d < from->directions) found[count++] = (source){from, d};
        }
    return count;
}

/* Sets first_set .. end - 1 of a layer. */
static void wire_layer(wiring *w, const transit_layer *l, uint64_t first_set, uint64_t end) {
    const transit *t = w->t;
    source from[2];
    unsigned sources = find_sources(t, (unsigned)(l - t->layer), from);
    if (sources == 0) return;
    uint64_t set = transit_size(l->set), units = transit_size(l->units);
    /* wires from above that come from another stack are dealt elsewhere */
    bool first = from[0].from->kind != TRANSIT_UP || l->kind == TRANSIT_UP;
    uint64_t before = first ? 0 : from[0].from->aim[from[0].direction].before;
    unsigned run = from[0].from->dilation;
    for (uint64_t s = first_set; s < end; s++) {
        const transit_deal_range all = {before, set * t->ask.radix * t->ask.dilation};
        w->stream = bough_stream_make(w->key, BOUGH_DRAW_WIRING, l->node + s * set, 0);
        transit_dealer_start(&w->router, set, run, all);
        for (unsigned i = 0; i < sources; i++) deal_bundle(w, from[i], s / units, s % units);
    }
}

/* ---- between stacks ---- */

/* Wires of one direction of a set of a layer. */
static uint64_t set_wires(const transit_layer *l, unsigned direction) {
    uint64_t set = transit_size(l->set), wires = 0;
    if (!l->cross)
        return set * (transit_first_wire(l, 0, direction + 1) - transit_first_wire(l, 0, direction));
    for (uint64_t r = 0; r < set; r++)
        wires += transit_first_wire(l, r, direction + 1) - transit_first_wire(l, r, direction);
    return wires;
}

/* Number of wires from one tree node to one unit tree. */
static uint64_t arrivals_of(const transit_layer *l, unsigned direction) {
    const transit_aim *aim = &l->aim[direction];
    return set_wires(l, direction) * transit_size(l->units) * transit_size(aim->groups) /
           transit_size(aim->units);
}

static void draw_arrivals(wiring *w, const transit_aim *aim, uint64_t arrivals, uint64_t before) {
    uint64_t inner = transit_size(aim->set);
    const transit_deal_range wires = {before, before + arrivals};
    for (uint64_t u = 0; u < w->unit.places; u++) {
        transit_dealer_start(&w->router, inner, w->t->ask.dilation, wires);
        for (uint64_t j = 0; j < arrivals; j++)
            w->arrival[u * arrivals + j] =
                deal_input(w->t, &w->router) + (uint32_t)(u * inner << w->t->port_bits);
    }
}

/* One direction of the layer, from tree node v; `target` is the first target router. */
typedef struct leaving {
    const transit_layer *l;
    unsigned direction;
    uint64_t v, target;
} leaving;

static void deal_node(wiring *w, const leaving *from) {
    const transit_layer *l = from->l;
    const transit_aim *aim = &l->aim[from->direction];
    uint64_t units = transit_size(l->units), arrivals = arrivals_of(l, from->direction);
    uint64_t groups = transit_size(aim->groups), set = transit_size(l->set),
             targets = transit_size(aim->units);
    const transit_deal_range wires = {0, arrivals * targets};
    transit_dealer_start(&w->unit, targets, w->t->ask.dilation, wires);
    draw_arrivals(w, aim, arrivals, aim->before + from->v % transit_size(aim->shared) * arrivals);
    w->strands = 0;
    for (uint64_t u = 0; u < units; u++) {
        uint64_t first = w->strands;
        for (uint64_t g = 0; g < groups; g++)
            add_routers(w, l, set_at(l, from->v * groups + g, u), set, from->direction);
        mix(w, first);
    }
    for (uint64_t i = 0; i < w->strands; i++)
        for (unsigned k = 0; k < w->bundle[i].wires; k++) {
            uint64_t arrival = w->unit.dealt / targets, unit = transit_deal(&w->unit);
            put(w->t, w->bundle[i].link + k, w->arrival[unit * arrivals + arrival]);
        }
}

/* The most runs of the bundle that lead to the same routers. */
static uint32_t most_alike(wiring *w) {
    unsigned run = w->t->ask.dilation;
    uint32_t place[TRANSIT_DILATION_MAX], most = 0;
    transit_sets_clear(&w->sets, w->unit.end / run);
    for (uint64_t i = 0; i < w->strands; i++)
        for (unsigned k = 0; k < w->bundle[i].wires; k += run) {
            for (unsigned j = 0; j < run; j++)
                place[j] = transit_wire_of(w->t, w->bundle[i].link + k + j) >> w->t->port_bits;
            uint32_t count = transit_sets_add(&w->sets, transit_set_key(place, run));
            if (count > most) most = count;
        }
    return most;
}

static void wire_node(wiring *w, const leaving *from) {
    const transit_aim *aim = &from->l->aim[from->direction];
    unsigned run = w->t->ask.dilation;
    uint64_t places = transit_size(aim->set) * transit_size(aim->units);
    w->stream = bough_stream_make(w->key, BOUGH_DRAW_WIRING, from->target, 1 + from->v);
    deal_node(w, from);
    if (w->t->ask.wires == TRANSIT_CHECKED && run > 1) {
        uint32_t limit = transit_sets_limit(w->unit.end / run, places, run);
        for (unsigned tries = 1; limit != UINT32_MAX && most_alike(w) > limit; tries++) {
            if (tries % NODE_TRIES == 0) limit++;
            deal_node(w, from);
        }
    }
    w->strands = 0;
}

static uint64_t leaving_nodes(const transit_layer *l, unsigned direction) {
    return l->count / transit_size(l->served) / transit_size(l->aim[direction].groups);
}

/* One direction of a layer, from some tree nodes. */
static void wire_leaving(wiring *w, const transit_layer *l, unsigned d, bough_range nodes) {
    const transit_aim *aim = &l->aim[d];
    const transit_layer *to = &w->t->layer[aim->layer];
    for (uint64_t v = nodes.first; v < nodes.first + nodes.count; v++) {
        uint64_t position = transit_quotient(v * transit_size(aim->groups), aim->drop) * aim->times +
                            (aim->times > 1 ? d : 0);
        const leaving from = {l, d, v, to->node + set_at(to, position, 0)};
        wire_node(w, &from);
    }
}

/* ---- all ---- */

typedef struct sizes {
    uint64_t reach, places, arrivals, strands; /* the largest */
} sizes;

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static sizes sizes_of(const transit *t) {
    sizes s = {0};
    for (unsigned i = 0; i < t->layers; i++)
        for (unsigned d = 0; d < t->layer[i].directions; d++) {
            const transit_layer *l = &t->layer[i];
            const transit_aim *aim = &l->aim[d];
            uint64_t inner = transit_size(aim->set), units = transit_size(aim->units);
            uint64_t set = transit_size(l->set);
            s.reach = larger(s.reach, inner * units);
            s.places = larger(s.places, larger(inner, units));
            s.strands =
                larger(s.strands, aim->leaves ? set * transit_size(l->units) * transit_size(aim->groups)
                                              : set * transit_size(aim->drop));
            if (aim->leaves) s.arrivals = larger(s.arrivals, arrivals_of(l, d) * units);
        }
    return s;
}

/* Where all processors of a full tree lead to one router, and from the last layer to one processor: these
 * wires are not stored. */
static void set_wired(transit *t) {
    const transit_layer *last = &t->layer[t->layers - 1];
    bool one = t->ask.leaf == 1 && transit_size(t->layer[1].set) == 1;
    t->wired_from = one ? t->layer[1].link : 0;
    t->wired = last->link - t->wired_from;
}

/* The array of the wires. */
static bough_status make_wires(transit *t, const sizes *s, bough_error *error) {
    set_wired(t);
    bool few = s->reach << t->port_bits <= UINT64_C(1) << 16;
    if (s->reach << t->port_bits > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "transit: a direction leads to more than 2^32 ports");
    uint64_t size = few ? sizeof *t->wire16 : sizeof *t->wire32;
    bough_status status = bough_memory_check(bough_mul(t->wired, size), "the wiring", error);
    if (!status && few) status = bough_alloc(&t->wire16, t->wired, size, error);
    if (!status && !few) status = bough_alloc(&t->wire32, t->wired, size, error);
    return status;
}

/* The space of one thread. */
static bough_status make_space(wiring *w, const sizes *s, bough_error *error) {
    const transit_ask *ask = &w->t->ask;
    /* threads write them often */
    const uint64_t places = s->places + THREAD_APART / sizeof *w->router.place;
    bough_status status = bough_alloc(&w->router.place, places, sizeof *w->router.place, error);
    TRY(bough_alloc(&w->unit.place, places, sizeof *w->unit.place, error));
    TRY(bough_alloc(&w->arrival, s->arrivals, sizeof *w->arrival, error));
    TRY(bough_alloc(&w->bundle, s->strands, sizeof *w->bundle, error));
    if (ask->wires == TRANSIT_CHECKED)
        TRY(transit_sets_init(&w->sets, larger(s->strands, s->places) * ask->radix, error));
    w->router.wires = w->unit.wires = ask->wires;
    w->router.stream = w->unit.stream = &w->stream;
    w->router.sets = &w->sets;
    return status;
}

static void free_space(wiring *w) {
    transit_sets_fini(&w->sets);
    FREE_ALL(w->router.place, w->unit.place, w->arrival, w->bundle);
}

/* Distributions that a thread makes at a time: each has draws of its own. */
typedef struct task {
    const transit_layer *l;
    bool leaves; /* tree nodes of a direction; else sets */
    unsigned direction;
    bough_range range;
} task;

typedef struct wiring_tasks {
    wiring *space; /* per thread */
    task *task;
    size_t count, capacity;
} wiring_tasks;

enum { TASKS = 64 }; /* of a direction, or of a layer, at most */

static bough_status add_tasks(wiring_tasks *all, task of, uint64_t count, bough_error *error) {
    uint64_t parts = count < TASKS ? count : TASKS;
    bough_status status =
        bough_grow(&all->task, &all->capacity, all->count + parts, sizeof *all->task, error);
    for (uint64_t i = 0; i < parts && !status; i++) {
        uint64_t first = team_part(count, parts, i);
        of.range = (bough_range){first, team_part(count, parts, i + 1) - first};
        all->task[all->count++] = of;
    }
    return status;
}

/* First those of the topmost layers, where one distribution has the most wires. */
static bough_status list_tasks(wiring_tasks *all, const transit *t, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (unsigned i = t->layers; i-- > 1 && !status;) {
        const transit_layer *l = &t->layer[i];
        for (unsigned d = 0; d < l->directions && !status; d++)
            if (l->aim[d].leaves)
                status = add_tasks(all, (task){l, true, d, {0, 0}}, leaving_nodes(l, d), error);
    }
    for (unsigned i = t->wired_from ? 2 : 1; i < t->layers && !status; i++) {
        const transit_layer *l = &t->layer[i];
        status = add_tasks(all, (task){l, false, 0, {0, 0}}, l->count / transit_size(l->set), error);
    }
    return status;
}

static void run_task(void *context, unsigned worker, uint64_t i) {
    const wiring_tasks *all = context;
    const task *k = &all->task[i];
    if (k->leaves)
        wire_leaving(&all->space[worker], k->l, k->direction, k->range);
    else
        wire_layer(&all->space[worker], k->l, k->range.first, k->range.first + k->range.count);
}

bough_status transit_wire(transit *t, uint64_t key, unsigned threads, bough_error *error) {
    enum { WORTH = 1 << 16 }; /* wires of a thread, at least */
    wiring_tasks all = {0};
    const sizes s = sizes_of(t);
    bough_status status = make_wires(t, &s, error);
    if (threads > t->wired / WORTH) threads = (unsigned)(t->wired / WORTH);
    if (threads < 1) threads = 1;
    TRY(list_tasks(&all, t, error));
    TRY(bough_alloc(&all.space, threads, sizeof *all.space, error));
    for (unsigned i = 0; i < threads && !status; i++) {
        all.space[i] = (wiring){.t = t, .key = bough_key_make(key, 0)};
        status = make_space(&all.space[i], &s, error);
    }
    if (!status) team_loop(threads, all.count, run_task, &all);
    for (unsigned i = 0; i < threads && all.space; i++) free_space(&all.space[i]);
    FREE_ALL(all.space, all.task);
    return status;
}
