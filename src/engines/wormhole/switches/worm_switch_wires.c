/* Links with rates and delays. Flits on wires are in lists by the cycle at whose end they are in the far
 * buffer. */
#include "base/status/try.h"
#include "engines/wormhole/switches/worm_switch_state.h"

#include "base/memory/memory.h"

#define NEVER_LANDS (UINT64_C(1) << 20) /* cycles: longer transits are refused */

typedef unsigned __int128 wide;

struct switch_wires {
    switch_wire *link;
    switch_wire_use *use;    /* by channel */
    switch_flight *flight;   /* flits on wires, and unused records */
    uint32_t *first, *lands; /* flights that end with a cycle, and their number: [cycle % cycles] */
    size_t flight_capacity;
    uint32_t flights, unused, in_flight;
    uint64_t cycles;
};

static wide divide_up(wide a, wide b) {
    return (a + b - 1) / b;
}

/* Cycles of a flit, from its bits and the bits that the link carries in a cycle, both in the same unit. */
static void set_wire(const worm_options *o, const worm_wire *wire, switch_wire *s) {
    wide flit = (wide)o->flit * 8 * UINT64_C(1000000000000), cycle = (wide)wire->rate * o->tick;
    if (flit < cycle) flit = cycle; /* cycles are rounded up to whole ps */
    wide whole = divide_up(flit, cycle), delay = divide_up(wire->delay, o->tick),
         both = divide_up((wide)wire->delay + wire->onward, o->tick);
    wide storage = divide_up((whole + both) * cycle, flit) - 1;
    *s = (switch_wire){.period = (uint64_t)(flit / cycle),
                       .rest = flit % cycle,
                       .cycle = cycle,
                       .transit =
                           whole - 1 + delay < NEVER_LANDS ? (uint32_t)(whole - 1 + delay) : NEVER_LANDS,
                       .onward = (uint32_t)(both - delay < NEVER_LANDS ? both - delay : NEVER_LANDS),
                       .slots = o->buffer + (uint32_t)(storage < NEVER_LANDS ? storage : NEVER_LANDS)};
}

uint64_t switch_wires_bytes(uint64_t links, uint64_t channels, uint64_t slots) {
    return bough_add(
        bough_mul(links, sizeof(switch_wire)),
        bough_add(bough_mul(channels, sizeof(switch_wire_use)), bough_mul(slots, sizeof(switch_flight))));
}

bough_status switch_wires_make(const worm_switch *w, switch_wires **out, bough_error *error) {
    uint64_t links = w->net->links;
    switch_wires *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    *out = status ? NULL : s;
    TRY(bough_alloc(&s->link, links, sizeof *s->link, error));
    TRY(bough_alloc(&s->use, links << w->shift, sizeof *s->use, error));
    for (uint64_t l = 0; l < links && !status; l++) {
        switch_wire *wire = &s->link[l];
        set_wire(&w->o, &w->o.wires[l], wire);
        uint64_t transit = wire->transit + wire->onward;
        if (transit >= s->cycles) s->cycles = transit + 1;
        if (wire->slots > WORM_SWITCH_BUFFER || transit >= NEVER_LANDS)
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "virtual channels: the delay of a link may not exceed the time of %d flits",
                                WORM_SWITCH_BUFFER);
    }
    TRY(bough_alloc(&s->first, s->cycles, sizeof *s->first, error));
    TRY(bough_alloc(&s->lands, s->cycles, sizeof *s->lands, error));
    return status;
}

void switch_wires_free(switch_wires *s) {
    if (s) FREE_ALL(s->link, s->use, s->flight, s->first, s->lands, s);
}

void switch_wires_start(worm_switch *w) {
    switch_wires *s = w->wires;
    s->flights = s->in_flight = 0;
    s->unused = SWITCH_NONE;
    for (uint64_t i = 0; i < s->cycles; i++) s->first[i] = SWITCH_NONE, s->lands[i] = 0;
    for (uint64_t l = 0; l < w->net->links; l++) s->link[l].due = s->link[l].late = 0;
    for (uint64_t c = 0; c < w->net->links << w->shift; c++) {
        s->use[c] = (switch_wire_use){0};
        w->channel[c].credits = (uint16_t)s->link[c >> w->shift].slots;
    }
}

uint32_t switch_wire_slots(const worm_switch *w, uint32_t channel) {
    return w->wires->link[switch_link_of(w, channel)].slots;
}

bool switch_wires_empty(const worm_switch *w) {
    return w->wires->in_flight == 0;
}

uint32_t switch_wires_landing(const worm_switch *w) {
    return w->wires->lands[w->base.now % w->wires->cycles];
}

bough_status switch_wires_reserve(worm_switch *w, uint64_t more, bough_error *error) {
    switch_wires *s = w->wires;
    return bough_grow(&s->flight, &s->flight_capacity, s->flights + more, sizeof *s->flight, error);
}

void switch_wire_take(worm_switch *w, uint32_t channel, bool ends) {
    const switch_wire *wire = &w->wires->link[switch_link_of(w, channel)];
    w->wires->use[channel] = (switch_wire_use){.transit = wire->transit + (ends ? 0 : wire->onward)};
}

bool switch_wire_due(const worm_switch *w, uint32_t link) {
    const switch_wire *wire = &w->wires->link[link];
    return w->base.now >= wire->due + (wire->late > 0);
}

/* A link that starts its flits as soon as it can keeps its exact rate. */
static void set_due(switch_wire *wire, uint64_t now) {
    if (now > wire->due + (wire->late > 0)) wire->due = now, wire->late = 0;
    wire->due += wire->period;
    wire->late += wire->rest;
    if (wire->late < wire->cycle) return;
    wire->late -= wire->cycle;
    wire->due++;
}

void switch_fly(worm_switch *w, uint32_t channel) {
    switch_wires *s = w->wires;
    uint32_t flight = s->unused;
    uint64_t lands = (w->base.now + s->use[channel].transit) % s->cycles;
    if (flight != SWITCH_NONE)
        s->unused = s->flight[flight].next;
    else
        flight = s->flights++;
    s->flight[flight] = (switch_flight){channel, s->first[lands]};
    s->first[lands] = flight;
    s->lands[lands]++;
    s->use[channel].flits++;
    s->in_flight++;
    set_due(&s->link[switch_link_of(w, channel)], w->base.now);
    w->moved_last = w->base.now;
}

void switch_land(worm_switch *w) {
    switch_wires *s = w->wires;
    uint64_t slot = w->base.now % s->cycles;
    for (uint32_t f = s->first[slot], next; f != SWITCH_NONE; f = next) {
        next = s->flight[f].next;
        switch_put(&w->moved, s->flight[f].channel);
        s->flight[f].next = s->unused;
        s->unused = f;
    }
    s->in_flight -= s->lands[slot];
    s->first[slot] = SWITCH_NONE;
    s->lands[slot] = 0;
}

bool switch_wire_last(worm_switch *w, uint32_t channel) {
    return --w->wires->use[channel].flits == 0;
}
