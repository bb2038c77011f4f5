/* The timed engine as one that stops and goes on: batches and streams. */
#include "engines/packet/packet_timed_state.h"

sim_engine *packet_timed_engine(packet_timed *e) {
    return &e->base;
}

packet_timed *packet_timed_of(sim_engine *base) {
    return (packet_timed *)base;
}

static void destroy(sim_engine *base) {
    packet_timed_destroy((engine *)base);
}

static void start(sim_engine *base, bough_key key, bough_source *source) {
    engine *e = (engine *)base;
    timed_clear(e);
    e->stops = true;
    e->key = key;
    e->seen = NULL;
    e->source = source;
    e->next_offer = source->next_time(source);
}

static bough_status advance(sim_engine *base, sim_advance *part, bough_error *error) {
    engine *e = (engine *)base;
    e->error = error;
    e->outs = 0;
    while (base->now < part->until && e->outs < part->want && !e->status) {
        const uint64_t time = timed_next(e);
        if (time == BOUGH_NONE) break;
        if (time < part->until) timed_instant(e, time);
        base->now = time < part->until ? time : part->until;
    }
    base->moves = e->t.crossings;
    part->deliveries = e->out;
    part->count = e->outs;
    return e->status;
}

/* The part of `busy` that lies ahead. */
static uint64_t busy_ahead(const engine *e, const timed_link *l) {
    return l->until > e->base.now ? l->until - e->base.now : 0;
}

static void reset(sim_engine *base) {
    engine *e = (engine *)base;
    e->reset_at = base->now;
    for (uint64_t l = 0; l < e->net->links; l++) e->link[l].busy = busy_ahead(e, &e->link[l]);
    e->t.packets = e->t.queue_max = e->t.wait_max = 0;
    e->t.wait = 0;
}

static void tally(const sim_engine *base, sim_tally *t) {
    const engine *e = (const engine *)base;
    *t = (sim_tally){.cycles = base->now - e->reset_at};
    for (uint64_t l = 0; l < e->net->links; l++) {
        const unsigned kind = sim_kind(e->net, l);
        t->grants[kind]++; /* levels have rows where there are any */
        sim_tally_link(t, l, kind, e->link[l].busy - busy_ahead(e, &e->link[l]));
    }
}

static const sim_engine_ops ops = {destroy, start, advance, NULL, reset, tally};

void timed_set_ops(engine *e) {
    e->base.ops = &ops;
}
