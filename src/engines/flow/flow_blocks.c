/* What threads divide within an instant. The messages of a block are independent of each other in two of
 * their steps: a path depends on the message only, unless the routing reads loads, and a flow that is alone
 * on its links leaves them without touching another. Other flows enter and leave the lists of their links in
 * order, but lists are independent: each thread serves a section of the links. Everything else is done in the
 * order of the messages. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/flow/flow_state.h"

#include <string.h>

bough_status flow_blocks_workers(flow_engine *e, unsigned workers, bough_error *error) {
    size_t capacity = e->workers;
    bough_status status = bough_grow(&e->paths, &capacity, workers, sizeof *e->paths, error);
    while (e->workers < workers && !status) {
        status = flow_paths_init(&e->paths[e->workers], e->routing, &e->share, error);
        e->workers++;
    }
    return status;
}

/* ---- loops ---- */

static void each_step(flow_engine *e, uint32_t count,
                      void (*step)(void *context, unsigned worker, uint64_t i)) {
    e->block->count = count;
    team_each(count < e->in.few ? NULL : e->in.team, (count + FLOW_STEP - 1) / FLOW_STEP, step, e);
}

static uint32_t end_of(const flow_engine *e, uint64_t step) {
    uint64_t end = (step + 1) * FLOW_STEP;
    return end < e->block->count ? (uint32_t)end : e->block->count;
}

/* ---- paths ---- */

static void find_on(const flow_paths *paths, const bough_message *b, message_links *l) {
    l->end = flow_paths_draw(paths, b, l->path, &l->hops, &l->at);
    l->count = l->hops;
}

void flow_find_path(flow_engine *e, const bough_message *b, message_links *l) {
    find_on(&e->paths[0], b, l);
}

static void find_some(void *context, unsigned worker, uint64_t step) {
    flow_engine *e = context;
    for (uint32_t i = (uint32_t)step * FLOW_STEP; i < end_of(e, step); i++)
        find_on(&e->paths[worker], &e->block->message[i], &e->block->links[i]);
}

void flow_find_paths(flow_engine *e, uint32_t count) {
    for (uint32_t i = 0; i < count && !e->in.team; i++)
        find_on(&e->paths[0], &e->block->message[i], &e->block->links[i]);
    if (e->in.team) each_step(e, count, find_some);
}

/* ---- lists of links ---- */

/* Every thread looks at all crossings of a block to find those of its section, so there are as many sections
 * as threads that have time. first: steps before those of the sections. */
static void each_section(flow_engine *e, uint32_t count, unsigned first,
                         void (*step)(void *context, unsigned worker, uint64_t i)) {
    e->block->sections = count < e->in.few ? 1 : team_free(e->in.team);
    team_each(e->block->sections == 1 ? NULL : e->in.team, first + e->block->sections, step, e);
}

static void place_some(void *context, unsigned worker, uint64_t step) {
    flow_engine *e = context;
    (void)worker;
    for (uint32_t i = (uint32_t)step * FLOW_STEP; i < end_of(e, step); i++) {
        const struct flow_entry *m = &e->block->entering[i];
        if (m->links) max_min_place(&e->share, m->slot, m->links->path, NULL);
    }
}

static void attach_some(void *context, unsigned worker, uint64_t i) {
    flow_engine *e = context;
    const max_min_section section = {(uint32_t)i, e->block->sections};
    (void)worker;
    for (uint32_t k = 0; k < e->block->entered; k++)
        max_min_attach(&e->share, e->block->entering[k].slot, section);
}

void flow_blocks_attach(flow_engine *e) {
    each_step(e, e->block->entered, place_some);
    each_section(e, e->block->entered, 0, attach_some);
    e->block->entered = 0;
}

void flow_carry(flow_engine *e, uint32_t slot, max_min_section section) {
    const max_min_flow *g = &e->share.flow[slot];
    const double bits = 8 * (double)e->message[slot].bytes;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) {
        uint32_t link = e->share.crossing[c].link;
        if (!max_min_has(section, link)) continue;
        const double share = e->o.spray ? (double)max_min_weight(&e->share, c) / (double)FLOW_WHOLE : 1;
        e->carried[link] += bits * share;
    }
}

static void leave_alone(void *context, unsigned worker, uint64_t step) {
    flow_engine *e = context;
    (void)worker;
    for (uint32_t i = (uint32_t)step * FLOW_STEP; i < end_of(e, step); i++) {
        uint32_t slot = e->block->slot[i];
        message *m = &e->message[slot];
        if (!m->flows || !max_min_leave_alone(&e->share, slot)) continue;
        flow_carry(e, slot, MAX_MIN_ALL_LINKS);
        m->flows = false;
        m->left_links = true;
    }
}

void flow_blocks_take(flow_engine *e) {
    const uint32_t most = e->in.team ? FLOW_BLOCK : FLOW_ALONE;
    e->block->due = flow_queue_take(&e->next, e->now, e->block->next, most);
}

/* Step 0 takes the next block, the others are sections. */
static void detach_some(void *context, unsigned worker, uint64_t i) {
    flow_engine *e = context;
    const flow_block *b = e->block;
    const max_min_section section = {(uint32_t)i - 1, b->sections};
    (void)worker;
    if (i == 0) {
        flow_blocks_take(e);
        return;
    }
    for (uint32_t k = 0; k < b->count; k++) {
        if (!e->message[b->slot[k]].flows) continue;
        flow_carry(e, b->slot[k], section);
        max_min_detach(&e->share, b->slot[k], section);
    }
}

void flow_blocks_detach(flow_engine *e, uint32_t count) {
    bool stay = false;
    each_step(e, count, leave_alone);
    for (uint32_t i = 0; i < count && !stay; i++) stay = e->message[e->block->slot[i]].flows;
    if (!stay) {
        flow_blocks_take(e);
        return;
    }
    each_section(e, count, 1, detach_some);
    for (uint32_t i = 0; i < count; i++) {
        message *m = &e->message[e->block->slot[i]];
        m->left_links = m->left_links || m->flows;
        m->flows = false;
    }
}

/* ---- two runs beside each other ---- */

void flow_blocks_help_other(const flow_engine *e) {
    const flow_input *in = &e->in;
    atomic_store_explicit(in->done, e->t.arrived, memory_order_relaxed);
    if (e->t.arrived >= atomic_load_explicit(in->done_beside, memory_order_relaxed)) team_help(in->team);
}
