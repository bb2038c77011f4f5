/* What threads divide within an instant. The messages of a block are independent of each other in two of
 * their steps: a path depends on the message only, unless the routing reads loads, and a flow that is alone
 * on its links leaves them without touching another. Other flows enter and leave the lists of their links in
 * order, but lists are independent: each thread serves a section of the links. Everything else is done in the
 * order of the messages. */
#include "base/memory/memory.h"
#include "base/memory/prefetch.h"
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

/* first: steps before those of the messages. */
static void each_step(flow_engine *e, uint32_t count, unsigned first,
                      void (*step)(void *context, unsigned worker, uint64_t i)) {
    thread_team *team = count < e->in.few ? NULL : flow_blocks_team(e);
    e->block->count = count;
    team_each(team, first + (count + FLOW_STEP - 1) / FLOW_STEP, step, e);
}

static uint32_t end_of(const flow_engine *e, uint64_t step) {
    uint64_t end = (step + 1) * FLOW_STEP;
    return end < e->block->count ? (uint32_t)end : e->block->count;
}

enum { AHEAD = 2 }; /* prefetch distance of messages: each has many links */

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
        if (!e->block->has[i]) find_on(&e->paths[worker], &e->block->message[i], &e->block->links[i]);
}

void flow_find_paths(flow_engine *e, uint32_t count) {
    flow_block *b = e->block;
    uint32_t others = count;
    if (e->in.takes) others = flow_path_ring_take(e->in.takes, b->message, b->links, count, b->has);
    if (others) each_step(e, count, 0, find_some);
    if (e->in.gives) flow_path_ring_give(e->in.gives, b->message, b->links, count);
}

/* ---- lists of links ---- */

/* 1: they are not divided. */
static uint32_t count_sections(const flow_engine *e, uint32_t count, uint32_t of_thread) {
    const uint32_t threads = team_free(e->in.team);
    if (count < e->in.few || threads == 1) return 1;
    return threads < FLOW_SECTIONS / of_thread ? threads * of_thread : FLOW_SECTIONS;
}

static void place_some(void *context, unsigned worker, uint64_t step) {
    flow_engine *e = context;
    (void)worker;
    for (uint32_t i = (uint32_t)step * FLOW_STEP; i < end_of(e, step); i++) {
        const struct flow_entry *m = &e->block->entering[i];
        if (m->links) max_min_place(&e->share, m->slot, m->links->path, NULL);
    }
}

/* Every thread looks at all crossings of a block to find those of its section: there is one for each that has
 * time. */
static void attach_some(void *context, unsigned worker, uint64_t i) {
    flow_engine *e = context;
    const flow_block *b = e->block;
    (void)worker;
    const uint32_t section = (uint32_t)i;
    for (uint32_t k = 0; k < b->entered + AHEAD; k++) {
        if (k < b->entered) max_min_fetch_links(&e->share, b->entering[k].slot, section, b->sections);
        if (k >= AHEAD) max_min_attach(&e->share, b->entering[k - AHEAD].slot, section, b->sections);
    }
}

void flow_blocks_attach(flow_engine *e) {
    each_step(e, e->block->entered, 0, place_some);
    e->block->sections = count_sections(e, e->block->entered, 1);
    team_each(e->in.team, e->block->sections, attach_some, e);
    e->block->entered = 0;
}

/* What a message carried is added to a link of it. */
static void carry(flow_engine *e, uint32_t crossing) {
    const max_min_crossing *x = &e->share.crossing[crossing];
    const double bits = 8 * (double)e->message[x->flow].bytes;
    const double share = e->o.spray ? (double)max_min_weight(&e->share, crossing) / (double)FLOW_WHOLE : 1;
    if (!e->known) e->share.link[x->link].carried += bits * share;
}

static void leave(flow_engine *e, uint32_t crossing) {
    carry(e, crossing);
    max_min_detach(&e->share, crossing);
}

void flow_blocks_leave(flow_engine *e, uint32_t slot) {
    const max_min_flow *g = &e->share.flow[slot];
    for (uint32_t c = g->first; c < g->first + g->hops; c++) max_min_prefetch_detach(&e->share, c);
    for (uint32_t c = g->first; c < g->first + g->hops; c++) leave(e, c);
}

static bool leave_alone(flow_engine *e, uint32_t slot) {
    const max_min_flow *g = &e->share.flow[slot];
    if (!max_min_leave_alone(&e->share, slot)) return false;
    for (uint32_t c = g->first; c < g->first + g->hops; c++) carry(e, c);
    return true;
}

