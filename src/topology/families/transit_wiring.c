/* The wiring of a transit network, drawn from its own key.
 *
 * Wires into the routers of one set are dealt out in rounds. In a round every router gets one wire; which one
 * is a random permutation. So bundles are spread as evenly as numbers allow, every router has as many inputs
 * as every other, those of layers 2 and 3 are from above and from beside, and the two wires of one direction,
 * which follow each other, come to different routers: where the end of a round parts them and they would
 * meet, two places of the next round change.
 *
 * Wires between stages are dealt twice: to the unit trees of the tree node, so that those of one unit tree
 * come to all of them alike and the two of one direction to different ones; then, in the order in which they
 * come there, to its routers. */
#include "topology/families/transit.h"

#include "base/memory.h"
#include "bough/random.h"

#include <stdlib.h>

/* The places of one round. */
typedef struct dealer {
    bough_stream stream;
    uint32_t places, next;
    uint64_t dealt;
    uint32_t *place; /* a permutation */
} dealer;

typedef struct wiring {
    transit *t;
    bough_key key;
    uint32_t *place, *unit_place; /* of a dealer; and of another */
    uint32_t *router;             /* by unit and arrival */
} wiring;

static dealer deal(const wiring *w, uint64_t node, uint64_t occasion, uint64_t places, uint32_t *place) {
    return (dealer){.stream = bough_stream_make(w->key, BOUGH_DRAW_WIRING, node, occasion),
                    .places = (uint32_t)places,
                    .next = (uint32_t)places,
                    .place = place};
}

static void shuffle(dealer *d) {
    uint32_t n = d->places, last = d->place[n - 1];
    for (uint32_t i = 0; i < n; i++) { /* inside out: Durstenfeld */
        uint32_t k = (uint32_t)bough_stream_below(&d->stream, i + 1);
        d->place[i] = d->place[k];
        d->place[k] = i;
    }
    d->next = 0;
    if (d->dealt % 2 == 0 || d->place[0] != last) return; /* no pair of wires parted */
    uint32_t k = 1 + (uint32_t)bough_stream_below(&d->stream, n - 1);
    d->place[0] = d->place[k];
    d->place[k] = last;
}

static uint32_t next_place(dealer *d) {
    if (d->places == 1) return 0;
    if (d->next == d->places) shuffle(d);
    d->dealt++;
    return d->place[d->next++];
}

static void put(transit *t, uint64_t link, uint64_t router) {
    if (t->wire16)
        t->wire16[link - t->wired_from] = (uint16_t)router;
    else
        t->wire32[link - t->wired_from] = (uint32_t)router;
}

/* The wires of a direction of `count` routers that follow each other in a layer. */
static void deal_wires(transit *t, const transit_layer *l, uint64_t router, uint64_t count,
                       unsigned direction, dealer *d) {
    uint64_t fan = transit_size(l->fan);
    uint64_t link = l->link + router * fan + (uint64_t)direction * l->dilation;
    for (uint64_t r = 0; r < count; r++, link += fan)
        for (unsigned k = 0; k < l->dilation; k++) put(t, link + k, next_place(d));
}

static uint64_t stack_set(const transit_layer *l, uint64_t position, uint64_t unit) {
    return ((position << l->unit_shift) + unit) * transit_size(l->set);
}

/* ---- inside stacks ---- */

/* What comes from the layer before: its position at / times, direction at % times. */
static void deal_above(const wiring *w, unsigned from, unsigned to, uint64_t position, uint64_t unit,
                       dealer *d) {
    const transit_layer *l = &w->t->layer[from];
    const transit_aim *aim = &l->aim[0];
    if (aim->leaves || aim->layer != to) return; /* from above the stack: dealt elsewhere */
    uint64_t times = aim->times, source = position / times;
    deal_wires(w->t, l, stack_set(l, source, unit), transit_size(l->set), (unsigned)(position % times), d);
}

/* What crosses over from the up layer of the unit tree, after `before` places that others have. */
static void deal_across(const wiring *w, unsigned to, uint64_t position, uint64_t unit, dealer *d) {
    const transit_layer *down = &w->t->layer[to];
    unsigned direction = down->number - 1u;
    const transit_layer *up = w->t->layer;
    while (up->kind != TRANSIT_UP || up->stage != down->stage) up++;
    uint64_t groups = UINT64_C(1) << 2 * direction;
    for (uint64_t g = 0; g < groups; g++)
        deal_wires(w->t, up, stack_set(up, position * groups + g, unit), transit_size(up->set), direction, d);
}

static void wire_layer(const wiring *w, unsigned to) {
    const transit_layer *l = &w->t->layer[to];
    uint64_t set = transit_size(l->set), units = UINT64_C(1) << l->unit_shift, sets = l->count / set;
    if (set == 1) return;
    unsigned from = l->kind == TRANSIT_ENTRY ? 0 : to - 1;
    if (l->kind == TRANSIT_DOWN && !l->stage && l->number == 2)
        while (w->t->layer[from].kind != TRANSIT_ENTRY) from--;
    for (uint64_t s = 0; s < sets; s++) {
        dealer d = deal(w, l->node + s * set, 0, set, w->place);
        deal_above(w, from, to, s / units, s % units, &d);
        if (l->stage) deal_across(w, to, s / units, s % units, &d);
    }
}

