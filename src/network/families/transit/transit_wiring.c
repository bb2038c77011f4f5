/* Random wiring of a transit network.
 *
 * Wires into the routers of one set are distributed in rounds, bundle by bundle. The wires of a bundle are in
 * random order, except that the two wires of one direction of a router are consecutive. In each round every
 * router gets one wire, by a random permutation. So bundles are spread as evenly as possible, all routers
 * have equally many inputs, routers of layers 2 and 3 have inputs from above and from the same level, and the
 * two wires of one direction lead to different routers: if the end of a round separates them and they would
 * lead to the same one, two places of the next round are exchanged. The input port is the number of the
 * round.
 *
 * Wires between stages are distributed twice: first from unit trees to the unit trees of the tree node, so
 * that the wires of one are spread evenly and the two wires of one direction lead to different ones; then, in
 * order of arrival, to the routers. */
#include "base/status/try.h"
#include "network/families/transit/transit.h"

#include "base/memory/memory.h"
#include "bough/random.h"

typedef struct dealer {
    uint32_t places; /* per round */
    uint64_t dealt;
    uint32_t *place; /* a permutation */
} dealer;

typedef struct wiring {
    transit *t;
    bough_key key;
    bough_stream stream;
    dealer router, unit;
    uint32_t *arrival; /* by unit and arrival: router and port */
    uint64_t *bundle;  /* first wires of the routers whose wires are distributed next */
    uint64_t routers;
} wiring;

/* Wires distributed before form whole rounds, or belong to the same distribution. */
static void start(dealer *d, uint64_t places, uint64_t before) {
    d->places = (uint32_t)places;
    d->dealt = before;
}

/* Durstenfeld's shuffle, inside-out variant. */
static void draw_round(wiring *w, dealer *d) {
    uint32_t n = d->places, last = d->place[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (uint32_t)bough_stream_below(&w->stream, i + 1);
        d->place[i] = d->place[k];
        d->place[k] = i;
    }
    if (d->dealt % 2 == 0 || d->place[0] != last) return; /* no pair of wires is separated */
    uint32_t k = 1 + (uint32_t)bough_stream_below(&w->stream, n - 1);
    d->place[0] = d->place[k];
    d->place[k] = last;
}

/* The router, or unit, of the next wire. */
static uint32_t deal_place(wiring *w, dealer *d) {
    uint32_t at = (uint32_t)(d->dealt % d->places);
    if (at == 0 && d->places > 1) draw_round(w, d);
    d->dealt++;
    return d->places > 1 ? d->place[at] : 0;
}

/* Router and input port. */
static uint32_t deal_input(wiring *w, dealer *d) {
    uint32_t port = (uint32_t)(d->dealt / d->places);
    return deal_place(w, d) << TRANSIT_PORT_BITS | port;
}

static void put(transit *t, uint64_t link, uint32_t input) {
    if (t->wire16)
        t->wire16[link - t->wired_from] = (uint16_t)input;
    else
        t->wire32[link - t->wired_from] = input;
}

/* ---- bundles ---- */

/* Adds `count` consecutive routers of a layer: their wires of one direction. */
static void add_routers(wiring *w, const transit_layer *l, uint64_t router, uint64_t count,
                        unsigned direction) {
    uint64_t fan = transit_size(l->fan), link = l->link + router * fan + (uint64_t)direction * l->dilation;
    for (uint64_t r = 0; r < count; r++) w->bundle[w->routers++] = link + r * fan;
}

/* Shuffles the routers from `first` on. */
static void mix(wiring *w, uint64_t first) {
    for (uint64_t i = w->routers; i > first + 1; i--) {
        uint64_t k = first + bough_stream_below(&w->stream, i - first), link = w->bundle[i - 1];
        w->bundle[i - 1] = w->bundle[k];
        w->bundle[k] = link;
    }
}