/* The crossings of the messages of a step that still flow. */
static void sort_crossings(flow_engine *e, uint64_t step) {
    const max_min *f = &e->share;
    const flow_block *b = e->block;
    flow_leaving *l = &e->block->leaving[step];
    const uint32_t first = (uint32_t)step * FLOW_STEP, end = end_of(e, step);
    uint32_t count[FLOW_SECTIONS] = {0}, crossings = 0;
    for (uint32_t i = first; i < end; i++) {
        const max_min_flow *g = &f->flow[b->slot[i]];
        for (uint32_t c = g->first; c < g->first + g->hops && e->message[b->slot[i]].flows; c++)
            count[max_min_section(f->crossing[c].link, b->sections)]++;
    }
    for (uint32_t s = 0; s < b->sections; s++) {
        l->end[s] = crossings;
        crossings += count[s];
    }
    l->needs = crossings * sizeof *l->crossing;
    l->status = bough_grow(&l->crossing, &l->capacity, crossings, sizeof *l->crossing, NULL);
    for (uint32_t i = first; i < end && !l->status; i++) {
        const max_min_flow *g = &f->flow[b->slot[i]];
        for (uint32_t c = g->first; c < g->first + g->hops && e->message[b->slot[i]].flows; c++)
            l->crossing[l->end[max_min_section(f->crossing[c].link, b->sections)]++] = c;
    }
}

/* A message without data has no links. */
BOUGH_FETCHES void fetch_alone(const flow_engine *e, uint32_t slot) {
    if (e->message[slot].flows && e->share.flow[slot].alone) max_min_fetch_links(&e->share, slot, 0, 1);
}

/* Step 0 is what the caller has to do meanwhile. */
static void leave_some(void *context, unsigned worker, uint64_t step) {
    flow_engine *e = context;
    bool stay = false;
    (void)worker;
    if (step-- == 0) {
        e->block->meanwhile(e);
        return;
    }
    const uint32_t end = end_of(e, step);
    for (uint32_t i = (uint32_t)step * FLOW_STEP; i < end; i++) {
        message *m = &e->message[e->block->slot[i]];
        if (i + AHEAD < end) fetch_alone(e, e->block->slot[i + AHEAD]);
        if (!m->flows) continue;
        m->flows = !leave_alone(e, e->block->slot[i]);
        m->left_links = !m->flows;
        stay = stay || m->flows;
    }
    flow_leaving *l = &e->block->leaving[step];
    l->status = BOUGH_OK;
    memset(l->end, 0, e->block->sections * sizeof *l->end);
    if (stay && e->block->sections > 1) sort_crossings(e, step);
}

void flow_blocks_take(flow_engine *e) {
    e->block->due = flow_queue_take(&e->next, e->now, e->block->next, flow_blocks_size(e));
}

enum { NEAR = 8 }; /* prefetch distance of crossings */

/* Step 0 takes the next block, the others are sections. */
static void detach_some(void *context, unsigned worker, uint64_t i) {
    flow_engine *e = context;
    const flow_block *b = e->block;
    (void)worker;
    if (i-- == 0) {
        flow_blocks_take(e);
        return;
    }
    for (uint32_t s = 0; s * FLOW_STEP < b->count; s++) {
        const flow_leaving *l = &b->leaving[s];
        const uint32_t end = l->end[i];
        for (uint32_t k = i ? l->end[i - 1] : 0; k < end; k++) {
            if (k + NEAR < end) max_min_prefetch_detach(&e->share, l->crossing[k + NEAR]);
            leave(e, l->crossing[k]);
        }
    }
}

static void detach_alone(flow_engine *e) {
    for (uint32_t k = 0; k < e->block->count; k++)
        if (e->message[e->block->slot[k]].flows) flow_blocks_leave(e, e->block->slot[k]);
    flow_blocks_take(e);
}

bough_status flow_blocks_detach(flow_engine *e, uint32_t count, void (*meanwhile)(flow_engine *e)) {
    flow_block *b = e->block;
    bool stay = false;
    b->meanwhile = meanwhile;
    b->sections = count_sections(e, count, 4);
    each_step(e, count, 1, leave_some);
    for (uint32_t s = 0; s * FLOW_STEP < count; s++)
        if (b->leaving[s].status) return bough_fail_memory(e->error, b->leaving[s].needs);
    for (uint32_t i = 0; i < count && !stay; i++) stay = e->message[b->slot[i]].flows;
    if (!stay)
        flow_blocks_take(e);
    else if (b->sections == 1)
        detach_alone(e);
    else
        team_each(e->in.team, 1 + b->sections, detach_some, e);
    for (uint32_t i = 0; i < count && stay; i++) {
        message *m = &e->message[b->slot[i]];
        m->left_links = m->left_links || m->flows;
        m->flows = false;
    }
    return BOUGH_OK;
}

void flow_blocks_fini(flow_engine *e) {
    for (size_t s = 0; s < FLOW_BLOCK / FLOW_STEP && e->block; s++) FREE_ALL(e->block->leaving[s].crossing);
    for (unsigned i = 0; i < e->workers; i++) flow_paths_fini(&e->paths[i]);
    FREE_ALL(e->block, e->paths);
}