/* ---- between stacks ---- */

/* The wires of a direction of a tree node, unit tree by unit tree; target: the first router they can lead to.
 */
static void wire_node(const wiring *w, const transit_layer *l, uint64_t position, unsigned direction,
                      uint64_t target, uint64_t arrivals) {
    transit *t = w->t;
    const transit_aim *aim = &l->aim[direction];
    uint64_t set = transit_size(l->set), fan = transit_size(l->fan), inner = transit_size(aim->set);
    uint64_t units = UINT64_C(1) << l->unit_shift, groups = UINT64_C(1) << aim->groups_shift;
    dealer unit = deal(w, target, 1 + position, UINT64_C(1) << aim->unit_shift, w->unit_place);
    for (uint64_t u = 0; u < unit.places; u++) {
        dealer router = deal(w, target + u * inner, (1 + position) << 32, inner, w->place);
        for (uint64_t j = 0; j < arrivals; j++) w->router[u * arrivals + j] = next_place(&router);
    }
    uint64_t i = 0;
    for (uint64_t u = 0; u < units; u++)
        for (uint64_t g = 0; g < groups; g++)
            for (uint64_t r = 0; r < set * l->dilation; r++, i++) {
                uint64_t from = (((position * groups + g) << l->unit_shift) + u) * set + r / l->dilation;
                uint64_t to = next_place(&unit), arrival = i >> aim->unit_shift;
                put(t, l->link + from * fan + direction * (uint64_t)l->dilation + r % l->dilation,
                    to * inner + w->router[to * arrivals + arrival]);
            }
}

static uint64_t arrivals_of(const transit_layer *l, const transit_aim *aim) {
    uint64_t wires = (transit_size(l->set) * l->dilation) << (l->unit_shift + aim->groups_shift);
    return wires >> aim->unit_shift;
}

static void wire_leaving(const wiring *w, const transit_layer *l) {
    for (unsigned d = 0; d < l->directions; d++) {
        const transit_aim *aim = &l->aim[d];
        if (!aim->leaves) continue;
        const transit_layer *to = &w->t->layer[aim->layer];
        uint64_t reach = transit_size(to->set) << to->unit_shift;
        uint64_t nodes = l->count / transit_size(l->set) >> (l->unit_shift + aim->groups_shift);
        for (uint64_t v = 0; v < nodes; v++) {
            uint64_t position =
                ((v << aim->groups_shift) >> aim->drop) * aim->times + (aim->times > 1 ? d : 0);
            wire_node(w, l, v, d, to->node + position * reach, arrivals_of(l, aim));
        }
    }
}

/* ---- all ---- */

typedef struct sizes {
    uint64_t reach, places, arrivals; /* the largest */
} sizes;

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static sizes sizes_of(const transit *t) {
    sizes s = {0};
    for (unsigned i = 0; i < t->layers; i++)
        for (unsigned d = 0; d < t->layer[i].directions; d++) {
            const transit_aim *aim = &t->layer[i].aim[d];
            uint64_t inner = transit_size(aim->set), units = UINT64_C(1) << aim->unit_shift;
            s.reach = larger(s.reach, inner * units);
            s.places = larger(s.places, larger(inner, units));
            if (aim->leaves) s.arrivals = larger(s.arrivals, arrivals_of(&t->layer[i], aim) * units);
        }
    return s;
}

/* Processors lead to one router in a full tree, the last layer to one processor: no choice, nothing kept. */
static void set_wired(transit *t) {
    const transit_layer *first = &t->layer[0], *last = &t->layer[t->layers - 1];
    t->wired_from = transit_size(first->aim[0].set) == 1 ? t->layer[1].link : 0;
    t->wired = last->link > t->wired_from ? last->link - t->wired_from : 0;
}

bough_status transit_wire(transit *t, uint64_t key, bough_error *error) {
    sizes s = sizes_of(t);
    wiring w = {.t = t, .key = bough_key_make(key, 0)};
    set_wired(t);
    uint64_t size = s.reach > UINT16_MAX + 1 ? sizeof *t->wire32 : sizeof *t->wire16;
    bough_status status = bough_memory_check(bough_mul(t->wired, size), "the wiring", error);
    if (!status && size == sizeof *t->wire16) status = bough_alloc(&t->wire16, t->wired, size, error);
    if (!status && size == sizeof *t->wire32) status = bough_alloc(&t->wire32, t->wired, size, error);
    if (!status) status = bough_alloc(&w.place, s.places, sizeof *w.place, error);
    if (!status) status = bough_alloc(&w.unit_place, s.places, sizeof *w.unit_place, error);
    if (!status) status = bough_alloc(&w.router, s.arrivals, sizeof *w.router, error);
    if (!status) {
        for (unsigned i = 1; i < t->layers; i++)
            if (t->layer[i].kind != TRANSIT_UP) wire_layer(&w, i);
        for (unsigned i = 1; i < t->layers; i++) wire_leaving(&w, &t->layer[i]);
    }
    free(w.place);
    free(w.unit_place);
    free(w.router);
    return status;
}