static uint64_t set_at(const transit_layer *l, uint64_t position, uint64_t unit) {
    return ((position << l->unit_shift) + unit) * transit_size(l->set);
}

/* ---- inside stacks ---- */

static void deal_bundle(wiring *w, unsigned dilation) {
    mix(w, 0);
    for (uint64_t r = 0; r < w->routers; r++)
        for (unsigned k = 0; k < dilation; k++) put(w->t, w->bundle[r] + k, deal_input(w, &w->router));
    w->routers = 0;
}

/* Wires from the previous layer: its position at / times, direction at % times. */
static void deal_above(wiring *w, const transit_layer *l, uint64_t position, uint64_t unit) {
    uint64_t times = l->aim[0].times;
    add_routers(w, l, set_at(l, position / times, unit), transit_size(l->set), (unsigned)(position % times));
    deal_bundle(w, l->dilation);
}

/* Wires that cross over from the up layer of the unit tree. */
static void deal_across(wiring *w, const transit_layer *up, unsigned direction, uint64_t position,
                        uint64_t unit) {
    uint64_t groups = UINT64_C(1) << up->aim[direction].drop;
    for (uint64_t g = 0; g < groups; g++)
        add_routers(w, up, set_at(up, position * groups + g, unit), transit_size(up->set), direction);
    deal_bundle(w, up->dilation);
}

static void wire_layer(wiring *w, unsigned to) {
    const transit *t = w->t;
    const transit_layer *l = &t->layer[to], *above = NULL, *up = NULL;
    for (unsigned i = 0; i < t->layers; i++) {
        const transit_layer *from = &t->layer[i];
        if (from->kind == TRANSIT_UP && from->stage == l->stage) up = from;
        if (from->kind != TRANSIT_UP && from->aim[0].layer == to && !from->aim[0].leaves) above = from;
    }
    uint64_t set = transit_size(l->set), units = UINT64_C(1) << l->unit_shift, sets = l->count / set;
    for (uint64_t s = 0; s < sets; s++) {
        w->stream = bough_stream_make(w->key, BOUGH_DRAW_WIRING, l->node + s * set, 0);
        start(&w->router, set, above ? 0 : up->aim[l->number - 1].before);
        if (above) deal_above(w, above, s / units, s % units);
        if (up) deal_across(w, up, l->number - 1u, s / units, s % units);
    }
}

/* ---- between stacks ---- */

/* Number of wires from one tree node to one unit tree. */
static uint64_t arrivals_of(const transit_layer *l, const transit_aim *aim) {
    uint64_t wires = (transit_size(l->set) * l->dilation) << (l->unit_shift + aim->groups_shift);
    return wires >> aim->unit_shift;
}

static void draw_arrivals(wiring *w, const transit_aim *aim, uint64_t arrivals, uint64_t before) {
    uint64_t inner = transit_size(aim->set);
    for (uint64_t u = 0; u < w->unit.places; u++) {
        start(&w->router, inner, before);
        for (uint64_t j = 0; j < arrivals; j++)
            w->arrival[u * arrivals + j] =
                deal_input(w, &w->router) + (uint32_t)(u * inner << TRANSIT_PORT_BITS);
    }
}

/* The wires of a direction of tree node v, whose first target is router `target`. */
static void wire_node(wiring *w, const transit_layer *l, uint64_t v, unsigned direction, uint64_t target) {
    const transit_aim *aim = &l->aim[direction];
    uint64_t set = transit_size(l->set), units = UINT64_C(1) << l->unit_shift, arrivals = arrivals_of(l, aim);
    uint64_t groups = UINT64_C(1) << aim->groups_shift, sharers = UINT64_C(1) << aim->shared_shift;
    w->stream = bough_stream_make(w->key, BOUGH_DRAW_WIRING, target, 1 + v);
    start(&w->unit, UINT64_C(1) << aim->unit_shift, 0);
    draw_arrivals(w, aim, arrivals, aim->before + v % sharers * arrivals);
    for (uint64_t u = 0; u < units; u++) {
        uint64_t first = w->routers;
        for (uint64_t g = 0; g < groups; g++) add_routers(w, l, set_at(l, v * groups + g, u), set, direction);
        mix(w, first);
    }
    for (uint64_t i = 0; i < w->routers * l->dilation; i++) {
        uint64_t arrival = w->unit.dealt >> aim->unit_shift, unit = deal_place(w, &w->unit);
        put(w->t, w->bundle[i / l->dilation] + i % l->dilation, w->arrival[unit * arrivals + arrival]);
    }
    w->routers = 0;
}

static void wire_leaving(wiring *w, const transit_layer *l) {
    for (unsigned d = 0; d < l->directions; d++) {
        const transit_aim *aim = &l->aim[d];
        if (!aim->leaves) continue;
        const transit_layer *to = &w->t->layer[aim->layer];
        uint64_t nodes = l->count / transit_size(l->set) >> (l->unit_shift + aim->groups_shift);
        for (uint64_t v = 0; v < nodes; v++) {
            uint64_t position =
                ((v << aim->groups_shift) >> aim->drop) * aim->times + (aim->times > 1 ? d : 0);
            wire_node(w, l, v, d, to->node + set_at(to, position, 0));
        }
    }
}

/* ---- all ---- */

typedef struct sizes {
    uint64_t reach, places, arrivals, routers; /* the largest */
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
            uint64_t inner = transit_size(aim->set), units = UINT64_C(1) << aim->unit_shift;
            uint64_t set = transit_size(l->set);
            s.reach = larger(s.reach, inner * units);
            s.places = larger(s.places, larger(inner, units));
            s.routers = larger(s.routers,
                               aim->leaves ? set << (l->unit_shift + aim->groups_shift) : set << aim->drop);
            if (aim->leaves) s.arrivals = larger(s.arrivals, arrivals_of(l, aim) * units);
        }
    return s;
}

/* All processors of a full tree lead to one router, and the last layer to one processor: these wires are not
 * stored. */
static void set_wired(transit *t) {
    const transit_layer *last = &t->layer[t->layers - 1];
    t->wired_from = t->leaf == 1 ? t->layer[1].link : 0;
    t->wired = last->link - t->wired_from;
}

static bough_status make_space(wiring *w, bough_error *error) {
    transit *t = w->t;
    sizes s = sizes_of(t);
    set_wired(t);
    bool few = s.reach << TRANSIT_PORT_BITS <= UINT64_C(1) << 16;
    uint64_t size = few ? sizeof *t->wire16 : sizeof *t->wire32;
    bough_status status = bough_memory_check(bough_mul(t->wired, size), "the wiring", error);
    if (!status && few) status = bough_alloc(&t->wire16, t->wired, size, error);
    if (!status && !few) status = bough_alloc(&t->wire32, t->wired, size, error);
    TRY(bough_alloc(&w->router.place, s.places, sizeof *w->router.place, error));
    TRY(bough_alloc(&w->unit.place, s.places, sizeof *w->unit.place, error));
    TRY(bough_alloc(&w->arrival, s.arrivals, sizeof *w->arrival, error));
    TRY(bough_alloc(&w->bundle, s.routers, sizeof *w->bundle, error));
    return status;
}

bough_status transit_wire(transit *t, uint64_t key, bough_error *error) {
    wiring w = {.t = t, .key = bough_key_make(key, 0)};
    bough_status status = make_space(&w, error);
    if (!status) {
        for (unsigned i = t->leaf == 1 ? 2 : 1; i < t->layers; i++)
            if (t->layer[i].kind != TRANSIT_UP) wire_layer(&w, i);
        for (unsigned i = 1; i < t->layers; i++) wire_leaving(&w, &t->layer[i]);
    }
    FREE_ALL(w.router.place, w.unit.place, w.arrival, w.bundle);
    return status;
}
